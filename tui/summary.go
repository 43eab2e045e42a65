package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/tui/paint"
	"github.com/warden-trace/warden/tui/tape"
)

// summary is the screen on opening: what is in the trace and where to look
// first.
type summary struct {
	cursor int
	top    int
	rules  []tape.RuleCount
	scroll scroll
	at     []int // rule of each row in sight, for the mouse; -1: none
}

func (a *App) openSummary(string) tea.Cmd {
	a.summary = &summary{}
	return nil
}

// key takes the keys of the summary; what it does not know closes it and goes
// on to the table.
func (s *summary) key(a *App, name string, c *command) (tea.Cmd, bool) {
	if c == nil {
		a.summary = nil
		return nil, true
	}
	switch c.name {
	case "down", "step":
		s.cursor = min(s.cursor+1, max(len(s.rules)-1, 0))
		return nil, true
	case "up", "step-back":
		s.cursor = max(s.cursor-1, 0)
		return nil, true
	case "fold":
		return s.take(a, s.cursor), true
	case "cancel", "summary", "play":
		a.summary = nil
		return nil, true
	case "help", "quit", "theme":
		return nil, false
	}
	a.summary = nil
	return nil, false
}

// take goes to the first frame of the nth rule.
func (s *summary) take(a *App, n int) tea.Cmd {
	a.summary = nil
	if n >= len(s.rules) {
		return nil
	}
	r := s.rules[n]
	a.landing = func(a *App) {
		if a.step == nil {
			return
		}
		for i := range a.step.Findings {
			if f := &a.step.Findings[i]; f.Rule == r.Rule && f.SubRule == r.Sub && f.Tier == r.Tier {
				a.selectFinding(i)
				return
			}
		}
	}
	return a.goTo(r.First)
}

func (a *App) summaryRows(w, h int) []*paint.Row {
	s := a.summary
	s.rules = a.tape.Rules()
	s.cursor = min(s.cursor, max(len(s.rules)-1, 0))
	var rows []*paint.Row
	var at []int
	add := func(r *paint.Row) { rows, at = append(rows, r), append(at, -1) }
	line := func(label, text string) {
		if text == "" {
			return
		}
		add(a.p.Row(w).Put(paint.Dim, fmt.Sprintf(" %-9s", label)).Put(paint.Text, text))
	}
	ov := &a.ov
	small := h < 9
	if !small {
		line("trace", filepath.ToSlash(a.tape.Name))
		line("form", a.tape.Format()+", "+a.tape.Fidelity())
	}
	line("frames", plural(ov.Frames, "frame", "frames")+" in "+plural(ov.Sessions, "session", "sessions")+a.reading())
	if ov.From != 0 && !small {
		line("time", time.Unix(0, ov.From).UTC().Format("2006-01-02 15:04:05")+"Z, for "+span(time.Duration(ov.To-ov.From)))
	}
	if ss := a.tape.Sessions(4); len(ss) > 0 && h > 14 {
		var parts []string
		for _, x := range ss {
			if x.Server != "" {
				t := a.mask.Text(x.Server)
				if x.Protocol != "" {
					t += " (" + a.mask.Text(x.Protocol) + ")"
				}
				if x.Blocked > 0 {
					t += " " + plural(x.Blocked, "frame", "frames") + " blocked"
				}
				parts = append(parts, t)
			}
		}
		line("servers", strings.Join(parts, " · "))
	}
	f := a.p.Row(w).Put(paint.Dim, fmt.Sprintf(" %-9s", "findings"))
	f.Put(paint.Block, "✗ "+count(ov.Findings[2])+" block").Put(paint.Monitor, "  ▲ "+count(ov.Findings[1])+" monitor").Put(paint.Note, "  · "+count(ov.Findings[0])+" note")
	add(f)
	if a.o.Ledger != nil && ov.Blocks > 0 && !small {
		line("decided", fmt.Sprintf("%s of %s block findings, %s to go", count(ov.Blocks-ov.Open), count(ov.Blocks), count(ov.Open)))
	}
	if ov.Bad > 0 {
		add(a.p.Row(w).Put(paint.Fault, fmt.Sprintf(" %s could not be read", plural(ov.Bad, "line", "lines"))))
	}
	if h > 9 {
		add(a.p.Row(w))
	}
	switch {
	case len(s.rules) > 0:
		add(a.p.Row(w).Put(paint.Accent, " Where to look first").Put(paint.Dim, "  enter goes there, n walks the blocked calls"))
	case ov.Done:
		add(a.p.Row(w).Put(paint.Good, " Nothing was found.").Put(paint.Dim, "  enter shows the frames"))
	default:
		add(a.p.Row(w).Put(paint.Dim, " nothing found so far"))
	}
	head := len(rows)
	room := max(h-head, 1)
	if s.cursor < s.top {
		s.top = s.cursor
	}
	if s.cursor >= s.top+room {
		s.top = s.cursor - room + 1
	}
	for i := s.top; i < min(s.top+room, len(s.rules)); i++ {
		rows, at = append(rows, a.ruleRow(&s.rules[i], i == s.cursor, w)), append(at, i)
	}
	if h = max(h, 0); len(rows) > h {
		rows, at = rows[len(rows)-h:], at[len(at)-h:]
	}
	s.at = at
	s.scroll = scroll{s.top, max(len(s.rules)-s.top-room, 0)}
	return rows
}

func (a *App) ruleRow(r *tape.RuleCount, here bool, w int) *paint.Row {
	row := a.p.Row(w)
	if here {
		row.On(paint.Cursor)
	}
	sym, role := "·", paint.Note
	switch r.Tier {
	case analyze.Block:
		sym, role = "✗", paint.Block
	case analyze.Monitor:
		sym, role = "▲", paint.Monitor
	}
	row.Gap(1).Put(role, sym+" ").PutRight(paint.Text, count(r.Count), 7).Gap(1)
	title := r.Rule
	if r.Sub != "" {
		title += " " + r.Sub
	}
	row.PutPad(role, title, min(max(w/2-10, 24), 44)).Gap(1)
	if r.Tier == analyze.Block && a.o.Ledger != nil {
		if r.Open > 0 {
			row.PutPad(paint.Block, count(r.Open)+" undecided", 14)
		} else {
			row.PutPad(paint.Good, "✓ decided", 14)
		}
	}
	row.Put(paint.Dim, "from "+a.nameOf(r.First))
	if s, ok := a.tape.SessionOf(r.First); ok && a.ov.Sessions > 1 && s.Name != "" {
		row.Put(paint.Dim, " of "+a.mask.Scrub(s.Name))
	}
	if r.Tool != "" {
		row.Put(paint.Dim, ", "+a.mask.Scrub(r.Tool))
	}
	if rule, ok := a.rule(r.Rule, r.Sub); ok && row.Left() > 24 {
		row.Put(paint.Dim, " · "+rule.Title)
	}
	return row
}

// reading says how far the index is.
func (a *App) reading() string {
	switch {
	case a.ov.Done && a.ov.Err != nil:
		return ", damaged"
	case a.ov.Done:
		return ""
	case a.o.Follow:
		return ", following"
	case a.ov.Size > 0:
		return fmt.Sprintf(", %d%% read", min(a.ov.Read*100/a.ov.Size, 99))
	}
	return ", reading"
}
