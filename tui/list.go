package tui

import (
	"strconv"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/tui/paint"
	"github.com/warden-trace/warden/tui/tape"
)

// list is the pane of frames. It asks for the rows that it shows and no others.
type list struct {
	cursor int // row
	top    int
	h      int // rows in sight
	want   int // the frame to come back to once the filter has got there; -1
}

// show scrolls so that row is in sight, with a little around it.
func (l *list) show(row, n int) {
	h := max(l.h, 1)
	margin := min(2, (h-1)/2)
	if row < l.top+margin {
		l.top = row - margin
	}
	if row > l.top+h-1-margin {
		l.top = row - h + 1 + margin
	}
	l.top = max(min(l.top, n-h), 0)
}

// columns of the list at a width.
type columns struct{ number, time, size int }

func (a *App) columns(w int) columns {
	c := columns{number: max(len(strconv.Itoa(max(a.ov.Frames, 1))), 3)}
	left := w - 5 - c.number
	if left >= 34 && a.ov.From != 0 {
		c.time = 10
		left -= c.time + 1
	}
	if left >= 20 {
		c.size = 5
	}
	return c
}

func (a *App) listRows(w, h int) []*paint.Row {
	n := a.rows()
	a.list.h = h
	a.list.show(a.list.cursor, n)
	frames := make([]int, 0, h)
	for i := a.list.top; i < min(a.list.top+h, n); i++ {
		frames = append(frames, a.frameAt(i))
	}
	c := a.columns(w)
	var out []*paint.Row
	for i, r := range a.tape.Rows(frames) {
		row := a.p.Row(w)
		if a.list.top+i == a.list.cursor {
			row.On(a.cursorRole(paneList))
		}
		out = append(out, a.listRow(row, &r, c))
	}
	if n == 0 {
		text := "no frames yet"
		switch {
		case a.filter.on && a.filter.done:
			text = "no frame passes the filter"
		case a.ov.Done:
			text = "no frames"
		case a.o.Follow:
			text = "waiting for the first frame"
		}
		out = append(out, a.p.Row(w).Put(paint.Dim, " "+text))
	}
	return out
}

func (a *App) cursorRole(p paneID) paint.Role {
	if a.focus == p {
		return paint.Cursor
	}
	return paint.CursorOff
}

func (a *App) listRow(row *paint.Row, r *tape.Row, c columns) *paint.Row {
	mark := " "
	if a.marked[r.Frame] {
		mark = "*"
	}
	sym, role := symbol(&r.Entry)
	row.Put(paint.Accent, mark).Put(role, sym)
	state := " "
	if tier, ok := r.Tier(); ok && tier == analyze.Block {
		state = "?"
		if !a.tape.Undecided(r.Frame) {
			state = "✓"
		}
	}
	row.Put(map[bool]paint.Role{true: paint.Good, false: paint.Block}[state == "✓"], state)
	number := "-" // a line that can't be read is no frame
	if r.Number >= 0 {
		number = strconv.Itoa(r.Number)
	}
	row.PutRight(paint.Dim, number, c.number).Gap(1)
	row.Put(paint.Dim, arrow(r.Dir())).Gap(1)
	if c.time > 0 {
		row.PutRight(paint.Dim, a.since(r.TS), c.time).Gap(1)
	}
	label := row.Left()
	if c.size > 0 {
		label -= c.size + 1
	}
	a.putLabel(row, r, label)
	if c.size > 0 {
		row.PutRight(paint.Dim, size(r.Size()), c.size+1)
	}
	return row
}

// putLabel writes what the frame is: method and tool, or what else there is.
func (a *App) putLabel(row *paint.Row, r *tape.Row, w int) {
	from := row.Left()
	left := func() int { return w - (from - row.Left()) }
	if r.Answer() {
		role := paint.Dim
		mark := "↳ "
		if r.Failed() {
			mark, role = "↳!", paint.Monitor
		}
		row.PutCut(role, mark, left())
	}
	switch {
	case r.Kind() == formats.KindBad:
		row.PutCut(paint.Fault, "can't be read", left())
	case r.Tool != "":
		row.PutCut(paint.Text, a.mask.Scrub(r.Tool), left())
		if r.Method != "tools/call" && left() > 3 { // what nearly all of them are
			row.PutCut(paint.Dim, " "+a.mask.Scrub(r.Method), left())
		}
	case r.Method != "":
		row.PutCut(paint.Text, a.mask.Scrub(r.Method), left())
	default:
		row.PutCut(paint.Dim, kindName(r.Kind()), left())
	}
	row.Gap(left())
}

func kindName(k formats.Kind) string {
	return map[formats.Kind]string{formats.KindFrame: "frame", formats.KindOverCap: "over the cap", formats.KindHTTP: "http",
		formats.KindText: "exec text", formats.KindBinary: "exec bytes"}[k]
}

// symbol is the verdict of a frame in one character.
func symbol(e *tape.Entry) (string, paint.Role) {
	tier, found := e.Tier()
	switch {
	case e.Acted():
		return "✗", paint.Block
	case e.Shadowed():
		return "◌", paint.Block
	case e.Kind() == formats.KindBad:
		return "‼", paint.Fault
	case !found:
		return " ", paint.Text
	case tier == analyze.Block:
		return "✗", paint.Block
	case tier == analyze.Monitor:
		return "▲", paint.Monitor
	}
	return "·", paint.Note
}

func arrow(d analyze.Direction) string {
	switch d {
	case analyze.ClientToServer:
		return "→"
	case analyze.ServerToClient:
		return "←"
	}
	return "?"
}
