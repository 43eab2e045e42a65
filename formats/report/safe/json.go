package safe

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendJSON appends JSON, or a part of it, with an escape for each character that
// is not visible and U+FFFD for bytes that are no UTF-8. Such characters stand in
// strings alone, where any reader takes the escape for the character.
func AppendJSON(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		c := src[i]
		if c < utf8.RuneSelf && c != 0x7f {
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(dst, "\ufffd"...)
		case Visible(r):
			dst = append(dst, src[i:i+n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		i += n
	}
	return dst
}
