// Package tui is the stepper of warden-replay: it walks a reviewer frame by
// frame through a recorded session, shows what the session machine knew and
// decided at each of them, and keeps what the reviewer decides.
//
// Everything it draws goes through package paint, which lets nothing of a trace
// reach the terminal raw. What a key does is in one table (commands.go).
package tui

import (
	"context"
	"io"
	"sort"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/tui/paint"
	"github.com/warden-trace/warden/tui/tape"
)

// Options steer the stepper.
type Options struct {
	Tape          *tape.Tape
	Ledger        *Ledger // nil: triage is off
	Rules         *ruleset.Set
	Config        *replay.Config
	Formats       formats.Options
	CaseArgs      func(dir string) []string // arguments of a scan that judges alike, for a case in dir
	Keys          *KeyMap
	Paint         func(dark bool) *paint.Painter
	Dark          bool
	OnlyUndecided bool
	Where         string
	Follow        bool
	Goto          string // where to begin, as after `:`; "" is the summary
	Clipboard     io.Writer
	Now           func() time.Time
}

type paneID int

const (
	paneList paneID = iota
	paneDetail
	paneFindings
	paneCount
)

// App is the program's state. It is changed by Update alone.
type App struct {
	o    Options
	p    *paint.Painter
	tape *tape.Tape
	keys *KeyMap
	mask *report.Masker // what the rules call a secret is shown in its redaction form

	w, h  int
	focus paneID
	zoom  bool
	lay   layout

	ov      tape.Overview
	seen    tape.Overview // at the latest tick
	strip   strip
	list    list
	detail  detail
	finds   findings
	summary *summary
	over    *overlay
	prompt  *prompt
	choice  *choice
	notice  notice

	step    *tape.Step
	stepErr error
	gen     int // of the step that is awaited
	stop    context.CancelFunc
	landing func(a *App) // once the step is there

	filter  filterJob
	search  searchJob
	play    playing
	marked  map[int]bool
	from    int // where a range began; -1
	undone  []decision
	history struct{ search, filter, place, note []string }
	ticking bool
	first   bool // the first frame has been shown
	leaving bool
}

// notice is the sentence at the bottom.
type notice struct {
	text  string
	fault bool
}

// New makes the program's state.
func New(o Options) *App {
	a := &App{o: o, tape: o.Tape, keys: o.Keys, mask: report.NewMasker(o.Rules), p: o.Paint(o.Dark), w: 80, h: 24, marked: map[int]bool{}, from: -1}
	a.strip.byTime = true
	a.play.speed = 1
	a.search.at = -1
	a.list.want = -1
	a.layout()
	a.ov = a.tape.Overview()
	if o.Goto == "" && o.Where == "" && !o.OnlyUndecided && !o.Follow {
		a.summary = &summary{}
	}
	return a
}

// Init begins to look at the index.
func (a *App) Init() tea.Cmd {
	cmds := []tea.Cmd{a.tick(20 * time.Millisecond)}
	if a.o.Where != "" || a.o.OnlyUndecided {
		cmds = append(cmds, a.setFilter(a.o.Where, a.o.OnlyUndecided))
	}
	return tea.Batch(cmds...)
}

type tickMsg struct{}

func (a *App) tick(d time.Duration) tea.Cmd {
	a.ticking = true
	return tea.Tick(d, func(time.Time) tea.Msg { return tickMsg{} })
}

type stepMsg struct {
	gen  int
	step *tape.Step
	err  error
}

// load steps the machine to the frame at the cursor.
func (a *App) load() tea.Cmd {
	if a.stop != nil {
		a.stop()
	}
	frame := a.frame()
	if frame < 0 {
		a.step = nil
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	a.gen++
	gen, t := a.gen, a.tape
	return func() tea.Msg {
		s, err := t.Step(ctx, frame)
		return stepMsg{gen, s, err}
	}
}

// frame is the number of the frame at the cursor; -1: there is none.
func (a *App) frame() int { return a.frameAt(a.list.cursor) }

// rows is how many frames the list has: all, or those that the filter keeps.
func (a *App) rows() int {
	if a.filter.on {
		return len(a.filter.kept)
	}
	return a.ov.Frames
}

func (a *App) frameAt(row int) int {
	if row < 0 || row >= a.rows() {
		return -1
	}
	if a.filter.on {
		return int(a.filter.kept[row])
	}
	return row
}

// rowOf is the row of a frame, or of the next one that the filter keeps.
func (a *App) rowOf(frame int) (row int, there bool) {
	if !a.filter.on {
		return frame, frame < a.ov.Frames
	}
	k := a.filter.kept
	row = sort.Search(len(k), func(i int) bool { return int(k[i]) >= frame })
	return row, row < len(k) && int(k[row]) == frame
}

// goTo puts the cursor on a frame. One that the filter hides is said so.
func (a *App) goTo(frame int) tea.Cmd {
	row, there := a.rowOf(frame)
	if !there {
		if !a.filter.on || a.rows() == 0 {
			return nil
		}
		row = min(row, a.rows()-1)
		a.say("the filter hides %s; this is the nearest it keeps", a.nameOf(frame))
	}
	return a.goRow(row)
}

func (a *App) goRow(row int) tea.Cmd {
	n := a.rows()
	if n == 0 {
		return nil
	}
	row = min(max(row, 0), n-1)
	if row == a.list.cursor && a.step != nil && a.step.Frame == a.frameAt(row) {
		a.arrive()
		return nil
	}
	a.list.cursor = row
	a.list.show(row, n)
	return a.load()
}

// arrive runs what waited for the step.
func (a *App) arrive() {
	if f := a.landing; f != nil {
		a.landing = nil
		f(a)
	}
}

// answer is how long a screen takes to be made, with some to spare.
const answer = 15 * time.Millisecond

// Update takes one event.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		a.resize(m.Width, m.Height)
		return a, a.restrip()
	case tea.KeyMsg:
		a.tape.GiveWay(answer)
		cmd := a.key(m)
		a.layout() // a question about a finding shows it
		return a, cmd
	case tea.MouseMsg:
		a.tape.GiveWay(answer)
		return a, a.mouse(tea.MouseEvent(m))
	case tickMsg:
		return a, a.onTick()
	case stepMsg:
		if m.gen != a.gen {
			return a, nil
		}
		if a.step == nil || m.step == nil || a.step.Frame != m.step.Frame {
			a.detail.reset()
			a.finds.cursor = 0
		}
		a.step, a.stepErr = m.step, m.err
		a.detail.dirty = true
		a.arrive()
		return a, nil
	case stripMsg:
		a.strip.take(m)
		return a, nil
	case filterMsg:
		return a, a.onFilter(m)
	case searchMsg:
		return a, a.onSearch(m)
	case playMsg:
		return a, a.onPlay(m)
	case doneMsg:
		if m.err != nil {
			a.fail("%s", m.err.Error())
		} else {
			a.say("%s", m.text)
		}
		return a, nil
	}
	return a, nil
}

