package safe

import (
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// cells measures terminal cells the same way whatever the user's locale is, so
// that a report does not depend on it.
var cells = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

// Width is how many terminal cells the safe form of s takes.
func Width(s string) int { return cells.StringWidth(String(s)) }

// Cut returns the safe form of s in at most width terminal cells; what is left
// out at the end is shown by an ellipsis. It reads no more of s than it shows.
// A width below 1 gives "".
func Cut(s string, width int) string {
	if width < 1 {
		return ""
	}
	w := writer{}
	used, fit := 0, 0 // cells written; bytes that leave room for the ellipsis
	for i := 0; i < len(s); {
		at := len(w.dst)
		i += w.step(s[i:])
		used += cells.StringWidth(string(w.dst[at:]))
		if used > width {
			return string(w.dst[:fit]) + "…"
		}
		if used < width {
			fit = len(w.dst)
		}
		// A million combining marks take no cell: stop at a length that no
		// honest text of this width has.
		if len(w.dst) > 16*width+64 && i < len(s) {
			return string(w.dst[:fit]) + "…"
		}
	}
	return string(w.dst)
}

// Limit cuts s to at most max bytes at a character's edge and says how long it
// was, as "begin…(len=N bytes)". It does not escape. It is what keeps a name of
// two megabytes from being written with each of a thousand findings.
func Limit(s string, max int) string {
	if len(s) <= max {
		return s
	}
	cut := max
	for cut > 0 && cut > max-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + Omitted(len(s))
}
