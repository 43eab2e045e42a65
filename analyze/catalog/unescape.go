package catalog

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// simple is what the escapes of one character stand for; 0 for the others.
var simple = [256]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '"': '"', '\\': '\\', '/': '/'}

// unescape decodes the content of a JSON string that has been read as strict
// JSON, so that its escapes are whole and its bytes are valid UTF-8. It is
// jsonrpc.Unquote for the hot path: as the backend can, and between backslashes eight
// bytes a step. The result has jsonrpc.Pad readable bytes behind it.
func unescape(dst, src []byte, by *backend) []byte {
	// What is written is never longer than what was read, but for the whole words.
	if need := len(src) + jsonrpc.Pad; cap(dst) < need {
		dst = make([]byte, need+need/4)
	}
	dst = dst[:cap(dst)]
	i, o := 0, 0
	for i < len(src) {
		if by.unescape != nil {
			wrote, read := by.unescape(dst[o:], src[i:])
			i += read
			o += wrote
		}
		for i+8 <= len(src) {
			x := binary.LittleEndian.Uint64(src[i:])
			binary.LittleEndian.PutUint64(dst[o:], x)
			y := x ^ 0x5c5c5c5c5c5c5c5c
			if z := (y - 0x0101010101010101) &^ y & 0x8080808080808080; z != 0 {
				n := bits.TrailingZeros64(z) / 8
				i += n
				o += n
				break
			}
			i += 8
			o += 8
		}
		for i < len(src) && src[i] != '\\' {
			dst[o] = src[i]
			i++
			o++
		}
		if i+1 >= len(src) {
			break
		}
		for { // a row of escapes at once
			c := src[i+1]
			i += 2
			if c != 'u' {
				if plain := simple[c]; plain != 0 {
					c = plain
				}
				dst[o] = c
				o++
			} else if r := hex4(src, i); r < utf8.RuneSelf {
				dst[o] = byte(r)
				i += 4
				o++
			} else {
				i += 4
				if r >= 0xd800 && r < 0xdc00 && i+1 < len(src) && src[i] == '\\' && src[i+1] == 'u' {
					if lo := hex4(src, i+2); lo >= 0xdc00 && lo < 0xe000 {
						r = (r-0xd800)<<10 + lo - 0xdc00 + 0x10000
						i += 6
					}
				}
				o += utf8.EncodeRune(dst[o:], r) // half a pair becomes U+FFFD
			}
			if i+1 >= len(src) || src[i] != '\\' {
				break
			}
		}
	}
	return dst[:o]
}

// hex4 reads four hexadecimal digits at src[i:]; what is none counts as U+FFFD.
func hex4(src []byte, i int) rune {
	if i+4 > len(src) {
		return utf8.RuneError
	}
	a, b, c, d := hexDigits[src[i]], hexDigits[src[i+1]], hexDigits[src[i+2]], hexDigits[src[i+3]]
	if a|b|c|d < 0 {
		return utf8.RuneError
	}
	return rune(a)<<12 | rune(b)<<8 | rune(c)<<4 | rune(d)
}

// hexDigits is what a hexadecimal digit counts; -1 for the other bytes.
var hexDigits = func() (out [256]int8) {
	for c := range out {
		out[c] = -1
		if isHex(byte(c)) {
			out[c] = int8(hexValue(byte(c)))
		}
	}
	return out
}()
