package catalog

import (
	"math"
	"math/bits"
	"sort"
	"unicode"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/secret"
)

// A clue is four bytes, each out of a set, that stand wherever a phrase or a
// vendor pattern matches. The kernel looks for all clues at once by nibble
// tables, which may see a clue where none is; what it reports is checked
// against the clues themselves and then against the rule.
type clue struct {
	sets        [4]secret.ByteSet
	mask, value uint32 // the bits that all members of the sets share, little-endian
	find        []finder
}

// finder says what to try where a clue stands.
type finder struct {
	phrase int32        // index of a phrase, or -1
	at     int32        // the phrase's code point
	secret *secret.Clue // or the place to try a pattern
	back   int32        // bytes from the clue's start to that place; the place is at clue - back
}

// rarity is about how many bits of surprise a byte of a text carries.
var rarity = func() (out [256]float64) {
	share := [256]float64{}
	for c := range share {
		share[c] = 0.0015
	}
	letters := map[byte]float64{'a': 8.2, 'b': 1.5, 'c': 2.8, 'd': 4.3, 'e': 12.7, 'f': 2.2, 'g': 2, 'h': 6.1, 'i': 7, 'j': 0.15,
		'k': 0.77, 'l': 4, 'm': 2.4, 'n': 6.7, 'o': 7.5, 'p': 1.9, 'q': 0.1, 'r': 6, 's': 6.3, 't': 9.1, 'u': 2.8, 'v': 0.98,
		'w': 2.4, 'x': 0.15, 'y': 2, 'z': 0.07}
	for c, w := range letters {
		share[c] = w / 100 * 0.7
		share[c-'a'+'A'] = w / 100 * 0.04
	}
	for c := '0'; c <= '9'; c++ {
		share[c] = 0.008
	}
	for _, c := range "-_.,/:=\"" {
		share[c] = 0.012
	}
	share[' '], share['\n'] = 0.15, 0.02
	for c := range out {
		out[c] = share[c]
	}
	return out
}()

// surprise is the information in bits that seeing a byte of the set gives.
func surprise(s *secret.ByteSet) float64 {
	if *s == anyByte() {
		return 0
	}
	sum := 0.0
	for k, w := range s {
		for ; w != 0; w &= w - 1 {
			sum += rarity[k<<6|bits.TrailingZeros64(w)]
		}
	}
	return -math.Log2(min(1, sum+1e-9))
}

func anyByte() secret.ByteSet {
	all := ^uint64(0)
	return secret.ByteSet{all, all, all, all}
}

// pick returns the four positions of sets that tell most, and where they begin.
// Where there are fewer than four, any byte may stand for the rest.
func pick(sets []secret.ByteSet) (best [4]secret.ByteSet, at int, score float64) {
	score = -1
	for i := range sets {
		var w [4]secret.ByteSet
		sum := 0.0
		for k := range w {
			w[k] = anyByte()
			if i+k < len(sets) {
				w[k] = sets[i+k]
			}
			sum += surprise(&w[k])
		}
		if sum > score {
			best, at, score = w, i, sum
		}
	}
	return best, at, score
}

// phraseClue chooses the clue of a phrase. A window begins at a code point, or
// at the last byte of the white space before one. Code points with forms of
// different length (k has the Kelvin sign, s the long s) end what can be told.
func phraseClue(ph *phrase) (sets [4]secret.ByteSet, at int32, back int32) {
	score := -1.0
	for k, r := range ph.runes {
		if r == ' ' {
			continue
		}
		ahead := bytesFrom(ph.runes[k:])
		starts := [][]secret.ByteSet{ahead}
		if k > 0 && ph.runes[k-1] == ' ' {
			var last secret.ByteSet
			for _, c := range []byte{' ', '\t', '\n', '\r', 0xa8, 0xa9} {
				last.Add(c)
			}
			starts = append(starts, append([]secret.ByteSet{last}, ahead...))
		}
		for lead, s := range starts {
			if len(s) > 4 {
				s = s[:4]
			}
			w, from, sum := pick(s)
			if from == 0 && sum > score {
				sets, at, back, score = w, int32(k), -int32(lead), sum
			}
		}
	}
	return sets, at, back
}

// bytesFrom lists the bytes that the code points may have, as far as their
// places are certain.
func bytesFrom(runes []rune) (out []secret.ByteSet) {
	for _, r := range runes {
		if len(out) >= 4 {
			break
		}
		forms := formsOf(r)
		width := utf8.RuneLen(forms[0])
		same := true
		for _, f := range forms {
			same = same && utf8.RuneLen(f) == width
		}
		if !same {
			width = 1
		}
		for i := range width {
			var s secret.ByteSet
			for _, f := range forms {
				s.Add(string(f)[i])
			}
			out = append(out, s)
		}
		if !same || r == ' ' {
			break
		}
	}
	return out
}

// formsOf lists the code points that fold to r; for a space those that a run of
// white space may begin with.
func formsOf(r rune) []rune {
	if r == ' ' {
		return []rune{' ', '\t', '\n', '\r', 0x2028, 0x2029}
	}
	out := []rune{r}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		out = append(out, f)
	}
	return out
}

