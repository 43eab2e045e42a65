package allowlist

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxShown is how many characters of a key or tool name a message shows;
// maxScrubbed lies so far out that a secret which that cut halves is not shown.
const (
	maxShown    = 80
	maxScrubbed = 4096
)

// show is a key or a name as a message may hold it: no secret, nothing that a
// terminal would obey, and not much of it.
func show(s string) string {
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
