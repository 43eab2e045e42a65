// Package secret finds credentials in text: the vendor patterns of the ruleset
// and long random strings (rules WRD-SEC-*, catalog.md "WRD-RES-SECRET-ECHO"), and
// writes them in the one form in which they may be shown.
//
// Patterns are compiled twice: as RE2, and, where the pattern's shape allows, as
// a short program that is tried at the very bytes where a match could begin.
// The two find the same; the program never looks at a byte twice.
package secret

import (
	"strconv"
	"unicode/utf8"
)

// Redact returns the form in which a matched secret may be shown anywhere: the
// first min(4, n/2) code points, an ellipsis, and the length in code points
// (catalog.md, "Redaction").
func Redact(s string) string { return string(AppendRedacted(nil, s)) }

// AppendRedacted appends Redact(s) to dst.
func AppendRedacted[T string | []byte](dst []byte, s T) []byte {
	t := string(s)
	n := utf8.RuneCountInString(t)
	keep := min(4, n/2)
	for i := range t {
		if keep == 0 {
			dst = append(dst, t[:i]...)
			break
		}
		keep--
	}
	dst = append(dst, "…"...)
	if n <= 3 {
		return append(dst, "(len<=3)"...)
	}
	dst = append(dst, "(len="...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, ')')
}
