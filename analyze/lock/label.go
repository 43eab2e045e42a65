package lock

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// label shows a name from a lock or a surface within an error or a detail:
// quoted, without control characters, cut, and without a secret.
func label(s string) string { return strconv.QuoteToASCII(plain(s)) }

// nameLen is how many code points of a name are shown.
const nameLen = 64

// plain is a name cut to nameLen, or "<redacted>" where it looks like a
// secret. Escaping it is up to whoever shows it.
func plain(s string) string {
	if looksSecret(s) {
		return redacted
	}
	return cut(s, nameLen)
}

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
		if i := strings.Index(s, p); i >= 0 && (i == 0 || !isWord(s[i-1])) {
			return true // the pattern of a vendor's keys, say
		}
	}
	return looksSecret(s)
}

// looksSecret reports the form of a secret: a vendor's prefix at a word's
// beginning, or a long run of high entropy.
func looksSecret(s string) bool {
	for _, p := range secretPrefixes {
		for from := 0; ; {
			i := strings.Index(s[from:], p)
			if i < 0 {
				break
			}
			i += from
			if (i == 0 || !isWord(s[i-1])) && wordRun(s[i+len(p):]) >= 10 {
				return true
			}
			from = i + len(p)
		}
	}
	run := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && (isWord(s[i]) || strings.IndexByte("+/=-", s[i]) >= 0) {
			run++
			continue
		}
		if run >= 24 && entropy(s[i-run:i]) >= 4 && digits(s[i-run:i]) >= 3 {
			return true
		}
		run = 0
	}
	return false
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func wordRun(s string) int {
	n := 0
	for n < len(s) && (isWord(s[n]) || s[n] == '-' || s[n] == ' ') {
		n++
	}
	return n
}

func digits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
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