// shared works out the bits that all members of each set have in common.
func (c *clue) shared() {
	for i := range c.sets {
		and, or := byte(0xff), byte(0)
		for k, w := range c.sets[i] {
			for ; w != 0; w &= w - 1 {
				b := byte(k<<6 | bits.TrailingZeros64(w))
				and &= b
				or |= b
			}
		}
		same := ^(and ^ or)
		c.mask |= uint32(same) << (8 * i)
		c.value |= uint32(and&same) << (8 * i)
	}
}

// group holds the clues of one bucket that share a mask, in a hash table with
// room: slots are looked at in a row, up to an empty one.
type group struct {
	mask  uint32
	shift uint8
	slots []slot
}

type slot struct {
	value uint32
	find  []finder // nil: empty
}

func newGroup(mask uint32, many map[uint32][]finder) group {
	g := group{mask: mask, shift: 31}
	for 1<<(32-g.shift) < 2*len(many) {
		g.shift--
	}
	g.slots = make([]slot, 1<<(32-g.shift))
	for v, find := range many {
		i := g.slot(v)
		for g.slots[i].find != nil {
			i = (i + 1) & uint32(len(g.slots)-1)
		}
		g.slots[i] = slot{v, find}
	}
	return g
}

func (g *group) slot(v uint32) uint32 { return v * 0x9E3779B1 >> (g.shift & 31) }

// at returns what to try where the four bytes x stand.
func (g *group) at(x uint32) []finder {
	v := x & g.mask
	for i := g.slot(v); ; i++ {
		s := &g.slots[i&uint32(len(g.slots)-1)]
		if s.value == v || s.find == nil {
			return s.find
		}
	}
}

const buckets = 8

// clues are the compiled clues: which bucket each is in, and what to try.
type clues struct {
	groups [buckets][]group
	first  [4][256]uint8 // the buckets that take a byte at each position, by nibbles
	lo, hi [4][16]uint8
}

func newClues(list []clue) *clues {
	c := &clues{}
	merged := map[[4]secret.ByteSet]int{}
	var all []clue
	for _, x := range list {
		if i, ok := merged[x.sets]; ok {
			all[i].find = append(all[i].find, x.find...)
			continue
		}
		merged[x.sets] = len(all)
		x.shared()
		all = append(all, x)
	}
	bucket := c.assign(all)
	var masks [buckets][]uint32
	var many [buckets]map[uint32]map[uint32][]finder
	for i := range all {
		x, b := &all[i], bucket[i]
		if many[b] == nil {
			many[b] = map[uint32]map[uint32][]finder{}
		}
		if many[b][x.mask] == nil {
			many[b][x.mask] = map[uint32][]finder{}
			masks[b] = append(masks[b], x.mask)
		}
		many[b][x.mask][x.value] = append(many[b][x.mask][x.value], x.find...)
	}
	for b := range masks {
		for _, mask := range masks[b] {
			c.groups[b] = append(c.groups[b], newGroup(mask, many[b][mask]))
		}
	}
	for p := range c.first {
		for b := range 256 {
			c.first[p][b] = c.lo[p][b&15] & c.hi[p][b>>4]
		}
	}
	return c
}

// assign spreads clues over the buckets so that the nibble tables see as few
// false ones as it can: each goes where it makes things least worse.
func (c *clues) assign(all []clue) []int {
	out := make([]int, len(all))
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return all[order[a]].mask < all[order[b]].mask })
	var cost [buckets]float64
	for _, i := range order {
		best, bestCost, bestRise := 0, 0.0, math.Inf(1)
		for b := range buckets {
			lo, hi := c.lo, c.hi
			mark(&lo, &hi, &all[i].sets, b)
			now := frequency(&lo, &hi, b)
			if rise := now - cost[b]; rise < bestRise {
				best, bestCost, bestRise = b, now, rise
			}
		}
		out[i] = best
		cost[best] = bestCost
		mark(&c.lo, &c.hi, &all[i].sets, best)
		if i > 1_000 && best > 0 {
			// With very many clues the tables are full anyway.
			continue
		}
	}
	return out
}

func mark(lo, hi *[4][16]uint8, sets *[4]secret.ByteSet, bucket int) {
	for p := range sets {
		for k, w := range sets[p] {
			for ; w != 0; w &= w - 1 {
				b := k<<6 | bits.TrailingZeros64(w)
				lo[p][b&15] |= 1 << bucket
				hi[p][b>>4] |= 1 << bucket
			}
		}
	}
}

// frequency is about how often a bucket fires, a byte of text.
func frequency(lo, hi *[4][16]uint8, bucket int) float64 {
	f := 1.0
	for p := range lo {
		sum := 0.0
		for b := range 256 {
			if lo[p][b&15]&hi[p][b>>4]>>bucket&1 != 0 {
				sum += rarity[b]
			}
		}
		f *= min(1, sum)
	}
	return f
}
