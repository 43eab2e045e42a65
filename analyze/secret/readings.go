package secret

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/terminal"
)

// Readings returns what find finds in a text as it stands and with its escape
// sequences blanked, as the rules read it (package terminal): by place, each once.
// A key that only a terminal's reader sees is a key for whatever hides secrets.
func Readings(text []byte, find func(text []byte) []Match) []Match {
	found := find(text)
	if !terminal.Holds(text) {
		return found
	}
	found = slices.Clone(found) // find may reuse its memory
	return Join(text, found, find(terminal.Blanked(make([]byte, 0, len(text)), text)))
}

// Join adds to what was found in a text what was found in it with its sequences
// blanked: by place, each match once. The two bytes of a C1 control are blanks one
// by one; a match that ends between them takes both.
func Join(text []byte, found, blanked []Match) []Match {
	for i := range blanked {
		m := &blanked[i]
		for m.Start > 0 && !utf8.RuneStart(text[m.Start]) {
			m.Start--
		}
		for m.End < len(text) && !utf8.RuneStart(text[m.End]) {
			m.End++
		}
	}
	all := append(blanked, found...)
	slices.SortFunc(all, func(x, y Match) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.Pattern, y.Pattern), cmp.Compare(x.End, y.End))
	})
	return slices.Compact(all)
}

// Unbroken returns what find finds in a text with its control characters cut out
// (all but TAB, LF and CR), by place in the text; nil where there are none. A key
// with one in it is none to the rules before it is cut out, and is read by whoever
// sees it with the character made visible.
func Unbroken(text []byte, find func(text []byte) []Match) []Match {
	var rest []byte
	var at []int // where each byte of rest stands in text
	for i := 0; i < len(text); {
		n := control(text[i:])
		if n > 0 && at == nil {
			rest, at = append(rest, text[:i]...), make([]int, i, len(text))
			for k := range at {
				at[k] = k
			}
		}
		if n == 0 {
			if at != nil {
				rest, at = append(rest, text[i]), append(at, i)
			}
			n = 1
		}
		i += n
	}
	if at == nil {
		return nil
	}
	found := slices.Clone(find(rest))
	for i := range found {
		m := &found[i]
		m.Start, m.End = at[m.Start], at[m.End-1]+1
	}
	return found
}

// control is the length in bytes of the control character that t begins with, 0
// for none.
func control(t []byte) int {
	switch c := t[0]; {
	case c < 0x20 && c != '\t' && c != '\n' && c != '\r', c == 0x7f:
		return 1
	case c == 0xc2 && len(t) > 1 && t[1] >= 0x80 && t[1] <= 0x9f:
		return 2
	case c == 0xe2 && len(t) > 2 && t[1] == 0x80 && t[2]&0xfe == 0xa8: // U+2028, U+2029
		return 3
	}
	return 0
}
