package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay/verify"
)

// verifyCmd is `warden-replay verify`.
type verifyCmd struct {
	Trace []string `arg:"" name:"trace" help:"Recordings: files, directories, globs, archives."`

	program.RuleFlags
	program.PostureFlags
	program.ReadFlags

	AllowParseErrors bool `help:"Lines that can't be read are named, but no error." group:"Input"`

	JSON  bool `name:"json" help:"One JSON object a line instead of text." group:"Output"`
	Quiet bool `short:"q" help:"Only differences and the total." group:"Output"`

	Seed    uint64  `default:"1" help:"Seed of the random cuts (${default})." group:"Reproduction"`
	Only    string  `placeholder:"NAME" help:"Only the trace of this name, of those that the arguments lead to." group:"Reproduction"`
	Session *string `placeholder:"NAME" help:"Only this session (an empty name is the only one of a trace)." group:"Reproduction"`
	Setup   string  `placeholder:"FRAMING/CUT" help:"Only this way of playing it: newline/7, content-length/random; offline plays no guard." group:"Reproduction"`
}

// Run verifies the traces.
func (c *verifyCmd) Run(w *program.World) error {
	if c.Setup != "" && !slices.Contains(verify.Setups(), c.Setup) {
		return program.Fail("one of "+strings.Join(verify.Setups(), ", "), "--setup: no such setup")
	}
	if slices.Contains(c.Trace, "-") {
		return program.Fail("give a file", "verify reads a trace more than once: standard input won't do")
	}
	cfg, warnings, err := program.Configure(w, &c.RuleFlags, &c.PostureFlags, &c.ReadFlags)
	if err != nil {
		return err
	}
	for _, s := range warnings {
		w.Warn(name, s)
	}
	ro, err := c.Options(w)
	if err != nil {
		return err
	}
	if c.C2S != "" {
		return program.Fail("warden-inspect convert joins them into one trace", "verify takes no --c2s and --s2c")
	}
	t := &verdicts{c: c, w: w}
	inputs := func() iter.Seq2[*formats.Input, error] {
		return formats.Inputs(c.Trace, w.Stdin, formats.InputOptions{Options: ro})
	}
	err = verify.Run(inputs, verify.Options{Config: cfg, Formats: ro, Seed: c.Seed, OnlyTrace: c.Only, OnlySession: c.Session,
		OnlySetup: c.Setup, Interrupt: w.Interrupt}, t, t.session)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	code := program.Outcome{Found: t.sum.Differ > 0, Failed: t.fatal, Interrupted: w.Interrupted()}.ExitCode()
	if err := t.total(code); err != nil {
		return err
	}
	if code == program.ExitInterrupt {
		return program.Interrupted("not all sessions were verified")
	}
	return program.Status(code)
}
