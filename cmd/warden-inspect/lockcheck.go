package main

import (
	"fmt"

	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/cmd/program"
)

// lockCheckCmd is `lock check`.
type lockCheckCmd struct {
	Trace  string `arg:"" name:"trace" help:"The recorded session, or - for standard input."`
	Lock   string `required:"" placeholder:"FILE" help:"The lock to compare with."`
	Output string `short:"o" placeholder:"FILE" help:"Write the text to FILE instead of standard output."`
	lockReports
	lockLaunch
}

// Help is printed by --help.
func (lockCheckCmd) Help() string {
	return `Example:
  warden-inspect lock check later.jsonl --lock warden.lock --sarif drift.sarif`
}

// Run compares one recording's surface with a lock.
func (c *lockCheckCmd) Run(w *program.World) error {
	if err := c.apart(w, c.Output, []string{c.Trace}, program.Named{Flag: "--lock", Path: c.Lock}); err != nil {
		return err
	}
	l, err := readLock(c.Lock)
	if err != nil {
		return err
	}
	s, err := surfaceOf(w, c.Trace, &c.lockLaunch)
	if err != nil {
		return err
	}
	drift, err := l.Against(s)
	if err != nil {
		return program.Fail("such a surface has no one meaning and can't be compared", "%s: %w", c.Trace, err)
	}
	r := &driftReport{
		w: w, about: c.Trace, against: c.Lock,
		head:  fmt.Sprintf("%s against %s", c.Trace, c.Lock),
		clean: fmt.Sprintf("%s agrees with %s (%s)", c.Trace, c.Lock, surfaceCounts(l)),
	}
	if !l.PinsServer() {
		r.notes = append(r.notes, "not compared: the lock pins no launch command")
	}
	for _, n := range unseen(s) {
		r.notes = append(r.notes, "not compared: "+n)
	}
	return r.write(c.Output, c.lockReports, drift)
}

// lockDiffCmd is `lock diff`.
type lockDiffCmd struct {
	Base   string `arg:"" name:"a" help:"The lock to start from."`
	Head   string `arg:"" name:"b" help:"The lock to compare with it."`
	Output string `short:"o" placeholder:"FILE" help:"Write the text to FILE instead of standard output."`
	lockReports
}

// Run compares two locks.
func (c *lockDiffCmd) Run(w *program.World) error {
	if err := c.apart(w, c.Output, nil, program.Named{Path: c.Base}, program.Named{Path: c.Head}); err != nil {
		return err
	}
	a, err := readLock(c.Base)
	if err != nil {
		return err
	}
	b, err := readLock(c.Head)
	if err != nil {
		return err
	}
	r := &driftReport{
		w: w, about: c.Head, against: c.Base,
		head:  fmt.Sprintf("%s against %s", c.Head, c.Base),
		clean: fmt.Sprintf("%s pins the same surface as %s (%s)", c.Head, c.Base, surfaceCounts(b)),
	}
	if a.Level != b.Level && min(a.Level, b.Level) < lock.Level {
		r.notes = append(r.notes, fmt.Sprintf("levels %d and %d: what only one of them holds is not compared", a.Level, b.Level))
	}
	return r.write(c.Output, c.lockReports, lock.Diff(a, b))
}
