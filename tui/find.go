package tui

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/replay/where"
	"github.com/warden-trace/warden/tui/tape"
)

// filterJob is the filter and how far it has been tried. It is tried in
// stretches, so that the first frames show while the rest is still read.
type filterJob struct {
	on        bool
	expr      string
	undecided bool
	kept      []uint32
	next      int // the frame to try next
	gen       int
	sieve     *tape.Sieve
	waiting   bool // for more frames in the index
	done      bool
}

type filterMsg struct {
	gen  int
	kept []uint32
	next int
	err  error
}

func (a *App) filterPrompt(arg string) tea.Cmd {
	if arg != "" {
		return a.filtered(arg)
	}
	a.prompt = newPrompt("filter: ", a.filter.expr, &a.history.filter, (*App).filtered)
	return nil
}

func (a *App) filtered(s string) tea.Cmd {
	s = strings.TrimSpace(s)
	if s == "help" {
		a.over = textOverlay("filter", where.Help())
		return nil
	}
	return a.setFilter(s, a.filter.undecided)
}

func (a *App) undecidedToggle(string) tea.Cmd { return a.setFilter(a.filter.expr, !a.filter.undecided) }

// setFilter begins to filter anew; the frame in hand stays in hand if it can.
func (a *App) setFilter(expr string, undecided bool) tea.Cmd {
	var f *where.Filter
	if expr != "" {
		var err error
		if f, err = where.Compile(expr, where.IDsOf(a.o.Config.Rules)); err != nil {
			why := err.Error()
			if a.mask.Text(expr) != expr {
				why = "it can't be understood; it holds a secret, so that it is not quoted here"
			}
			a.fail("filter: %s", why)
			return nil
		}
	}
	at := a.frame()
	gen := a.filter.gen + 1
	if a.filter.sieve != nil {
		a.filter.sieve.Stop()
	}
	a.filter = filterJob{gen: gen, expr: expr, undecided: undecided, on: f != nil || undecided}
	if !a.filter.on {
		a.list.cursor = max(at, 0)
		a.list.show(a.list.cursor, a.rows())
		return a.load()
	}
	a.filter.sieve = a.tape.Sieve(f, undecided)
	a.list.cursor, a.list.top = 0, 0
	a.step, a.stepErr = nil, nil
	a.list.want = at
	return a.filterMore()
}

const filterStretch = 40 * time.Millisecond

func (a *App) filterMore() tea.Cmd {
	s, gen, from := a.filter.sieve, a.filter.gen, a.filter.next
	a.filter.waiting = false
	return func() tea.Msg {
		kept, next, err := s.Run(from, filterStretch)
		return filterMsg{gen, kept, next, err}
	}
}

func (a *App) onFilter(m filterMsg) tea.Cmd {
	f := &a.filter
	if m.gen != f.gen || !f.on {
		return nil
	}
	if m.err != nil {
		a.fail("filter: %s", m.err.Error())
		f.done = true
		return nil
	}
	had := len(f.kept)
	f.kept, f.next = append(f.kept, m.kept...), m.next
	var cmds []tea.Cmd
	if want := a.list.want; want >= 0 && (f.next > want || f.next >= a.ov.Frames) {
		a.list.want = -1
		if len(f.kept) > 0 {
			row, _ := a.rowOf(want)
			a.list.cursor = min(row, len(f.kept)-1)
			a.list.show(a.list.cursor, len(f.kept))
			cmds = append(cmds, a.load())
		}
	} else if had == 0 && len(f.kept) > 0 {
		cmds = append(cmds, a.load())
	}
	a.ov = a.tape.Overview()
	if f.next < a.ov.Frames {
		return tea.Batch(append(cmds, a.filterMore())...)
	}
	if f.done = a.ov.Done; !f.done {
		f.waiting = true
	} else if len(f.kept) == 0 {
		a.say("the filter keeps no frame; esc leaves it")
	}
	return tea.Batch(cmds...)
}

// searchJob is a search in hand.
type searchJob struct {
	text string
	at   int // where it is; -1: not running
	gen  int
	back bool
	stop context.CancelFunc
}

type searchMsg struct {
	gen   int
	frame int
	err   error
}

func (a *App) searchPrompt(arg string) tea.Cmd {
	if arg != "" {
		return a.searched(arg)
	}
	a.prompt = newPrompt("/", "", &a.history.search, (*App).searched)
	return nil
}

func (a *App) searched(s string) tea.Cmd {
	if s == "" && len(a.history.search) > 0 {
		s = a.history.search[len(a.history.search)-1]
	}
	if s == "" {
		return nil
	}
	a.search.text = s
	return a.searchOn(false)
}

func (a *App) searchOn(back bool) tea.Cmd { return a.searchFrom(a.frame(), back) }

func (a *App) searchFrom(from int, back bool) tea.Cmd {
	a.endSearchRun()
	ctx, stop := context.WithCancel(context.Background())
	a.search.gen++
	a.search.stop, a.search.at, a.search.back = stop, max(from, 0), back
	gen, text, t := a.search.gen, a.search.text, a.tape
	return func() tea.Msg {
		frame, err := t.Search(ctx, from, back, text, nil)
		return searchMsg{gen, frame, err}
	}
}

func (a *App) endSearchRun() {
	if a.search.stop != nil {
		a.search.stop()
		a.search.stop = nil
	}
	a.search.at = -1
}

func (a *App) onSearch(m searchMsg) tea.Cmd {
	if m.gen != a.search.gen || a.search.at < 0 {
		return nil
	}
	a.search.at, a.search.stop = -1, nil
	switch {
	case m.err != nil:
		return nil
	case m.frame < 0:
		a.say("no further frame has %q%s", a.mask.Text(a.search.text), a.soFar())
		return nil
	}
	a.ov = a.tape.Overview()
	if _, there := a.rowOf(m.frame); !there && a.filter.on {
		return a.searchFrom(m.frame, a.search.back) // the filter hides it
	}
	a.say("/%s   n next, N previous, esc ends", a.mask.Text(a.search.text))
	a.detail.seekText = true
	return a.goTo(m.frame)
}

// rule is what a rule says of itself.
func (a *App) rule(id, sub string) (*ruleset.Rule, bool) {
	if a.o.Rules == nil {
		return nil, false
	}
	for _, s := range []string{sub, id} {
		if r := a.o.Rules.Rule(s); r != nil && s != "" {
			return r, true
		}
	}
	return nil, false
}
