package main

import (
	"fmt"
	"iter"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

// reading is what every command that reads recordings takes: the traces, how
// they are read, and where the output goes.
type reading struct {
	Trace []string `arg:"" optional:"" name:"trace" help:"File, directory (recursive; DIR/... is the same), glob, tar, or - for standard input."`

	program.ReadFlags
	Output           string `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output." group:"Output"`
	AllowParseErrors bool   `help:"Lines that can't be read are notes, not an error." group:"Output"`
	Progress         *bool  `negatable:"" help:"Progress bar on standard error; default: on a terminal." group:"Output"`
}

// ruled is a reading in which rules look at the traces too.
type ruled struct {
	reading
	program.RuleFlags
}

// run is one run of such a command.
type run struct {
	w    *program.World
	r    *reading
	cfg  *replay.Config
	ro   formats.Options
	hide func(string) string // redacts vendors' secrets in names and ids
	told problems
	sum  *report.Summary
}

// prepare checks the flags and loads the rules.
func (r *reading) prepare(w *program.World, rules *program.RuleFlags) (*run, error) {
	if len(r.Trace) == 0 && r.C2S == "" && r.S2C == "" {
		return nil, program.Fail("name a file, a directory or - for standard input", "no trace given")
	}
	if rules == nil {
		rules = &program.RuleFlags{}
	}
	cfg, warnings, err := program.Configure(w, rules, &program.PostureFlags{}, &r.ReadFlags)
	if err != nil {
		return nil, err
	}
	for _, s := range warnings {
		w.Warn(name, s)
	}
	ro, err := r.Options(w)
	if err != nil {
		return nil, err
	}
	if err := r.check(w, rules, ro); err != nil {
		return nil, err
	}
	patterns, err := secret.Compile(cfg.Rules.Secrets)
	if err != nil {
		return nil, err
	}
	cfg.Dry = true // nothing is delivered
	return &run{w: w, r: r, cfg: cfg, ro: ro, hide: patterns.Scrub, told: problems{w: w, tolerant: r.AllowParseErrors}}, nil
}

// out opens where the output goes, so that a target that can't be written is an
// error before a trace is read.
func (r *reading) out(w *program.World) (*target.File, error) {
	file := r.Output
	if file == "" {
		file = "-"
	}
	return w.Create(file)
}

// check refuses an output that is an input too.
func (r *reading) check(w *program.World, rules *program.RuleFlags, ro formats.Options) error {
	t := program.Targets{Out: []program.Named{{Flag: "--output", Path: r.Output}}, Traces: r.Trace, Read: ro}
	t.In = append(rules.Files(), program.Named{Flag: "--c2s", Path: r.C2S}, program.Named{Flag: "--s2c", Path: r.S2C})
	return t.Check(w)
}

// read goes through the traces. o needs only what is special about the command.
func (r *run) read(o offline.Options) error {
	o.Config, o.Formats, o.Jobs, o.Interrupt, o.Handler = r.cfg, r.ro, program.Workers(r.r.Jobs), r.w.Interrupt, &r.told
	bar := r.w.NewProgress(r.r.Progress, false)
	if bar != nil {
		o.Progress = bar
	}
	var err error
	r.sum, err = offline.Run(traceInputs(r.r.Trace, &r.r.ReadFlags, r.w, r.ro), o)
	bar.Done()
	return err
}

// status is the exit code of a run that finds nothing by itself.
func (r *run) status() error {
	return program.Status(program.Outcome{Failed: r.told.fatal}.ExitCode())
}

// finish closes the output after a run and gives the run's exit code.
func (r *run) finish(out *target.File, err error) error {
	if err := r.settle(out, err); err != nil {
		return err
	}
	return r.status()
}

// nothing reports that no trace at all could be read: its sums, or a copy of it,
// would pass for those of an empty one.
func (r *run) nothing() bool { return r.told.fatal && r.sum.Traces == 0 && !r.sum.Interrupted }

// settle closes the output after a run: in its place with err nil, else thrown
// away. What an interrupt cut short takes no place either; only a target that is
// written to as it is has got its part of it already.
func (r *run) settle(out *target.File, err error) error {
	if err == nil && r.nothing() {
		err = r.status()
	}
	interrupted := err == nil && r.sum.Interrupted
	if interrupted && out.Apart() {
		err = program.Interrupted("nothing was written")
	}
	if err != nil {
		out.Abort()
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	if interrupted {
		return program.Interrupted("the output is not complete")
	}
	return nil
}

// traceInputs opens what the command line names.
func traceInputs(traces []string, read *program.ReadFlags, w *program.World, o formats.Options) iter.Seq2[*formats.Input, error] {
	if read.C2S == "" {
		return formats.Inputs(traces, w.Stdin, formats.InputOptions{Options: o})
	}
	return func(yield func(*formats.Input, error) bool) {
		pair, files, err := formats.Pair(read.C2S, read.S2C, w.Stdin, o)
		if err != nil {
			yield(nil, err)
			return
		}
		defer files.Close()
		if !yield(pair, nil) {
			return
		}
		for in, err := range formats.Inputs(traces, w.Stdin, formats.InputOptions{Options: o}) {
			if !yield(in, err) {
				return
			}
		}
	}
}

// problems is a report that tells of what can't be read, on standard error.
type problems struct {
	w        *program.World
	tolerant bool
	fatal    bool
}

func (h *problems) Problem(p *report.Problem) error {
	fatal := p.Fatal && !(p.Parse && h.tolerant)
	h.fatal = h.fatal || fatal
	kind := "notice"
	if fatal {
		kind = "error"
	}
	where := ""
	if p.Trace != "" {
		where = formats.Printable(p.Trace)
		if p.Line > 0 {
			where += fmt.Sprintf(":%d", p.Line)
		}
		where += ": "
	}
	message := safe.String(safe.Limit(secret.Scrub(p.Message), 2048))
	message = strings.TrimPrefix(message, where) // an input that can't be opened names itself
	fmt.Fprintf(h.w.Stderr, "%s: %s: %s%s\n", name, kind, where, message)
	return nil
}

func (*problems) Finding(*analyze.Finding) error { return nil }
func (*problems) Trace(*report.Trace) error      { return nil }
func (*problems) Close(*report.Summary) error    { return nil }
func (*problems) Abort()                         {}
