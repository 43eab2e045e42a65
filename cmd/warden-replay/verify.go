package main

import (
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay/verify"
)

// verifyCmd is `warden-replay verify`.
type verifyCmd struct {
	Trace []string `arg:"" name:"trace" help:"Recordings: files, directories, globs, archives."`

	program.RuleFlags
	program.PostureFlags
	program.ReadFlags

	JSON    bool    `name:"json" help:"One JSON object a line instead of text." group:"Output"`
	Seed    uint64  `default:"1" help:"Seed of the random cuts (${default})." group:"Reproduction"`
	Session *string `placeholder:"NAME" help:"Only this session (an empty name is the only one of a trace)." group:"Reproduction"`
	Setup   string  `placeholder:"FRAMING/CUT" help:"Only this way of playing it, newline/7 for instance." group:"Reproduction"`
}

// Run verifies the traces.
func (c *verifyCmd) Run(w *program.World) error {
	if c.Setup != "" && !known(c.Setup) {
		return program.Fail("one of "+strings.Join(verify.Setups(), ", "), "--setup: no such setup")
	}
	for _, t := range c.Trace {
		if t == "-" {
			return program.Fail("give a file", "verify reads a trace more than once: standard input won't do")
		}
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
	t := &told{c: c, w: w}
	inputs := func() iter.Seq2[*formats.Input, error] {
		return formats.Inputs(c.Trace, w.Stdin, formats.InputOptions{Options: ro})
	}
	err = verify.Run(inputs, verify.Options{Config: cfg, Formats: ro, Seed: c.Seed, OnlySession: c.Session, OnlySetup: c.Setup,
		Interrupt: w.Interrupt}, t, t.session)
	if err != nil {
		return err
	}
	t.total()
	code := program.Outcome{Found: t.differ > 0, Failed: t.fatal, Interrupted: w.Interrupted()}.ExitCode()
	return program.Status(code)
}

func known(setup string) bool {
	for _, s := range verify.Setups() {
		if s == setup {
			return true
		}
	}
	return false
}

// told prints verdicts as they come.
type told struct {
	c                               *verifyCmd
	w                               *program.World
	sessions, differ, frames, plays int64
	leftOut, skipped                int64
	fatal                           bool
}

// Problem tells what is wrong with a trace.
func (t *told) Problem(p *report.Problem) error {
	if p.Fatal {
		t.fatal = true
		program.PrintError(t.w.Stderr, name, fmt.Errorf("%s: %s", p.Trace, p.Message))
	}
	return nil
}

func (t *told) session(s *verify.Session) error {
	t.sessions++
	t.frames += s.Frames
	t.plays += s.Frames * int64(s.Setups)
	t.leftOut += s.LeftOut
	t.skipped += s.Skipped
	if s.Diff != nil {
		t.differ++
	}
	if t.c.JSON {
		b, err := json.Marshal(s)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(t.w.Stdout, "%s\n", b)
		return err
	}
	where := safe.Name(s.Trace)
	if s.Session != "" {
		where += " session " + safe.Name(s.Session)
	}
	if s.Diff == nil {
		more := ""
		if s.LeftOut > 0 {
			more = fmt.Sprintf("; %d left out: %s", s.LeftOut, s.Why)
		}
		if s.Skipped > 0 {
			more += fmt.Sprintf("; %d plays skipped: a line can't carry a raw line break", s.Skipped)
		}
		_, err := fmt.Fprintf(t.w.Stdout, "agree   %s: %d frames, %d findings, %d setups%s\n", where, s.Frames, s.Findings, s.Setups, more)
		return err
	}
	d := s.Diff
	_, err := fmt.Fprintf(t.w.Stdout, "DIFFER  %s: frame %d, %s, %s\n  offline: %s\n  live:    %s\n  again:   %s\n",
		where, d.Frame, d.Setup, d.Stage, safe.Name(d.Offline), safe.Name(d.Live), t.again(s))
	return err
}

// again is the command that plays just this again.
func (t *told) again(s *verify.Session) string {
	return strings.Join([]string{name, "verify", "--session", strconv.Quote(s.Session), "--setup", s.Diff.Setup,
		"--seed", strconv.FormatUint(t.c.Seed, 10), safe.Name(s.Trace)}, " ")
}

func (t *told) total() {
	if t.c.JSON {
		return
	}
	fmt.Fprintf(t.w.Stdout, "%d sessions, %d frames, %d plays: %d differ\n", t.sessions, t.frames, t.plays, t.differ)
}

// Finding, Trace, Close and Abort: verify reports agreement, not findings.
func (t *told) Finding(*analyze.Finding) error { return nil }
func (t *told) Trace(*report.Trace) error      { return nil }
func (t *told) Close(*report.Summary) error    { return nil }
func (t *told) Abort()                         {}
