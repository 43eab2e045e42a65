package catalog

import "math/bits"

// block holds what one pass over 64 bytes of text found, the lowest bit for the
// first byte.
type block struct {
	piece uint64 // characters of an entropy piece
	dot   uint64
	colon uint64
	next  uint64 // colons that a colon or a slash follows
	odd   uint64 // where ANSI or INVISIBLE may have something to say
	clue  uint64 // where a clue may stand
}

// ahead is how many bytes behind its blocks the kernel reads.
const ahead = 3

// nibbles is a pair of tables: a byte is in class k when bit k is set in both
// the row of its low and the row of its high nibble. Each is there twice, once
// for each half of a 32-byte vector.
type nibbles struct {
	lo, hi [32]uint8
}

func (n *nibbles) add(class uint, c byte) {
	for _, half := range []byte{0, 16} {
		n.lo[half+c&15] |= 1 << class
		n.hi[half+c>>4] |= 1 << class
	}
}

func (n *nibbles) of(c byte) uint8 { return n.lo[c&15] & n.hi[c>>4] }

// tables are what the kernel works by; the layout is that which the assembly
// expects.
type tables struct {
	char nibbles    // classes 0 to 4: piece characters; 5: dot; 6: colon
	odd  [3]nibbles // classes of sequences, see newTables
	clue [4]nibbles // a class for each bucket of clues

	// For the portable kernel, by byte: the classes of clues in the lanes
	// (bytes) 0 to 3, those of odd sequences in 4 to 6; and the single-byte
	// classes, piece, dot and colon, in the lowest bits of three lanes.
	lanes [256]uint64
	class [256]uint32
}

const (
	classDot   = 5
	classColon = 6
	pieceMask  = 1<<classDot - 1
)

func newTables(c *clues, wide bool) *tables {
	t := &tables{}
	add := func(class uint, hi []byte, lo []byte) {
		for _, h := range hi {
			for _, l := range lo {
				t.char.add(class, h<<4|l)
			}
		}
	}
	add(0, []byte{4, 6}, span(1, 15))         // A-O a-o
	add(1, []byte{5, 7}, span(0, 10))         // P-Z p-z
	add(2, []byte{3}, append(span(0, 9), 13)) // 0-9 =
	add(3, []byte{2}, []byte{11, 13, 15})     // + - /
	add(4, []byte{5}, []byte{15})             // _
	add(classDot, []byte{2}, []byte{14})      // .
	add(classColon, []byte{3}, []byte{10})    // :
	any := func(class uint, from int) {
		for p := from; p < 3; p++ {
			for b := range 256 {
				t.odd[p].add(class, byte(b))
			}
		}
	}
	// C0 but TAB, LF, CR; DEL; C1; U+2028, U+2029.
	for _, l := range []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15} {
		t.odd[0].add(0, l)
	}
	any(0, 1)
	for l := range byte(16) {
		t.odd[0].add(1, 0x10|l)
	}
	any(1, 1)
	t.odd[0].add(2, 0x7f)
	any(2, 1)
	sequence := func(class uint, sets ...[]byte) {
		for p, set := range sets {
			for _, b := range set {
				t.odd[p].add(class, b)
			}
		}
		any(class, len(sets))
	}
	c1 := make([]byte, 32)
	for i := range c1 {
		c1[i] = 0x80 + byte(i)
	}
	sequence(3, []byte{0xc2}, c1)
	sequence(4, []byte{0xe2}, []byte{0x80}, []byte{0xa8, 0xa9})
	if wide {
		// Zero-width, bidirectional and joining characters.
		sequence(4, []byte{0xe2}, []byte{0x80, 0x81}, []byte{0x8b, 0x8c, 0x8d, 0xa0, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae})
		// Variation selectors and U+FEFF.
		sequence(5, []byte{0xef}, []byte{0xb8, 0xbb}, append(c1[:16:16], 0xbf))
		// Tags and more variation selectors.
		sequence(6, []byte{0xf3}, []byte{0xa0}, []byte{0x80, 0x81, 0x84, 0x85, 0x86, 0x87})
	}
	for p := range t.clue {
		for i := range 32 {
			t.clue[p].lo[i] = c.lo[p][i&15]
			t.clue[p].hi[i] = c.hi[p][i&15]
		}
	}
	for b := range 256 {
		x := uint64(0)
		for p := range t.clue {
			x |= uint64(t.clue[p].of(byte(b))) << (8 * p)
		}
		for p := range t.odd {
			x |= uint64(t.odd[p].of(byte(b))) << (32 + 8*p)
		}
		t.lanes[b] = x
		char := t.char.of(byte(b))
		if char&pieceMask != 0 {
			t.class[b] |= 1
		}
		t.class[b] |= uint32(char>>classDot&1)<<8 | uint32(char>>classColon&1)<<16
	}
	return t
}

