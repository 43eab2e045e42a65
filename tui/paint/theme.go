package paint

import (
	"strings"

	"github.com/muesli/termenv"
)

// Role is what a piece of text is; the theme says how that looks. Nothing is
// told by colour alone: symbols and words say the same.
type Role uint8

// Roles.
const (
	Text Role = iota
	Dim
	Title
	TitleDim
	Accent
	Cursor    // of the pane that has the keys
	CursorOff // of the others
	Border
	BorderOn
	Key
	String
	Number
	Escape
	Block
	Monitor
	Note
	Good
	Mark    // a matched span
	MarkNow // the span of the finding in hand
	Added
	Removed
	AddedMark
	RemovedMark
	Prompt
	Fault
	roleCount
)

// look is how a role is drawn on a dark and on a light ground: colours of 24
// bits with their stand-ins of 16, foreground and background, and attributes
// that serve without colour as well.
type look struct {
	dark, light     string // "fg/bg" as hex
	dark16, light16 string // "fg/bg" as ANSI numbers
	attr            string
	plain           string // attributes in place of attr without colour
}

var looks = [roleCount]look{
	Text:        {},
	Dim:         {"#7f8794/", "#6a7280/", "8/", "8/", "", "2"},
	Title:       {"#e6e9ef/#2b3240", "#ffffff/#35507a", "15/4", "15/4", "1", "7"},
	TitleDim:    {"#9aa4b5/#2b3240", "#c9d6ea/#35507a", "7/4", "7/4", "", "7"},
	Accent:      {"#5fb3ff/", "#0b5cad/", "12/", "4/", "1", "1"},
	Cursor:      {"/#2f4668", "/#cfe2ff", "15/4", "15/4", "1", "7"},
	CursorOff:   {"/#262b36", "/#e8ebf0", "/", "/", "4", "4"},
	Border:      {"#4a5261/", "#b3bac6/", "8/", "8/", "", ""},
	BorderOn:    {"#5fb3ff/", "#0b5cad/", "12/", "4/", "1", "1"},
	Key:         {"#7fb4ca/", "#0b6e8a/", "14/", "6/", "", ""},
	String:      {"#a8c98b/", "#35701b/", "10/", "2/", "", ""},
	Number:      {"#d4a373/", "#9a4f00/", "11/", "5/", "", ""},
	Escape:      {"#d98ad9/", "#8f2c8f/", "13/", "5/", "", ""},
	Block:       {"#ff6b6b/", "#c01c28/", "9/", "1/", "1", "1"},
	Monitor:     {"#f0b84f/", "#9a6200/", "11/", "3/", "", ""},
	Note:        {"#8fa1b8/", "#5b6b80/", "7/", "8/", "", ""},
	Good:        {"#74c476/", "#1c7a34/", "10/", "2/", "", ""},
	Mark:        {"#1b1d22/#e0a63c", "#1b1d22/#ffd978", "0/11", "0/11", "", "4"},
	MarkNow:     {"#ffffff/#c8323c", "#ffffff/#c01c28", "15/9", "15/1", "1", "1;7"},
	Added:       {"#8fd694/", "#1c7a34/", "10/", "2/", "", ""},
	Removed:     {"#ff8f8f/", "#c01c28/", "9/", "1/", "", ""},
	AddedMark:   {"#0f1f12/#74c476", "#ffffff/#1c7a34", "0/10", "15/2", "", "7"},
	RemovedMark: {"#ffffff/#b3323a", "#ffffff/#c01c28", "15/9", "15/1", "", "7"},
	Prompt:      {"#e6e9ef/#3a3320", "#1b1d22/#fff0c2", "15/", "0/", "1", "1"},
	Fault:       {"#ffffff/#8a2730", "#ffffff/#c01c28", "15/1", "15/1", "1", "7"},
}

// New makes a painter for a terminal of that profile.
func New(profile termenv.Profile, dark bool) *Painter {
	p := &Painter{flat: profile == termenv.ANSI}
	for i := range looks {
		p.roles[i] = looks[i].params(profile, dark)
	}
	return p
}

func (l *look) params(profile termenv.Profile, dark bool) string {
	if profile == termenv.Ascii {
		if l.plain != "" {
			return l.plain
		}
		return l.attr
	}
	spec := l.light
	if dark {
		spec = l.dark
	}
	if profile == termenv.ANSI {
		spec = l.light16
		if dark {
			spec = l.dark16
		}
	}
	fg, bg, _ := strings.Cut(spec, "/")
	parts := []string{}
	if l.attr != "" {
		parts = append(parts, l.attr)
	}
	if fg != "" {
		parts = append(parts, profile.Color(fg).Sequence(false))
	}
	if bg != "" {
		parts = append(parts, profile.Color(bg).Sequence(true))
	}
	return strings.Join(parts, ";")
}
