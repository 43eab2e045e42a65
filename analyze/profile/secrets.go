package profile

import (
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// redacted is the form in which a secret may be shown (catalog.md,
// "Redaction"): the first min(4, n/2) code points and the length.
func redacted(s string) string {
	n := utf8.RuneCountInString(s)
	keep := min(4, n/2)
	head := s
	for i := range s {
		if keep == 0 {
			head = s[:i]
			break
		}
		keep--
	}
	if n == 0 {
		head = ""
	}
	if n <= 3 {
		return head + "…(len<=3)"
	}
	return head + "…(len=" + strconv.Itoa(n) + ")"
}

func byStart(found []Secret) []Secret {
	slices.SortStableFunc(found, func(a, b Secret) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	return found
}

func codePoints(s string) int { return utf8.RuneCountInString(s) }

func builtinSecrets() func([]byte) []Secret { return nil }
