package catalog

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

	pairs bytePairs // of the portable kernel
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
	return t
}

func span(a, b byte) (out []byte) {
	for ; a <= b; a++ {
		out = append(out, a)
	}
	return out
}
