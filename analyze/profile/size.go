package profile

import (
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// compactSize is the length in bytes of raw as compact JSON in UTF-8: no white
// space between tokens, no escape that isn't needed, numbers as they are
// spelled (policy.md, "OCU sizes"). It is never more than len(raw), so a value
// whose raw form is within a limit needs no counting.
func compactSize(raw []byte) int64 {
	var n int64
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			end := stringEnd(raw, i)
			n += compactString(raw[i:end])
			i = end
		default:
			n++
			i++
		}
	}
	return n
}

// compactString does it for one string with its quotes.
func compactString(s []byte) int64 {
	n := int64(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		i++
		if i >= len(s) {
			break
		}
		switch s[i] {
		case '/':
			n--
		case 'u':
			r, used := unicodeEscape(s[i-1:])
			n += int64(plainSize(r)) - int64(used)
			i += used - 2
		}
	}
	return n
}

// unicodeEscape reads \uXXXX, or a surrogate pair of them, at the start of s,
// and says how many bytes it takes; -1 for half a pair or a damaged escape.
func unicodeEscape(s []byte) (rune, int) {
	if len(s) < 6 {
		return -1, max(2, len(s))
	}
	used := 6
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' && (s[2]|0x20) == 'd' && s[3] >= '8' {
		used = 12
	}
	out, clean := jsonrpc.Unquote(nil, s[:used])
	if !clean {
		return -1, 6
	}
	r, _ := utf8.DecodeRune(out)
	if used == 12 && utf8.RuneCount(out) != 1 {
		used = 6
	}
	return r, used
}

// plainSize is what a code point takes in a compact JSON string.
func plainSize(r rune) int {
	switch {
	case r < 0: // half a pair: only an escape can carry it
		return 6
	case r == '"' || r == '\\' || r == '\b' || r == '\f' || r == '\n' || r == '\r' || r == '\t':
		return 2
	case r < 0x20:
		return 6
	}
	return utf8.RuneLen(r)
}

// within reports whether raw as compact JSON is at most limit bytes, and its
// size where that had to be counted.
func within(raw []byte, limit int64) (int64, bool) {
	if int64(len(raw)) <= limit {
		return int64(len(raw)), true
	}
	n := compactSize(raw)
	return n, n <= limit
}

// valueSize is the length in UTF-8 of the value of a raw string.
func valueSize(raw []byte, limit int64) (int64, bool) {
	if n := int64(len(raw)) - 2; n <= limit {
		return n, true
	}
	s, _ := stringOf(raw)
	return int64(len(s)), int64(len(s)) <= limit
}
