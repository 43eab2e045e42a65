package tui

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/tui/paint"
	"github.com/warden-trace/warden/tui/pretty"
	"github.com/warden-trace/warden/tui/tape"
)

type viewID int

const (
	viewPretty viewID = iota
	viewRaw
	viewDiff
	viewMachine
	viewCount
)

var viewNames = [viewCount]string{"pretty", "raw", "diff", "machine"}

// detail is the pane that shows the frame in hand.
type detail struct {
	view     viewID
	rows     []detailRow
	cursor   int // row
	top      int
	toggled  map[int]bool // nodes that were folded or unfolded
	dirty    bool         // to be laid out anew
	seek     bool         // then go to the span of the finding in hand
	seekText bool         // or to the text that is searched for
	width    int
	scroll   scroll
	of       *tape.Step // whose frame is
	frame    *pretty.Frame
}

// detailRow is one row of the layout; its segments are safe.
type detailRow struct {
	segs []paint.Seg
	node int
	now  bool
	mark bool
}

func (d *detail) reset() {
	d.cursor, d.top, d.toggled = 0, 0, map[int]bool{}
	d.dirty, d.seek = true, true
}

func (d *detail) move(by int) {
	d.cursor = min(max(d.cursor+by, 0), max(len(d.rows)-1, 0))
}

func view(v viewID) action {
	return func(a *App, _ string) tea.Cmd {
		to := v
		if v == viewDiff && a.detail.view == viewDiff {
			to = viewPretty
		}
		a.detail.view = to
		a.detail.cursor, a.detail.top = 0, 0
		a.detail.dirty, a.detail.seek = true, true
		if a.lay.single && a.focus != paneDetail {
			a.focus = paneDetail
			a.layout()
		}
		return nil
	}
}

func (a *App) viewNext(arg string) tea.Cmd {
	v := (a.detail.view + 1) % viewCount
	for i, n := range viewNames {
		if n == arg {
			v = viewID(i)
		}
	}
	return view(v)(a, "")
}

func (a *App) fold(string) tea.Cmd {
	switch a.focus {
	case paneFindings:
		return a.explain()
	case paneDetail:
		d := &a.detail
		if d.cursor < len(d.rows) {
			if n := d.rows[d.cursor].node; n > 0 {
				d.toggled[n] = !d.toggled[n]
				d.dirty = true
			}
		}
	default:
		a.focus = paneDetail
		a.layout()
	}
	return nil
}

// layOut makes the rows of the frame in hand.
func (a *App) layOut(w int) {
	d := &a.detail
	if !d.dirty && d.width == w {
		return
	}
	d.dirty, d.width = false, w
	d.rows = d.rows[:0]
	if a.stepErr != nil {
		d.rows = append(d.rows, detailRow{segs: []paint.Seg{{Role: paint.Fault, Text: a.mask.Scrub(a.stepErr.Error())}}})
		return
	}
	if a.step == nil {
		return
	}
	switch {
	case d.view == viewMachine:
		a.machineRows(w)
	case d.view == viewDiff:
		a.diffRows(w)
	case d.view == viewRaw:
		a.head(w)
		a.addLines(pretty.Raw(a.shown()), w)
	default:
		a.head(w)
		a.addLines(pretty.Lines(a.shown(), pretty.Options{Marks: a.marks(), Toggled: d.toggled}), w)
	}
	if len(d.rows) == 0 {
		a.addText(paint.Dim, "no bytes", w)
	}
	d.cursor = min(d.cursor, len(d.rows)-1)
	a.seek()
}

