package report

// histogram counts events over a time that is not known beforehand, in a bounded
// number of equal buckets: whenever the range would need more, neighbours are
// merged and every bucket is twice as wide. Positions are nanoseconds, or frame
// numbers where a recording has no times.
type histogram struct {
	max   int  // at least 2: zero divides every bucket
	shift uint // a bucket is 1<<shift wide
	lo    int64
	cells []cell
}

// cell is one bucket.
type cell struct{ toServer, toClient, block, monitor, note uint32 }

func (c *cell) add(o cell) {
	c.toServer += o.toServer
	c.toClient += o.toClient
	c.block += o.block
	c.monitor += o.monitor
	c.note += o.note
}

// at returns the bucket of a position.
func (h *histogram) at(pos int64) *cell {
	i := pos >> h.shift
	if k := uint64(i) - uint64(h.lo); k < uint64(len(h.cells)) {
		return &h.cells[k]
	}
	if len(h.cells) == 0 {
		h.lo = i
		h.cells = append(h.cells, cell{})
		return &h.cells[0]
	}
	for {
		i = pos >> h.shift
		hi := h.lo + int64(len(h.cells)) - 1
		// Without a sign: the ends of time are further apart than an int64 holds.
		if uint64(max(i, hi))-uint64(min(i, h.lo)) < uint64(h.max) {
			break
		}
		h.widen()
	}
	if i < h.lo {
		n := int(h.lo - i)
		h.cells = append(make([]cell, n, n+len(h.cells)), h.cells...)
		h.lo = i
	}
	for i-h.lo >= int64(len(h.cells)) {
		h.cells = append(h.cells, cell{})
	}
	return &h.cells[i-h.lo]
}

// widen merges neighbours.
func (h *histogram) widen() {
	lo := h.lo >> 1
	n := 0
	for k := range h.cells {
		at := int((h.lo+int64(k))>>1 - lo)
		c := h.cells[k]
		if at < n {
			h.cells[at].add(c)
			continue
		}
		h.cells[at] = c
		n = at + 1
	}
	h.cells, h.lo, h.shift = h.cells[:n], lo, h.shift+1
}
