package jsonrpc

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

func validEscapes(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if i >= len(raw) {
			return false
		}
		switch raw[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			if i+4 >= len(raw) || hex4(raw[i+1:]) < 0 {
				return false
			}
			i += 4
		default:
			return false
		}
	}
	return true
}

func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// Unquote appends the decoded form of a JSON string's content (without its
// quotes, escapes already checked) to dst, as UTF-8. A lone surrogate and each
// byte that is no valid UTF-8 become one U+FFFD; the result is false when there
// was one. Code points are counted the same way by RawOffsets.
func Unquote(dst, raw []byte) ([]byte, bool) {
	clean := true
	for {
		dst, raw = unquotePlain(dst, raw)
		if len(raw) == 0 {
			return dst, clean
		}
		if raw[0] != '\\' {
			run := raw
			if i := bytes.IndexByte(raw, '\\'); i >= 0 {
				run = raw[:i]
			}
			raw = raw[len(run):]
			if utf8.Valid(run) {
				dst = append(dst, run...)
				continue
			}
			clean = false
			for len(run) > 0 {
				r, n := utf8.DecodeRune(run)
				dst = utf8.AppendRune(dst, r)
				run = run[n:]
			}
			continue
		}
		r, n := unescape(raw)
		if r >= 0xd800 && r < 0xe000 {
			clean = false
			r = utf8.RuneError
		}
		dst = utf8.AppendRune(dst, r)
		raw = raw[n:]
	}
}

// unquotePlain decodes as far as raw is ASCII and has none but the short escapes:
// eight bytes are copied at a time, and as many of them kept as stand for
// themselves. What is left begins with a byte that needs a closer look.
func unquotePlain(dst, raw []byte) (out, left []byte) {
	const lows, highs = 0x0101010101010101, 0x8080808080808080
	o, i := len(dst), 0
	dst = slices.Grow(dst, len(raw)+8)
	dst = dst[:cap(dst)]
	for i+8 <= len(raw) {
		x := binary.LittleEndian.Uint64(raw[i:])
		binary.LittleEndian.PutUint64(dst[o:], x)
		// The lowest high bit marks the first byte that is a backslash or no ASCII.
		y := x ^ lows*'\\'
		special := (y-lows)&^y | x
		if special &= highs; special == 0 {
			i += 8
			o += 8
			continue
		}
		k := bits.TrailingZeros64(special) / 8
		i += k
		o += k
		if raw[i] != '\\' || i+1 == len(raw) || shortEscapes[raw[i+1]] == 0 {
			return dst[:o], raw[i:]
		}
		dst[o] = shortEscapes[raw[i+1]]
		o++
		i += 2
	}
	for i < len(raw) && raw[i] < utf8.RuneSelf {
		c := raw[i]
		if c == '\\' {
			if i+1 == len(raw) || shortEscapes[raw[i+1]] == 0 {
				break
			}
			i++
			c = shortEscapes[raw[i]]
		}
		dst[o] = c
		o++
		i++
	}
	return dst[:o], raw[i:]
}

// shortEscapes are what the escapes of two ASCII bytes stand for, by the second;
// 0 for what is none.
var shortEscapes = func() (t [256]byte) {
	for c := range byte(utf8.RuneSelf) {
		if c != 'u' {
			r, _ := unescape([]byte{'\\', c})
			t[c] = byte(r)
		}
	}
	return t
}()

// unescape reads the escape that b begins with, a surrogate pair as one. It
// returns the code point, a lone surrogate as it is, and its length, at least 1.
func unescape(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return utf8.RuneError, len(b)
	}
	switch c := b[1]; c {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		r = hex4(b[2:])
		if r < 0 {
			return utf8.RuneError, 2
		}
		if r >= 0xd800 && r < 0xdc00 && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if lo := hex4(b[8:]); lo >= 0xdc00 && lo < 0xe000 {
				return (r-0xd800)<<10 + lo - 0xdc00 + 0x10000, 12
			}
		}
		return r, 6
	default:
		if c >= utf8.RuneSelf {
			return utf8.RuneError, 2
		}
		return rune(c), 2
	}
}

// RawOffsets returns the offsets in raw, the content of a JSON string, of the
// code points with the given ascending indexes. An escape is one code point, a
// surrogate pair too, and so is each byte that is no valid UTF-8: as Unquote
// decodes them. An index past the last code point is at len(raw).
func RawOffsets(raw []byte, cps []int) []int {
	out := make([]int, 0, len(cps))
	i, n := 0, 0
	for _, want := range cps {
		for n < want && i < len(raw) {
			switch c := raw[i]; {
			case c == '\\':
				_, w := unescape(raw[i:])
				i += w
			case c < utf8.RuneSelf:
				i++
			case c >= 0xc2 && c < 0xe0 && i+1 < len(raw) && raw[i+1]&0xc0 == 0x80:
				i += 2
			case c > 0xe0 && c < 0xed && i+2 < len(raw) && raw[i+1]&0xc0 == 0x80 && raw[i+2]&0xc0 == 0x80:
				i += 3
			default:
				_, w := utf8.DecodeRune(raw[i:])
				i += w
			}
			n++
		}
		out = append(out, i)
	}
	return out
}
