package tui

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/tui/paint"
)

// overlay is a window over the panes: the help, what a rule says.
type overlay struct {
	title string
	lines [][]paint.Seg
	top   int
	h     int
	n     int
}

// scroll is how many rows of a pane are out of sight, above and below.
type scroll struct{ above, below int }

// mark says so in at most that many cells.
func (s scroll) mark(room int) string {
	long, short := "", ""
	for _, x := range []struct {
		n     int
		arrow string
	}{{s.above, "↑"}, {s.below, "↓"}} {
		if x.n > 0 {
			long += " " + x.arrow + strconv.Itoa(x.n)
			short += x.arrow
		}
	}
	if long == "" || paint.Width(long)+1 > room {
		return short
	}
	return long + " "
}

// closeTitle ends a title's row: the rest of the border, with how much of the pane
// is out of sight.
func closeTitle(row *paint.Row, border paint.Role, s scroll) *paint.Row {
	mark := s.mark(row.Left() - 1)
	row.Put(border, strings.Repeat("─", max(row.Left()-paint.Width(mark)-1, 0)))
	row.Put(paint.Accent, mark)
	return row.Put(border, strings.Repeat("─", max(row.Left(), 0)))
}

func textOverlay(title, text string) *overlay {
	o := &overlay{title: title}
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		o.lines = append(o.lines, []paint.Seg{{Role: paint.Text, Text: strings.ReplaceAll(l, "\t", "  ")}})
	}
	return o
}

func (a *App) help(string) tea.Cmd {
	o := &overlay{title: "keys and commands"}
	say := func(segs ...paint.Seg) { o.lines = append(o.lines, segs) }
	group := "-"
	for i := range commands {
		c := &commands[i]
		if c.group != group {
			group = c.group
			title := group
			if title == "" {
				title = "Leave"
			}
			if i > 0 {
				say()
			}
			say(paint.Seg{Role: paint.Accent, Text: title})
		}
		keys := a.keys.show(c.name)
		pad := strings.Repeat(" ", max(14-paint.Width(keys), 1))
		name := ":" + c.name
		if c.arg != "" && c.name != "goto" {
			name += " " + c.arg
		}
		say(paint.Seg{Role: paint.Key, Text: "  " + keys + pad}, paint.Seg{Role: paint.Text, Text: c.help}, paint.Seg{Role: paint.Dim, Text: "  " + name})
	}
	say()
	for _, l := range []string{
		"In the list: ✗ blocked or changed, ◌ passed by posture, ▲ monitor, · note, ‼ can't be read;",
		"? undecided, ✓ decided, * selected; → to the server, ← to the client, ↳ an answer, ↳! a failed one.",
		"In a title: ↑3 ↓12 are rows out of sight above and below.",
		"Mouse: click a frame, a finding, a tab or the overview; the wheel scrolls what it is over.",
		"Keys are set in a file (--config): keys: {next: [n, ctrl+n]}.",
		"`filter help` lists what a filter can ask for.",
	} {
		say(paint.Seg{Role: paint.Dim, Text: l})
	}
	a.over = o
	return nil
}

func (o *overlay) key(a *App, name string, c *command) tea.Cmd {
	by := 0
	if c != nil {
		switch c.name {
		case "down", "step":
			by = 1
		case "up", "step-back":
			by = -1
		case "page-down", "play":
			by = o.h
		case "page-up":
			by = -o.h
		case "first":
			by = -1 << 30
		case "last":
			by = 1 << 30
		case "quit":
			if name == "ctrl+c" {
				return a.quit("")
			}
			a.over = nil
		default:
			a.over = nil
		}
	}
	o.top = max(min(o.top+by, o.n-o.h), 0)
	return nil
}

func (o *overlay) rows(a *App, w, h int) []*paint.Row {
	var all [][]paint.Seg
	for _, l := range o.lines {
		all = append(all, paint.WrapWords(l, w-2, 16*min(w/60, 1)+2)...)
	}
	o.n, o.h = len(all), h
	o.top = max(min(o.top, o.n-h), 0)
	var out []*paint.Row
	for _, l := range all[o.top:min(o.top+h, len(all))] {
		out = append(out, a.p.Row(w).Gap(1).PutAll(l))
	}
	return out
}
