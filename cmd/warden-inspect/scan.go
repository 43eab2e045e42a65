package main

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay/offline"
)

// scanCmd is `warden-inspect scan`.
type scanCmd struct {
	Trace []string `arg:"" optional:"" name:"trace" help:"File, directory (recursive; DIR/... is the same), glob, tar, or - for standard input."`

	program.RuleFlags
	program.PostureFlags
	program.ReadFlags
	program.WhereFlag
	program.BaselineFlag

	Format   string `enum:"auto,text,json,sarif,github,markdown" default:"auto" help:"What goes to standard output: auto (text), text, json, sarif, github, markdown." group:"Output"`
	Output   string `short:"o" placeholder:"FILE" help:"Write that to FILE instead." group:"Output"`
	JSON     string `name:"json" placeholder:"FILE" help:"Also write JSONL to FILE (- is standard output)." group:"Output"`
	Sarif    string `name:"sarif" placeholder:"FILE" help:"Also write SARIF 2.1.0 to FILE." group:"Output"`
	Parquet  string `name:"parquet" placeholder:"DIR" help:"Also write the Parquet tables sessions, frames, calls and findings below DIR." group:"Output"`
	HTML     string `name:"html" placeholder:"FILE" help:"Also write a one-page report for a browser to FILE." group:"Output"`
	Junit    string `name:"junit" placeholder:"FILE" help:"Also write JUnit XML to FILE." group:"Output"`
	Markdown string `name:"markdown" placeholder:"FILE" help:"Also write Markdown to FILE." group:"Output"`

	FailOn           string `enum:"block,monitor,note,never" default:"block" help:"Tier that makes exit code 1: block, monitor, note or never." group:"Output"`
	IncludeText      bool   `help:"Put frames and payloads, redacted, into the Parquet tables." group:"Output"`
	AllowParseErrors bool   `help:"Lines that can't be read are notes, not an error." group:"Output"`
	SarifLimit       int    `default:"25000" placeholder:"N" help:"Most results in a SARIF report (${default})." group:"Output"`
	Color            string `enum:"auto,always,never" default:"auto" help:"Colour: auto (on a terminal, unless NO_COLOR is set), always, never." group:"Output"`
	Progress         *bool  `negatable:"" help:"Progress bar on standard error; default: on a terminal." group:"Output"`
	Quiet            bool   `short:"q" help:"Only what blocks, a line each." group:"Output"`
	Verbose          bool   `short:"v" help:"List notes too." group:"Output"`
}

