package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/replay/expect"
)

// testCmd is `warden-replay test`.
type testCmd struct {
	Corpus []string `arg:"" optional:"" name:"corpus" help:"Directories of traces with expectations (NAME.jsonl and NAME.expect.json), or single traces."`

	Update  bool     `help:"Rewrite the expectations that differ, and write those that are missing."`
	Junit   string   `placeholder:"FILE" help:"Also write JUnit XML to FILE."`
	Ruleset []string `complete:"rules" placeholder:"RULES" sep:"none" help:"Test these rules instead of the built-in ones: a file (it may remove and loosen), a built-in set's name, or rev:path. Several are applied one after the other."`
	Verbose bool     `short:"v" help:"Name the traces that are as expected too."`

	RuleCoverage bool    `help:"List the rules and entries (patterns, hosts, networks, phrases) that no trace exercises; exit 1 if there are any." group:"Strength"`
	Mutate       bool    `help:"Edit the rules one entry, threshold or boundary at a time and list the edits that no expectation notices." group:"Strength"`
	MinScore     float64 `default:"95" placeholder:"PERCENT" help:"With --mutate: least share of edits that must be noticed (${default}), else exit 1." group:"Strength"`
	JSON         bool    `name:"json" help:"With --rule-coverage and --mutate: one JSON object a line." group:"Strength"`
	Jobs         int     `default:"0" placeholder:"N" help:"With --mutate: workers; 0: one a processor." group:"Strength"`

	Shrink   string `placeholder:"TRACE" help:"Cut TRACE to the fewest frames and shortest strings that keep a finding, secrets made up; the trace goes to standard output." group:"Shrink"`
	Rule     string `complete:"rule" placeholder:"ID" help:"With --shrink: keep a finding of this rule or sub-rule; default: the first of the strongest tier." group:"Shrink"`
	Output   string `complete:"file" short:"o" placeholder:"NAME" help:"With --shrink: write NAME.jsonl and NAME.expect.json instead." group:"Shrink"`
	NoRedact bool   `help:"With --shrink: leave secrets as they are." group:"Shrink"`
}

// Run tests a corpus.
func (c *testCmd) Run(w *program.World) error {
	if c.RuleCoverage && c.Mutate || c.Update && (c.RuleCoverage || c.Mutate) {
		return program.Fail("run them one after the other", "--update, --rule-coverage and --mutate don't go together")
	}
	if err := c.targets().Check(w); err != nil {
		return err
	}
	if !(c.MinScore >= 0 && c.MinScore <= 100) {
		return program.Fail("give a percentage from 0 to 100", "--min-score %g: no corpus can notice such a share of the edits", c.MinScore)
	}
	base, err := openRules(c.Ruleset)
	if err != nil {
		return err
	}
	if c.Shrink != "" {
		if len(c.Corpus) > 0 || c.Update || c.RuleCoverage || c.Mutate {
			return program.Fail("run them one after the other", "--shrink is about one trace and goes with --rule, -o and --no-redact alone")
		}
		return c.shrink(w, base)
	}
	if len(c.Corpus) == 0 {
		return program.Fail("name a directory of traces; see warden-replay test --help", "no corpus given")
	}
	cases, err := expect.Find(c.Corpus)
	if err != nil {
		return err
	}
	switch {
	case c.RuleCoverage:
		return c.cover(w, base, cases)
	case c.Mutate:
		return c.mutate(w, base, cases)
	}
	return c.test(w, base, cases)
}

// targets are what the run writes and reads, by name.
func (c *testCmd) targets() *program.Targets {
	t := &program.Targets{Out: []program.Named{{Flag: "--junit", Path: c.Junit}}, Traces: c.Corpus}
	for _, p := range c.Ruleset {
		t.In = append(t.In, program.Named{Flag: "--ruleset", Path: p})
	}
	return t
}

