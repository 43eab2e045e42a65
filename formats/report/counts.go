package report

import "github.com/warden-trace/warden/analyze"

// Add counts a finding. One that the baseline accepts counts as that alone.
func (c *Counts) Add(f *analyze.Finding) {
	if f.Accepted() {
		c.Accepted++
		return
	}
	switch f.Tier {
	case analyze.Block:
		c.Block++
	case analyze.Monitor:
		c.Monitor++
	default:
		c.Note++
	}
	if c.Rules == nil {
		c.Rules = make(map[string]int64)
	}
	c.Rules[f.Rule]++
}

// Join adds the counts of a part.
func (c *Counts) Join(part *Counts) {
	c.Block += part.Block
	c.Monitor += part.Monitor
	c.Note += part.Note
	c.Accepted += part.Accepted
	if c.Rules == nil {
		c.Rules = make(map[string]int64)
	}
	for rule, n := range part.Rules {
		c.Rules[rule] += n
	}
}