// Run reads the traces and reports.
func (c *scanCmd) Run(w *program.World) error {
	if done, err := c.Explain(w); done || err != nil {
		return err
	}
	if len(c.Trace) == 0 && c.C2S == "" && c.S2C == "" {
		return program.Fail("name a file, a directory or - for standard input; see warden-inspect --help", "no trace given")
	}
	ro, err := c.Options(w)
	if err != nil {
		return err
	}
	if err := c.targets(ro).Check(w); err != nil {
		return err
	}
	cfg, warnings, err := program.Configure(w, &c.RuleFlags, &c.PostureFlags, &c.ReadFlags)
	if err != nil {
		return err
	}
	for _, s := range warnings {
		w.Warn(name, s)
	}
	for _, flag := range c.Deprecated() {
		w.Warn(name, flag+" does nothing any more: its rules block by default (--no-block-... turns one off)")
	}
	filter, err := c.Filter(cfg.Rules)
	if err != nil {
		return err
	}
	known, err := c.LoadBaseline()
	if err != nil {
		return err
	}
	cfg.Dry = c.HTML == "" // nothing is delivered, and only this report shows what would be
	run := &report.Run{Version: program.Version, Ruleset: cfg.Catalog.Hash(), Coverage: cfg.Coverage, Rules: cfg.Rules.Rules, Set: cfg.Rules, Start: w.Now()}
	handler, err := c.reports(w, run)
	if err != nil {
		return err
	}
	var observe func(*offline.Observation)
	var settle func()
	if report.WantsFrames(handler) {
		observe = offline.Frames(handler.(report.FrameSink))
		if s, ok := handler.(report.Settler); ok {
			settle = s.Settle
		}
	}
	orphans := newUnlisted(cfg.Policy)
	if orphans != nil {
		each := observe
		observe = func(o *offline.Observation) {
			orphans.observe(o)
			if each != nil {
				each(o)
			}
		}
	}
	complete := false
	defer func() {
		if !complete { // whatever happened, nothing half-written stays
			handler.Abort()
		}
	}()
	g := &gate{Handler: handler, failOn: c.FailOn, auditOnly: c.AuditOnly, tolerant: c.AllowParseErrors}
	if c.Output != "" || !program.IsTerminal(w.Stdout) && !w.OneStream() {
		g.aside = func(err error) { program.PrintError(w.Stderr, name, err) }
	}
	bar := w.NewProgress(c.Progress, c.Quiet)
	var passed atomic.Int64
	sum, err := offline.Run(c.inputs(w, ro, &passed), offline.Options{
		Config: cfg, Formats: ro, Jobs: program.Workers(c.Jobs), Handler: g, Interrupt: w.Interrupt, Progress: bar, Observe: observe, Settle: settle,
		Fingerprints: c.Format == "json" || c.Format == "sarif" || c.JSON != "" || c.Sarif != "" || c.Parquet != "" || c.HTML != "" || known != nil || program.NeedsFingerprints(filter),
		NoColumns:    c.Format != "sarif" && c.Format != "github" && c.Sarif == "",
		Where:        filter, Accept: program.Accepts(known, w.Now()),
	})
	bar.Done()
	if err == nil {
		err = orphans.notice(g)
	}
	if err == nil && known != nil {
		err = c.Notices(g, known, !sum.Interrupted && !g.fatal)
	}
	if err != nil {
		return err
	}
	sum.Unrecognised += passed.Load()
	sum.Elapsed = w.Now().Sub(run.Start)
	sum.ExitCode = g.code(sum)
	complete = true
	if err := handler.Close(sum); err != nil {
		return err
	}
	switch {
	case sum.Interrupted && c.Parquet != "":
		return program.Interrupted("the tables of --parquet were not written; other reports hold what was found until then")
	case sum.Interrupted && g.aside != nil:
		return program.Interrupted("the reports hold what was found until then")
	}
	return program.Status(sum.ExitCode)
}

// file is one report and where it goes.
type file struct{ flag, format, file string }

// files lists the reports that were asked for, but the Parquet tables.
func (c *scanCmd) files() (list []file) {
	main := file{"", c.Format, "-"}
	if c.Output != "" {
		main.flag, main.file = "--output", c.Output
	}
	if c.Format != "auto" {
		main.flag = "--format " + c.Format
	}
	alone := true // a report that takes standard output for itself is alone there
	for _, f := range []file{
		{"--json", "json", c.JSON}, {"--sarif", "sarif", c.Sarif}, {"--junit", "junit", c.Junit},
		{"--markdown", "markdown", c.Markdown}, {"--html", "html", c.HTML},
	} {
		if f.file != "" {
			list = append(list, f)
			alone = alone && !(f.file == "-" && main.file == "-")
		}
	}
	if main.format == "auto" {
		if !alone {
			return list
		}
		main.format = "text"
	}
	return append([]file{main}, list...)
}

// targets are what the run writes and reads, by name.
func (c *scanCmd) targets(ro formats.Options) *program.Targets {
	t := &program.Targets{Traces: c.Trace, Read: ro}
	for _, f := range c.files() {
		t.Out = append(t.Out, program.Named{Flag: f.flag, Path: f.file})
	}
	if c.Parquet != "" {
		t.Out = append(t.Out, program.Named{Flag: "--parquet", Path: c.Parquet})
	}
	t.In = append(c.RuleFlags.Files(), program.Named{Flag: "--baseline", Path: c.Baseline},
		program.Named{Flag: "--c2s", Path: c.C2S}, program.Named{Flag: "--s2c", Path: c.S2C})
	for _, p := range c.BlockInjectOnly {
		t.In = append(t.In, program.Named{Flag: "--block-inject-phrase-only", Path: p})
	}
	return t
}

