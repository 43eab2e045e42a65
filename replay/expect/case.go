// Package expect runs recorded traces against golden expectations: which
// findings a trace must have, and no others (corpus/README.md has the form).
//
// It also measures what the expectations are worth: which rules no trace
// exercises, and which edits of the rules no expectation would notice. Verdicts
// come from the offline pipeline alone; nothing is judged here.
package expect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Suffix is what the name of an expectation ends in.
const Suffix = ".expect.json"

// extensions are those of traces that have expectations, longest first.
var extensions = []string{".jsonl.zst", ".jsonl.gz", ".jsonl", ".tar"}

// Expectation is what a trace must give.
type Expectation struct {
	Args     []string `json:"args"`
	Findings []Entry  `json:"findings"`
	Exit     *int     `json:"exit"`
}

// Entry stands for Count findings. Rule and Action are always compared, the
// others where they are given.
type Entry struct {
	Rule    string          `json:"rule"`
	SubRule *string         `json:"sub_rule"`
	Tool    *string         `json:"tool"`
	ID      json.RawMessage `json:"id"`
	Pointer *string         `json:"pointer"`
	Block   *int            `json:"block"`
	Action  string          `json:"action"`
	Count   int             `json:"count"`
}

// Case is a trace with its expectation.
type Case struct {
	Name  string       // without extension, slash separated: what reports show
	Trace string       // path of the trace
	File  string       // path of the expectation
	Want  *Expectation // nil: there is none yet
}

// Dir is the folder that the arguments of the expectation are relative to.
func (c *Case) Dir() string { return filepath.Dir(c.File) }

const maxExpectation = 16 << 20

// Find lists the cases under the names: directories (recursive, in sorted
// order, links inside are not followed) and single traces or expectations.
// Everything that is wrong with them comes back joined.
func Find(names []string) ([]*Case, error) {
	var cases []*Case
	var errs []error
	for _, name := range names {
		name = strings.TrimSuffix(strings.TrimSuffix(name, "/..."), "/")
		st, err := os.Stat(name)
		switch {
		case err != nil:
			errs = append(errs, err)
		case st.IsDir():
			found, err := walk(name)
			cases = append(cases, found...)
			errs = append(errs, err)
			if err == nil && len(found) == 0 {
				errs = append(errs, fmt.Errorf("%s: no trace in it; a trace is NAME.jsonl, .jsonl.zst, .jsonl.gz or .tar, its expectation NAME%s", name, Suffix))
			}
		default:
			base, trace := strings.TrimSuffix(name, Suffix), name
			if base == name {
				base = trimExtension(name)
			} else if trace = traceOf(base); trace == "" {
				errs = append(errs, fmt.Errorf("%s: there is no trace beside it", name))
				continue
			}
			c, err := open(base, trace)
			cases, errs = append(cases, c), append(errs, err)
		}
	}
	return cases, errors.Join(errs...)
}

func trimExtension(name string) string {
	for _, x := range extensions {
		if base, ok := strings.CutSuffix(name, x); ok {
			return base
		}
	}
	return name
}

func traceOf(base string) string {
	for _, x := range extensions {
		if _, err := os.Stat(base + x); err == nil {
			return base + x
		}
	}
	return ""
}

func walk(root string) (cases []*Case, err error) {
	traces, expects := map[string]string{}, map[string]bool{}
	var errs []error
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if base, ok := strings.CutSuffix(p, Suffix); ok {
			expects[base] = true
			return nil
		}
		base := trimExtension(p)
		if base == p || !d.Type().IsRegular() {
			return nil
		}
		if other := traces[base]; other != "" {
			errs = append(errs, fmt.Errorf("%s and %s would share one expectation; rename one", other, p))
			return nil
		}
		traces[base] = p
		return nil
	})
	errs = append(errs, err)
	var names []string
	for base := range traces {
		names = append(names, base)
	}
	for base := range expects {
		if traces[base] == "" {
			errs = append(errs, fmt.Errorf("%s%s: there is no trace beside it", base, Suffix))
		}
	}
	slices.Sort(names)
	for _, base := range names {
		c, err := open(base, traces[base])
		cases, errs = append(cases, c), append(errs, err)
	}
	return cases, errors.Join(errs...)
}

func open(base, trace string) (*Case, error) {
	c := &Case{Name: filepath.ToSlash(base), Trace: trace, File: base + Suffix}
	data, err := os.ReadFile(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	c.Want, err = Parse(c.File, data)
	return c, err
}

// Parse reads an expectation. Errors name the file and the key.
func Parse(name string, data []byte) (*Expectation, error) {
	if len(data) > maxExpectation {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxExpectation)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var e Expectation
	if err := d.Decode(&e); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("%s:%d: no JSON: %w", name, 1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")), err)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if d.More() {
		return nil, fmt.Errorf("%s: something follows the expectation", name)
	}
	if e.Exit == nil {
		return nil, fmt.Errorf("%s: exit is missing: the exit code that the scan must have", name)
	}
	for i := range e.Findings {
		f := &e.Findings[i]
		switch {
		case f.Rule == "":
			return nil, fmt.Errorf("%s: findings[%d]: rule is missing", name, i)
		case f.Count < 0:
			return nil, fmt.Errorf("%s: findings[%d]: count can't be negative", name, i)
		case f.Count == 0:
			f.Count = 1
		}
		switch f.Action {
		case "blocked", "modified", "shadowed", "passed":
		default:
			return nil, fmt.Errorf("%s: findings[%d]: action must be blocked, modified, shadowed or passed", name, i)
		}
	}
	return &e, nil
}
