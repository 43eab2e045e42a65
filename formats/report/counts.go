package report

import "github.com/warden-trace/warden/analyze"

// Add counts a finding. One that the baseline accepts counts as that alone.
func (c *Counts) Add(f *analyze.Finding) {
	if f.Accepted() {
		c.Accepted++
		return
	}
	c.AddAll(f.Rule, f.Tier, 1)
}

// AddAll counts n findings of a rule, none of which a baseline accepts.
func (c *Counts) AddAll(rule string, tier analyze.Tier, n int64) {
	if n == 0 {
		return
	}
	switch tier {
	case analyze.Block:
		c.Block += n
	case analyze.Monitor:
		c.Monitor += n
	default:
		c.Note += n
	}
	if c.Rules == nil {
		c.Rules = make(map[string]int64)
	}
	c.Rules[rule] += n
}

// Join adds the counts of a part.
func (c *Counts) Join(part *Counts) {
	c.Block += part.Block
	c.Monitor += part.Monitor
	c.Note += part.Note
	c.Accepted += part.Accepted
	c.LeftOut += part.LeftOut
	if c.Rules == nil {
		c.Rules = make(map[string]int64)
	}
	for rule, n := range part.Rules {
		c.Rules[rule] += n
	}
}
