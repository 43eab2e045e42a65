package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/analyze/policy"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
)

// policyEvalCmd is `policy eval`.
type policyEvalCmd struct {
	Policy   string `required:"" placeholder:"FILE" help:"The policy (YAML)."`
	Call     string `required:"" placeholder:"FILE" help:"The call (JSON): a tools/call request, its params, or {\"tool\", \"arguments\"}; - is standard input."`
	Lock     string `placeholder:"FILE" help:"Take the tool's shapes from this lock, not from names."`
	Coverage string `enum:"full,spec" default:"full" help:"full, or spec: without the wider rows."`
	Output   string `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

// verdictLine is how a verdict is printed.
type verdictLine struct {
	Tool       string       `json:"tool"`
	Shape      policy.Shape `json:"shape"`
	Verdict    string       `json:"verdict"` // allow, note, deny
	Reason     string       `json:"reason"`
	Constraint string       `json:"constraint"`
	Rule       string       `json:"rule"`
	Pointer    string       `json:"pointer"`
	Covered    bool         `json:"covered"` // the policy has an entry for the tool
}

// maxCall bounds a call file: the frame cap.
const maxCall = 8 << 20

// Run judges the call.
func (c *policyEvalCmd) Run(w *program.World) error {
	if c.Policy == "-" && c.Call == "-" {
		return program.Fail("give one of them as a file", "--policy and --call can't both be standard input")
	}
	if err := program.Apart(w, c.Output, program.Named{Flag: "--policy", Path: c.Policy}, program.Named{Flag: "--call", Path: c.Call},
		program.Named{Flag: "--lock", Path: c.Lock}); err != nil {
		return err
	}
	data, err := verdictInput(w, "--policy", c.Policy, policy.MaxBytes)
	if err != nil {
		return err
	}
	p, err := policy.Load(c.Policy, data)
	if err != nil {
		return program.Fail("warden-inspect policy lint explains a policy", "--policy: %w", err)
	}
	p.Coverage = coverageOf(c.Coverage)
	var l *lock.Lock
	if c.Lock != "" {
		if l, err = verdictLock(w, c.Lock); err != nil {
			return err
		}
	}
	raw, err := verdictInput(w, "--call", c.Call, maxCall)
	if err != nil {
		return err
	}
	tools, args, err := readCall(c.Call, raw, coverageOf(c.Coverage) == analyze.Full)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if !slices.Contains(p.Tools(), t) {
			w.Warn(name, fmt.Sprintf("no entry of the policy names the tool %q", secret.Scrub(t)))
		}
	}
	denied := false
	verdicts := p.EvalReadings(tools, args, func(tool string) []policy.Shape {
		if caps, listed := l.Capabilities(tool); listed {
			return policy.FromCapabilities(caps)
		}
		return nil
	})
	err = verdictOutput(w, c.Output, func(o io.Writer) error {
		for _, v := range verdicts {
			covered := slices.Contains(p.Tools(), v.Tool)
			line := verdictLine{secret.Scrub(v.Tool), v.Shape, "allow", v.Reason, v.Constraint, v.Rule, v.Pointer, covered}
			if v.Reason == "" && !covered {
				line.Reason = noEntry + ": its name and arguments gave the shape, and the defaults decided"
			}
			switch {
			case !v.Allow:
				line.Verdict, denied = "deny", true
			case v.Note:
				line.Verdict = "note"
			}
			if err := report.WriteJSONLine(o, line); err != nil {
				return err
			}
		}
		if len(verdicts) == 0 {
			return report.WriteJSONLine(o, nothingJudged(p, tools[0]))
		}
		return nil
	})
	if err == nil && denied {
		return program.Status(program.ExitFindings)
	}
	return err
}

const noEntry = "no entry of the policy names this tool"

// nothingJudged says of a call that has no shape that it passes, and that this
// is no verdict on it.
func nothingJudged(p *policy.Policy, tool string) verdictLine {
	line := verdictLine{Tool: secret.Scrub(tool), Verdict: "allow", Covered: slices.Contains(p.Tools(), tool)}
	line.Reason = "it has no shape that could be judged: nothing was judged"
	if !line.Covered {
		line.Reason = noEntry + ", and " + line.Reason
	}
	return line
}

// readCall takes a call apart, with every reading that repeated keys give it; with
// fold, as in a scan with coverage full, keys that differ only in case are repeats.
func readCall(name string, raw []byte, fold bool) (tools []string, args []*jsonrpc.Value, err error) {
	v, err := jsonrpc.Decode(raw, jsonrpc.DecodeOptions{Lenient: true, MaxNodes: 1 << 20})
	if err != nil {
		return nil, nil, program.Fail("", "--call %s: no JSON: %w", name, err)
	}
	if v.Kind != jsonrpc.Object {
		return nil, nil, program.Fail(`write {"name": "TOOL", "arguments": {...}}`, "--call %s: a call is an object, not %s", name, v.Kind)
	}
	is := func(key, want string) bool { return key == want || fold && strings.EqualFold(key, want) }
	var bodies []*jsonrpc.Value
	for _, m := range v.Members {
		if is(m.Key, "params") {
			bodies = append(bodies, m.Value)
		}
	}
	if len(bodies) == 0 {
		bodies = append(bodies, v)
	}
	for _, b := range bodies {
		for _, m := range b.Members {
			switch s, isString := m.Value.IsString(); {
			case (is(m.Key, "name") || is(m.Key, "tool")) && isString:
				tools = append(tools, s)
			case is(m.Key, "arguments"):
				args = append(args, m.Value)
			}
		}
	}
	if len(tools) == 0 {
		return nil, nil, program.Fail(`write {"name": "TOOL", "arguments": {...}}`, "--call %s: the call names no tool", name)
	}
	return tools, args, nil
}