// onTick looks at the index again, while there may be more of it.
func (a *App) onTick() tea.Cmd {
	before, tailing := a.seen, a.o.Follow && a.list.cursor >= a.rows()-1
	a.ov = a.tape.Overview()
	a.seen = a.ov
	var cmds []tea.Cmd
	if !a.first && a.rows() > 0 {
		a.first = true
		cmds = append(cmds, a.begin())
	} else if tailing && a.ov.Frames > before.Frames {
		cmds = append(cmds, a.goRow(a.rows()-1))
	}
	if a.ov.Frames != before.Frames || a.ov.Done != before.Done {
		cmds = append(cmds, a.restrip())
		if a.filter.waiting {
			cmds = append(cmds, a.filterMore())
		}
	}
	if a.ov.Done && !before.Done {
		a.ended()
		if a.step != nil && a.step.Frame == a.frame() {
			cmds = append(cmds, a.load()) // the session's end may have shown more
		}
	}
	a.ticking = false
	if !a.ov.Done {
		d := 100 * time.Millisecond
		if a.ov.Frames == 0 {
			d = 20 * time.Millisecond
		}
		cmds = append(cmds, a.tick(d))
	}
	return tea.Batch(cmds...)
}

// begin shows the first frame, or what was asked for.
func (a *App) begin() tea.Cmd {
	if a.o.Follow {
		return a.goRow(a.rows() - 1)
	}
	if a.o.Goto != "" {
		place := a.o.Goto
		a.o.Goto = ""
		return tea.Batch(a.load(), a.place(place))
	}
	return a.load()
}

// ended says how the pass over the trace ended.
func (a *App) ended() {
	switch {
	case a.ov.Err != nil:
		a.fail("damaged: %s; what came before is shown", a.ov.Err.Error())
	case a.ov.Bad > 0:
		a.fail("%s not be read; see the list", plural(a.ov.Bad, "line could", "lines could"))
	case a.ov.Frames == 0:
		a.say("no frames in this trace")
	case a.ov.Findings == [3]int{}:
		a.say("no findings in %s", plural(a.ov.Frames, "frame", "frames"))
	case len(a.ov.Notices) > 0:
		a.say("%s", a.ov.Notices[0])
	}
}

// key takes a key: for the prompt, the question or the window in front, else by
// the table.
func (a *App) key(k tea.KeyMsg) tea.Cmd {
	if k.Type == tea.KeyRunes && len(k.Runes) > 1 && !k.Paste && a.prompt == nil {
		// Typed faster than they were read: keys, not a key of that name.
		var cmds []tea.Cmd
		for _, r := range k.Runes {
			one := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}
			if r == ' ' {
				one.Type = tea.KeySpace
			}
			cmds = append(cmds, a.key(one))
		}
		return tea.Batch(cmds...)
	}
	if a.prompt != nil {
		p := a.prompt
		if ended, ok := p.key(k); ended {
			a.prompt = nil
			if ok {
				p.remember()
				return p.done(a, string(p.text))
			}
		}
		return nil
	}
	if a.choice != nil {
		return a.choose(k.String())
	}
	name := k.String()
	if k.Paste {
		return nil // a pasted text is no command
	}
	a.notice = notice{}
	c := a.keys.of[name]
	if a.over != nil {
		return a.over.key(a, name, c)
	}
	if a.summary != nil {
		if cmd, taken := a.summary.key(a, name, c); taken {
			return cmd
		}
	}
	if c == nil {
		a.say("%s does nothing; ? shows what does", name)
		return nil
	}
	if c.name != "play" && c.name != "faster" && c.name != "slower" {
		a.play.on = false
	}
	return c.run(a, "")
}
