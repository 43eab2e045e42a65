package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay/expect"
)

// shrink cuts a trace down to one finding.
func (c *testCmd) shrink(w *program.World, base *ruleset.Set) error {
	cases, err := expect.Find([]string{c.Shrink})
	if err != nil {
		return err
	}
	if len(cases) != 1 {
		return program.Fail("name one trace", "--shrink: %s holds %d traces", c.Shrink, len(cases))
	}
	x := cases[0]
	if c.Output != "" {
		out := []program.Named{{Flag: "--output", Path: c.Output + ".jsonl"}, {Flag: "--output", Path: c.Output + expect.Suffix}}
		if err := (&program.Targets{Out: out, In: []program.Named{{Path: x.Trace}, {Path: x.File}}}).Check(w); err != nil {
			return err
		}
	}
	var args []string
	if x.Want != nil {
		args = x.Want.Args
	}
	setup, err := program.Recipes(w, base)(x.Dir(), args)
	if err != nil {
		return err
	}
	small, err := expect.Shrink(x.Trace, setup, expect.ShrinkOptions{Rule: c.Rule, Plain: c.NoRedact, Interrupt: w.Interrupt})
	if err != nil {
		if w.Interrupted() {
			return program.Interrupted("nothing was written")
		}
		return err
	}
	if small.Unredacted != "" {
		return program.Fail("--no-redact writes it as it is", "--shrink: the secrets can't be made up: %s", small.Unredacted)
	}
	small.Want.Args = args
	out := "-"
	if c.Output != "" {
		out = c.Output + ".jsonl"
	}
	if err := printTo(w, out, func(f io.Writer) error { _, err := f.Write(small.Trace); return err }); err != nil {
		return err
	}
	if c.Output != "" {
		err := printTo(w, c.Output+expect.Suffix, func(f io.Writer) error { _, err := f.Write(small.Want.Marshal()); return err })
		if err != nil {
			return err
		}
	}
	rule := small.Kept.Rule
	if small.Kept.SubRule != "" {
		rule += " " + small.Kept.SubRule
	}
	fmt.Fprintf(w.Stderr, "%s: %s of %s kept in %d of %s, %s\n", name, rule, safe.Name(filepath.Base(x.Trace)), small.After, program.Count(small.Before, "record", "records"), program.Count(len(small.Trace), "byte", "bytes"))
	return nil
}
