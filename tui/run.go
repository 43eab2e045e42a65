package tui

import (
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
	p := tea.NewProgram(New(o), opts...)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-interrupt:
			p.Quit()
		case <-done:
		}
	}()
	_, err := p.Run()
	return err
}
