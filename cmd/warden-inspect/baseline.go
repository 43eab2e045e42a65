package main

import (
	"fmt"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/baseline"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay/offline"
)

// baselineCmd is `warden-inspect baseline`.
type baselineCmd struct {
	Create baselineCreateCmd `cmd:"" help:"Write a baseline that accepts what the traces show now."`
	Update baselineUpdateCmd `cmd:"" help:"Add what is new to a baseline; what it says of the rest stays."`
	Prune  baselinePruneCmd  `cmd:"" help:"Take entries out of a baseline that no trace shows any more."`
}

// entryFlags are what a new entry says.
type entryFlags struct {
	Tier    string `enum:"block,monitor,note" default:"block" help:"Findings of this tier and above: block, monitor, note." group:"Baseline"`
	State   string `enum:"accepted,false-positive,true-positive" default:"accepted" help:"What new entries say: accepted, false-positive, or true-positive (which goes on to count)." group:"Baseline"`
	Reason  string `placeholder:"TEXT" help:"Why, for new entries." group:"Baseline"`
	Owner   string `placeholder:"NAME" help:"Who answers for new entries." group:"Baseline"`
	Expires string `placeholder:"DATE" help:"Last day (YYYY-MM-DD) on which new entries hold." group:"Baseline"`
}

func (f *entryFlags) check(w *program.World) error {
	if f.Expires == "" {
		return nil
	}
	if err := baseline.CheckDay(f.Expires); err != nil {
		return program.Fail("write YYYY-MM-DD", "--expires: %w", err)
	}
	if today := baseline.Day(w.Now()); f.Expires < today {
		return program.Fail("give "+today+" or a later day, or leave the flag out", "--expires: %s is over, so that new entries would accept nothing", f.Expires)
	}
	return nil
}

func (f *entryFlags) takes(t analyze.Tier) bool {
	switch f.Tier {
	case "block":
		return t == analyze.Block
	case "monitor":
		return t >= analyze.Monitor
	}
	return true
}

// entry is a new entry for a finding.
func (f *entryFlags) entry(x *analyze.Finding, today string) baseline.Entry {
	e := baseline.Of(x)
	e.State, e.Reason, e.Owner, e.Expires, e.Created = f.State, f.Reason, f.Owner, f.Expires, today
	return e
}

type baselineCreateCmd struct {
	ruled
	program.WhereFlag
	entryFlags
	Force bool `help:"Replace a baseline that is there." group:"Baseline"`
}

// Help is what --help says beside the flags.
func (baselineCreateCmd) Help() string {
	return `Examples:
  warden-inspect baseline create corpus/ -o warden-baseline.json --reason "before the audit" --owner sec --expires 2027-03-31
  warden-inspect scan corpus/ --baseline warden-baseline.json`
}

// Run creates a baseline.
func (c *baselineCreateCmd) Run(w *program.World) error {
	if err := c.check(w); err != nil {
		return err
	}
	if !c.Force {
		if err := kept(c.Output, "baseline update adds to it, --force replaces it"); err != nil {
			return err
		}
	}
	b := baseline.New()
	added, r, err := c.collect(w, &c.ruled, &c.WhereFlag, b)
	if err != nil || r == nil {
		return err
	}
	if err := r.status(); program.Code(err) == program.ExitError {
		return err // and no file that would stand in the way of the next try
	}
	if err := save(w, b, c.Output); err != nil {
		return err
	}
	fmt.Fprintf(w.Stderr, "%s: %s\n", name, entries(added))
	return r.status()
}

// collect reads the traces and adds an entry for each finding that has none; of
// the others it brings the place up to date. r is nil where the flags asked for
// help alone.
func (f *entryFlags) collect(w *program.World, in *ruled, choose *program.WhereFlag, b *baseline.File) (added int, r *run, err error) {
	if done, err := choose.Explain(w); done || err != nil {
		return 0, nil, err
	}
	if r, err = in.prepare(w, &in.RuleFlags); err != nil {
		return 0, nil, err
	}
	filter, err := choose.Filter(r.cfg.Rules)
	if err != nil {
		return 0, nil, err
	}
	today := w.Now()
	err = r.read(offline.Options{Where: filter, Fingerprints: true, Accept: program.Accepts(b, today), Observe: func(o *offline.Observation) {
		for i := range o.Matching {
			x := &o.Matching[i]
			e, ok := b.Get(x.Fingerprint)
			switch {
			case ok:
				now := baseline.Of(x)
				e.Rule, e.SubRule, e.Tool = now.Rule, now.SubRule, now.Tool
				if x.Suppressed != nil { // not one that this run has added
					e.Where = now.Where
				}
				b.Put(e)
			case f.takes(x.Tier):
				b.Put(f.entry(x, baseline.Day(today)))
				added++
			}
		}
	}})
	if err == nil && r.sum.Interrupted {
		err = program.Interrupted("nothing was written")
	}
	if err == nil && r.nothing() {
		err = r.status()
	}
	return added, r, err
}

