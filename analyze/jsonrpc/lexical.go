package jsonrpc

import (
	"math/bits"
	"unicode/utf8"
)

// check looks at what is not plain in the string content buf[a:b]: control
// characters, escapes by number, and bytes outside ASCII.
func (p *Parser) check(a, b int) bool {
	last := (b - 1) >> 6
	high := -1
	pair := -1 // where the second half of a surrogate pair has been seen
	for w := a >> 6; w <= last; w++ {
		m := within(w, a, b)
		k := &p.blk[w]
		if h := k.high & m; h != 0 && high < 0 {
			high = w<<6 + bits.TrailingZeros64(h)
		}
		for o := k.odd & m; o != 0; o &= o - 1 {
			i := w<<6 + bits.TrailingZeros64(o)
			if p.buf[i] != 'u' {
				return false
			}
			// The closing quote is no hex digit: nothing reads past it.
			r := hex4(p.buf[i+1:])
			if r < 0 {
				return false
			}
			if r&^0x7ff != 0xd800 || i == pair {
				continue
			}
			if r < 0xdc00 && p.buf[i+5] == '\\' && p.buf[i+6] == 'u' && hex4(p.buf[i+7:])&^0x3ff == 0xdc00 {
				pair = i + 6
				continue
			}
			p.amb |= LoneSurrogate
		}
	}
	if high >= 0 && !utf8.Valid(p.buf[high:b]) {
		p.amb |= BadUTF8
		return p.soft
	}
	return true
}

// scalar reads a literal or a number at i and returns the offset after it.
func (p *Parser) scalar(i int) (int, bool) {
	rest := p.buf[i:p.lim]
	if len(rest) == 0 {
		return i, false
	}
	switch rest[0] {
	case 't':
		if len(rest) >= 4 && string(rest[:4]) == "true" {
			return i + 4, true
		}
	case 'f':
		if len(rest) >= 5 && string(rest[:5]) == "false" {
			return i + 5, true
		}
	case 'n':
		if len(rest) >= 4 && string(rest[:4]) == "null" {
			return i + 4, true
		}
	default:
		if n := numberLen(rest); n > 0 {
			return i + n, true
		}
		if p.soft {
			if n := notNumberLen(rest); n > 0 {
				p.amb |= NotANumber
				return i + n, true
			}
		}
	}
	return i, false
}

// numberLen is the length of the JSON number that b begins with, 0 for none.
func numberLen(b []byte) int {
	i := 0
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		n := digits(b, i)
		if n == i {
			return 0
		}
		i = n
	}
	if i < len(b) && b[i] == '.' {
		n := digits(b, i+1)
		if n == i+1 {
			return 0
		}
		i = n
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		n := digits(b, i)
		if n == i {
			return 0
		}
		i = n
	}
	return i
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// notNumberLen is the length of the constant that b begins with which some
// encoders write and some decoders read for a number that is none.
func notNumberLen(b []byte) int {
	for _, w := range [...]string{"NaN", "Infinity", "-Infinity"} {
		if len(b) >= len(w) && string(b[:len(w)]) == w {
			return len(w)
		}
	}
	return 0
}

// What value does with the strings that it passes.
type collect uint8

const (
	skipAll     collect = iota // nothing
	takeValues                 // values become Texts
	takeKeysToo                // values become Texts, keys too (RoleKey)
)

// value walks any one value at i. Strings become Texts like p.text, as how
// says. The open containers are a stack of bits, a set bit being an object.
func (p *Parser) value(i int, how collect) (next int, ok bool) {
	var top uint64
	depth := 0
	p.stack = p.stack[:0]
	for {
		if i >= p.lim {
			return i, false
		}
		switch c := p.buf[i]; c {
		case '"':
			b, esc, ok := p.str(i)
			if !ok {
				return i, false
			}
			if how != skipAll {
				p.take(i+1, b, esc, p.text.Role)
			}
			i = b + 1
		case '{', '[':
			i = p.space(i + 1)
			if i < p.lim && p.buf[i] == c+2 { // '}' and ']' stand two after
				i++
				break
			}
			if depth&63 == 0 && depth > 0 {
				p.stack = append(p.stack, top)
			}
			depth++
			top <<= 1
			if c == '{' {
				top |= 1
				if i, ok = p.anyKey(i, how); !ok {
					return i, false
				}
			}
			continue
		default:
			if i, ok = p.scalar(i); !ok {
				return i, false
			}
		}
		for {
			if depth == 0 {
				return i, true
			}
			i = p.space(i)
			if i >= p.lim {
				return i, false
			}
			c := p.buf[i]
			if c == ',' {
				i = p.space(i + 1)
				if top&1 != 0 {
					if i, ok = p.anyKey(i, how); !ok {
						return i, false
					}
				}
				break
			}
			if top&1 != 0 && c != '}' || top&1 == 0 && c != ']' {
				return i, false
			}
			i++
			depth--
			top >>= 1
			if depth&63 == 0 && depth > 0 {
				top = p.stack[len(p.stack)-1]
				p.stack = p.stack[:len(p.stack)-1]
			}
		}
	}
}

// anyKey passes a key and its colon; next is where the value begins.
func (p *Parser) anyKey(i int, how collect) (next int, ok bool) {
	if i >= p.lim || p.buf[i] != '"' {
		return i, false
	}
	b, esc, ok := p.str(i)
	if !ok {
		return i, false
	}
	if how == takeKeysToo {
		p.take(i+1, b, esc, RoleKey)
	}
	i = p.space(b + 1)
	if i >= p.lim || p.buf[i] != ':' {
		return i, false
	}
	return p.space(i + 1), true
}
