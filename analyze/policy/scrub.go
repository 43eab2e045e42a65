package policy

import (
	"strings"

	"github.com/warden-trace/warden/analyze/secret"
)

// scrub takes secrets out of text that is about to be shown, random ones too.
func scrub(s string) string { return secret.ScrubAll(s) }

// showName is a tool's name as a message may hold it: names are redacted by the
// vendor patterns alone (catalog.md, "Redaction").
func showName(s string) string { return shorten(secret.Scrub(bounded(s))) }

// reveal shows derived, which was made of part, which was cut out of whole. A
// secret is recognised as it was spelled and in one piece, so all three are
// asked: folding, cutting and normalising may hide one from the patterns and
// still show it to a reader.
func reveal(whole, part, derived string) string {
	if s := scrub(whole); s != whole && !strings.Contains(s, part) {
		return show(whole)
	}
	if scrub(part) != part {
		return show(part)
	}
	return show(derived)
}