// seek puts the cursor on the span of the finding in hand, or the text that is
// searched for.
func (a *App) seek() {
	d := &a.detail
	at := -1
	if d.seekText && a.search.text != "" {
		needle := strings.ToLower(a.search.text)
		for i := range d.rows {
			if strings.Contains(strings.ToLower(plainText(d.rows[i].segs)), needle) {
				at = i
				break
			}
		}
	}
	if at < 0 && d.seek {
		for i := range d.rows {
			if d.rows[i].now || at < 0 && d.rows[i].mark {
				at = i
				if d.rows[i].now {
					break
				}
			}
		}
	}
	d.seek, d.seekText = false, false
	if d.view == viewDiff {
		at = -1 // it begins with what matters
	}
	if at >= 0 {
		d.cursor = at
		d.top = at - max(a.lay.detail.h/4, 1) // what follows matters more than what came before
	}
}

func plainText(segs []paint.Seg) string {
	var b strings.Builder
	for _, s := range segs {
		b.WriteString(s.Text)
	}
	return b.String()
}

// marks are the places of the findings in the frame.
func (a *App) marks() []pretty.Mark {
	var out []pretty.Mark
	for i := range a.step.Findings {
		f := &a.step.Findings[i]
		out = append(out, pretty.Mark{Pointer: f.Pointer, Spans: f.Spans, Now: i == a.finds.cursor})
	}
	return out
}

var pieceRoles = map[pretty.Kind]paint.Role{
	pretty.Punct: paint.Dim, pretty.Key: paint.Key, pretty.String: paint.String, pretty.Number: paint.Number, pretty.Escape: paint.Escape,
	pretty.Junk: paint.Fault, pretty.Elided: paint.Dim, pretty.Marked: paint.Mark, pretty.Current: paint.MarkNow, pretty.Same: paint.Text,
	pretty.Gone: paint.Removed, pretty.GoneMark: paint.RemovedMark, pretty.New: paint.Added, pretty.NewMark: paint.AddedMark,
}

func (a *App) addLines(lines []pretty.Line, w int) {
	for i := range lines {
		l := &lines[i]
		depth := 2 * min(l.Depth, 12, w/8)
		segs := make([]paint.Seg, 0, len(l.Pieces)+1)
		if depth > 0 {
			segs = append(segs, paint.Seg{Role: paint.Text, Text: strings.Repeat(" ", depth)})
		}
		for _, p := range l.Pieces {
			segs = append(segs, paint.Seg{Role: pieceRoles[p.Kind], Text: p.Text})
		}
		for k, r := range paint.Wrap(segs, w, depth+2) {
			row := detailRow{segs: r, mark: l.Mark && has(r, paint.Mark, paint.MarkNow, paint.RemovedMark), now: l.Now && has(r, paint.MarkNow)}
			if k == 0 {
				row.node = l.Node
			}
			a.detail.rows = append(a.detail.rows, row)
		}
	}
}

func has(segs []paint.Seg, roles ...paint.Role) bool {
	for _, s := range segs {
		for _, r := range roles {
			if s.Role == r {
				return true
			}
		}
	}
	return false
}

func (a *App) addText(role paint.Role, text string, w int) {
	for _, r := range paint.WrapWords([]paint.Seg{{Role: role, Text: text}}, w, 2) {
		a.detail.rows = append(a.detail.rows, detailRow{segs: r})
	}
}

// shown is the frame in hand as it may be shown: secrets are looked for once.
func (a *App) shown() *pretty.Frame {
	d := &a.detail
	if d.frame == nil || d.of != a.step {
		d.of, d.frame = a.step, pretty.NewFrame(a.step.Record.Frame, a.mask.Find)
	}
	return d.frame
}

// hide is shown for what would have been sent.
func (a *App) hide(raw []byte) *pretty.Frame {
	return pretty.NewFrame(bytes.TrimSpace(raw), a.mask.Find)
}

