package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/warden-trace/warden/analyze/allowlist"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
)

// allowlistCmd is `warden-inspect allowlist` (policy.md, section 2).
type allowlistCmd struct {
	Lint allowlistLintCmd `cmd:"" help:"Name all that is wrong with an allow-list at once (exit 1 on an error)."`
	Eval allowlistEvalCmd `cmd:"" help:"Judge one call (exit 1 on a deny)."`
}

// allowlistFlags are what both commands read a list by.
type allowlistFlags struct {
	Allowlist string   `required:"" placeholder:"FILE" help:"The allow-list (JSON)."`
	Limit     []string `placeholder:"NAME=N" sep:"none" help:"Override a limit, for instance guwah.maxInputDepth=64."`
	Output    string   `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

// load reads the list. bad is what is wrong with its content; err what kept it
// from being read.
func (f *allowlistFlags) load(w *program.World) (p *allowlist.Policy, bad, err error) {
	limits := allowlist.DefaultLimits()
	for _, s := range f.Limit {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, nil, program.Fail("write --limit guwah.maxInputDepth=64", "--limit %s: no value", s)
		}
		if err := limits.Set(name, value); err != nil {
			return nil, nil, program.Fail("", "%w", err)
		}
	}
	// What a limit allows is still a file of a size that fits in memory.
	data, err := verdictInput(w, "--allowlist", f.Allowlist, min(limits.PolicyBytes, 1<<30))
	if err != nil {
		return nil, nil, err
	}
	p, bad = allowlist.Load(f.Allowlist, data, limits)
	return p, bad, nil
}

// allowlistLintCmd is `allowlist lint`.
type allowlistLintCmd struct {
	allowlistFlags
	Format string `enum:"text,json" default:"text" help:"text, or json: one object a line."`
}

// Run checks the file.
func (c *allowlistLintCmd) Run(w *program.World) error {
	if err := program.Apart(w, c.Output, program.Named{Flag: "--allowlist", Path: c.Allowlist}); err != nil {
		return err
	}
	p, bad, err := c.load(w)
	if err != nil {
		return err
	}
	var lines []lintLine
	for _, e := range joined(bad) {
		var f *allowlist.Fault
		if errors.As(e, &f) {
			lines = append(lines, lintLine{"error", "", f.File, f.Line, f.Key, f.Text})
		}
	}
	said := ""
	if bad == nil {
		open := 0
		for _, name := range p.Tools() {
			if p.Allows(name) {
				open++
			}
		}
		said = fmt.Sprintf("%s, %d with ENFORCE", program.Count(len(p.Tools()), "tool", "tools"), open)
	}
	return writeLint(w, c.Output, c.Format, c.Allowlist, lines, said)
}

// allowlistEvalCmd is `allowlist eval`.
type allowlistEvalCmd struct {
	allowlistFlags
	Call        string   `required:"" placeholder:"FILE" help:"The tools/call request (JSON), the whole frame; - is standard input."`
	Candidate   string   `placeholder:"FILE" help:"The arguments that the agent produced (JSON), to be compared with those in the frame."`
	AllowParams []string `placeholder:"KEY" sep:"none" help:"Further member of params that is let through."`
}

// allowLine is how a verdict is printed.
type allowLine struct {
	Verdict string `json:"verdict"` // allow, deny
	*allowlist.Violation
	GuwahCode string `json:"guwahCode,omitempty"`
}

// Run judges the call.
func (c *allowlistEvalCmd) Run(w *program.World) error {
	stdin := 0
	for _, name := range []string{c.Allowlist, c.Call, c.Candidate} {
		if name == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return program.Fail("give the others as files", "only one input can be standard input")
	}
	if err := program.Apart(w, c.Output, program.Named{Flag: "--allowlist", Path: c.Allowlist}, program.Named{Flag: "--call", Path: c.Call},
		program.Named{Flag: "--candidate", Path: c.Candidate}); err != nil {
		return err
	}
	p, bad, err := c.load(w)
	if err != nil {
		return err
	}
	if bad != nil {
		return program.Fail("warden-inspect allowlist lint explains a list", "--allowlist: %w", bad)
	}
	r := allowlist.Request{AllowParams: c.AllowParams}
	if r.Frame, err = verdictInput(w, "--call", c.Call, maxCall); err != nil {
		return err
	}
	if v, err := jsonrpc.Decode(r.Frame, jsonrpc.DecodeOptions{Lenient: true, MaxDepth: 1 << 16, MaxNodes: 1 << 20}); err == nil && v.Kind == jsonrpc.Object && v.Get("method") == nil && v.Get("name") != nil {
		return program.Fail(`write {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {...}}`, "--call %s: these are the params of a call; the allow-list judges the whole frame", c.Call)
	}
	if c.Candidate != "" {
		r.HasCandidate = true
		if r.Candidate, err = verdictInput(w, "--candidate", c.Candidate, maxCall); err != nil {
			return err
		}
	}
	v := p.Check(r)
	err = verdictOutput(w, c.Output, func(o io.Writer) error {
		if v == nil {
			return report.WriteJSONLine(o, json.RawMessage(`{"verdict":"allow"}`))
		}
		v.Tool = secret.Scrub(v.Tool)
		return report.WriteJSONLine(o, allowLine{"deny", v, allowlist.GuwahCode(v.Code)})
	})
	if err == nil && v != nil {
		return program.Status(program.ExitFindings)
	}
	return err
}