func (c *testCmd) test(w *program.World, base *ruleset.Set, cases []*expect.Case) error {
	load := program.Recipes(w, base)
	var results []*expect.Result
	tested, differ, updated, findings := 0, 0, 0, 0
	var errs []error
	for i, x := range cases {
		if w.Interrupted() {
			return program.Interrupted(fmt.Sprintf("%d of %s tested", i, program.Count(len(cases), "trace", "traces")))
		}
		r := x.Run(load)
		results = append(results, r)
		if r.Err == nil {
			tested++
			findings += len(r.Got.Findings)
		}
		switch {
		case r.Err != nil:
			errs = append(errs, r.Err)
		case r.Diff != nil && c.Update:
			if err := r.Update(); err != nil {
				errs = append(errs, err)
				continue
			}
			updated++
			fmt.Fprintf(w.Stdout, "written %s\n", safe.Name(x.File))
		case r.Diff != nil:
			differ++
			if err := r.Diff.Write(w.Stdout, x); err != nil {
				return err
			}
		case c.Verbose:
			fmt.Fprintf(w.Stdout, "ok      %s: %s\n", safe.Name(x.Name), program.Count(len(r.Got.Findings), "finding", "findings"))
		}
	}
	if c.Junit != "" {
		if err := printTo(w, c.Junit, func(out io.Writer) error { return expect.WriteJUnit(out, results) }); err != nil {
			errs = append(errs, err)
		}
	}
	if tested > 0 || len(errs) == 0 { // no sums of what was not read
		line := fmt.Sprintf("%s, %s: %d differ", program.Count(tested, "trace", "traces"), program.Count(findings, "finding", "findings"), differ)
		if updated > 0 {
			line += ", " + program.Count(updated, "expectation", "expectations") + " written"
		}
		if more := len(cases) - tested; more > 0 {
			line += fmt.Sprintf("; %d not tested", more)
		}
		if _, err := fmt.Fprintln(w.Stdout, line); err != nil {
			return err
		}
	}
	switch {
	case len(errs) > 0:
		return errors.Join(errs...)
	case differ > 0:
		return program.Status(program.ExitFindings)
	}
	return nil
}

// cover prints what no trace exercises.
func (c *testCmd) cover(w *program.World, base *ruleset.Set, cases []*expect.Case) error {
	cover := expect.NewCoverage(base)
	load := program.Recipes(w, base)
	for _, x := range cases {
		got, err := x.Scan(load)
		if err != nil {
			return err
		}
		cover.Add(got.Findings)
	}
	items := cover.Items()
	bare := cover.Bare()
	if c.JSON {
		for _, i := range items {
			if err := report.WriteJSONLine(w.Stdout, i); err != nil {
				return err
			}
		}
	} else {
		all, hit := map[string]int{}, map[string]int{}
		for _, i := range items {
			if i.Elsewhere == "" {
				all[i.Kind]++
				if i.Count > 0 {
					hit[i.Kind]++
				}
			}
		}
		for _, i := range bare {
			fmt.Fprintf(w.Stdout, "%s %s: no trace has a finding of it\n", i.Kind, safe.Name(i.Name))
		}
		var sums []string
		for _, kind := range []string{"rule", "pattern", "host", "network", "phrase"} {
			if all[kind] > 0 {
				sums = append(sums, fmt.Sprintf("%d of %s", hit[kind], program.Count(all[kind], kind, kind+"s")))
			}
		}
		if _, err := fmt.Fprintf(w.Stdout, "%s: exercised are %s\n", program.Count(len(cases), "trace", "traces"), strings.Join(sums, ", ")); err != nil {
			return err
		}
	}
	if len(bare) > 0 {
		return program.Status(program.ExitFindings)
	}
	return nil
}

// mutate prints the edits of the rules that nothing notices.
func (c *testCmd) mutate(w *program.World, base *ruleset.Set, cases []*expect.Case) error {
	o := expect.MutateOptions{Jobs: program.Workers(c.Jobs), Interrupt: w.Interrupt,
		Load: func(set *ruleset.Set) expect.Loader { return program.Recipes(w, set) }}
	score, err := expect.Mutate(base, cases, o)
	if err != nil {
		return program.Fail("run warden-replay test first: --mutate needs a corpus that is as expected", "%w", err)
	}
	if w.Interrupted() {
		return program.Interrupted("not all edits were tried")
	}
	for _, m := range score.Mutants {
		switch {
		case c.JSON:
			err = report.WriteJSONLine(w.Stdout, m)
		case m.NoticedBy == "":
			_, err = fmt.Fprintf(w.Stdout, "survives: %s\n", safe.String(m.Edit))
		case c.Verbose:
			_, err = fmt.Fprintf(w.Stdout, "noticed:  %s (%s)\n", safe.String(m.Edit), safe.Name(m.NoticedBy))
		}
		if err != nil {
			return err
		}
	}
	if !c.JSON {
		short := ""
		if score.Percent() < c.MinScore {
			short = fmt.Sprintf(", less than the %g %% of --min-score", c.MinScore)
		}
		fmt.Fprintf(w.Stdout, "%s of the rules, %d noticed by the expectations of %s: %.1f %%%s\n",
			program.Count(len(score.Mutants), "edit", "edits"), score.Noticed, program.Count(len(cases), "trace", "traces"), score.Percent(), short)
	}
	if score.Percent() < c.MinScore {
		return program.Status(program.ExitFindings)
	}
	return nil
}

// printTo runs f with a report file.
func printTo(w *program.World, file string, f func(io.Writer) error) error {
	out, err := target.Create(file, w.Stdout)
	if err != nil {
		return err
	}
	if err := f(out); err != nil {
		out.Abort()
		return err
	}
	return out.Close()
}
