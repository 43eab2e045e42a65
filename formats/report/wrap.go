package report

import (
	"strings"

	"github.com/warden-trace/warden/formats/report/safe"
)

// wrap breaks the safe form of s at blanks into lines of at most width cells.
// A word that is wider than that is broken where it must be, except where it is
// a place that a terminal makes clickable; those don't come through here.
func wrap(s string, width int) []string {
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(safe.String(s)) {
		w := safe.Width(word)
		if used > 0 && used+1+w <= width {
			line, used = line+" "+word, used+1+w
			continue
		}
		if used > 0 {
			lines = append(lines, line)
		}
		word = safe.String(word) // it begins a line now, and a runner reads that: see package safe
		w = safe.Width(word)
		for w > width {
			head := prefix(word, width)
			lines = append(lines, head)
			word = safe.String(word[len(head):])
			w = safe.Width(word)
		}
		line, used = word, w
	}
	if used > 0 {
		lines = append(lines, line)
	}
	return lines
}

// wrapItems puts safe items into lines of at most width cells, a comma between
// each two, and breaks none.
func wrapItems(items []string, width int) []string {
	var lines []string
	line := ""
	for i, item := range items {
		if i < len(items)-1 {
			item += ","
		}
		switch {
		case line == "":
			line = item
		case safe.Width(line)+1+safe.Width(item) <= width:
			line += " " + item
		default:
			lines, line = append(lines, line), item
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// prefix is the longest start of the safe text s that fits width cells, never
// empty.
func prefix(s string, width int) string {
	used := 0
	for i, r := range s {
		w := safe.Width(string(r))
		if i > 0 && used+w > width {
			return s[:i]
		}
		used += w
	}
	return s
}

// count is n with its noun, thousands set apart.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

func thousands(n int64) string {
	if n < 0 {
		return "-" + thousands(-n)
	}
	if n < 1000 {
		return itoa(n)
	}
	t := itoa(n % 1000)
	return thousands(n/1000) + "," + "000"[len(t):] + t
}
