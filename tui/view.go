package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/tui/paint"
)

// rect is a place on the screen.
type rect struct{ x, y, w, h int }

func (r rect) holds(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// layout is where things stand at a size. Every pane has a row for its title
// above its rect.
type layout struct {
	stripH                 int
	machine                bool
	single                 bool // one pane at a time
	wide                   bool // the list beside the others
	body                   rect
	list, detail, findings rect
}

// Smallest sizes: below these there is no room to say anything.
const (
	minW = 20
	minH = 5
)

func (a *App) resize(w, h int) {
	a.w, a.h = w, h
	a.layout()
	a.detail.dirty = true
}

// SetSize tells the stepper how large the terminal is, in cells.
func (a *App) SetSize(w, h int) { a.resize(w, h) }

func (a *App) layout() {
	l := layout{stripH: 1}
	if a.h >= 16 {
		l.stripH, l.machine = 2, true
	}
	top := 1 + l.stripH
	bottom := 1
	if l.machine {
		bottom = 2
	}
	l.body = rect{0, top, a.w, max(a.h-top-bottom, 1)}
	b := l.body
	switch {
	case a.zoom || a.h < 18 || a.w < 50:
		l.single = true
		one := rect{0, b.y + 1, b.w, max(b.h-1, 1)}
		switch a.front() {
		case paneDetail:
			l.detail = one
		case paneFindings:
			l.findings = one
		default:
			l.list = one
		}
	case a.w >= 110:
		l.wide = true
		w := min(max(a.w*40/100, 50), 80)
		l.list = rect{0, b.y + 1, w, b.h - 1}
		fh := min(max(b.h/4, 5), 12)
		l.detail = rect{w + 1, b.y + 1, b.w - w - 1, b.h - fh - 2}
		l.findings = rect{w + 1, b.y + b.h - fh, b.w - w - 1, fh}
	default:
		lh := max((b.h-3)*35/100, 3)
		fh := max((b.h-3)*25/100, 3)
		l.list = rect{0, b.y + 1, b.w, lh}
		l.detail = rect{0, b.y + lh + 2, b.w, b.h - 3 - lh - fh}
		l.findings = rect{0, b.y + b.h - fh, b.w, fh}
	}
	a.lay = l
}

// front is the pane that is shown where only one has room.
func (a *App) front() paneID {
	if a.deciding() {
		return paneFindings
	}
	return a.focus
}

// View draws the screen.
func (a *App) View() string {
	if a.leaving {
		return ""
	}
	if a.w < minW || a.h < minH {
		return a.p.Row(max(a.w, 1)).Put(paint.Text, "too small").String()
	}
	rows := make([]string, 0, a.h)
	rows = append(rows, a.header().String())
	for _, r := range a.stripRows(a.w, a.lay.stripH) {
		rows = append(rows, r.String())
	}
	rows = append(rows, fillRows(a, a.body(), a.w, a.lay.body.h)...)
	if a.lay.machine {
		rows = append(rows, a.machineLine(a.w).String())
	}
	rows = append(rows, a.footer().String())
	return strings.Join(rows, "\n")
}

func (a *App) body() []string {
	b := a.lay.body
	switch {
	case a.over != nil:
		rows := a.over.rows(a, b.w, b.h-1)
		return a.framed(a.over.title, rows, scroll{a.over.top, max(a.over.n-a.over.top-a.over.h, 0)}, b.h)
	case a.summary != nil:
		rows := a.summaryRows(b.w, b.h-1)
		return a.framed("summary", rows, a.summary.scroll, b.h)
	}
	l := &a.lay
	switch {
	case l.single:
		rows := texts(a.paneRows(a.front())) // before the title, which says how much is out of sight
		return fillRows(a, append([]string{a.tabs(b.w).String()}, rows...), b.w, b.h)
	case l.wide:
		left := a.titled(paneList, l.list)
		right := append(a.titled(paneDetail, l.detail), a.titled(paneFindings, l.findings)...)
		bar := a.p.Row(1).Put(paint.Border, "│").String()
		out := make([]string, b.h)
		for i := range out {

			out[i] = left[i].String() + bar + right[i].String()
		}
		return out
	}
	var out []*paint.Row
	for _, p := range []struct {
		id paneID
		r  rect
	}{{paneList, l.list}, {paneDetail, l.detail}, {paneFindings, l.findings}} {
		out = append(out, a.titled(p.id, p.r)...)
	}
	return texts(out)
}

// titled is a pane below its title. Its rows are made first: the title says how
// many of them are out of sight.
func (a *App) titled(p paneID, r rect) []*paint.Row {
	rows := a.pad(a.paneRows(p), r)
	return append([]*paint.Row{a.title(p, r.w)}, rows...)
}

// scrolled is what of a pane is out of sight. The list's numbers say it.
func (a *App) scrolled(p paneID) scroll {
	switch p {
	case paneDetail:
		return a.detail.scroll
	case paneFindings:
		return a.finds.scroll
	}
	return scroll{}
}

func (a *App) paneRows(p paneID) []*paint.Row {
	switch p {
	case paneDetail:
		return a.detailPane(a.lay.detail.w, a.lay.detail.h)
	case paneFindings:
		return a.findingRows(a.lay.findings.w, a.lay.findings.h)
	}
	return a.listRows(a.lay.list.w, a.lay.list.h)
}

func (a *App) pad(rows []*paint.Row, r rect) []*paint.Row {
	rows = rows[:min(len(rows), max(r.h, 0))]
	for len(rows) < r.h {
		rows = append(rows, a.p.Row(r.w))
	}
	return rows
}

func texts(rows []*paint.Row) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.String()
	}
	return out
}