func span(a, b byte) (out []byte) {
	for ; a <= b; a++ {
		out = append(out, a)
	}
	return out
}

// Of the portable kernel: lanes whose sequence begins at the byte in hand, and
// lanes whose sequence is complete with it.
const (
	beginsLanes = 0xff<<0 | 0xff<<32
	clueLane    = 0xff << 24
	oddLane     = 0xff << 48
)

// kernelPortable fills out[k] for each of the n blocks of 64 bytes that src
// begins with. src must have ahead readable bytes more.
//
// All sequences are followed at once: lane k of s holds those classes of which
// the last k+1 bytes fit, so one shift and one AND a byte carry every clue and
// every odd sequence on. Each half of a block is followed by itself, so that
// neither waits for the other; a sequence belongs to the half that it begins in.
// The single-byte classes are packed eight bytes at a time, a byte of mask for
// each class.
func kernelPortable(src []byte, n int, out []block, t *tables) {
	for k := range n {
		p := (*[64 + ahead]byte)(src[k*64:])
		b := &out[k]
		*b = block{}
		var s, z uint64
		for g := 0; g < 32; g += 8 {
			r, v := (*[8]byte)(p[g:]), (*[8]byte)(p[g+32:])
			acc := t.class[r[0]] | t.class[r[1]]<<1 | t.class[r[2]]<<2 | t.class[r[3]]<<3 |
				t.class[r[4]]<<4 | t.class[r[5]]<<5 | t.class[r[6]]<<6 | t.class[r[7]]<<7
			far := t.class[v[0]] | t.class[v[1]]<<1 | t.class[v[2]]<<2 | t.class[v[3]]<<3 |
				t.class[v[4]]<<4 | t.class[v[5]]<<5 | t.class[v[6]]<<6 | t.class[v[7]]<<7
			sh := uint(g) & 31
			b.piece |= uint64(acc&0xff)<<sh | uint64(far&0xff)<<(sh+32)
			b.dot |= uint64(acc>>8&0xff)<<sh | uint64(far>>8&0xff)<<(sh+32)
			b.colon |= uint64(acc>>16&0xff)<<sh | uint64(far>>16&0xff)<<(sh+32)

			was, zwas := s, z
			var any uint64
			s = (s<<8 | beginsLanes) & t.lanes[r[0]]
			z = (z<<8 | beginsLanes) & t.lanes[v[0]]
			any |= s | z
			s = (s<<8 | beginsLanes) & t.lanes[r[1]]
			z = (z<<8 | beginsLanes) & t.lanes[v[1]]
			any |= s | z
			s = (s<<8 | beginsLanes) & t.lanes[r[2]]
			z = (z<<8 | beginsLanes) & t.lanes[v[2]]
			any |= s | z
			s = (s<<8 | beginsLanes) & t.lanes[r[3]]
			z = (z<<8 | beginsLanes) & t.lanes[v[3]]
			any |= s | z
			s = (s<<8 | beginsLanes) & t.lanes[r[4]]
			z = (z<<8 | beginsLanes) & t.lanes[v[4]]
			any |= s | z
			s = (s<<8 | beginsLanes) & t.lanes[r[5]]
			z = (z<<8 | beginsLanes) & t.lanes[v[5]]
			any |= s | z
			s = (s<<8 | beginsLanes) & t.lanes[r[6]]
			z = (z<<8 | beginsLanes) & t.lanes[v[6]]
			any |= s | z
			s = (s<<8 | beginsLanes) & t.lanes[r[7]]
			z = (z<<8 | beginsLanes) & t.lanes[v[7]]
			any |= s | z
			if any&(clueLane|oddLane) != 0 {
				for i := range 8 {
					was = (was<<8 | beginsLanes) & t.lanes[r[i]]
					b.complete(was, g+i)
					zwas = (zwas<<8 | beginsLanes) & t.lanes[v[i]]
					b.complete(zwas, g+i+32)
				}
			}
		}
		for i := 32; i < 32+ahead; i++ {
			// What begins here is the other half's.
			s = s << 8 &^ beginsLanes & t.lanes[p[i]]
			b.complete(s, i)
			z = z << 8 &^ beginsLanes & t.lanes[p[i+32]]
			b.complete(z, i+32)
		}
		for m := b.colon; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if c := p[i+1]; c == ':' || c == '/' {
				b.next |= m & -m
			}
		}
	}
}

// complete marks where the sequences began that are complete with byte i.
func (b *block) complete(s uint64, i int) {
	if s&clueLane != 0 {
		b.clue |= 1 << ((i - 3) & 63)
	}
	if s&oddLane != 0 {
		b.odd |= 1 << ((i - 2) & 63)
	}
}