// head says where the frame stands.
func (a *App) head(w int) {
	s := a.step
	parts := []string{fmt.Sprintf("line %d", s.Record.Line)}
	if s.Record.TS != 0 {
		parts = append(parts, time.Unix(0, s.Record.TS).UTC().Format("2006-01-02 15:04:05.000")+"Z")
	}
	if s.Session != "" {
		parts = append(parts, "session "+a.mask.Scrub(s.Session))
	}
	if s.Record.Kind != formats.KindBad {
		parts = append(parts, fmt.Sprintf("frame %d of its session", s.InOrder))
	}
	if s.Record.Err != "" {
		parts = append(parts, a.mask.Text(s.Record.Err))
	}
	if s.Record.Kind == formats.KindOverCap {
		parts = append(parts, fmt.Sprintf("%d bytes, over the cap: not read", s.Record.Size))
	}
	for _, f := range []struct {
		f    formats.Flags
		name string
	}{{formats.Truncated, "truncated"}, {formats.Elided, "elided"}, {formats.Redacted, "redacted"}, {formats.Synthetic, "synthetic"}} {
		if s.Record.Flags&f.f != 0 {
			parts = append(parts, f.name)
		}
	}
	a.addText(paint.Dim, strings.Join(parts, " · "), w)
}

// diffRows show what was sent and what would have arrived.
func (a *App) diffRows(w int) {
	s := a.step
	o := &s.Outcome
	from, to := "server", "client"
	if o.Dir == analyze.ClientToServer {
		from, to = to, from
	}
	switch {
	case o.Verdict == replay.Replace:
		a.addText(paint.Block, "what the "+from+" sent, and what the "+to+" would have received:", w)
		a.answer(o.Bytes, w)
		a.addLines(pretty.Diff(a.shown(), a.hide(o.Bytes)), w)
	case o.Verdict == replay.Drop:
		a.addText(paint.Block, "the "+to+" would not have received this:", w)
		a.addLines(pretty.Diff(a.shown(), a.hide(nil)), w)
	default:
		word := "The " + to + " would have received this frame unchanged."
		for i := range s.Findings {
			if s.Findings[i].Action == analyze.Shadowed {
				word = "The posture lets this pass: the " + to + " would have received it unchanged."
			}
		}
		a.addText(paint.Good, word, w)
	}
	for _, r := range o.Replies {
		a.addText(paint.Block, "and the "+from+" would have been answered:", w)
		a.answer(r, w)
		a.addLines(pretty.Diff(a.hide(nil), a.hide(r)), w)
	}
	for _, r := range o.ToClient {
		a.addText(paint.Block, "the client would have been told, since a call ran out of time:", w)
		a.addLines(pretty.Diff(a.hide(nil), a.hide(r)), w)
	}
}

// answer says in a line what error stands in the frame's place.
func (a *App) answer(raw []byte, w int) {
	code := jsonrpc.Lookup(raw, "error", "code")
	if code == nil {
		return
	}
	text := "error " + string(a.mask.JSON(nil, code))
	for _, path := range [][]string{{"error", "message"}, {"error", "data", "reason"}} {
		if s, ok := jsonrpc.LookupString(raw, path...); ok {
			text += ": " + s
		}
	}
	a.addText(paint.Text, a.mask.Text(text), w)
}

// detailPane draws the rows in sight.
func (a *App) detailPane(w, h int) []*paint.Row {
	a.layOut(w - 1)
	d := &a.detail
	if d.cursor < d.top {
		d.top = d.cursor
	}
	if d.cursor >= d.top+h {
		d.top = d.cursor - h + 1
	}
	d.top = max(min(d.top, len(d.rows)-h), 0)
	var out []*paint.Row
	for i := d.top; i < min(d.top+h, len(d.rows)); i++ {
		row := a.p.Row(w)
		if i == d.cursor && a.focus == paneDetail {
			row.On(paint.Cursor)
		}
		fold := " "
		if n := d.rows[i].node; n > 0 && d.toggled[n] {
			fold = "+"
		} else if n > 0 {
			fold = "-"
		}
		out = append(out, row.Put(paint.Dim, fold).PutAll(d.rows[i].segs))
	}
	d.scroll = scroll{d.top, len(d.rows) - d.top - len(out)}
	return out
}
