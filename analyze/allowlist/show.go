package allowlist

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/secret"
)

// maxShown is how many characters of a key or tool name a message shows;
// maxScrubbed lies so far out that a secret which that cut halves is not shown.
const (
	maxShown    = 80
	maxScrubbed = 64 << 10
)

// show is a key as a message may hold it: no secret, nothing that a
// terminal would obey, and not much of it.
func show(s string) string { return shorten(scrub(bounded(s))) }

// showName is show for a tool's name: names are redacted by the vendor patterns
// alone, since long ones look random (catalog.md, "Redaction").
func showName(s string) string { return shorten(secret.Scrub(bounded(s))) }

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
