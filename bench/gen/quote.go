package gen

import "unicode/utf8"

// style is how a JSON library writes.
type style uint8

const (
	styleNode   style = iota // raw UTF-8, no spaces
	stylePython              // non-ASCII as \u escapes, a space after : and ,
	styleGo                  // raw UTF-8, but <, >, & and U+2028/9 as \u escapes
)

// special marks the ASCII bytes that a style can't copy as they are.
var special = func() (t [3][256]bool) {
	for s := range t {
		for c := range 256 {
			t[s][c] = c < 0x20 || c == '"' || c == '\\' || c >= 0x80 && style(s) == stylePython
		}
	}
	t[styleGo]['<'], t[styleGo]['>'], t[styleGo]['&'], t[styleGo][0xe2] = true, true, true, true
	return t
}()

// quote appends s as a JSON string in the style.
func (st style) quote(b, s []byte) []byte {
	b = append(b, '"')
	from := 0
	t := &special[st]
	for i := 0; i < len(s); {
		c := s[i]
		if !t[c] {
			i++
			continue
		}
		b = append(b, s[from:i]...)
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
			i++
		case c == '\n':
			b = append(b, '\\', 'n')
			i++
		case c == '\t':
			b = append(b, '\\', 't')
			i++
		case c == '\r':
			b = append(b, '\\', 'r')
			i++
		case c < 0x80:
			b = escape(b, rune(c))
			i++
		default:
			r, n := utf8.DecodeRune(s[i:])
			if st == styleGo && r != '\u2028' && r != '\u2029' {
				b = append(b, s[i:i+n]...)
			} else {
				b = escape(b, r)
			}
			i += n
		}
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

// escape appends r as one or two \u escapes.
func escape(b []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		b = escape(b, 0xd800+r>>10)
		r = 0xdc00 + r&0x3ff
	}
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
