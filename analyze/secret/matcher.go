package secret

import (
	"cmp"
	"slices"
)

// Matcher finds the matches of one text from the places where a scanner saw a
// clue. It holds memory only; one a goroutine, reused text by text.
type Matcher struct {
	p       *Patterns
	text    []byte
	state   []memory // one for each program, all patterns in a row
	tries   []try
	armed   []bool
	dirty   bool
	any     bool // a pattern is armed
	Matches []Match
}

// try is what Try needs of a pattern that runs as programs.
type try struct {
	next  int          // where the next match may begin
	n     int          // how many bytes of a match lead knows
	word  bool         // a match begins at a boundary
	lead  *[256]uint64 // for each byte at which of these places it may stand, a bit each
	alts  []program    // nil: the pattern runs as an expression
	state []memory
}

// NewMatcher returns a matcher of the patterns.
func (p *Patterns) NewMatcher() *Matcher {
	m := &Matcher{p: p, tries: make([]try, len(p.list)), armed: make([]bool, len(p.list))}
	for i := range p.list {
		for _, alt := range p.list[i].alts {
			m.state = append(m.state, make(memory, len(alt.steps)))
		}
	}
	for i, at := 0, 0; i < len(p.list); i++ {
		c := &p.list[i]
		if c.alts != nil {
			m.tries[i] = try{n: len(c.clues[0].Sets), word: c.bounded(), lead: c.lead, alts: c.alts, state: m.state[at : at+len(c.alts)]}
		}
		at += len(c.alts)
	}
	m.dirty = true
	return m
}

// Reset begins a text. Places must then be tried from left to right.
func (m *Matcher) Reset(text []byte) {
	m.text = text
	m.Matches = m.Matches[:0]
	if !m.dirty {
		return
	}
	m.dirty, m.any = false, false
	for i := range m.state {
		m.state[i].forget()
	}
	for i := range m.tries {
		m.tries[i].next = 0
	}
	clear(m.armed)
}

// Try looks at a place where the clue c of a pattern was seen. It reports a
// match that begins there; patterns that only run as expressions are left to
// Finish.
func (m *Matcher) Try(c *Clue, at int) bool {
	i := c.Pattern
	x := &m.tries[i]
	if x.alts == nil {
		m.arm(c, at)
		return false
	}
	if at < x.next || at < 0 || at+x.n > len(m.text) {
		return false
	}
	// Every match begins with bytes of the clue's sets. They turn most near misses
	// away before a program runs: texts of nothing but beginnings are cheap to
	// write. The last bytes come first, as the beginning has just been seen.
	if x.word && !boundary(m.text, at) {
		return false
	}
	t := m.text[at : at+x.n]
	k := len(t)
	for ; k >= 4; k -= 4 {
		ok := x.lead[t[k-1]] >> (k - 1) & (x.lead[t[k-2]] >> (k - 2)) & (x.lead[t[k-3]] >> (k - 3)) & (x.lead[t[k-4]] >> (k - 4))
		if ok&1 == 0 {
			return false
		}
	}
	for k--; k >= 0; k-- {
		if x.lead[t[k]]>>k&1 == 0 {
			return false
		}
	}
	m.dirty = true
	for k := range x.alts {
		if end := x.alts[k].match(m.text, at, x.state[k]); end >= 0 {
			x.next = end
			m.Matches = append(m.Matches, Match{i, at, end})
			return true
		}
	}
	if head := m.p.list[i].head; head > 0 {
		x.next = max(x.next, x.alts[0].deadEnd(m.text, at, head, x.state[0])-head)
	}
	return false
}

// arm leaves a pattern to Finish if its keyword stands at the place.
func (m *Matcher) arm(c *Clue, at int) {
	if m.armed[c.Pattern] || at < 0 || at+len(c.Sets) > len(m.text) {
		return
	}
	for k := range c.Sets {
		if !c.Sets[k].Has(m.text[at+k]) {
			return
		}
	}
	m.armed[c.Pattern], m.any, m.dirty = true, true, true
}

// Finish runs the expressions whose keyword was seen and leaves Matches sorted
// by place, pattern by pattern where two begin at the same.
func (m *Matcher) Finish() []Match {
	if m.any {
		for i, armed := range m.armed {
			if !armed {
				continue
			}
			for _, x := range m.p.list[i].re.FindAllIndex(m.text, -1) {
				m.Matches = append(m.Matches, Match{i, x[0], x[1]})
			}
		}
	}
	if len(m.Matches) > 1 {
		slices.SortFunc(m.Matches, func(a, b Match) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Pattern, b.Pattern))
		})
	}
	return m.Matches
}

// Replace writes the union of the matches' bytes in redaction form: matches
// that overlap become one.
func Replace(text []byte, found []Match) []byte {
	found = slices.Clone(found)
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	var out []byte
	at := 0
	for i := 0; i < len(found); {
		start, end := found[i].Start, found[i].End
		for i++; i < len(found) && found[i].Start < end; i++ {
			end = max(end, found[i].End)
		}
		out = append(out, text[at:start]...)
		out = AppendRedacted(out, text[start:end])
		at = end
	}
	return append(out, text[at:]...)
}
