package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/tui/paint"
	"github.com/warden-trace/warden/tui/tape"
)

// strip is the overview of the whole trace: how many frames there are in each
// stretch, and what was found in it.
type strip struct {
	byTime bool
	timed  bool // it is by time: the recording has some
	cells  []tape.Cell
	max    int
	gen    int
}

type stripMsg struct {
	gen   int
	cells []tape.Cell
	timed bool
}

// restrip counts the overview anew, off the screen's goroutine.
func (a *App) restrip() tea.Cmd {
	if a.w <= 0 {
		return nil
	}
	a.strip.gen++
	gen, t, w, by := a.strip.gen, a.tape, a.w, a.strip.byTime
	return func() tea.Msg {
		cells, timed := t.Strip(w, by)
		return stripMsg{gen, cells, timed}
	}
}

func (s *strip) take(m stripMsg) {
	if m.gen < s.gen && len(m.cells) != len(s.cells) && len(s.cells) > 0 {
		return // of another width; a newer count comes. An older one of this width is better than none
	}
	s.cells, s.timed, s.max = m.cells, m.timed, 0
	for _, c := range m.cells {
		s.max = max(s.max, c.Frames)
	}
}

func (a *App) axis(string) tea.Cmd {
	a.strip.byTime = !a.strip.byTime
	a.say("overview by %s", map[bool]string{true: "time", false: "number of frames"}[a.strip.byTime])
	return a.restrip()
}

const bars = "▁▂▃▄▅▆▇█"

// here is the cell that the frame in hand is in.
func (a *App) here() int {
	at, frame := -1, a.frame()
	for i, c := range a.strip.cells {
		if c.First >= 0 && c.First <= frame {
			at = i
		}
	}
	return at
}

// stripRows draw it in h rows: with one, findings stand in place of the bars.
func (a *App) stripRows(w, h int) []*paint.Row {
	s := &a.strip
	here := a.here()
	bar := func(c *tape.Cell) string {
		if c.Frames == 0 {
			return " "
		}
		if c.Frames*8 <= s.max || s.max <= 1 {
			return "▁"
		}
		r := []rune(bars)
		return string(r[min(c.Frames*8/max(s.max, 1), 7)])
	}
	alarm := func(c *tape.Cell) (string, paint.Role) {
		switch {
		case c.Blocked > 0 || c.Tiers[2] > 0:
			return "✗", paint.Block
		case c.Tiers[1] > 0:
			return "▲", paint.Monitor
		case c.Tiers[0] > 0:
			return "·", paint.Note
		}
		return " ", paint.Text
	}
	var top, low *paint.Row = a.p.Row(w), a.p.Row(w)
	for i := range min(len(s.cells), w) {
		c := &s.cells[i]
		sym, role := alarm(c)
		b, base := bar(c), paint.Border
		if i == here {
			base = paint.Cursor
			if b == " " {
				b = "▁"
			}
		}
		if h == 1 && sym != " " && sym != "·" {
			b = sym
			if i != here {
				base = role
			}
		}
		top.Put(base, b)
		if i == here && sym == " " {
			sym, role = "^", paint.Accent
		}
		low.Put(role, sym)
	}
	if h == 1 {
		return []*paint.Row{top}
	}
	return []*paint.Row{top, low}
}

// stripClick goes to a stretch: the gravest frame in it.
func (a *App) stripClick(x int) tea.Cmd {
	if x < 0 || x >= len(a.strip.cells) {
		return nil
	}
	for d := 0; d < len(a.strip.cells); d++ {
		for _, i := range []int{x - d, x + d} {
			if i < 0 || i >= len(a.strip.cells) || a.strip.cells[i].First < 0 {
				continue
			}
			c := a.strip.cells[i]
			if c.Alarm >= 0 {
				return a.goTo(c.Alarm)
			}
			return a.goTo(c.First)
		}
	}
	return nil
}
