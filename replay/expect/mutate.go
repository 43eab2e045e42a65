package expect

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/warden-trace/warden/analyze/ruleset"
)

// Mutant is an edit of the rules and the first trace whose expectation noticed
// it.
type Mutant struct {
	Edit      string `json:"edit"`
	NoticedBy string `json:"noticed_by"` // "" for a survivor

	set *ruleset.Set
}

// Score is what a mutation run gave.
type Score struct {
	Mutants []Mutant // in the order of the rule set
	Noticed int
}

// Percent is the share of edits that were noticed.
func (s *Score) Percent() float64 {
	if len(s.Mutants) == 0 {
		return 100
	}
	return 100 * float64(s.Noticed) / float64(len(s.Mutants))
}

// MutateOptions steer Mutate.
type MutateOptions struct {
	Jobs      int
	Interrupt <-chan struct{}
	// Load makes the loader of a rule set.
	Load func(*ruleset.Set) Loader
}

// Mutate edits the rules one at a time and looks for an expectation that fails.
// Only the data is edited (ruleset.Set): entries, thresholds, boundaries,
// repetitions, character classes, tiers; up and down, since a rule that finds
// too much is as wrong as one that finds too little. The corpus must be as
// expected with the rules as they are.
func Mutate(base *ruleset.Set, cases []*Case, o MutateOptions) (*Score, error) {
	load := o.Load(base)
	for _, c := range cases {
		switch r := c.Run(load); {
		case r.Err != nil:
			return nil, r.Err
		case r.Diff != nil:
			return nil, fmt.Errorf("%s is not as expected", c.Name)
		}
	}
	score := &Score{Mutants: mutants(base)}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range max(1, o.Jobs) {
		wg.Go(func() {
			// The trace that noticed the last edit often notices the next.
			first := 0
			for {
				i := int(next.Add(1)) - 1
				if i >= len(score.Mutants) {
					return
				}
				select {
				case <-o.Interrupt:
					return
				default:
				}
				first = score.Mutants[i].try(cases, first, o.Load)
			}
		})
	}
	wg.Wait()
	for i := range score.Mutants {
		if score.Mutants[i].NoticedBy != "" {
			score.Noticed++
		}
	}
	return score, nil
}

// try runs the cases, that at first first, until one fails; it returns which.
func (m *Mutant) try(cases []*Case, first int, load func(*ruleset.Set) Loader) int {
	l := load(m.set)
	for k := range cases {
		i := k
		switch {
		case k == 0:
			i = first
		case k <= first:
			i = k - 1
		}
		r := cases[i].Run(l)
		if r.Err != nil || r.Diff != nil {
			m.NoticedBy = cases[i].Name
			return i
		}
	}
	return first
}
