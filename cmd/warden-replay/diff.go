package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/diff"
)

// diffCmd is `warden-replay diff`.
type diffCmd struct {
	Corpus []string `arg:"" name:"corpus" help:"Recordings: files, directories, globs, archives, or - for standard input."`

	Base string `complete:"rules" required:"" placeholder:"RULES" help:"Rules to compare with: a ruleset file (it may remove and loosen), builtin, calibrated, or REVISION:PATH of a file in git."`
	Head string `complete:"rules" required:"" placeholder:"RULES" help:"The rules as they are to be."`

	Format           string `enum:"text,json,markdown,sarif" default:"text" help:"What goes to standard output: text, json, markdown, sarif." group:"Output"`
	Output           string `short:"o" placeholder:"FILE" help:"Write that to FILE instead." group:"Output"`
	JSON             string `name:"json" placeholder:"FILE" help:"Also write JSONL to FILE." group:"Output"`
	Markdown         string `placeholder:"FILE" help:"Also write Markdown to FILE." group:"Output"`
	Sarif            string `placeholder:"FILE" help:"Also write SARIF with baselineState to FILE." group:"Output"`
	SarifLimit       int    `default:"25000" placeholder:"N" help:"Most results in the SARIF report (${default})." group:"Output"`
	FailOn           string `enum:"added,removed,any,never" default:"any" help:"What makes exit code 1: findings added, removed, any change, never." group:"Output"`
	AllowParseErrors bool   `help:"Lines that can't be read are notes, not an error." group:"Output"`

	program.RuleFlags
	program.PostureFlags
	program.ReadFlags
}

// Run compares.
func (c *diffCmd) Run(w *program.World) error {
	base, head, err := c.configs(w)
	if err != nil {
		return err
	}
	ro, err := c.Options(w)
	if err != nil {
		return err
	}
	if err := c.targets(ro).Check(w); err != nil {
		return err
	}
	out, err := c.open(w, base, head)
	if err != nil {
		return err
	}
	both, err := c.both(w, base, head)
	if err != nil {
		out.abort()
		return err
	}
	sum, err := diff.Run(formats.Inputs(c.Corpus, w.Stdin, formats.InputOptions{Options: ro}), diff.Options{
		Base: base, Head: head, Both: both, Formats: ro, Jobs: program.Workers(c.Jobs), Interrupt: w.Interrupt,
		Change: out.change, Problem: out.problem, Fingerprints: out.json != nil || out.sarif != nil})
	if err != nil {
		out.abort()
		return err
	}
	if sum.Traces == 0 && sum.Fatal { // no sums of what was not read; the errors were told
		out.abort()
		return program.Status(program.ExitError)
	}
	code := program.Outcome{Found: sum.Any(c.FailOn), Failed: sum.Fatal || sum.ParseErrors > 0 && !c.AllowParseErrors, Interrupted: sum.Interrupted}.ExitCode()
	if err := out.close(sum, code); err != nil {
		return err
	}
	if sum.Interrupted {
		return program.Interrupted("the reports hold what differs until then")
	}
	return program.Status(code)
}

// targets are what the run writes and reads, by name.
func (c *diffCmd) targets(ro formats.Options) *program.Targets {
	main := program.Named{Flag: "--output", Path: c.Output}
	if c.Output == "" {
		main = program.Named{Flag: "--format " + c.Format, Path: "-"}
	}
	return &program.Targets{
		Out: []program.Named{main, {Flag: "--json", Path: c.JSON}, {Flag: "--markdown", Path: c.Markdown}, {Flag: "--sarif", Path: c.Sarif}},
		In: append(c.RuleFlags.Files(), program.Named{Flag: "--base", Path: c.Base}, program.Named{Flag: "--head", Path: c.Head},
			program.Named{Flag: "--c2s", Path: c.C2S}, program.Named{Flag: "--s2c", Path: c.S2C}),
		Traces: c.Corpus, Read: ro,
	}
}

