// Package paint draws rows of text for a terminal and is the one wall between
// what a trace says and what the terminal is told: a Row takes text only through
// the sanitiser of package safe, so that no control, bidirectional or invisible
// character of a trace can ever come out of it. The only escape sequences in a
// row are the colours that this package puts there itself.
package paint

import (
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/warden-trace/warden/formats/report/safe"
)

// Painter knows the theme and what the terminal can do.
type Painter struct {
	roles [roleCount]string // parameters of SGR, without its brackets
	// flat leaves a cursor's row in one colour: among sixteen, most pairs
	// can't be read.
	flat bool
}

// Row is one line of the screen, of a fixed width.
type Row struct {
	p     *Painter
	b     strings.Builder
	width int
	used  int
	base  Role
	last  string // parameters in force
	tail  rune   // the last character of the text
}

// Row begins a row of that many cells.
func (p *Painter) Row(width int) *Row {
	r := &Row{p: p, width: max(width, 0)}
	r.b.Grow(width + 64)
	return r
}

// On sets the role that lies under all that follows: a cursor's background.
func (r *Row) On(base Role) *Row { r.base = base; return r }

// Left is how many cells are free.
func (r *Row) Left() int { return r.width - r.used }

// Put appends s in a role, made safe, and cut with an ellipsis where the row
// ends.
func (r *Row) Put(role Role, s string) *Row { return r.PutCut(role, s, r.Left()) }

// PutCut is Put with a width of its own.
func (r *Row) PutCut(role Role, s string, width int) *Row {
	if width = min(width, r.Left()); width <= 0 || s == "" {
		return r
	}
	text := safe.Cut(s, width)
	if r.joins(text) {
		r.blank(role, 1)
		if width = min(width, r.Left()); width <= 0 {
			return r
		}
		text = safe.Cut(s, width)
	}
	r.style(role)
	r.b.WriteString(text)
	r.used += cells.StringWidth(text)
	r.tail, _ = utf8.DecodeLastRuneInString(text)
	return r
}

// joins reports that a text would be drawn into the last character of the row, as
// letters of Hangul and the halves of flags are, and take fewer cells than it has.
func (r *Row) joins(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	if first < 0x300 || r.tail < 0x300 {
		return false
	}
	return cells.StringWidth(string([]rune{r.tail, first})) != cells.StringWidth(string(r.tail))+cells.StringWidth(string(first))
}

// PutPad is PutCut, filled up to width with blanks.
func (r *Row) PutPad(role Role, s string, width int) *Row {
	width = min(width, r.Left())
	from := r.used
	r.PutCut(role, s, width)
	return r.blank(role, width-(r.used-from))
}

// PutRight is PutPad with the text at the right.
func (r *Row) PutRight(role Role, s string, width int) *Row {
	width = min(width, r.Left())
	if n := Width(s); n < width {
		r.blank(role, width-n)
		width = n
	}
	return r.PutCut(role, s, width)
}

// Gap appends blanks.
func (r *Row) Gap(n int) *Row { return r.blank(Text, n) }

func (r *Row) blank(role Role, n int) *Row {
	if n = min(n, r.Left()); n <= 0 {
		return r
	}
	r.style(role)
	r.b.WriteString(strings.Repeat(" ", n))
	r.used += n
	r.tail = ' '
	return r
}

func (r *Row) style(role Role) {
	want := join(r.p.roles[r.base], r.p.roles[role])
	if r.p.flat && (r.base == Cursor || r.base == Title) {
		want = r.p.roles[r.base]
	}
	if want == r.last {
		return
	}
	r.b.WriteString("\x1b[0")
	if want != "" {
		r.b.WriteByte(';')
		r.b.WriteString(want)
	}
	r.b.WriteByte('m')
	r.last = want
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "", a == b:
		return a
	}
	return a + ";" + b
}

// Add appends what is left of another row's cells.
func (r *Row) Add(o *Row) *Row {
	if o.used > r.Left() {
		return r
	}
	r.b.WriteString(o.text())
	r.used += o.used
	r.last, r.tail = "-", o.tail
	return r
}

// String fills the row up and ends it.
func (r *Row) String() string {
	r.blank(Text, r.Left())
	return r.text()
}

func (r *Row) text() string {
	if r.last == "" {
		return r.b.String()
	}
	return r.b.String() + "\x1b[0m"
}

// cells measures like package safe, whatever the locale.
var cells = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

// Width is how many cells s takes once it is safe.
func Width(s string) int { return safe.Width(s) }

// Seg is a piece of a line that may be wrapped.
type Seg struct {
	Role Role
	Text string
}

// Wrap breaks segments into rows of at most width cells; rows after the first
// begin with indent blanks. The texts that it returns are safe.
func Wrap(segs []Seg, width, indent int) [][]Seg {
	width = max(width, 4)
	indent = min(indent, width/2)
	var rows [][]Seg
	var row []Seg
	used := 0
	for _, s := range segs {
		text := safe.String(s.Text)
		from, at := 0, 0
		for at < len(text) {
			c, n := utf8.DecodeRuneInString(text[at:])
			w := cells.RuneWidth(c)
			if used+w > width && w > 0 {
				if at > from {
					row = append(row, Seg{s.Role, text[from:at]})
				}
				rows = append(rows, row)
				row, used, from = nil, 0, at
				if indent > 0 {
					row = append(row, Seg{Text, strings.Repeat(" ", indent)})
					used = indent
				}
			}
			used += w
			at += n
		}
		if at > from {
			row = append(row, Seg{s.Role, text[from:at]})
		}
	}
	if len(row) > 0 || len(rows) == 0 {
		rows = append(rows, row)
	}
	return rows
}

// PutAll appends segments.
func (r *Row) PutAll(segs []Seg) *Row {
	for _, s := range segs {
		r.Put(s.Role, s.Text)
	}
	return r
}