func entries(n int) string { return program.Count(n, "entry", "entries") }

func save(w *program.World, b *baseline.File, path string) error {
	if path == "" {
		path = "-"
	}
	return b.Save(path, w.Stdout)
}

type baselineUpdateCmd struct {
	ruled
	program.WhereFlag
	entryFlags
	Baseline string `required:"" placeholder:"FILE" help:"The baseline; it is replaced as a whole, or goes to -o." group:"Baseline"`
}

// Help is what --help says beside the flags.
func (baselineUpdateCmd) Help() string {
	return `Example:
  warden-inspect baseline update corpus/ --baseline warden-baseline.json --reason "new server, see the ticket"`
}

// Run updates a baseline.
func (c *baselineUpdateCmd) Run(w *program.World) error {
	if err := c.check(w); err != nil {
		return err
	}
	b, err := loadBaseline(c.Baseline)
	if err != nil {
		return err
	}
	added, r, err := c.collect(w, &c.ruled, &c.WhereFlag, b)
	if err != nil || r == nil {
		return err
	}
	if err := save(w, b, putAt(c.Output, c.Baseline)); err != nil {
		return err
	}
	fmt.Fprintf(w.Stderr, "%s: %s added, %d in all\n", name, entries(added), b.Len())
	return r.status()
}

type baselinePruneCmd struct {
	ruled
	Baseline string `required:"" placeholder:"FILE" help:"The baseline; it is replaced as a whole, or goes to -o." group:"Baseline"`
	Expired  bool   `help:"Take out expired entries too." group:"Baseline"`
	DryRun   bool   `short:"n" help:"Only say what would go." group:"Baseline"`
}

// Help is what --help says beside the flags.
func (baselinePruneCmd) Help() string {
	return `The traces must be all that the baseline is about: an entry goes when none of
them shows its finding. With a trace that can't be read nothing is taken out.

Example:
  warden-inspect baseline prune corpus/ --baseline warden-baseline.json --expired`
}

// Run prunes a baseline.
func (c *baselinePruneCmd) Run(w *program.World) error {
	b, err := loadBaseline(c.Baseline)
	if err != nil {
		return err
	}
	r, err := c.prepare(w, &c.RuleFlags)
	if err != nil {
		return err
	}
	today := w.Now()
	if err := r.read(offline.Options{Fingerprints: true, Accept: program.Accepts(b, today)}); err != nil {
		return err
	}
	switch {
	case r.sum.Interrupted:
		return program.Interrupted("nothing was taken out")
	case r.told.fatal:
		return program.Fail("mend or leave out what can't be read", "nothing was taken out: findings may hide in what could not be read")
	}
	gone := b.Stale()
	if c.Expired {
		stale := map[string]bool{}
		for _, e := range gone {
			stale[e.Fingerprint] = true
		}
		for _, e := range b.Entries() {
			if e.Over(today) && !stale[e.Fingerprint] {
				gone = append(gone, e)
			}
		}
	}
	for _, e := range gone {
		b.Remove(e.Fingerprint)
		why := "meets no finding"
		if e.Over(today) {
			why = "expired " + e.Expires
		}
		fmt.Fprintf(w.Stderr, "%s: %s %s %s: %s\n", name, e.Fingerprint, safe.String(e.Rule), safe.String(e.Where), why)
	}
	if c.DryRun {
		fmt.Fprintf(w.Stderr, "%s: %s would go, %s\n", name, entries(len(gone)), program.Count(b.Len(), "stays", "stay"))
		return nil
	}
	if err := save(w, b, putAt(c.Output, c.Baseline)); err != nil {
		return err
	}
	fmt.Fprintf(w.Stderr, "%s: %s taken out, %d left\n", name, entries(len(gone)), b.Len())
	return nil
}

func loadBaseline(path string) (*baseline.File, error) {
	b, err := baseline.Load(path)
	if err != nil {
		return nil, program.Fail("", "--baseline: %w", err)
	}
	return b, nil
}

// putAt is where a changed baseline goes.
func putAt(output, from string) string {
	if output != "" {
		return output
	}
	return from
}
