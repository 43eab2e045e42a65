package policy

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxShown is how many characters of a path, host or word a reason shows.
const (
	maxShown    = 80
	maxScrubbed = 4096
)

// show is text from a call as a reason may hold it: no secret, nothing that a
// terminal would obey, and not much of it.
func show(s string) string {
	// Cut first, so far out that a secret which the cut halves is not shown.
	if len(s) > maxScrubbed {
		s = strings.ToValidUTF8(s[:maxScrubbed], "")
	}
	s = scrub(s)
	if utf8.RuneCountInString(s) > maxShown {
		s = string([]rune(s)[:maxShown]) + "…"
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
