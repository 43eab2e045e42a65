package catalog

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// bytePairs is what the portable kernel works by. It takes half a megabyte and is
// made when a text is first read with it.
type bytePairs struct {
	once sync.Once
	// By a pair of bytes, the first the low one of the index. The lanes of clues
	// have a bit for each bucket that the pair does not fit, the others say in
	// their lowest two bits what its bytes are.
	entry *entries
	// By a byte: of how many bytes of a clue (lanes 0 to 3) and of an odd sequence
	// (lanes 4 to 6) it may be the last.
	bytes [256]uint64
}

// entries has one for each pair of bytes, the first the low one of the index.
type entries [1 << 16]uint64

// masks are those of the classes of 64 bytes.
type masks struct{ piece, dot, colon mask }

// mask is one of 64 bits, the lowest of the first byte first.
type mask [8]byte

func (m *mask) bits() uint64 { return binary.LittleEndian.Uint64(m[:]) }

// Lanes of an entry. With each pair the clues move up by laneStep, from laneEven
// to laneEvenTo, and from laneOdd by way of laneOddOn to laneOddTo, or out; zeros
// move into the two that begin. A byte that may begin an odd sequence says so by
// being a dot and a colon at once, and a slash by being a piece and a colon.
const (
	laneEven   = 0  // bytes 0 and 1 of a clue at an even place
	laneOdd    = 8  // the byte before a clue at an odd place, and byte 0 of it
	lanePiece  = 16 // piece characters
	laneEvenTo = 24 // bytes 2 and 3 of a clue at an even place
	laneOddOn  = 32 // bytes 1 and 2 of a clue at an odd place
	laneDot    = 40 // dots, and what begins an odd sequence
	laneColon  = 48 // colons, slashes, and what begins an odd sequence
	laneOddTo  = 56 // byte 3 of a clue at an odd place, and the byte behind

	laneStep = 24

	laneClasses  = 3<<lanePiece | 3<<laneDot | 3<<laneColon
	laneComplete = 0xff<<laneEvenTo | 0xff<<laneOddTo
)

// pairEntries makes t.pairs.
func (t *tables) pairEntries() *entries {
	t.pairs.once.Do(func() {
		lanes := &t.pairs.bytes
		var first, second [256]uint64 // what a byte says as the one and the other of a pair
		for b := range 256 {
			c := byte(b)
			for p := range t.clue {
				lanes[b] |= uint64(t.clue[p].of(c)) << (8 * p)
			}
			for p := range t.odd {
				lanes[b] |= uint64(t.odd[p].of(c)) << (32 + 8*p)
			}
			class := t.class(c)
			first[b] = class | ^lanes[b]>>24&0xff<<laneOddTo
			second[b] = class<<1 | ^lanes[b]&0xff<<laneOdd
		}
		entry := new(entries)
		for b, y := range second {
			row := entry[b<<8 : b<<8+256]
			for a, x := range first {
				not := ^(lanes[a] & (lanes[b] >> 8)) // lanes 0 and 1, 1 and 2, 2 and 3
				row[a] = x | y | not&0xff<<laneEven | not>>8&0xff<<laneOddOn | not>>16&0xff<<laneEvenTo
			}
		}
		t.pairs.entry = entry
	})
	return t.pairs.entry
}

// class is what c is, in the lanes that say so.
func (t *tables) class(c byte) uint64 {
	const piece, dot, colon = 1 << lanePiece, 1 << laneDot, 1 << laneColon
	char := t.char.of(c)
	switch {
	case c == '/':
		return piece | colon
	case char&pieceMask != 0:
		return piece
	case char>>classDot&1 != 0:
		return dot
	case char>>classColon&1 != 0:
		return colon
	case t.odd[0].of(c) != 0:
		return dot | colon
	}
	return 0
}

// kernelPortable fills out[k] for each of the n blocks of 64 bytes that src
// begins with. src must have ahead readable bytes more.
//
// It reads two bytes a step. All clues are followed at once: the lanes of s have
// a zero for each bucket of which the pairs up to here fit, so one shift and one
// OR a pair carry all of them on. Where one is complete the bytes around are looked
// at one by one.
func kernelPortable(src []byte, n int, out []block, t *tables) {
	e := t.pairEntries()
	var classes masks
	for k := range n {
		p := (*[64 + ahead]byte)(src[k*64:])
		s, hits := e.read(p, &classes)
		var b block
		for ; hits != 0; hits &= hits - 1 {
			g := bits.TrailingZeros64(hits)
			b.clue |= t.clues(p, max(g-3, 0), g+8)
		}
		piece, dot, colon := classes.piece.bits(), classes.dot.bits(), classes.colon.bits()
		// Two pairs more end what has begun; what they begin is the next block's.
		s = s<<laneStep | e[binary.LittleEndian.Uint16(p[64:])]
		all := s
		s = s<<laneStep | e[p[66]]
		all &= s | 0xff<<laneEvenTo
		if ^all&laneComplete != 0 {
			b.clue |= t.clues(p, 61, 64)
		}
		for m := dot & colon; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros64(m); t.beginsOdd(p, i) {
				b.odd |= m & -m
			}
		}
		b.piece = piece
		b.dot = dot &^ colon
		b.colon = colon &^ piece &^ dot
		either := colon &^ dot >> 1 // a colon or a slash follows
		if p[64] == ':' || p[64] == '/' {
			either |= 1 << 63
		}
		b.next = b.colon & either
		out[k] = b
	}
}

// read reads 64 bytes: s is where the clues stand at their end, hits has a bit
// for each eight bytes in which one is complete.
func (e *entries) read(p *[64 + ahead]byte, m *masks) (s, hits uint64) {
	s = ^uint64(0)
	for g := 0; g < 64; g += 8 {
		x := e[binary.LittleEndian.Uint16(p[g:])]
		s = s<<laneStep | x
		all, class := s, x&laneClasses
		x = e[binary.LittleEndian.Uint16(p[g+2:])]
		s = s<<laneStep | x
		all &= s
		class |= x & laneClasses << 2
		x = e[binary.LittleEndian.Uint16(p[g+4:])]
		s = s<<laneStep | x
		all &= s
		class |= x & laneClasses << 4
		x = e[binary.LittleEndian.Uint16(p[g+6:])]
		s = s<<laneStep | x
		all &= s
		class |= x & laneClasses << 6
		m.piece[g/8], m.dot[g/8], m.colon[g/8] = byte(class>>lanePiece), byte(class>>laneDot), byte(class>>laneColon)
		if ^all&laneComplete != 0 {
			hits |= 1 << g
		}
	}
	return s, hits
}

// clues is where clues begin, of the places from a to before b: a byte a step,
// in the lanes of bytes.
func (t *tables) clues(p *[64 + ahead]byte, a, b int) uint64 {
	var s, m uint64
	for i, c := range p[a : b+ahead] {
		s = (s<<8 | 0xff) & t.pairs.bytes[c]
		if s&(0xff<<24) != 0 {
			m |= 1 << (i & 63)
		}
	}
	return m >> ahead << (a & 63)
}

// beginsOdd reports whether an odd sequence begins at p[i].
func (t *tables) beginsOdd(p *[64 + ahead]byte, i int) bool {
	lanes := &t.pairs.bytes
	return lanes[p[i]]&(lanes[p[i+1]]>>8)&(lanes[p[i+2]]>>16)&(0xff<<32) != 0
}
