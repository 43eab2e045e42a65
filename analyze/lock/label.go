package lock

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/secret"
)

// label shows a name from a lock or a surface within an error or a detail:
// quoted, without control characters, cut, and without a secret.
func label(s string) string { return strconv.QuoteToASCII(plain(s)) }

// nameLen is how many code points of a name are shown.
const nameLen = 64

// plain is a name as messages hold it: what has the form of a vendor's secret
// redacted (names are judged by these forms alone: many are long and look
// random), then cut to nameLen. Escaping it is up to whoever shows it.
func plain(s string) string { return scrubbed(s, secret.Scrub) }

// hidden is plain for what is no tool's or prompt's name: a URI, a path within a
// schema, a command. Of those random pieces are redacted too.
func hidden(s string) string { return scrubbed(s, secret.ScrubAll) }

func scrubbed(s string, scrub func(string) string) string {
	if len(s) > maxScrub {
		return fmt.Sprintf("a name of %d bytes", len(s))
	}
	return cut(scrub(s), nameLen)
}

// labelOf is label for an entry of a list, whose ids may be URIs.
func labelOf(list, id string) string {
	if list == "resources" {
		return strconv.QuoteToASCII(hidden(id))
	}
	return label(id)
}

// maxScrub is the longest name that is looked at.
const maxScrub = 64 << 10

const redacted = "<redacted>"

// cut keeps the first n code points of s.
func cut(s string, n int) string {
	i := 0
	for pos := range s {
		if i == n {
			return s[:pos] + "…"
		}
		i++
	}
	return s
}

// shownValue is a schema value within a detail, at most 40 code points of it,
// nothing where it hints at a secret (lock.md, "Drift").
func shownValue(raw []byte) string {
	s := string(raw)
	if hintsSecret(s) {
		return redacted
	}
	return cut(strings.ToValidUTF8(s, "\uFFFD"), 40)
}

var secretWords = []string{
	"secret", "token", "passw", "pwd", "apikey", "api_key", "api-key", "credential", "private", "bearer", "auth",
}

// secretPrefixes begin the keys of vendors, and the patterns that describe them.
var secretPrefixes = []string{"sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "AKIA", "xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-", "eyJ", "-----BEGIN"}

// hintsSecret is wide on purpose: a detail that hides too much costs a look at
// the schema, one that shows too much costs a secret.
func hintsSecret(s string) bool {
	low := strings.ToLower(s)
	for _, w := range secretWords {
		if strings.Contains(low, w) {
			return true
		}
	}
	for _, p := range secretPrefixes {
		if strings.Contains(s, p) {
			return true
		}
	}
	return looksRandom(s)
}

// looksRandom reports a run of 24 or more characters of a key with 4 bits of
// entropy each.
func looksRandom(s string) bool {
	run := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && inKey(s[i]) {
			run++
			continue
		}
		if run >= 24 && entropy(s[i-run:i]) >= 4 {
			return true
		}
		run = 0
	}
	return false
}

func inKey(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("+/_=-", c) >= 0
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	h := 0.0
	for _, c := range count {
		if c > 0 {
			p := float64(c) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}

// position turns a byte offset into line and column, both from 1; columns
// count code points.
func position(data []byte, offset int64) (line, col int) {
	head := string(data[:min(offset, int64(len(data)))])
	line = strings.Count(head, "\n") + 1
	return line, utf8.RuneCountInString(head[strings.LastIndexByte(head, '\n')+1:]) + 1
}
