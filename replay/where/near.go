package where

import "strings"

// Nearest is the name among those given that a misspelt one was probably meant
// to be: the one with the fewest letters changed, left out, added or swapped
// with their neighbour, case ignored, but no more than a third of it; else the
// only one that holds it. It is "" where none is near.
func Nearest(name string, among []string) string {
	if len(name) == 0 || len(name) > 80 {
		return ""
	}
	low := strings.ToLower(name)
	best, at := "", max(len(name)/3, 1)+1
	var holds []string
	for _, s := range among {
		l := strings.ToLower(s)
		if d := distance(low, l); d < at {
			best, at = s, d
		}
		if len(name) >= 3 && strings.Contains(l, low) {
			holds = append(holds, s)
		}
	}
	if best == "" && len(holds) == 1 {
		return holds[0]
	}
	return best
}

// distance is how many letters two names differ by; two neighbours that were
// swapped are one.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			d := last[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
		}
	}
	return row[len(b)]
}