// reports opens every report that was asked for, so that a target that can't
// be written is an error before a trace is read.
func (c *scanCmd) reports(w *program.World, run *report.Run) (report.Handler, error) {
	var handlers []report.Handler
	fail := func(err error) (report.Handler, error) {
		for _, h := range handlers {
			h.Abort()
		}
		return nil, err
	}
	for _, r := range c.files() {
		out, err := w.Create(r.file)
		if err != nil {
			return fail(err)
		}
		h, err := c.handler(w, r.format, r.file == "-", out, run)
		if err != nil {
			out.Abort()
			return fail(err)
		}
		handlers = append(handlers, h)
	}
	if c.Parquet != "" {
		dir, err := report.CreateParquetDir(c.Parquet)
		if err != nil {
			return fail(err)
		}
		handlers = append(handlers, report.NewParquet(dir, report.ParquetOptions{IncludeText: c.IncludeText}, run))
	}
	return report.Tee(handlers...), nil
}

func (c *scanCmd) handler(w *program.World, format string, stdout bool, out report.Output, run *report.Run) (report.Handler, error) {
	switch format {
	case "text":
		o := report.TextOptions{Verbose: c.Verbose, Quiet: c.Quiet}
		if stdout {
			var err error
			if o.Color, err = w.Color(c.Color, w.Stdout); err != nil {
				return nil, err
			}
			o.Width = w.Columns(w.Stdout)
		} else {
			o.Color = c.Color == "always"
		}
		return report.NewText(out, o, run), nil
	case "json":
		return report.NewJSON(out, run), nil
	case "sarif":
		dir, _ := os.Getwd()
		return report.NewSARIF(out, report.SARIFOptions{Limit: c.SarifLimit, Root: filepath.ToSlash(dir)}, run), nil
	case "junit":
		return report.NewJUnit(out, c.junit(), run), nil
	case "markdown":
		return report.NewMarkdown(out, run), nil
	case "html":
		return report.NewHTML(out, run), nil
	case "github":
		return report.NewGitHub(out, c.Verbose, run), nil
	}
	return nil, fmt.Errorf("unknown format %q", format)
}

func (c *scanCmd) junit() report.JUnitOptions {
	o := report.JUnitOptions{FailOn: analyze.Block, Never: c.FailOn == "never" || c.AuditOnly}
	switch c.FailOn {
	case "monitor":
		o.FailOn = analyze.Monitor
	case "note":
		o.FailOn = analyze.Note
	}
	return o
}

// gate stands before the reports and keeps what the exit code depends on.
type gate struct {
	report.Handler
	failOn    string
	auditOnly bool
	tolerant  bool
	fatal     bool
	// aside tells of an error where the report on standard output may not be
	// seen: it goes to a file or to another program, and standard error does not.
	aside func(error)
}

// Problem turns parse errors into notices where they are allowed.
func (g *gate) Problem(p *report.Problem) error {
	if p.Parse && g.tolerant {
		q := *p
		q.Fatal = false
		p = &q
	}
	g.fatal = g.fatal || p.Fatal
	if p.Fatal && !p.Parse && g.aside != nil {
		g.aside(errors.New(p.String()))
	}
	return g.Handler.Problem(p)
}

// code is the run's exit code (product.md).
func (g *gate) code(s *report.Summary) int {
	n := int64(0)
	switch g.failOn {
	case "note":
		n += s.Counts.Note
		fallthrough
	case "monitor":
		n += s.Counts.Monitor
		fallthrough
	case "block":
		n += s.Counts.Block
	}
	return program.Outcome{Found: n > 0, Failed: g.fatal, AuditOnly: g.auditOnly, Interrupted: s.Interrupted}.ExitCode()
}

// inputs opens what the command line names.
// inputs are the traces to scan; passed counts the files of directories and archives
// that are none.
func (c *scanCmd) inputs(w *program.World, o formats.Options, passed *atomic.Int64) iter.Seq2[*formats.Input, error] {
	named := formats.Inputs(c.Trace, w.Stdin, formats.InputOptions{Options: o, Passed: func(_ string, why error) {
		if !errors.Is(why, formats.ErrIrregular) {
			passed.Add(1)
		}
	}})
	if c.C2S == "" {
		return named
	}
	return func(yield func(*formats.Input, error) bool) {
		pair, files, err := formats.Pair(c.C2S, c.S2C, w.Stdin, o)
		if err != nil {
			yield(nil, err)
			return
		}
		defer files.Close()
		if !yield(pair, nil) {
			return
		}
		for in, err := range named {
			if !yield(in, err) {
				return
			}
		}
	}
}
