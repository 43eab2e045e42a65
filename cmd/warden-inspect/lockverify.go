package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report/safe"
)

// lockVerifyCmd is `lock verify`.
type lockVerifyCmd struct {
	File   string `arg:"" name:"lock" help:"The lock."`
	Output string `short:"o" placeholder:"FILE" help:"Write the text to FILE instead of standard output."`
	lockReports
}

// Run checks one lock.
func (c *lockVerifyCmd) Run(w *program.World) error {
	if err := c.apart(w, c.Output, nil, program.Named{Path: c.File}); err != nil {
		return err
	}
	data, err := lockBytes(c.File)
	if err != nil {
		return err
	}
	faults, n, err := lock.Verify(c.File, data)
	if err != nil {
		return err
	}
	if n > 0 {
		return inconsistent(c.File, faults, n)
	}
	l, err := lock.ParseStrict(c.File, data)
	if err != nil {
		return err
	}
	out := c.Output
	if out == "" && c.JSON != "-" && c.SARIF != "-" {
		out = "-"
	}
	err = writeFile(w, out, func(o io.Writer) error {
		state := "not approved"
		switch {
		case l.Pin.Approved && l.Pin.ApprovedDigest == l.Overall:
			state = "approved by " + l.Pin.Approver
		case l.Pin.Approved:
			state = "changed since its approval"
		}
		_, err := fmt.Fprintf(o, "%s: level %d, %s, %s; all digests recompute\n%s\n",
			safe.String(c.File), l.Level, surfaceCounts(l), safe.String(state), l.Overall)
		return err
	})
	if err != nil {
		return err
	}
	return lockDone(w, c.lockReports, c.File, "lock-verify", l)
}

// namedFaults is how many faults of a lock are named.
const namedFaults = 15

func inconsistent(file string, faults []string, n int) error {
	var errs []error
	for _, f := range faults[:min(namedFaults, len(faults))] {
		errs = append(errs, program.Fail("", "%s: inconsistent lock: %s", file, f))
	}
	if more := n - len(errs); more > 0 {
		errs = append(errs, program.Fail("", "%s: and %s more", file, program.Count(more, "fault", "faults")))
	}
	errs = append(errs, program.Fail("a changed surface must be pinned again: warden-inspect lock pin", "%s can't be relied on", file))
	return errors.Join(errs...)
}

// lockRotateCmd is `lock rotate`.
type lockRotateCmd struct {
	File     string `arg:"" name:"lock" help:"The lock; it is replaced unless -o names another file."`
	Output   string `short:"o" placeholder:"FILE" help:"Write the new lock to FILE and leave the old one."`
	Force    bool   `help:"Let -o replace another lock that is there."`
	Approver string `placeholder:"ID" help:"Who approves the lock as it is; without one the attestation approves nothing, and the approval stays as it was."`
	Note     string `placeholder:"TEXT" help:"A note for the attestation."`
	lockReports
}

// Run appends an attestation.
func (c *lockRotateCmd) Run(w *program.World) error {
	out := c.Output
	if out == "" {
		out = c.File
	}
	// The lock itself may be replaced, that is what the command is for; a report
	// may not take its place.
	if err := c.apart(w, out, nil); err != nil {
		return err
	}
	if err := c.apart(w, "", nil, program.Named{Path: c.File}); err != nil {
		return err
	}
	if !c.Force && !sameFile(out, c.File) {
		if err := kept(out, "name another file, or --force replaces it with what it approves"); err != nil {
			return err
		}
	}
	old, err := readLock(c.File)
	if err != nil {
		return err
	}
	l, err := lock.Rotate(old, lock.RotateOptions{Now: w.Now(), Approver: c.Approver, Actor: w.Getenv("USER"), Note: c.Note})
	if err != nil {
		return program.Fail("nothing was written", "%w", err)
	}
	text, err := lock.Write(l)
	if err != nil {
		return err
	}
	if out == "-" && (c.JSON == "-" || c.SARIF == "-") {
		return program.Fail("give -o FILE for the lock", "the lock and a report can't share standard output")
	}
	if err := writeFile(w, out, func(o io.Writer) error { _, err := o.Write(text); return err }); err != nil {
		return err
	}
	if out != "-" {
		who := "the new one is the approval of " + c.Approver
		if c.Approver == "" {
			who = "the new one names no approver (--approver ID), so the approval stays as it was"
		}
		fmt.Fprintln(w.Stderr, safe.String(fmt.Sprintf("%s: %s, overall digest unchanged; %s", out, program.Count(l.Pin.Attestations, "attestation", "attestations"), who)))
	}
	return lockDone(w, c.lockReports, out, "lock-rotate", l)
}
