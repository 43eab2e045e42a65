package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/baseline"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/tui/paint"
)

// choice is a question that one key answers.
type choice struct {
	text func(width int) string
	keys map[string]func(a *App) tea.Cmd
}

func (a *App) choose(key string) tea.Cmd {
	c := a.choice
	if do, ok := c.keys[key]; ok {
		a.choice = nil
		return do(a)
	}
	if key == "esc" || key == "q" || key == "ctrl+c" {
		a.choice = nil
	}
	return nil
}

// decision is what undo takes back.
type decision struct {
	frame, nth int
	print      string
	before     baseline.Entry
	had        bool
}

var states = map[string]string{"true": baseline.TruePositive, "false": baseline.FalsePositive, "accept": baseline.Accepted}

// triage decides about the finding in hand.
func (a *App) triage(arg string) tea.Cmd {
	if a.o.Ledger == nil {
		a.fail("no baseline to write to: start with --baseline FILE")
		return nil
	}
	f := a.current()
	if f == nil {
		a.say("no finding here to decide about; ] goes to the next")
		return nil
	}
	if f.Fingerprint == "" {
		a.fail("this finding is one of too many to remember; it has no fingerprint")
		return nil
	}
	if word, note, _ := strings.Cut(arg, " "); arg != "" {
		state := states[word]
		if state == "" {
			a.fail("triage true, triage false or triage accept, then a note")
			return nil
		}
		return a.decide(state, strings.TrimSpace(note))
	}
	ask := func(state string) func(*App) tea.Cmd {
		return func(a *App) tea.Cmd {
			old := ""
			if e, ok := a.o.Ledger.Entry(f.Fingerprint); ok {
				old = e.Reason
			}
			word := strings.ReplaceAll(state, "-", " ")
			short, _, _ := strings.Cut(word, " ")
			label := func(width int) string {
				return a.called(width, ": "+word+", note: ", ": "+short+", note: ", ", note: ")
			}
			a.prompt = newPrompt("", old, &a.history.note, func(a *App, note string) tea.Cmd {
				return a.decide(state, strings.TrimSpace(note))
			})
			a.prompt.labelFor, a.prompt.decides = label, true
			return nil
		}
	}
	text := func(width int) string {
		return " " + a.called(width-1, ": t true positive, f false positive, a accept, esc", ": t true, f false, a accept, esc", ": t true, f false, a accept", ": t f a")
	}
	a.choice = &choice{text: text, keys: map[string]func(*App) tea.Cmd{
		"t": ask(baseline.TruePositive), "f": ask(baseline.FalsePositive), "a": ask(baseline.Accepted)}}
	return nil
}

// deciding reports that a question about the finding in hand is open. Where one
// pane at a time has room it is that of the findings then: nobody shall decide
// about what they don't see.
func (a *App) deciding() bool { return a.choice != nil || a.prompt != nil && a.prompt.decides }

// called names the finding in hand, with the first of the texts behind it that
// leaves room for its name. The last is for where there is room for hardly
// anything; before it comes to that the name is cut.
func (a *App) called(width int, behind ...string) string {
	f := a.current()
	if f == nil {
		return strings.TrimLeft(behind[0], ":, ")
	}
	which := ""
	if n := len(a.step.Findings); n > 1 {
		which = fmt.Sprintf("%d/%d ", a.finds.cursor+1, n)
	}
	full := f.Rule
	if f.SubRule != "" {
		full = f.SubRule
	}
	short := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(full, "WRD-SEC-"), "WRD-RES-"), "WRD-")
	last := len(behind) - 1
	for i, text := range behind {
		for _, name := range []string{full, short} {
			if s := which + name + text; paint.Width(s) <= width {
				return s
			}
		}
		if room := width - paint.Width(text); i == last || i == last-1 && room >= len(which)+6 {
			return safe.Cut(which+short, max(room, 1)) + text
		}
	}
	return ""
}

// decide writes the decision at once, and goes on to what is undecided next on
// this frame.
func (a *App) decide(state, note string) tea.Cmd {
	f := a.current()
	if f == nil {
		return nil
	}
	before, had := a.o.Ledger.Entry(f.Fingerprint)
	if err := a.o.Ledger.Set(&f.Finding, state, note); err != nil {
		a.fail("not written: %s", err.Error())
		return nil
	}
	a.undone = append(a.undone, decision{a.step.Frame, a.finds.cursor, f.Fingerprint, before, had})
	word := strings.ReplaceAll(state, "-", " ")
	a.say("%s", a.called(a.w-2, fmt.Sprintf(": %s, written to %s; u takes it back", word, a.o.Ledger.path), ": "+word+"; u takes it back", ": "+word+"; u undoes"))
	return a.settled(a.step.Frame, a.finds.cursor, f.Fingerprint)
}

// settled takes what the baseline says by now into the index and the screen.
func (a *App) settled(frame, nth int, print string) tea.Cmd {
	d := a.o.Ledger.Decided(print)
	if err := a.tape.Decide(frame, nth, d); err != nil {
		a.fail("%s", err.Error())
		return nil
	}
	a.ov = a.tape.Overview()
	if a.step != nil && a.step.Frame == frame && nth < len(a.step.Findings) {
		a.step.Findings[nth].Decided = d
		if d != undecidedYet {
			for i := range a.step.Findings {
				if x := &a.step.Findings[i]; x.Decided == undecidedYet && x.Tier == analyze.Block {
					a.selectFinding(i)
					break
				}
			}
		}
	}
	if a.filter.undecided {
		return a.dropDecided(frame)
	}
	return nil
}

// dropDecided takes a frame that has nothing undecided left out of the list,
// or puts it back after an undo.
func (a *App) dropDecided(frame int) tea.Cmd {
	open := a.tape.Undecided(frame)
	row, there := a.rowOf(frame)
	k := a.filter.kept
	switch {
	case open && !there:
		k = append(k, 0)
		copy(k[row+1:], k[row:])
		k[row] = uint32(frame)
	case !open && there:
		k = append(k[:row], k[row+1:]...)
	default:
		return nil
	}
	a.filter.kept = k
	if len(k) == 0 {
		a.step = nil
		a.detail.dirty = true
		a.say("all decided; esc shows all frames")
		return nil
	}
	a.list.cursor = min(row, len(k)-1)
	a.list.show(a.list.cursor, len(k))
	return a.load()
}

// undo takes the last decision back, in the file too.
func (a *App) undo(string) tea.Cmd {
	n := len(a.undone)
	if n == 0 {
		a.say("nothing to take back")
		return nil
	}
	d := a.undone[n-1]
	if err := a.o.Ledger.Restore(d.print, d.before, d.had); err != nil {
		a.fail("not taken back: %s", err.Error())
		return nil
	}
	a.undone = a.undone[:n-1]
	cmd := a.settled(d.frame, d.nth, d.print)
	a.say("taken back: the decision on %s", a.nameOf(d.frame))
	if a.frame() != d.frame {
		cmd = tea.Batch(cmd, a.goTo(d.frame))
	}
	return cmd
}
