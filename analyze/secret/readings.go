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
