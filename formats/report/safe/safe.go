// Package safe is the one place where text from a trace is made fit for a
// terminal, a log line or a page: whatever could move a cursor, reorder a line
// or hide itself is shown as a visible escape instead.
//
// The rule is an allow-list. What stays is what draws something by itself and
// keeps to its place: letters, digits, punctuation, symbols, blanks with a
// width, and a few combining marks after such a character. All else (control
// and format characters, U+2028 and U+2029, bidirectional controls, zero-width
// and default-ignorable characters, tags, variation selectors, private use,
// unassigned code points, bytes that are no UTF-8) becomes `\n`, `\x1b`,
// `\u202e`, `\U000e0041` or, for a stray byte, `\xff`.
//
// Two more things are broken up because of where reports are printed: CI
// runners obey commands in what a step prints, lines that begin with "::"
// (after blanks) and, anywhere in a line, "##[".
//
// A backslash stays as it is: paths and JSON stay readable, at the price that
// a text holding the four characters `\x1b` looks like an escaped ESC. Nothing
// reads these escapes back.
package safe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks may follow one character. Real scripts
// use up to four or so; more is a stack that covers the lines around it.
const maxMarks = 4

const hexDigits = "0123456789abcdef"

// String returns s on one line, with everything that is not plain visible text
// escaped. It is linear in s and returns s itself where nothing needs escaping.
func String(s string) string {
	if clean(s) == len(s) && !commands(s) {
		return s
	}
	dst := make([]byte, 0, len(s)+len(s)/4+16)
	return string(Append(dst, s))
}

// Bytes is String for bytes.
func Bytes(b []byte) string { return string(Append(make([]byte, 0, len(b)+16), b)) }

// Append appends the safe form of s to dst.
func Append[T string | []byte](dst []byte, s T) []byte {
	w := writer{dst: dst}
	for i := 0; i < len(s); {
		n := still(s[i:])
		if n == 0 {
			// One character is all that a step reads, and enough for the commands.
			i += w.step(string(s[i:min(i+utf8.UTFMax, len(s))]))
			continue
		}
		w.dst = append(w.dst, s[i:i+n]...)
		w.hash, w.begun, w.marks = false, true, 0
		for k := i; k < i+n && !w.past; k++ {
			w.past = s[k] != ' '
		}
		i += n
	}
	return w.dst
}

// still is how many bytes at the start of s stay as they are, whatever stands
// before them and after.
func still[T string | []byte](s T) int {
	for i := 0; i < len(s); i++ {
		if !calm[s[i]] {
			return i
		}
	}
	return len(s)
}

// calm are the visible ASCII characters that begin no command.
var calm = func() (in [256]bool) {
	for c := 0x20; c < 0x7f; c++ {
		in[c] = c != ':' && c != '#'
	}
	return in
}()

// commands reports what a CI runner could take for a command of its own.
func commands(s string) bool {
	return strings.HasPrefix(strings.TrimLeftFunc(s, unicode.IsSpace), "::") || strings.Contains(s, "##[")
}

// clean returns the length of the prefix of s that is ASCII and visible; for a
// text that is so throughout, which is nearly every one, that is all of it.
func clean(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return i
		}
	}
	return len(s)
}

// writer carries what a decision needs of the characters before: how many
// marks already stand on the last visible one, if there is one.
type writer struct {
	dst   []byte
	marks int
	begun bool
	past  bool // a character that is no blank has been written
	hash  bool // the last one was #
}

// step appends the first character of s, which is not empty, and returns its
// length in bytes.
func (w *writer) step(s string) int {
	c := s[0]
	first, hash := !w.past, w.hash
	w.past, w.hash = w.past || c != ' ', c == '#'
	if first && strings.HasPrefix(s, "::") || hash && strings.HasPrefix(s, "#[") {
		w.dst = appendEscape(w.dst, rune(c))
		w.begun = false
		return 1
	}
	if c < utf8.RuneSelf {
		if c >= 0x20 && c != 0x7f {
			w.dst = append(w.dst, c)
			// A mark on a blank would draw over nothing of the trace's own, but
			// it is harmless; one on our own text before is not.
			w.begun, w.marks = true, 0
			return 1
		}
		w.dst = appendEscape(w.dst, rune(c))
		w.begun = false
		return 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n <= 1 {
		w.dst = append(w.dst, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		w.begun = false
		return 1
	}
	switch {
	case !Visible(r):
		w.dst = appendEscape(w.dst, r)
		w.begun = false
	case unicode.Is(unicode.M, r) || unicode.Is(joining, r):
		if !w.begun || w.marks >= maxMarks {
			w.dst = appendEscape(w.dst, r)
			break
		}
		w.marks++
		w.dst = append(w.dst, s[:n]...)
	default:
		if first && unicode.IsSpace(r) {
			w.past = false
		}
		w.dst = append(w.dst, s[:n]...)
		w.begun, w.marks = true, 0
	}
	return n
}

// appendEscape appends the visible escape of r.
func appendEscape(dst []byte, r rune) []byte {
	switch r {
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	switch {
	case r < 0x80:
		return append(dst, '\\', 'x', hexDigits[r>>4&15], hexDigits[r&15])
	case r < 0x10000:
		return appendHex(append(dst, '\\', 'u'), r, 4)
	}
	return appendHex(append(dst, '\\', 'U'), r, 8)
}

func appendHex(dst []byte, r rune, digits int) []byte {
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, hexDigits[r>>(4*i)&15])
	}
	return dst
}
