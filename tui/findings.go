package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/baseline"
	"github.com/warden-trace/warden/tui/paint"
	"github.com/warden-trace/warden/tui/tape"
)

type stepFinding = tape.Finding

// findings is the pane of the frame's findings.
type findings struct {
	cursor int
	top    int
	at     []int // finding of each row in sight, for the mouse
	scroll scroll
}

// current is the finding in hand, nil if there is none.
func (a *App) current() *tape.Finding {
	if a.step == nil || a.step.Frame != a.frame() || a.finds.cursor >= len(a.step.Findings) {
		return nil
	}
	return &a.step.Findings[a.finds.cursor]
}

func tierLook(f *tape.Finding) (string, paint.Role) {
	switch f.Tier {
	case analyze.Block:
		return "✗", paint.Block
	case analyze.Monitor:
		return "▲", paint.Monitor
	}
	return "·", paint.Note
}

func (a *App) findingRows(w, h int) []*paint.Row {
	f := &a.finds
	f.at, f.scroll = f.at[:0], scroll{}
	if a.step == nil || len(a.step.Findings) == 0 {
		text := " no findings on this frame"
		if a.step == nil {
			text = ""
		}
		return []*paint.Row{a.p.Row(w).Put(paint.Dim, text)}
	}
	f.cursor = min(f.cursor, len(a.step.Findings)-1)
	var rows []*paint.Row
	var of []int
	first, last := 0, 0 // rows of the finding in hand
	for i := range a.step.Findings {
		x := &a.step.Findings[i]
		row := a.p.Row(w)
		if i == f.cursor {
			first = len(rows)
			row.On(a.cursorRole(paneFindings))
		}
		sym, role := tierLook(x)
		row.Gap(1).Put(role, sym+" ")
		if x.SubRule == "" || w >= 60 {
			row.Put(role, x.Rule)
		}
		if x.SubRule != "" && w >= 60 {
			row.Put(paint.Dim, " "+x.SubRule)
		} else if x.SubRule != "" { // it says which rule it belongs to
			row.Put(role, x.SubRule)
		}
		row.Put(paint.Dim, "  "+x.Action.String())
		if word, role := a.decided(x); word != "" {
			row.Put(role, "  "+word)
		}
		if x.AtEnd {
			row.Put(paint.Dim, "  at the session's end")
		}
		if x.Pointer != "" {
			row.Put(paint.Dim, "  "+a.pointer(x.Pointer))
		}
		rows, of = append(rows, row), append(of, i)
		if i != f.cursor {
			continue
		}
		for _, t := range a.about(x) {
			for _, segs := range paint.WrapWords([]paint.Seg{t}, max(w-4, 4), 0) {
				rows, of = append(rows, a.p.Row(w).Gap(3).PutAll(segs)), append(of, i)
			}
		}
		last = len(rows) - 1
	}
	if first < f.top {
		f.top = first
	}
	if last >= f.top+h {
		f.top = min(last-h+1, first)
	}
	f.top = max(min(f.top, len(rows)-h), 0)
	end := min(f.top+h, len(rows))
	f.at = of[f.top:end]
	f.scroll = scroll{f.top, len(rows) - end}
	return rows[f.top:end]
}

func (a *App) decided(f *tape.Finding) (string, paint.Role) {
	if e, ok := a.entry(f); ok && f.Decided != undecidedYet {
		return "✓ " + strings.ReplaceAll(e.State, "-", " "), paint.Good
	}
	switch {
	case f.Decided != undecidedYet:
		return "✓ decided", paint.Good
	case f.Tier == analyze.Block:
		return "? undecided", paint.Block
	}
	return "", paint.Text
}

// about says more of the finding in hand.
func (a *App) about(f *tape.Finding) []paint.Seg {
	out := []paint.Seg{{Role: paint.Text, Text: a.mask.Scrub(f.Message)}}
	if f.Snippet != "" {
		out = append(out, paint.Seg{Role: paint.Monitor, Text: "evidence: " + a.mask.Text(f.Snippet)})
	}
	if len(f.Matched) > 0 {
		out = append(out, paint.Seg{Role: paint.Dim, Text: "matched: " + a.mask.Text(strings.Join(f.Matched, ", "))})
	}
	if e, ok := a.entry(f); ok {
		text := "decided: " + e.State
		for _, s := range []string{e.Reason, e.Owner, e.Created} {
			if s != "" {
				text += " · " + a.mask.Scrub(s)
			}
		}
		if e.Expires != "" {
			text += " · until " + e.Expires
		}
		out = append(out, paint.Seg{Role: paint.Good, Text: text})
	}
	return out
}

// pointer is a JSON Pointer as it may be shown: each step is a text by itself, or
// a long way down would look like one random piece.
func (a *App) pointer(p string) string {
	steps := strings.Split(p, "/")
	for i := range steps {
		steps[i] = a.mask.Text(steps[i])
	}
	return strings.Join(steps, "/")
}

// entry is what the baseline says of a finding.
func (a *App) entry(f *tape.Finding) (baseline.Entry, bool) {
	if a.o.Ledger == nil {
		return baseline.Entry{}, false
	}
	return a.o.Ledger.Entry(f.Fingerprint)
}

// explain shows what the rule of the finding in hand says of itself.
func (a *App) explain() tea.Cmd {
	f := a.current()
	if f == nil {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n%s, %s, %s\n\n", f.Rule, f.SubRule, f.Tier, f.Severity, f.Action)
	fmt.Fprintf(&b, "%s\n", a.mask.Scrub(f.Message))
	if r, ok := a.rule(f.Rule, f.SubRule); ok {
		for _, p := range [][2]string{{"What", r.What}, {"Why", r.Why}, {"Example", r.Example}, {"To relax it", r.Relax}, {"From", r.Source}} {
			if p[1] != "" {
				fmt.Fprintf(&b, "\n%s: %s\n", p[0], strings.Join(strings.Fields(p[1]), " "))
			}
		}
	}
	fmt.Fprintf(&b, "\nPlace: %s, line %d, byte %d, pointer %s\nFingerprint: %s\n", f.Trace, f.Line, f.Offset, a.pointer(f.Pointer), f.Fingerprint)
	a.over = textOverlay(f.Rule, b.String())
	return nil
}
