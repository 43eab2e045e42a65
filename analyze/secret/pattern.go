package secret

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"sync"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
)

// Patterns are the compiled vendor patterns of a ruleset, in table order. They
// are immutable and shared; a Matcher holds what one scan remembers.
type Patterns struct {
	quick quick
	list  []pattern
}

type pattern struct {
	id       string
	severity analyze.Severity
	re       *regexp.Regexp
	keywords [][]byte  // lower case
	alts     []program // nil: the expression is run on texts that hold a keyword
	clues    []Clue
	// head is how many bytes stand before the first open run of the only
	// program, where another byte must follow that run; else 0.
	head int
	lead *[256]uint64 // the sets of the only clue of programs, by byte
}

// Match is one match of a pattern: the bytes [Start, End) of the text.
type Match struct {
	Pattern    int // index in table order
	Start, End int
}

// ByteSet is a set of byte values.
type ByteSet [4]uint64

// Add puts c into the set.
func (s *ByteSet) Add(c byte) { s[c>>6] |= 1 << (c & 63) }

// Has reports whether c is in the set.
func (s *ByteSet) Has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

// size is how many bytes are in the set.
func (s *ByteSet) size() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

// Clue is what the bytes must be where a pattern may match: byte i is in
// Sets[i]. A scanner looks for it and asks Matcher.Try at each place.
type Clue struct {
	Pattern int
	Sets    []ByteSet
}

// Compile compiles the patterns of a ruleset.
func Compile(list []ruleset.Secret) (*Patterns, error) {
	p := &Patterns{}
	for _, s := range list {
		re, err := regexp.Compile(s.Pattern)
		if err != nil {
			return nil, fmt.Errorf("secret pattern %s: is no RE2 expression", s.ID)
		}
		c := pattern{id: s.ID, severity: s.Severity, re: re}
		for _, w := range s.Keywords {
			c.keywords = append(c.keywords, bytes.ToLower([]byte(w)))
			p.quick.add([]byte(w))
		}
		if len(c.keywords) == 0 {
			return nil, fmt.Errorf("secret pattern %s: has no keyword", s.ID)
		}
		n := len(p.list)
		if alts, ok := compileProgram(s.Pattern); ok && implied(alts, c.keywords) {
			c.programs(n, alts)
		} else {
			for _, w := range c.keywords {
				c.clues = append(c.clues, Clue{n, foldSets(w)})
			}
		}
		p.list = append(p.list, c)
	}
	return p, nil
}

// Len is the number of patterns.
func (p *Patterns) Len() int { return len(p.list) }

// Shortest is a length in bytes below which nothing matches any pattern.
func (p *Patterns) Shortest() int {
	n := math.MaxInt
	for i := range p.list {
		c := &p.list[i]
		if c.alts == nil {
			return 1
		}
		n = min(n, len(c.clues[0].Sets))
	}
	return n
}

// ID is the rule id of pattern i.
func (p *Patterns) ID(i int) string { return p.list[i].id }

// Severity is the severity of pattern i.
func (p *Patterns) Severity(i int) analyze.Severity { return p.list[i].severity }

// Clues lists what to look for: at least one clue a pattern.
func (p *Patterns) Clues() (out []Clue) {
	for i := range p.list {
		out = append(out, p.list[i].clues...)
	}
	return out
}

// programs makes the pattern, which is that of index n, run as programs.
func (c *pattern) programs(n int, alts []program) {
	sets := lead(alts)
	c.alts, c.clues, c.head, c.lead = alts, []Clue{{n, sets}}, head(alts), &[256]uint64{}
	for k := range sets {
		for b := range 256 {
			if sets[k].Has(byte(b)) {
				c.lead[b] |= 1 << k
			}
		}
	}
}

// bounded reports programs all of which begin at a word boundary.
func (c *pattern) bounded() bool {
	for i := range c.alts {
		if !c.alts[i].before {
			return false
		}
	}
	return true
}

// lead is the set of bytes that alternatives have at each of their first
// positions.
func lead(alts []program) (out []ByteSet) {
	n := 64
	for i := range alts {
		n = min(n, len(alts[i].fixed()))
	}
	for k := range n {
		var s set
		for i := range alts {
			s = s.or(alts[i].fixed()[k])
		}
		out = append(out, ByteSet{s[0], s[1]})
	}
	return out
}

