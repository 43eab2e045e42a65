package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/analyze/policy"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
)

// policyCmd is `warden-inspect policy` (policy.md, section 1).
type policyCmd struct {
	Lint policyLintCmd `cmd:"" help:"Name all that is wrong with a policy file at once (exit 1 on an error)."`
	Eval policyEvalCmd `cmd:"" help:"Judge one call, one verdict a shape (exit 1 on a deny)."`
}

// policyLintCmd is `policy lint`.
type policyLintCmd struct {
	Policy string `required:"" placeholder:"FILE" help:"The policy (YAML)."`
	Lock   string `placeholder:"FILE" help:"Also hold its tools and shapes against this lock."`
	Format string `enum:"text,json" default:"text" help:"text, or json: one object a line."`
	Output string `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

// lintLine is one complaint about a file.
type lintLine struct {
	Level string `json:"level"` // "error" or "warning"
	Rule  string `json:"rule,omitempty"`
	File  string `json:"file"`
	Line  int    `json:"line,omitempty"`
	Key   string `json:"key,omitempty"`
	Text  string `json:"message"`
}

// Run checks the file.
func (c *policyLintCmd) Run(w *program.World) error {
	if err := program.Apart(w, c.Output, program.Named{Flag: "--policy", Path: c.Policy}, program.Named{Flag: "--lock", Path: c.Lock}); err != nil {
		return err
	}
	data, err := verdictInput(w, "--policy", c.Policy, policy.MaxBytes)
	if err != nil {
		return err
	}
	var l *lock.Lock
	if c.Lock != "" {
		if l, err = verdictLock(w, c.Lock); err != nil {
			return err
		}
	}
	p, err := policy.Load(c.Policy, data)
	var lines []lintLine
	for _, e := range joined(err) {
		var f *policy.Fault
		if errors.As(e, &f) {
			lines = append(lines, lintLine{"error", "", f.File, f.Line, f.Key, f.Text})
		}
	}
	if err == nil {
		for _, x := range policy.Lint(p, l) {
			lines = append(lines, lintLine{"warning", x.Rule, x.File, x.Line, x.Key, x.Text})
		}
	}
	said := ""
	if err == nil {
		said = fmt.Sprintf("%s, %s", program.Count(len(p.Tools()), "tool", "tools"), program.Count(len(lines), "warning", "warnings"))
	}
	return writeLint(w, c.Output, c.Format, c.Policy, lines, said)
}

// joined are the errors that errors.Join put together.
func joined(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// writeLint writes the complaints, or said when there is no error, and gives
// the exit code: 1 on an error.
func writeLint(w *program.World, output, format, file string, lines []lintLine, said string) error {
	failed := 0
	err := verdictOutput(w, output, func(o io.Writer) error {
		for _, l := range lines {
			if l.Level == "error" {
				failed++
			}
			if format == "json" {
				if err := report.WriteJSONLine(o, l); err != nil {
					return err
				}
				continue
			}
			place := l.File
			if l.Line > 0 {
				place = fmt.Sprintf("%s:%d", l.File, l.Line)
			}
			if l.Key != "" {
				place += ": " + l.Key
			}
			rule := ""
			if l.Rule != "" {
				rule = " (" + l.Rule + ")"
			}
			fmt.Fprintln(o, safe.String(place+": "+l.Level+": "+l.Text+rule))
		}
		if format == "json" {
			return nil
		}
		if failed > 0 {
			said = program.Count(failed, "error", "errors")
		}
		_, err := fmt.Fprintln(o, safe.String(file+": "+said))
		return err
	})
	if err == nil && failed > 0 {
		return program.Status(program.ExitFindings)
	}
	return err
}

// verdictOutput writes to a file, or to standard output.
func verdictOutput(w *program.World, name string, write func(io.Writer) error) error {
	if name == "" {
		name = "-"
	}
	return writeFile(w, name, write)
}

// verdictInput reads a small file whole, or standard input for "-". A file over
// the bound is read up to one byte beyond it, so that its own check refuses it.
func verdictInput(w *program.World, flag, name string, bound int64) ([]byte, error) {
	if name == "-" {
		data, err := io.ReadAll(io.LimitReader(w.Stdin, bound+1))
		if err != nil {
			return nil, program.Fail("", "%s: standard input: %w", flag, err)
		}
		return data, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, program.Fail("check the name and its permissions", "%s: %w", flag, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, bound+1))
	if err != nil {
		return nil, program.Fail("check the name and its permissions", "%s: %w", flag, err)
	}
	return data, nil
}

// verdictLock reads a lock as scan does.
func verdictLock(w *program.World, name string) (*lock.Lock, error) {
	data, err := verdictInput(w, "--lock", name, lock.MaxBytes)
	if err != nil {
		return nil, err
	}
	l, warnings, err := lock.Parse(name, data)
	if err != nil {
		return nil, program.Fail("warden-inspect lock pin makes a new one", "--lock: %w", err)
	}
	for _, s := range warnings {
		w.Warn("warden-inspect", string(s))
	}
	return l, nil
}

// coverageOf reads the enum of a --coverage flag.
func coverageOf(s string) analyze.Coverage {
	if s == analyze.Spec.String() {
		return analyze.Spec
	}
	return analyze.Full
}
