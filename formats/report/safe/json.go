package safe

import "unicode/utf8"

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
		default:
			dst = AppendUnicode(dst, r)
		}
		i += n
	}
	return dst
}

// AppendUnicode appends \uXXXX, as a surrogate pair beyond U+FFFF.
func AppendUnicode(b []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		b = AppendUnicode(b, 0xd800+r>>10)
		r = 0xdc00 + r&0x3ff
	}
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
