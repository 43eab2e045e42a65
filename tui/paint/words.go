package paint

import (
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/formats/report/safe"
)

// cell is one character of a text that is wrapped.
type cell struct {
	role Role
	text string
	w    int
}

func (c *cell) blank() bool { return c.text == " " }

// WrapWords is Wrap for sentences: a row ends between two words. A word that no
// row has room for is broken where the row ends, and blanks at a break are left
// out.
func WrapWords(segs []Seg, width, indent int) [][]Seg {
	width = max(width, 4)
	indent = min(indent, width/2)
	var all []cell
	for _, s := range segs {
		for text := safe.String(s.Text); text != ""; {
			c, n := utf8.DecodeRuneInString(text)
			all = append(all, cell{s.Role, text[:n], cells.RuneWidth(c)})
			text = text[n:]
		}
	}
	var rows [][]Seg
	for from, used := 0, 0; from < len(all) || len(rows) == 0; used = indent {
		end, next := rowEnd(all, from, width-used, width-indent)
		rows = append(rows, rowOf(all[from:end], used))
		from = next
	}
	return rows
}

// rowEnd is where the row that begins at from ends, and where the next begins,
// which has room for that many cells.
func rowEnd(all []cell, from, room, nextRoom int) (end, next int) {
	word := from // the first cell of the latest word
	for end = from; end < len(all) && (all[end].w <= room || all[end].w == 0); end++ {
		room -= all[end].w
		if all[end].blank() {
			word = end + 1
		}
	}
	if end == len(all) {
		return end, end
	}
	if word > from && !all[end].blank() {
		wide := 0
		for i := word; i < len(all) && !all[i].blank() && wide <= nextRoom; i++ {
			wide += all[i].w
		}
		if wide <= nextRoom {
			end = word
		}
	}
	next = end
	for next < len(all) && all[next].blank() {
		next++
	}
	for kept := end; kept > from; kept-- {
		if !all[kept-1].blank() {
			return kept, next
		}
	}
	return end, max(next, end)
}

// rowOf joins cells of one role.
func rowOf(cs []cell, indent int) []Seg {
	var row []Seg
	if indent > 0 {
		row = append(row, Seg{Text, strings.Repeat(" ", indent)})
	}
	for i := 0; i < len(cs); {
		var b strings.Builder
		role := cs[i].role
		for ; i < len(cs) && cs[i].role == role; i++ {
			b.WriteString(cs[i].text)
		}
		row = append(row, Seg{role, b.String()})
	}
	return row
}
