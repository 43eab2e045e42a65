package tui

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/tui/tape"
)

// doneMsg is how something ended that was done beside the screen.
type doneMsg struct {
	text string
	err  error
}

// maxClipboard bounds what goes to the clipboard, in bytes before base64: more
// than terminals take is refused, not cut.
const maxClipboard = 72 << 10

// copy puts the frame as it is shown, or the finding in hand, on the clipboard of
// the terminal by OSC 52: with its secrets redacted, unlike what save writes. What
// the terminal is told is base64 alone.
func (a *App) copy(string) tea.Cmd {
	if a.step == nil || a.o.Clipboard == nil {
		a.say("nothing to copy")
		return nil
	}
	what, data := "the frame", a.shown().Bytes()
	if f := a.current(); a.focus == paneFindings && f != nil {
		what = "the finding"
		data = fmt.Appendf(nil, "%s %s %s tool=%s pointer=%s line=%d fingerprint=%s\n%s\n%s\n", f.Rule, f.SubRule, f.Action,
			a.mask.Scrub(f.Tool), a.pointer(f.Pointer), f.Line, f.Fingerprint, a.mask.Scrub(f.Message), a.mask.Text(f.Snippet))
	}
	if len(data) > maxClipboard {
		a.fail("%s bytes are too many for a terminal's clipboard; w saves the frame", count(len(data)))
		return nil
	}
	seq := "\x1b]52;c;" + base64.StdEncoding.EncodeToString(data) + "\x07"
	out := a.o.Clipboard
	text := fmt.Sprintf("copied %s, %s", what, plural(len(data), "byte", "bytes"))
	return func() tea.Msg {
		_, err := out.Write([]byte(seq))
		return doneMsg{text, err}
	}
}

func (a *App) selectToggle(string) tea.Cmd {
	f := a.frame()
	if f < 0 {
		return nil
	}
	if a.marked[f] {
		delete(a.marked, f)
	} else {
		a.marked[f] = true
	}
	return a.goRow(a.list.cursor + 1)
}

// maxMarked bounds a selection.
const maxMarked = 1 << 20

func (a *App) selectRange(string) tea.Cmd {
	f := a.frame()
	switch {
	case f < 0:
	case a.from < 0:
		a.from = f
		a.say("range begins at %s; V ends it, esc leaves it", a.nameOf(f))
	default:
		lo, hi := min(a.from, f), max(a.from, f)
		a.from = -1
		first, _ := a.rowOf(lo)
		for row := first; row < a.rows() && len(a.marked) < maxMarked; row++ {
			i := a.frameAt(row)
			if i > hi {
				break
			}
			a.marked[i] = true
		}
		a.say("%s selected", plural(len(a.marked), "frame", "frames"))
	}
	return nil
}

// selectCall selects the request and the answer that the frame belongs to, as
// the session machine pairs them.
func (a *App) selectCall(string) tea.Cmd {
	s := a.step
	if s == nil || s.Frame != a.frame() {
		return nil
	}
	frames := a.tape.Call(s)
	for _, f := range frames {
		a.marked[f] = true
	}
	a.say("%s selected", plural(len(a.marked), "frame", "frames"))
	return nil
}

func (a *App) savePrompt(arg string) tea.Cmd {
	if arg != "" {
		return a.save(arg, false)
	}
	a.prompt = newPrompt("save "+plural(len(a.selection()), "frame", "frames")+" to: ", "selection.jsonl", nil,
		func(a *App, s string) tea.Cmd { return a.save(strings.TrimSpace(s), false) })
	return nil
}

func (a *App) saveOver(arg string) tea.Cmd {
	if arg == "" {
		a.fail("save! FILE")
		return nil
	}
	return a.save(arg, true)
}

// selection is the selected frames in order, or the frame in hand.
func (a *App) selection() []int {
	if len(a.marked) == 0 {
		if f := a.frame(); f >= 0 {
			return []int{f}
		}
		return nil
	}
	out := make([]int, 0, len(a.marked))
	for f := range a.marked {
		out = append(out, f)
	}
	sort.Ints(out)
	return out
}

// save writes the selection as a trace in the canonical form.
func (a *App) save(path string, over bool) tea.Cmd {
	frames, t := a.selection(), a.tape
	if path == "" || len(frames) == 0 {
		return nil
	}
	if !over && exists(path) {
		a.fail("%s is there already; :save! %s writes over it", path, path)
		return nil
	}
	return func() tea.Msg {
		n, err := writeFrames(t, path, frames)
		return doneMsg{fmt.Sprintf("saved %s to %s", plural(n, "frame", "frames"), path), err}
	}
}

func exists(path string) bool {
	st, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist) && (err != nil || st.Mode().IsRegular() || st.IsDir())
}

func writeFrames(t *tape.Tape, path string, frames []int) (n int, err error) {
	out, err := target.Create(path, nil)
	if err != nil {
		return 0, err
	}
	var line []byte
	for _, i := range frames {
		r, err := t.Record(i)
		if err != nil {
			out.Abort()
			return n, err
		}
		if line = formats.AppendCanonical(line[:0], r); len(line) == 0 {
			continue // a line that can't be read has no place in the form
		}
		n++
		if _, err := out.Write(line); err != nil {
			out.Abort()
			return n, err
		}
	}
	return n, out.Close()
}

// casePrompt asks for the name of a case.
func (a *App) casePrompt(arg string) tea.Cmd {
	f := a.current()
	if f == nil {
		a.say("no finding here to make a case of; ] goes to the next")
		return nil
	}
	if arg != "" {
		return a.makeCase(arg)
	}
	name := strings.ToLower(strings.TrimPrefix(f.Rule, "WRD-RES-"))
	a.prompt = newPrompt("case: ", name, nil, func(a *App, s string) tea.Cmd { return a.makeCase(strings.TrimSpace(s)) })
	return nil
}

func (a *App) makeCase(name string) tea.Cmd {
	f := a.current()
	name = strings.TrimSuffix(name, ".jsonl")
	if f == nil || name == "" {
		return nil
	}
	for _, ext := range []string{".jsonl", ".expect.json"} {
		if exists(name + ext) {
			a.fail("%s is there already; give another name", name+ext)
			return nil
		}
	}
	want, s, o := *f, a.step, &a.o
	frames := slices.Clone(a.tape.SessionFrames(s.Frame))
	a.say("looking for the shortest run of frames that still gives the finding …")
	return func() tea.Msg {
		n, err := writeCase(o, frames, &want, name)
		return doneMsg{fmt.Sprintf("case %s: %s and what they must give; it holds the recorded text as it is", name, plural(n, "frame", "frames")), err}
	}
}
