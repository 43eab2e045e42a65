package diff

import (
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze"
)

// Summary is what a comparison comes to.
type Summary struct {
	Traces, Sessions, Frames, ParseErrors int64
	Base, Head                            Side
	Added, Removed, Changed               int64
	Rules                                 []*RuleSummary // those with a change, in catalog order
	Edits                                 []*Edit
	Fatal                                 bool // a trace could not be read (lines that can't be are counted in ParseErrors)
	Interrupted                           bool

	byRule map[string]*RuleSummary
	rank   map[string]int
}

// Side is one of the two rule sets.
type Side struct {
	Hash                 string
	Findings             int64
	Block, Monitor, Note int64
}

// RuleSummary is what changed for one rule; for secrets, one sub-rule.
type RuleSummary struct {
	Rule, SubRule           string
	Added, Removed, Changed int64
	Samples                 []Sample
	Base, Head              int64 // findings of each set
}

// Sample is a change that stands for the others of its rule and sign.
type Sample struct {
	Sign   Sign
	Fields []string
	Was    string // tier and action before, of a changed one
	Cause  []*Edit
	analyze.Finding
}

// MaxSamples is how many samples a rule has of each sign.
const MaxSamples = 5

func newSummary(o Options, edits []*Edit) *Summary {
	s := &Summary{Edits: edits, byRule: map[string]*RuleSummary{}, rank: map[string]int{}}
	s.Base.Hash, s.Head.Hash = o.Base.Catalog.Hash(), o.Head.Catalog.Hash()
	for i := range o.Head.Rules.Rules {
		s.rank[o.Head.Rules.Rules[i].ID] = i
	}
	return s
}

func (s *Summary) rule(f *analyze.Finding) *RuleSummary {
	key := f.Rule
	if f.SubRule != "" {
		key += " " + f.SubRule
	}
	r := s.byRule[key]
	if r == nil {
		r = &RuleSummary{Rule: f.Rule, SubRule: f.SubRule}
		s.byRule[key] = r
	}
	return r
}

func (s *Summary) count(f *analyze.Finding, side int) {
	r := s.rule(f)
	which := &s.Base
	if side == 0 {
		r.Base++
	} else {
		r.Head++
		which = &s.Head
	}
	which.Findings++
	switch f.Tier {
	case analyze.Block:
		which.Block++
	case analyze.Monitor:
		which.Monitor++
	default:
		which.Note++
	}
}

func (s *Summary) change(c *Change) {
	r := s.rule(c.Finding())
	if !slices.Contains(s.Rules, r) {
		s.Rules = append(s.Rules, r)
		slices.SortStableFunc(s.Rules, func(a, b *RuleSummary) int { return s.place(a) - s.place(b) })
	}
	n := new(int64)
	switch c.Sign {
	case Plus:
		s.Added++
		n = &r.Added
	case Minus:
		s.Removed++
		n = &r.Removed
	default:
		s.Changed++
		n = &r.Changed
	}
	*n++
	for _, e := range c.Cause {
		switch c.Sign {
		case Plus:
			e.Added++
		case Minus:
			e.Removed++
		default:
			e.Changed++
		}
	}
	if *n > MaxSamples {
		return
	}
	x := Sample{Sign: c.Sign, Fields: c.Fields, Cause: c.Cause, Finding: *c.Finding()}
	x.RPCID = slices.Clone(x.RPCID)
	x.Spans, x.Matched = slices.Clone(x.Spans), slices.Clone(x.Matched)
	if c.Sign == Tilde {
		var was []string
		for _, f := range c.Fields {
			switch f {
			case "tier":
				was = append(was, "tier "+c.Base.Tier.String())
			case "severity":
				was = append(was, "severity "+c.Base.Severity.String())
			case "action":
				was = append(was, "action "+c.Base.Action.String())
			case "matched":
				was = append(was, "matched "+strings.Join(c.Base.Matched[:min(len(c.Base.Matched), 20)], ", "))
			}
		}
		x.Was = strings.Join(was, "; ")
	}
	r.Samples = append(r.Samples, x)
}

// place orders rules as the catalog does, sub-rules behind one another.
func (s *Summary) place(r *RuleSummary) int {
	return s.rank[r.Rule]*10_000 + s.rank[r.SubRule]
}

// Any reports whether something changed that --fail-on NAME counts.
func (s *Summary) Any(failOn string) bool {
	switch failOn {
	case "added":
		return s.Added > 0
	case "removed":
		return s.Removed > 0
	case "never":
		return false
	}
	return s.Added+s.Removed+s.Changed > 0
}
