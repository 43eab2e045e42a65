package tape

import "github.com/warden-trace/warden/analyze"

// Cell is one column of the overview: a stretch of the trace.
type Cell struct {
	Frames  int
	Tiers   [3]int // frames with a finding of that tier as the strongest
	Blocked int    // frames acted upon
	First   int    // its first frame; -1 for a stretch without frames
	Alarm   int    // its first frame with the strongest tier; -1
}

// Strip divides the trace into n stretches, of equal time where byTime is set
// and the recording has times, else of equal numbers of frames. timed says which
// it was.
func (t *Tape) Strip(n int, byTime bool) (cells []Cell, timed bool) {
	x := t.x
	x.mu.RLock()
	total, from, to := x.n, x.from, x.to
	x.mu.RUnlock()
	cells = make([]Cell, max(n, 1))
	for i := range cells {
		cells[i].First, cells[i].Alarm = -1, -1
	}
	if total == 0 {
		return cells, false
	}
	timed = byTime && to > from
	// In pieces, so that the index can go on growing meanwhile.
	for a := 0; a < total; a += pageLen {
		x.mu.RLock()
		for i := a; i < min(a+pageLen, total); i++ {
			e := x.entry(i)
			at := int(int64(i) * int64(len(cells)) / int64(total))
			if timed {
				at = 0
				if e.TS != 0 {
					at = int(float64(e.TS-from) / float64(to-from+1) * float64(len(cells)))
				}
				at = min(max(at, 0), len(cells)-1)
			}
			c := &cells[at]
			c.Frames++
			if c.First < 0 {
				c.First = i
			}
			if e.Blocked() {
				c.Blocked++
			}
			if tier, ok := e.Tier(); ok {
				stronger := true
				for t := tier; t <= analyze.Block; t++ {
					stronger = stronger && c.Tiers[t] == 0
				}
				if stronger {
					c.Alarm = i
				}
				c.Tiers[tier]++
			}
		}
		x.mu.RUnlock()
	}
	return cells, timed
}
