package formats

import (
	"bytes"
	"unicode/utf8"
)

// letter checks JSON by the letter (RFC 8259), line by line: it is told the
// pieces of one value in order and keeps one bit for each open container
// between them. A string, number or word never goes over the end of a piece,
// since a raw line break may stand only between tokens. It is the cold path's
// scanner; the hot path has the parser's masks.
type letter struct {
	lenient bool // take NaN, Infinity, bad UTF-8 (what catalog.md's lenient reading takes)
	kinds   []uint64
	depth   int
	want    want
}

type want uint8

const (
	wantValue want = iota
	wantFirst      // of an array: a value or ]
	wantKey
	wantFirstKey // of an object: a key or }
	wantColon
	wantNext // a comma or the closing bracket
)

type state uint8

const (
	stateMore state = iota // right so far, and not at its end
	stateDone              // the value ended
	stateBad
)

func (l *letter) reset() { l.depth, l.want = 0, wantValue }

func (l *letter) push(object bool) {
	w, bit := l.depth>>6, uint64(1)<<(l.depth&63)
	if w == len(l.kinds) {
		l.kinds = append(l.kinds, 0)
	}
	l.kinds[w] &^= bit
	l.want = wantFirst
	if object {
		l.kinds[w] |= bit
		l.want = wantFirstKey
	}
	l.depth++
}

func (l *letter) object() bool { return l.kinds[(l.depth-1)>>6]>>((l.depth-1)&63)&1 == 1 }

// feed reads on in b. It returns where the value ended, where it went wrong,
// or len(b).
func (l *letter) feed(b []byte) (int, state) {
	for i := 0; ; {
		for i < len(b) && isSpace(b[i]) {
			i++
		}
		if i == len(b) {
			return i, stateMore
		}
		c := b[i]
		switch l.want {
		case wantColon:
			if c != ':' {
				return i, stateBad
			}
			i++
			l.want = wantValue
			continue
		case wantNext:
			switch {
			case c == ',':
				i++
				l.want = wantValue
				if l.object() {
					l.want = wantKey
				}
				continue
			case c == '}' && l.object(), c == ']' && !l.object():
				i++
				if l.close() {
					return i, stateDone
				}
				continue
			}
			return i, stateBad
		case wantKey, wantFirstKey:
			if c == '}' && l.want == wantFirstKey {
				i++
				if l.close() {
					return i, stateDone
				}
				continue
			}
			n := -1
			if c == '"' {
				n = stringLen(b[i:], l.lenient)
			}
			if n < 0 {
				return i, stateBad
			}
			i += n
			l.want = wantColon
			continue
		}
		// a value
		switch {
		case c == '{' || c == '[':
			i++
			l.push(c == '{')
			continue
		case c == ']' && l.want == wantFirst:
			i++
			if l.close() {
				return i, stateDone
			}
			continue
		}
		n := scalarLen(b[i:], l.lenient)
		if n < 0 {
			return i, stateBad
		}
		i += n
		l.want = wantNext
		if l.depth == 0 {
			return i, stateDone
		}
	}
}

func (l *letter) close() bool {
	l.depth--
	l.want = wantNext
	return l.depth == 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// scalarLen is the length of the string, number or word that b begins with,
// or -1.
func scalarLen(b []byte, lenient bool) int {
	switch c := b[0]; {
	case c == '"':
		return stringLen(b, lenient)
	case c == '-' || c >= '0' && c <= '9':
		if n := numberLen(b); n > 0 {
			return n
		}
	}
	words := []string{"true", "false", "null", "NaN", "Infinity", "-Infinity"}
	if !lenient {
		words = words[:3]
	}
	for _, w := range words {
		if bytes.HasPrefix(b, []byte(w)) {
			return len(w)
		}
	}
	return -1
}

func numberLen(b []byte) int {
	i := 0
	digits := func() bool {
		from := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if b[0] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return 0
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return 0
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}

// stringLen is the length with quotes of the string that b begins with, or -1.
func stringLen(b []byte, lenient bool) int {
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			if !lenient && !utf8.Valid(b[1:i]) {
				return -1
			}
			return i + 1
		case c < 0x20:
			return -1
		case c == '\\':
			i++
			if i == len(b) {
				return -1
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if i+4 >= len(b) {
					return -1
				}
				for _, h := range b[i+1 : i+5] {
					if !(h >= '0' && h <= '9' || h|0x20 >= 'a' && h|0x20 <= 'f') {
						return -1
					}
				}
				i += 4
			default:
				return -1
			}
		}
	}
	return -1
}

// trimSpace cuts JSON white space from both ends of b and returns what is left
// with its offset.
func trimSpace(b []byte) ([]byte, int) {
	a := 0
	for a < len(b) && isSpace(b[a]) {
		a++
	}
	z := len(b)
	for z > a && isSpace(b[z-1]) {
		z--
	}
	return b[a:z], a
}
