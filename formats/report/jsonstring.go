package report

import (
	"unicode/utf8"

	"github.com/warden-trace/warden/formats/report/safe"
)

// appendJSON appends s as a JSON string that is plain wherever it is shown:
// whatever is not visible text is a \u escape, so are the characters that mean
// something in HTML, and bytes that are no UTF-8 become U+FFFD. Any JSON reader
// gives s back (with U+FFFD).
func appendJSON[T string | []byte](b []byte, s T) []byte {
	b = append(b, '"')
	from := 0 // start of what can be copied as it is
	for i := 0; ; {
		for i < len(s) && plain[s[i]] {
			i++
		}
		if i >= len(s) {
			break
		}
		c := s[i]
		if c < utf8.RuneSelf {
			// "##[" is a command to some CI runners, see package safe.
			if c == '[' && !(i >= 2 && s[i-1] == '#' && s[i-2] == '#') {
				i++
				continue
			}
			b = append(b, s[from:i]...)
			b = appendEscaped(b, c)
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(append(b, s[from:i]...), "\ufffd"...)
		case !safe.Visible(r):
			b = safe.AppendUnicode(append(b, s[from:i]...), r)
		default:
			i += n
			continue
		}
		i += n
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

// AppendJSON appends s as a JSON string that is safe wherever it is shown: see
// appendJSON. For commands that write JSON of their own.
func AppendJSON(b []byte, s string) []byte { return appendJSON(b, s) }

// plain are the ASCII characters that stand for themselves whatever is around.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x7f; c++ {
		t[c] = true
	}
	for _, c := range `"\<>&[` {
		t[c] = false
	}
	return t
}()

func appendEscaped(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return safe.AppendUnicode(b, rune(c))
}
