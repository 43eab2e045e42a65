package secret

// run remembers the last run that an open step has seen, so that the many
// candidates of one run read it once.
type run struct {
	from, to int // the bytes [from, to) are all in the step's set, the one at to is not
	lo, end  int // the last boundary search: the smallest end allowed, the run's end
	at       int // and what it found, -1 for nothing
}

// memory is what a program remembers within one text.
type memory []run

func (m memory) forget() {
	for i := range m {
		m[i] = run{from: -1, to: -1, lo: -1, end: -1, at: -1}
	}
}

func isWord(c byte) bool { return word.has(c) }

// boundary reports an ASCII word boundary before t[i].
func boundary(t []byte, i int) bool {
	a := i > 0 && isWord(t[i-1])
	b := i < len(t) && isWord(t[i])
	return a != b
}

// match tries the program at t[start:] and returns the end of the match, or -1.
func (p *program) match(t []byte, start int, m memory) int {
	if p.before && !boundary(t, start) {
		return -1
	}
	i := start
	last := len(p.steps) - 1
	for k := range p.steps {
		st := &p.steps[k]
		if st.max == 1 && st.min == 1 {
			if i >= len(t) || !st.set.has(t[i]) {
				return -1
			}
			i++
			continue
		}
		lo, end := i+st.min, i
		if st.max < 0 {
			end = st.span(t, i, &m[k])
		} else {
			for end < len(t) && end-i < st.max && st.set.has(t[end]) {
				end++
			}
		}
		if end < lo {
			return -1
		}
		if k == last && p.after {
			return p.lastBoundary(t, lo, end, &m[k])
		}
		i = end
	}
	if p.after && !boundary(t, i) {
		return -1
	}
	return i
}

// head is the number of single bytes before the first run of open length of a
// lone program that goes on behind that run; else 0.
func head(alts []program) int {
	if len(alts) != 1 {
		return 0
	}
	steps := alts[0].steps
	for k := range steps {
		switch st := &steps[k]; {
		case st.max < 0 && k+1 < len(steps) && steps[k+1].min > 0:
			return k
		case st.min != 1 || st.max != 1:
			return 0
		}
	}
	return 0
}

// deadEnd returns the end of the first open run of a program that failed at
// start, which has k bytes before that run, if no match can have its first run end there, else 0: all candidates
// whose run begins inside fail like this one, and need no look.
func (p *program) deadEnd(t []byte, start, k int, m memory) int {
	r := &m[k]
	if at := start + k; at < r.from || at >= r.to || r.to < len(t) && p.steps[k+1].set.has(t[r.to]) {
		return 0
	}
	return r.to
}

// span returns the end of the run of the step's set at i.
func (st *step) span(t []byte, i int, r *run) int {
	if i >= r.from && i < r.to {
		return r.to
	}
	end := i
	for in := st.in; end < len(t) && in[t[end]]; {
		end++
	}
	r.from, r.to = i, end
	return end
}

// lastBoundary is the backtracking that a `\b` after a run asks for: the last
// boundary in [lo, end]. Asked again about the same end it does not search again.
func (p *program) lastBoundary(t []byte, lo, end int, r *run) int {
	if boundary(t, end) {
		return end
	}
	if s := p.steps[len(p.steps)-1].set; s.without(word).empty() || s.and(word).empty() {
		return -1 // no boundary within a run of one kind
	}
	if r.end == end && r.lo <= lo {
		if r.at >= lo {
			return r.at
		}
		return -1
	}
	at := -1
	for j := end - 1; j >= lo; j-- {
		if boundary(t, j) {
			at = j
			break
		}
	}
	r.end, r.lo, r.at = end, lo, at
	return at
}
