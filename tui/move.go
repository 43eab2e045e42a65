package tui

import (
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/tui/tape"
)

type action = func(*App, string) tea.Cmd

func move(by int) action {
	return func(a *App, _ string) tea.Cmd {
		switch a.focus {
		case paneDetail:
			a.detail.move(by)
		case paneFindings:
			a.selectFinding(a.finds.cursor + by)
		default:
			return a.goRow(a.list.cursor + by)
		}
		return nil
	}
}

func page(by int) action {
	return func(a *App, _ string) tea.Cmd {
		switch a.focus {
		case paneDetail:
			a.detail.move(by * max(a.lay.detail.h-2, 1))
		case paneFindings:
			a.selectFinding(a.finds.cursor + by*4)
		default:
			return a.goRow(a.list.cursor + by*max(a.lay.list.h-2, 1))
		}
		return nil
	}
}

func edge(last bool) action {
	return func(a *App, _ string) tea.Cmd {
		far := 0
		if last {
			far = 1 << 40
		}
		switch a.focus {
		case paneDetail:
			a.detail.move(far - 1<<39)
		case paneFindings:
			a.selectFinding(far)
		default:
			return a.goRow(min(far, a.rows()-1))
		}
		return nil
	}
}

// stepBy feeds the machine the next frame, whatever pane has the keys.
func stepBy(by int) action {
	return func(a *App, _ string) tea.Cmd {
		if row := a.list.cursor + by; row < 0 || row >= a.rows() {
			a.say("%s", map[bool]string{true: "the first frame", false: "the last frame" + a.soFar()}[by < 0])
			return nil
		}
		return a.goRow(a.list.cursor + by)
	}
}

// soFar qualifies what is said while the index is not whole.
func (a *App) soFar() string {
	if a.ov.Done {
		return ""
	}
	return " so far"
}

func next(back bool) action {
	return func(a *App, _ string) tea.Cmd {
		if a.search.text != "" {
			return a.searchOn(back)
		}
		return a.jump(back, tape.Blocked, "blocked call")
	}
}

func (a *App) previousBlocked(string) tea.Cmd { return a.jump(true, tape.Blocked, "blocked call") }

func undecided(back bool) action {
	return func(a *App, _ string) tea.Cmd { return a.jump(back, tape.Undecided, "undecided block finding") }
}

// jump goes to the next frame of a kind, among those that the filter keeps.
func (a *App) jump(back bool, what tape.What, name string) tea.Cmd {
	at := a.frame()
	for {
		if at = a.tape.Next(at, back, what); at < 0 {
			a.say("no %s %s%s", map[bool]string{true: "earlier", false: "further"}[back], name, a.soFar())
			return nil
		}
		if at >= a.ov.Frames {
			a.ov = a.tape.Overview()
		}
		if _, there := a.rowOf(at); there {
			break
		}
	}
	return a.goTo(at)
}

// finding goes to the next finding: on this frame, or the next frame with one.
func finding(by int) action {
	return func(a *App, _ string) tea.Cmd {
		if a.step != nil && a.step.Frame == a.frame() {
			if n := a.finds.cursor + by; n >= 0 && n < len(a.step.Findings) {
				a.selectFinding(n)
				a.tellFinding()
				return nil
			}
		}
		a.landing = func(a *App) {
			if by > 0 || a.step == nil {
				a.selectFinding(0)
			} else {
				a.selectFinding(len(a.step.Findings) - 1)
			}
			a.tellFinding()
		}
		return a.jump(by < 0, tape.Found, "finding")
	}
}

// selectFinding takes the nth finding of the frame in hand.
func (a *App) selectFinding(n int) {
	if a.step == nil || len(a.step.Findings) == 0 {
		return
	}
	a.finds.cursor = min(max(n, 0), len(a.step.Findings)-1)
	a.detail.dirty, a.detail.seek = true, true
}

// tellFinding says which finding was gone to where its pane is out of sight.
func (a *App) tellFinding() {
	f := a.current()
	if f == nil || !a.lay.single || a.focus == paneFindings {
		return
	}
	word, _ := a.decided(f)
	a.say("%s", a.called(a.w-2, " "+f.Action.String()+" "+word, " "+word))
}

func pane(by int) action {
	return func(a *App, _ string) tea.Cmd {
		a.focus = (a.focus + paneID(by) + paneCount) % paneCount
		a.layout()
		return nil
	}
}

func (a *App) zoomToggle(string) tea.Cmd {
	a.zoom = !a.zoom
	a.layout()
	return nil
}

func (a *App) colon(arg string) tea.Cmd {
	if arg != "" {
		return a.place(arg)
	}
	a.prompt = newPrompt(":", "", &a.history.place, (*App).entered)
	return nil
}

// entered takes what was typed after `:`: a place, or a command by its name.
func (a *App) entered(s string) tea.Cmd {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil
	}
	name, arg, _ := strings.Cut(s, " ")
	if c := byName(name); c != nil {
		return c.run(a, strings.TrimSpace(arg))
	}
	switch name {
	case "q", "q!", "exit":
		return a.quit("")
	case "w":
		return byName("save").run(a, strings.TrimSpace(arg))
	}
	return a.place(s)
}

// playing runs through the frames at the speed of the recording.
type playing struct {
	on    bool
	speed float64
	gen   int
}

type playMsg struct{ gen int }

// Bounds of the wait between two frames while playing: a pause of hours is not
// sat out, and without times five frames a second are shown.
const (
	longestWait = 2 * time.Second
	plainWait   = 200 * time.Millisecond
)

func (a *App) playToggle(string) tea.Cmd {
	a.play.on = !a.play.on
	if !a.play.on {
		return nil
	}
	a.play.gen++
	return a.playNext()
}

func (a *App) playNext() tea.Cmd {
	wait := plainWait
	if rows := a.tape.Rows([]int{a.frame(), a.frameAt(a.list.cursor + 1)}); len(rows) == 2 && rows[0].TS != 0 && rows[1].TS != 0 {
		wait = max(time.Duration(rows[1].TS-rows[0].TS), 0)
	}
	wait = min(time.Duration(float64(wait)/a.play.speed), longestWait)
	gen := a.play.gen
	return tea.Tick(max(wait, 5*time.Millisecond), func(time.Time) tea.Msg { return playMsg{gen} })
}

func (a *App) onPlay(m playMsg) tea.Cmd {
	if !a.play.on || m.gen != a.play.gen {
		return nil
	}
	if a.list.cursor+1 >= a.rows() {
		if a.ov.Done {
			a.play.on = false
			a.say("the end")
			return nil
		}
		return a.playNext()
	}
	return tea.Batch(a.goRow(a.list.cursor+1), a.playNext())
}

func speed(by float64) action {
	return func(a *App, _ string) tea.Cmd {
		a.play.speed = min(max(a.play.speed*by, 1.0/16), 1024)
		a.say("speed %s×", strconv.FormatFloat(a.play.speed, 'g', 4, 64))
		return nil
	}
}