func foldSets(w []byte) (out []ByteSet) {
	for _, c := range w {
		var s ByteSet
		s.Add(c)
		if c >= 'a' && c <= 'z' {
			s.Add(c - 'a' + 'A')
		}
		out = append(out, s)
	}
	return out
}

// implied reports that every match of every alternative holds a keyword, so
// that asking for the keyword changes nothing.
func implied(alts []program, keywords [][]byte) bool {
	have := map[string]bool{}
	lengths := map[int]bool{}
	for _, w := range keywords {
		have[string(w)] = true
		lengths[len(w)] = true
	}
	for i := range alts {
		fixed, found := alts[i].fixed(), false
		for n := range lengths {
			for o := 0; o+n <= len(fixed) && !found; o++ {
				found = allIn(fixed[o:o+n], have)
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// allIn reports whether every string that the sets allow is in have, as long as
// there are few of them.
func allIn(sets []set, have map[string]bool) bool {
	words := []string{""}
	for _, s := range sets {
		var next []string
		for _, w := range words {
			for c := byte(0); c < 0x80; c++ {
				if !s.has(c) {
					continue
				}
				f := c
				if c >= 'A' && c <= 'Z' {
					f += 'a' - 'A'
				}
				next = append(next, w+string(rune(f)))
				if len(next) > 64 {
					return false
				}
			}
		}
		words = next
	}
	for _, w := range words {
		if !have[w] {
			return false
		}
	}
	return true
}

// All finds every match of every pattern by the expressions themselves, in
// table order. It is the plain way, for short strings and cold paths.
func (p *Patterns) All(text []byte) (out []Match) {
	for i := range p.list {
		c := &p.list[i]
		if !c.mayMatch(text) {
			continue
		}
		for _, m := range c.re.FindAllIndex(text, -1) {
			out = append(out, Match{i, m[0], m[1]})
		}
	}
	return out
}

func (c *pattern) mayMatch(text []byte) bool {
	for _, w := range c.keywords {
		if containsFold(text, w) {
			return true
		}
	}
	return false
}

// containsFold reports whether text holds w, which is in lower case, whatever
// the case of ASCII letters.
func containsFold(text, w []byte) bool { return searchFold(text, w, bytes.IndexByte) }

// searchFold is containsFold by the help of index, which finds a byte. No byte
// is looked at more than once for each case of the first letter: a text of
// capitals alone would else be searched to its end for the small letter at every
// capital.
func searchFold(text, w []byte, index func([]byte, byte) int) bool {
	if len(w) > len(text) {
		return false
	}
	starts := text[:len(text)-len(w)+1]
	next, first := [2]int{-1, -1}, [2]byte{w[0], w[0]} // where each case is next
	if w[0] >= 'a' && w[0] <= 'z' {
		first[1] -= 'a' - 'A'
	} else {
		next[1] = len(starts)
	}
	for at := 0; at < len(starts); {
		for k := range next {
			if next[k] >= at {
				continue
			}
			next[k] = len(starts)
			if i := index(starts[at:], first[k]); i >= 0 {
				next[k] = at + i
			}
		}
		i := min(next[0], next[1])
		if i == len(starts) {
			return false
		}
		if equalFold(text[i:i+len(w)], w) {
			return true
		}
		at = i + 1
	}
	return false
}

func equalFold(t, w []byte) bool {
	for i, c := range t {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != w[i] {
			return false
		}
	}
	return true
}

// Scrub writes every match of a vendor pattern in its redaction form and leaves
// the rest of s as it is: for tool names, ids, messages and pointers
// (catalog.md, "Redaction").
func (p *Patterns) Scrub(s string) string {
	if s == "" {
		return s
	}
	if !p.quick.may(s) {
		return s
	}
	found := Readings([]byte(s), p.All)
	if len(found) == 0 {
		return s
	}
	return string(Replace([]byte(s), found))
}

var builtin = sync.OnceValue(func() *Patterns {
	p, err := Compile(ruleset.Builtin().Secrets)
	if err != nil {
		panic(err) // the built-in patterns are part of the program
	}
	return p
})

// Builtin returns the compiled built-in patterns.
func Builtin() *Patterns { return builtin() }

// Scrub is Patterns.Scrub with the built-in patterns.
func Scrub(s string) string { return builtin().Scrub(s) }