func fillRows(a *App, rows []string, w, h int) []string {
	rows = rows[:min(len(rows), h)]
	for len(rows) < h {
		rows = append(rows, a.p.Row(w).String())
	}
	return rows
}

func (a *App) framed(title string, rows []*paint.Row, s scroll, h int) []string {
	head := a.p.Row(a.w).Put(paint.BorderOn, "── ").Put(paint.Accent, title).Put(paint.BorderOn, " ")
	closeTitle(head, paint.BorderOn, s)
	return fillRows(a, append([]string{head.String()}, texts(rows)...), a.w, h)
}

// paneName is a pane's title with what it holds.
func (a *App) paneName(p paneID) string {
	switch p {
	case paneList:
		s := "frames " + count(a.rows())
		if a.filter.on {
			s += " of " + count(a.ov.Frames)
			if a.filter.undecided {
				s += ", undecided"
			}
			if a.filter.expr != "" {
				s += ", " + a.mask.Text(a.filter.expr)
			}
			if !a.filter.done {
				s += " …"
			}
		}
		return s
	case paneFindings:
		if a.step != nil {
			return fmt.Sprintf("findings %d", len(a.step.Findings))
		}
		return "findings"
	}
	return "frame"
}

func (a *App) title(p paneID, w int) *paint.Row {
	border, text := paint.Border, paint.Dim
	if a.focus == p {
		border, text = paint.BorderOn, paint.Accent
	}
	row := a.p.Row(w).Put(border, "─ ")
	if p == paneDetail {
		row.Put(text, a.nameOf(a.frame())+" ")
		a.viewTabs(row, border)
	} else {
		row.PutCut(text, a.paneName(p), max(w-4, 1))
	}
	return closeTitle(row.Put(border, " "), border, a.scrolled(p))
}

func (a *App) viewTabs(row *paint.Row, border paint.Role) {
	for i, n := range viewNames {
		role := paint.Dim
		if viewID(i) == a.detail.view {
			role = paint.Accent
			n = "[" + n + "]"
		} else {
			n = " " + n + " "
		}
		row.Put(role, n)
	}
	if a.step != nil && a.step.Frame != a.frame() {
		row.Put(border, " …")
	}
}

// tabs name the panes where only one has room.
func (a *App) tabs(w int) *paint.Row {
	row := a.p.Row(w).Put(paint.Border, "─")
	names := []string{"frames", "frame:" + viewNames[a.detail.view], "findings"}
	if a.step != nil {
		if n := len(a.step.Findings); n > 1 { // the one in hand may be out of sight
			names[2] += fmt.Sprintf(" %d/%d", a.finds.cursor+1, n)
		} else {
			names[2] += fmt.Sprintf(" %d", n)
		}
	}
	for i, n := range names {
		role := paint.Dim
		if paneID(i) == a.front() {
			n, role = "["+n+"]", paint.Accent
		} else {
			n = " " + n + " "
		}
		row.Put(role, n)
	}
	return closeTitle(row, paint.Border, a.scrolled(a.front()))
}