// configs are the two configurations, alike but for their rules.
func (c *diffCmd) configs(w *program.World) (base, head *replay.Config, err error) {
	load := func(flag, name string) (*replay.Config, error) {
		set, err := diff.Open(ruleset.Builtin(), name)
		if err != nil {
			return nil, program.Fail("a rule set is a file, builtin, calibrated, or REVISION:PATH of a file in git", "%s: %w", flag, err)
		}
		rules := c.RuleFlags
		rules.Base = set
		cfg, warnings, err := program.Configure(w, &rules, &c.PostureFlags, &c.ReadFlags)
		if err == nil && flag == "--head" {
			for _, s := range warnings {
				w.Warn("warden-replay", s)
			}
		}
		return cfg, err
	}
	if base, err = load("--base", c.Base); err != nil {
		return nil, nil, err
	}
	head, err = load("--head", c.Head)
	return base, head, err
}

// both is a configuration that finds something wherever one of the two does.
func (c *diffCmd) both(w *program.World, base, head *replay.Config) (*replay.Config, error) {
	rules := c.RuleFlags
	rules.Base, rules.Ruleset = diff.Union(base.Rules, head.Rules), nil // --ruleset is in both already
	cfg, _, err := program.Configure(w, &rules, &c.PostureFlags, &c.ReadFlags)
	return cfg, err
}

// diffOut are the reports of a comparison.
type diffOut struct {
	c     *diffCmd
	w     *program.World
	names diff.Names
	files []*target.File
	json  []io.Writer
	sarif []report.Handler
	text  []func(*diff.Summary) error
	state string // of the result that is being written
}

func (c *diffCmd) open(w *program.World, base, head *replay.Config) (*diffOut, error) {
	o := &diffOut{c: c, w: w, names: diff.Names{Base: c.Base, Head: c.Head}}
	main := c.Output
	if main == "" {
		main = "-"
	}
	for _, r := range []struct{ format, file string }{{c.Format, main}, {"json", c.JSON}, {"markdown", c.Markdown}, {"sarif", c.Sarif}} {
		if r.file == "" {
			continue
		}
		f, err := target.Create(r.file, w.Stdout)
		if err != nil {
			o.abort()
			return nil, err
		}
		switch r.format {
		case "json":
			o.json = append(o.json, f)
		case "sarif":
			dir, _ := os.Getwd()
			run := &report.Run{Version: program.Version, Ruleset: head.Catalog.Hash(), Coverage: head.Coverage, Rules: head.Rules.Rules, Start: w.Now()}
			o.sarif = append(o.sarif, report.NewSARIF(f, report.SARIFOptions{Limit: c.SarifLimit, Root: filepath.ToSlash(dir), Program: name,
				BaselineState: func(*analyze.Finding) string { return o.state }}, run))
			continue // it closes its file itself
		case "markdown":
			o.text = append(o.text, func(s *diff.Summary) error { return s.WriteMarkdown(f, o.names) })
		default:
			o.text = append(o.text, func(s *diff.Summary) error { return s.WriteText(f, o.names) })
		}
		o.files = append(o.files, f)
	}
	return o, nil
}

var states = map[diff.Sign]string{diff.Plus: "new", diff.Minus: "absent", diff.Tilde: "updated"}

func (o *diffOut) change(c *diff.Change) error {
	o.state = states[c.Sign]
	for _, h := range o.sarif {
		if err := h.Finding(c.Finding()); err != nil {
			return err
		}
	}
	for _, f := range o.json {
		if err := c.WriteJSON(f); err != nil {
			return err
		}
	}
	return nil
}

func (o *diffOut) problem(p *report.Problem) error {
	q := *p
	if q.Parse && o.c.AllowParseErrors {
		q.Fatal = false
	}
	for _, h := range o.sarif {
		if err := h.Problem(&q); err != nil {
			return err
		}
	}
	if q.Fatal {
		program.PrintError(o.w.Stderr, name, errors.New(secret.Scrub(q.String())))
	}
	return nil
}

func (o *diffOut) close(s *diff.Summary, code int) error {
	sum := &report.Summary{Traces: s.Traces, Sessions: s.Sessions, Frames: s.Frames, ParseErrors: s.ParseErrors, ExitCode: code, Interrupted: s.Interrupted}
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, h := range o.sarif {
		keep(h.Close(sum))
	}
	for _, f := range o.json {
		keep(s.WriteJSON(f, o.names, code))
	}
	for _, write := range o.text {
		keep(write(s))
	}
	for _, f := range o.files {
		keep(f.Close())
	}
	return first
}

func (o *diffOut) abort() {
	for _, h := range o.sarif {
		h.Abort()
	}
	for _, f := range o.files {
		f.Abort()
	}
}
