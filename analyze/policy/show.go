package policy

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxShown is how many characters of a path, host or word a reason shows.
const (
	maxShown    = 80
	maxScrubbed = 64 << 10
)

// show is text from a call as a reason may hold it: no secret, nothing that a
// terminal would obey, and not much of it.
func show(s string) string { return shorten(scrub(bounded(s))) }

// bounded cuts so far out that a secret which the cut halves is not shown.
func bounded(s string) string {
	if len(s) > maxScrubbed {
		return strings.ToValidUTF8(s[:maxScrubbed], "")
	}
	return s
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) > maxShown {
		s = string([]rune(s)[:maxShown]) + "…"
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
