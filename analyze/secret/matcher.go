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
	first   []int    // index in state of a pattern's first program
	from    []int    // where the next match of a pattern may begin
	dead    []int    // where a pattern's next first run may begin: one that ended before is no use
	armed   []bool
	dirty   bool
	any     bool // a pattern is armed
	Matches []Match
}

// NewMatcher returns a matcher of the patterns.
func (p *Patterns) NewMatcher() *Matcher {
	m := &Matcher{p: p, from: make([]int, len(p.list)), dead: make([]int, len(p.list)), armed: make([]bool, len(p.list))}
	for i := range p.list {
		m.first = append(m.first, len(m.state))
		for _, alt := range p.list[i].alts {
			m.state = append(m.state, make(memory, len(alt.steps)))
		}
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
	clear(m.from)
	clear(m.dead)
	clear(m.armed)
}

// Try looks at a place where the clue c of a pattern was seen. It reports a
// match that begins there; patterns that only run as expressions are left to
// Finish.
func (m *Matcher) Try(c *Clue, at int) bool {
	i := c.Pattern
	pat := &m.p.list[i]
	if pat.alts == nil {
		if m.armed[i] || at < 0 || at+len(c.Sets) > len(m.text) {
			return false
		}
		for k := range c.Sets {
			if !c.Sets[k].Has(m.text[at+k]) {
				return false
			}
		}
		m.armed[i], m.any, m.dirty = true, true, true
		return false
	}
	if at < m.from[i] || at < 0 || at >= len(m.text) || at+pat.head < m.dead[i] {
		return false
	}
	// Every match begins with bytes of the clue's sets. They turn most near misses
	// away before a program runs: texts of nothing but beginnings are cheap to
	// write. The last bytes come first, as the beginning has just been seen.
	sets := pat.clues[0].Sets
	n := len(sets)
	if at+n > len(m.text) {
		return false
	}
	for k := n - 1; k >= 0; k-- {
		if !sets[k].Has(m.text[at+k]) {
			return false
		}
	}
	m.dirty = true
	for k := range pat.alts {
		if end := pat.alts[k].match(m.text, at, m.state[m.first[i]+k]); end >= 0 {
			m.from[i] = end
			m.Matches = append(m.Matches, Match{i, at, end})
			return true
		}
	}
	if pat.head > 0 {
		m.dead[i] = pat.alts[0].deadEnd(m.text, at, pat.head, m.state[m.first[i]])
	}
	return false
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
