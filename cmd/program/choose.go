package program

import (
	"fmt"
	"io"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/formats/baseline"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay/where"
)

// WhereFlag chooses findings and frames by an expression (package where).
type WhereFlag struct {
	Where string `placeholder:"EXPR" help:"Only findings and frames that EXPR is true for; --where help explains the language." group:"Output"`
}

// Explain prints the help of the language where the flag asks for it; done says
// that it did.
func (f *WhereFlag) Explain(w *World) (done bool, err error) {
	if f.Where != "help" {
		return false, nil
	}
	_, err = io.WriteString(w.Stdout, where.Help())
	return true, err
}

// Filter compiles the expression for a run with these rules, which may be nil as
// long as nobody knows them; the result is nil where there is none.
func (f *WhereFlag) Filter(rules *ruleset.Set) (*where.Filter, error) {
	if f.Where == "" {
		return nil, nil
	}
	var ids *where.IDs
	if rules != nil {
		ids = where.IDsOf(rules)
	}
	filter, err := where.Compile(f.Where, ids)
	if err != nil {
		return nil, Fail("", "--where: %w", err)
	}
	return filter, nil
}

// BaselineFlag names a file of accepted findings.
type BaselineFlag struct {
	Baseline string `placeholder:"FILE" help:"Accepted findings (baseline create): reported as such, not counted." group:"Output"`
}

// LoadBaseline reads the file; nil where there is none.
func (f *BaselineFlag) LoadBaseline() (*baseline.File, error) {
	if f.Baseline == "" {
		return nil, nil
	}
	b, err := baseline.Load(f.Baseline)
	if err != nil {
		return nil, Fail("", "--baseline: %w", err)
	}
	return b, nil
}

// namedEntries is how many entries of a baseline are named in notices.
const namedEntries = 10

// Notices tells how many entries a finding met after their day (the findings
// themselves say which) and, where the run saw all there is, of those that no
// finding met.
func (f *BaselineFlag) Notices(h report.Handler, b *baseline.File, complete bool) error {
	say := func(format string, args ...any) error {
		return h.Problem(&report.Problem{Trace: f.Baseline, Message: fmt.Sprintf(format, args...)})
	}
	if n := len(b.Expired()); n > 0 {
		text := "%s have expired: their findings count again; baseline prune --expired removes them"
		if n == 1 {
			text = "%s has expired: its finding counts again; baseline prune --expired removes it"
		}
		if err := say(text, Count(n, "baseline entry", "baseline entries")); err != nil {
			return err
		}
	}
	if !complete {
		return nil
	}
	for i, e := range b.Stale() {
		if i == namedEntries {
			return say("and %s no finding", Count(len(b.Stale())-i, "more entry that meets", "more entries that meet"))
		}
		about := e.Rule
		if e.Where != "" {
			about += ", " + e.Where
		}
		if e.Expires != "" {
			about += ", expires " + e.Expires
		}
		if err := say("baseline entry %s (%s) meets no finding any more; baseline prune removes it", e.Fingerprint, about); err != nil {
			return err
		}
	}
	return nil
}

// Accepts is what marks findings that a baseline knows; nil without one.
func Accepts(b *baseline.File, today time.Time) func(*analyze.Finding) {
	if b == nil {
		return nil
	}
	return func(f *analyze.Finding) { b.Mark(f, today) }
}

// NeedsFingerprints reports an expression that reads fingerprints, which are
// not made for nothing.
func NeedsFingerprints(f *where.Filter) bool { return f != nil && f.Uses("fingerprint") }