// header says what is stepped through, where, and what is left to decide.
func (a *App) header() *paint.Row {
	row := a.p.Row(a.w).On(paint.Title)
	right := ""
	if a.o.Ledger != nil && a.ov.Blocks > 0 {
		right = fmt.Sprintf("%s of %s undecided ", count(a.ov.Open), count(a.ov.Blocks))
		if a.w < 60 {
			right = fmt.Sprintf("?%d/%d ", a.ov.Open, a.ov.Blocks)
		}
	}
	if !a.ov.Done {
		reading := strings.TrimPrefix(a.reading(), ", ")
		if a.w < 60 {
			reading = strings.TrimSuffix(reading, " read")
		} else if right != "" {
			reading += " ·"
		}
		right = reading + " " + right
	}
	place := a.nameOf(a.frame())
	if a.w >= 60 {
		place = strings.TrimPrefix(place+" · "+plural(a.ov.Frames, "frame", "frames"), "frame · ")
	}
	left := a.w - paint.Width(right) - paint.Width(place) - 3
	row.PutCut(paint.Title, " "+filepath.Base(filepath.ToSlash(a.tape.Name)), max(left, 4))
	row.Gap(1).Put(paint.TitleDim, place)
	if n := len(a.marked); n > 0 && row.Left() > paint.Width(right)+14 {
		row.Put(paint.TitleDim, fmt.Sprintf(" · %d selected", n))
	}
	row.Gap(row.Left() - paint.Width(right))
	return row.Put(paint.TitleDim, right)
}

// footer is the prompt, the question, the notice, or the keys that help most.
func (a *App) footer() *paint.Row {
	row := a.p.Row(a.w)
	switch {
	case a.prompt != nil:
		return a.prompt.row(row, a.mask.Scrub)
	case a.choice != nil:
		return row.On(paint.Prompt).Put(paint.Prompt, a.choice.text(a.w))
	case a.search.at >= 0:
		return row.Put(paint.Accent, " searching for "+a.mask.Text(a.search.text)+" … esc stops")
	case a.notice.text != "":
		role := paint.Accent
		if a.notice.fault {
			role = paint.Fault
		}
		return row.Put(role, " "+a.notice.text)
	case a.play.on:
		return row.Put(paint.Accent, fmt.Sprintf(" playing at %g×   space stops, + - speed", a.play.speed))
	}
	k := func(name string) string {
		if keys := a.keys.keys[name]; len(keys) > 0 {
			if keys[0] == " " {
				return "space"
			}
			return keys[0]
		}
		return ":" + name
	}
	for _, h := range [][2]string{{"help", "help"}, {"next", "next blocked"}, {"next-finding", "finding"}, {"triage", "decide"}, {"diff", "diff"},
		{"search", "search"}, {"filter", "filter"}, {"goto", "go to"}, {"next-pane", "pane"}, {"play", "play"}, {"save", "save"}, {"quit", "quit"}} {
		if row.Left() < len(h[1])+len(k(h[0]))+3 {
			continue
		}
		row.Gap(1).Put(paint.Key, k(h[0])).Put(paint.Dim, " "+h[1]).Gap(1)
	}
	return row
}

func (a *App) setTheme(arg string) tea.Cmd {
	dark := !a.o.Dark
	switch arg {
	case "dark":
		dark = true
	case "light":
		dark = false
	}
	a.o.Dark, a.p = dark, a.o.Paint(dark)
	return nil
}

func (a *App) quit(string) tea.Cmd {
	a.leaving = true
	if a.stop != nil {
		a.stop()
	}
	a.endSearchRun()
	return tea.Quit
}

// cancel leaves what is in front: what is being done, then the search, the
// filter, the selection.
func (a *App) cancel(string) tea.Cmd {
	switch {
	case a.play.on:
		a.play.on = false
	case a.search.at >= 0:
		a.endSearchRun()
		a.search.text = ""
	case a.search.text != "":
		a.search.text = ""
		a.say("search ended: n is the next blocked call again")
	case a.from >= 0:
		a.from = -1
	case a.filter.on:
		return a.setFilter("", false)
	case len(a.marked) > 0:
		a.marked = map[int]bool{}
	case a.zoom:
		return a.zoomToggle("")
	}
	return nil
}
