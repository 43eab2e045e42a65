package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze/lock"
)

// Lint rule ids. They are about the policy file, never about a frame.
const (
	LintOrphan        = "POL-LINT-ORPHAN"
	LintShapeMismatch = "POL-LINT-SHAPE-MISMATCH"
	LintPathConflict  = "POL-LINT-PATH-CONFLICT"
	LintEmptyAllow    = "POL-LINT-EMPTY-ALLOW"
)

// Warning is something in a policy that loads but hardly does what its author
// wanted.
type Warning struct {
	Rule string `json:"rule"`
	File string `json:"file"`
	Line int    `json:"line"`
	Key  string `json:"key"` // dotted path of the key
	Text string `json:"text"`
}

func (w Warning) String() string {
	return fmt.Sprintf("%s:%d: %s: %s (%s)", w.File, w.Line, w.Key, w.Text, w.Rule)
}

// Lint warns about a policy that has loaded. With a lock it also compares the
// tools and their shapes; l may be nil. The order is that of the file.
func Lint(p *Policy, l *lock.Lock) []Warning {
	var out []Warning
	warn := func(rule string, line int, key, format string, args ...any) {
		out = append(out, Warning{rule, p.Name, line, key, fmt.Sprintf(format, args...)})
	}
	lintPaths(p.defaults.fs, "defaults.filesystem_write", warn)
	for _, name := range p.order {
		t := p.tools[name]
		key := join("tools", name)
		if l != nil {
			lintLock(t, key, l, warn)
		}
		// Inherited entries were warned about at the defaults.
		if fs := t.own.fs; fs != nil && (p.defaults.fs == nil || t.declared[FilesystemWrite] > 0) {
			lintPaths(fs, key+".filesystem_write", warn)
		}
	}
	return out
}

func lintLock(t *tool, key string, l *lock.Lock, warn func(rule string, line int, key, format string, args ...any)) {
	caps, listed := l.Capabilities(t.name)
	if !listed {
		warn(LintOrphan, t.line, key, "the lock has no tool of that name")
		return
	}
	shapes := FromCapabilities(caps)
	for _, s := range Shapes {
		if line, ok := t.declared[s]; ok && !slices.Contains(shapes, s) && !slices.Contains(shapes, inferred) {
			warn(LintShapeMismatch, line, key+"."+string(s), "the lock gives this tool no such capability")
		}
	}
}

func lintPaths(r *fsRules, key string, warn func(rule string, line int, key, format string, args ...any)) {
	if r == nil {
		return
	}
	if len(r.allow) == 0 {
		line := r.allowLine
		if line == 0 {
			line = r.line
		}
		warn(LintEmptyAllow, line, key+".allow_paths", "is missing or empty, which denies every path")
		return
	}
	for _, a := range r.allow {
		for _, d := range r.deny {
			if covers(d, a) {
				warn(LintPathConflict, r.allowLine, key+".allow_paths", "entry %s is allowed and denied by deny_paths entry %s; deny wins", show(a.text), show(d.text))
				break
			}
		}
	}
}

// covers says whether a deny entry takes all that an allow entry gives. The
// allow entry's wildcards are put in as names that no single-segment wildcard
// of the deny entry could swallow whole.
func covers(d, a pathGlob) bool {
	const name = "\uE000"
	text := normalise(a.text)
	deep := strings.NewReplacer("**", name+"/"+name+"/"+name, "*", name, "?", name).Replace(text)
	flat := strings.NewReplacer("**", name, "*", name, "?", name).Replace(text)
	return d.match(deep) && d.match(flat)
}
