package secret

import (
	"encoding/binary"
	"math/bits"
)

// Finder finds the matches of all patterns in whole texts, in one pass over each:
// for whoever has no scanner that sees the clues on its way. It finds what
// Patterns.All finds. One a goroutine.
//
// Somewhere among the first bytes of every clue stand two that are rare
// together. Every second byte of the text is looked up together with its
// neighbour, so a pair is noted for both ways it may fall.
type Finder struct {
	p     *Patterns
	m     *Matcher
	pairs *[1 << 16]bool // where a clue may be, by two bytes, the first in the low half
	even  [256][]lookout // by the first byte of a pair that is where it was looked for
	odd   [256][]lookout // and of one that is a byte further on
	plain bool           // a clue is too short to be found so
	found []Match        // memory of Secrets
}

// lookout is a clue and how far before the pair it begins.
type lookout struct {
	clue *Clue
	back int
}

// NewFinder returns a finder of the patterns.
func (p *Patterns) NewFinder() *Finder {
	f := &Finder{p: p, m: p.NewMatcher(), pairs: new([1 << 16]bool)}
	for i := range p.list {
		for k := range p.list[i].clues {
			f.watch(&p.list[i].clues[k])
		}
	}
	return f
}

// watch notes the pairs of a clue: those of three bytes of it in a row, wherever
// the fewest pairs are possible.
func (f *Finder) watch(c *Clue) {
	if len(c.Sets) < 3 {
		f.plain = true
		return
	}
	at, fewest := 0, 1<<17
	for k := range c.Sets[:len(c.Sets)-2] {
		if n := c.Sets[k+1].size() * (c.Sets[k].size() + c.Sets[k+2].size()); n < fewest {
			at, fewest = k, n
		}
	}
	f.pair(c, at, &f.even)
	f.pair(c, at+1, &f.odd)
}

func (f *Finder) pair(c *Clue, at int, by *[256][]lookout) {
	for a := range 256 {
		if !c.Sets[at].Has(byte(a)) {
			continue
		}
		by[a] = append(by[a], lookout{c, at})
		for b := range 256 {
			if c.Sets[at+1].Has(byte(b)) {
				f.pairs[a|b<<8] = true
			}
		}
	}
}

// Find returns the matches in text, by place and pattern. They are good until the
// next call.
func (f *Finder) Find(text []byte) []Match {
	if f.plain {
		return f.p.All(text)
	}
	f.m.Reset(text)
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		if !(f.pairs[uint16(x)] || f.pairs[uint16(x>>16)] || f.pairs[uint16(x>>32)] || f.pairs[uint16(x>>48)]) {
			continue
		}
		for k := i; k < i+8; k += 2 {
			f.look(text, k)
		}
	}
	for ; i+2 <= len(text); i += 2 {
		f.look(text, i)
	}
	return f.m.Finish()
}

// Secrets returns what Find finds and, as pattern -1, the pieces that e takes for
// random, both in the text as it stands and in its other reading (Readings). They
// may overlap, and are good until the next call.
func (f *Finder) Secrets(e *Entropy, text []byte) []Match {
	return Readings(text, func(t []byte) []Match {
		f.found = e.Pieces(append(f.found[:0], f.Find(t)...), t)
		return f.found
	})
}

// LineByLine reports that no match holds a line feed, so that what is found in a
// text is what is found in its lines: the built-in rules' keys are such.
func (p *Patterns) LineByLine() bool {
	for i := range p.list {
		if p.list[i].alts == nil {
			return false // nobody knows what the expression takes
		}
		for _, alt := range p.list[i].alts {
			for _, s := range alt.steps {
				if s.set.has('\n') {
					return false
				}
			}
		}
	}
	return !Piece('\n')
}

// look tries the clues that the pair at i may belong to, from left to right for
// each pattern.
func (f *Finder) look(text []byte, i int) {
	if !f.pairs[uint16(text[i])|uint16(text[i+1])<<8] {
		return
	}
	for _, l := range f.odd[text[i]] {
		f.m.Try(l.clue, i-l.back)
	}
	for _, l := range f.even[text[i]] {
		f.m.Try(l.clue, i-l.back)
	}
}

// lastGap is how many of eight bytes end with the last one that stands in no piece
// and is told apart at once: white space, most punctuation, all that is no ASCII.
// 0 where there is none.
func lastGap(x uint64) int {
	const low7, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	// The sum sets the high bit of bytes from '+' on, and none goes over into the next.
	later := x&low7 + low7 - '*'*(low7/0x7f)
	return (64 - bits.LeadingZeros64((^later|x)&high)) / 8
}

// Pieces appends where the pieces of text are that count as secrets. Few bytes
// are looked at where words are short: a run is looked for from its far end.
func (e *Entropy) Pieces(dst []Match, text []byte) []Match {
	least := max(e.p.MinLength, 1)
	for i := 0; i+least <= len(text); {
		if least >= 8 {
			if n := lastGap(binary.LittleEndian.Uint64(text[i+least-8:])); n > 0 {
				i += least - 8 + n
				continue
			}
		}
		j := i + least - 1
		for j >= i && pieceTable[text[j]] {
			j--
		}
		if j >= i { // no run that begins before j is long enough
			i = j + 1
			continue
		}
		end := i + least
		for end < len(text) && pieceTable[text[end]] {
			end++
		}
		if e.High(text[i:end]) {
			dst = append(dst, Match{Pattern: -1, Start: i, End: end})
		}
		i = end + 1
	}
	return dst
}
