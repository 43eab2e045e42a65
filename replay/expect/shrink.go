package expect

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay/offline"
	"github.com/warden-trace/warden/replay/redact"
)

// ShrinkOptions steer Shrink.
type ShrinkOptions struct {
	// Rule is the rule or sub-rule of the finding to keep; "": the first of the
	// strongest tier.
	Rule string
	// Plain leaves secrets as they are; else they become made-up values.
	Plain     bool
	Interrupt <-chan struct{}
}

// Small is a trace cut to what a finding needs.
type Small struct {
	Trace  []byte // canonical
	Want   *Expectation
	Kept   analyze.Finding
	Before int // records of the session up to the finding
	After  int
	Tries  int
	// Unredacted says why secrets stay as they are, "" where none does.
	Unredacted string
}

// Bounds of a shrink.
const (
	maxShrinkBytes = 64 << 20 // of the finding's session, up to it
	maxTries       = 20_000   // scans
)

// Shrink cuts a trace to the fewest records, and these to the fewest members and
// shortest strings, with which a finding of the same rule, sub-rule, tier and
// action is still made. Every step is tried by scanning what is left, so what
// comes out does what it is said to do.
func Shrink(trace string, s *Setup, o ShrinkOptions) (*Small, error) {
	c, err := collect(trace, s, o)
	if err != nil {
		return nil, err
	}
	x := &shrinker{setup: s, o: o, keep: c.target, budget: maxTries}
	out := &Small{Kept: c.target, Before: len(c.lines)}
	lines := c.lines
	if !x.holds(lines) {
		return nil, fmt.Errorf("%s: the finding needs more than its session up to it; it can't be cut down", trace)
	}
	lines = x.records(lines)
	for i := range lines {
		x.members(lines, i)
	}
	for i := range lines {
		x.strings(lines, i)
	}
	if !o.Plain {
		out.Unredacted = x.redact(lines)
	}
	out.Trace, out.After, out.Tries = bytes.Join(lines, nil), len(lines), maxTries-x.budget
	got, err := s.ScanBytes("small.jsonl", out.Trace)
	if err != nil {
		return nil, err
	}
	out.Want = &Expectation{Findings: Entries(got.Findings), Exit: &got.Exit}
	if x.interrupted() {
		return out, errors.New("interrupted")
	}
	return out, nil
}

// collected is the session that the finding is in.
type collected struct {
	target analyze.Finding
	lines  [][]byte // canonical, one a record
}

// collect reads the trace twice: for the finding, and for its session.
func collect(trace string, s *Setup, o ShrinkOptions) (*collected, error) {
	got, err := s.scan(trace, nil)
	if err != nil {
		return nil, err
	}
	best := -1
	for i := range got.Findings {
		f := &got.Findings[i]
		if o.Rule != "" && f.Rule != o.Rule && f.SubRule != o.Rule {
			continue
		}
		if best < 0 || f.Tier > got.Findings[best].Tier {
			best = i
		}
	}
	if best < 0 {
		if o.Rule != "" {
			return nil, fmt.Errorf("%s: no finding of %s", trace, o.Rule)
		}
		return nil, fmt.Errorf("%s: nothing is found in it", trace)
	}
	c := &collected{target: got.Findings[best]}
	f := &c.target
	size, done, over := 0, false, false
	see := func(x *offline.Observation) {
		if done || over || x.Record == nil || x.Session.Name != f.Session {
			return
		}
		rec := *x.Record
		if rec.Dir == analyze.Unknown {
			rec.Dir = x.Outcome.Dir
		}
		rec.Seq = -1
		if i := bytes.IndexByte(rec.Session, '#'); i < 0 {
			rec.Session = nil // one session is left, which needs no name
		}
		line := formats.AppendCanonical(nil, &rec)
		if size += len(line); size > maxShrinkBytes {
			over = true
		}
		c.lines = append(c.lines, line)
		// What a frame itself is found for ends it; the rest (a deadline) may need
		// more.
		done = f.Frame >= 0 && x.Event.Place.Frame == f.Frame && slices.ContainsFunc(x.Outcome.Findings, func(g analyze.Finding) bool { return g.Rule == f.Rule })
	}
	cfg := *s.Config
	cfg.Dry = true
	inputs := formats.Inputs([]string{trace}, nil, formats.InputOptions{Options: s.Formats})
	if _, err := offline.Run(inputs, offline.Options{Config: &cfg, Formats: s.Formats, Jobs: 1, Handler: &keep{tolerant: true}, Observe: see}); err != nil {
		return nil, err
	}
	if over {
		return nil, fmt.Errorf("%s: the session has more than %d MB up to the finding; cut it first (warden-inspect convert --where)", trace, maxShrinkBytes>>20)
	}
	return c, nil
}

type shrinker struct {
	setup  *Setup
	o      ShrinkOptions
	keep   analyze.Finding
	budget int
}

func (x *shrinker) interrupted() bool {
	select {
	case <-x.o.Interrupt:
		return true
	default:
		return false
	}
}

// holds reports that the lines still give the finding.
func (x *shrinker) holds(lines [][]byte) bool {
	if x.budget <= 0 || x.interrupted() {
		return false
	}
	x.budget--
	got, err := x.setup.ScanBytes("small.jsonl", bytes.Join(lines, nil))
	if err != nil || len(got.Problems) > 0 {
		return false
	}
	return slices.ContainsFunc(got.Findings, func(f analyze.Finding) bool {
		return f.Rule == x.keep.Rule && f.SubRule == x.keep.SubRule && f.Tier == x.keep.Tier && f.Action == x.keep.Action && (f.Tool == "") == (x.keep.Tool == "")
	})
}

// minimize is delta debugging: it takes away parts of n, halves first, then
// smaller ones, as long as what is left holds. It returns which are kept.
func minimize(n int, holds func(kept []int) bool) []int {
	kept := make([]int, n)
	for i := range kept {
		kept[i] = i
	}
	for size := max(1, n/2); ; {
		cut := false
		for at := 0; at < len(kept); {
			end := min(at+size, len(kept))
			rest := slices.Concat(kept[:at], kept[end:])
			if holds(rest) {
				kept, cut = rest, true
				continue
			}
			at = end
		}
		switch {
		case size > 1:
			size = max(1, size/2)
		case !cut:
			return kept
		}
	}
}

// records takes away all records that the finding does without.
func (x *shrinker) records(lines [][]byte) [][]byte {
	pick := func(kept []int) [][]byte {
		out := make([][]byte, len(kept))
		for i, k := range kept {
			out[i] = lines[k]
		}
		return out
	}
	return pick(minimize(len(lines), func(kept []int) bool { return x.holds(pick(kept)) }))
}

// try puts a line in the place of another if the finding stays.
func (x *shrinker) try(lines [][]byte, i int, line []byte) bool {
	old := lines[i]
	lines[i] = line
	if x.holds(lines) {
		return true
	}
	lines[i] = old
	return false
}

// redact replaces the secrets of all lines by made-up ones, the same one always
// by the same, and says why not where that can't be done.
func (x *shrinker) redact(lines [][]byte) string {
	r, err := redact.New(redact.Options{Catalog: x.setup.Config.Catalog, Rules: x.setup.Config.Rules})
	if err != nil {
		return err.Error()
	}
	old := slices.Clone(lines)
	for i, line := range lines {
		lines[i] = append(r.JSON(bytes.TrimSuffix(line, []byte("\n"))), '\n')
	}
	x.budget++
	if !x.holds(lines) {
		copy(lines, old)
		return "the finding would be lost"
	}
	return ""
}

var _ report.Handler = (*keep)(nil)
