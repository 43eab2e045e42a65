package lock

import (
	"maps"
	"slices"
)

// Clone returns a gate in the same state that goes on by itself. A nil Gate
// has a nil clone.
func (g *Gate) Clone() *Gate {
	if g == nil {
		return nil
	}
	n := *g
	n.asked = maps.Clone(g.asked)
	n.order = slices.Clone(g.order)
	n.open = make([]*listing, len(g.open))
	for i, l := range g.open {
		c := *l
		c.listed, c.shown = maps.Clone(l.listed), maps.Clone(l.shown)
		n.open[i] = &c
	}
	return &n
}
