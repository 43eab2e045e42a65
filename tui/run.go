package tui

import (
	"fmt"
	"io"
	"os"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
)

// terminal is the output of the program, shared by the screen and the
// clipboard: neither writes into the middle of the other.
type terminal struct {
	*os.File
	mu sync.Mutex
}

func (t *terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.File.Write(b)
}

// guarded turns a fault of the stepper into an orderly end: the terminal is
// given back, and the error is one sentence.
type guarded struct {
	a   *App
	err error
}

func (g *guarded) catch(cmd *tea.Cmd) {
	if r := recover(); r != nil {
		g.err = fmt.Errorf("a fault in the stepper (%T); what was decided is in the baseline", r)
		if cmd != nil {
			*cmd = tea.Quit
		}
	}
}

func (g *guarded) Init() tea.Cmd { return g.a.Init() }

func (g *guarded) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	defer g.catch(&cmd)
	m = g
	if g.err != nil {
		return g, tea.Quit
	}
	_, cmd = g.a.Update(msg)
	return g, cmd
}

func (g *guarded) View() (s string) {
	defer g.catch(nil)
	if g.err != nil {
		return ""
	}
	return g.a.View()
}

// Run runs the stepper on a terminal until the reader leaves or interrupt is
// closed. in is read for keys; nil opens the terminal itself, for when standard
// input is the trace.
func Run(o Options, in io.Reader, out *os.File, interrupt <-chan struct{}) error {
	t := &terminal{File: out}
	o.Clipboard = t
	opts := []tea.ProgramOption{tea.WithOutput(t), tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithoutSignalHandler(),
		tea.WithFPS(120)} // at 60 a key waits up to 16 ms for its screen
	if in == nil {
		opts = append(opts, tea.WithInputTTY())
	} else {
		opts = append(opts, tea.WithInput(in))
	}
	g := &guarded{a: New(o)}
	p := tea.NewProgram(g, opts...)
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-interrupt:
			p.Quit()
		case <-done:
		}
	}()
	_, err := p.Run()
	close(done)
	<-gone
	if err == nil {
		err = g.err
	}
	return err
}
