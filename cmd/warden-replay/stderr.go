package main

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report/safe"
)

// notices writes lines to standard error from a goroutine of its own. Whoever
// reads standard error may be slow or stuck; the session must not wait for it,
// so lines beyond a bound are dropped and counted.
type notices struct {
	w       io.Writer
	lines   chan string
	lost    atomic.Int64
	done    chan struct{}
	mu      sync.RWMutex // guards closed against a late line
	closed  bool
	patient time.Duration
}

func newNotices(w io.Writer) *notices {
	n := &notices{w: w, lines: make(chan string, 4096), done: make(chan struct{}), patient: time.Second}
	go func() {
		defer close(n.done)
		for l := range n.lines {
			io.WriteString(n.w, l)
		}
	}()
	return n
}

// note writes a sentence, made safe for a terminal, as one line.
func (n *notices) note(text string) {
	n.raw(fmt.Sprintf("%s: %s\n", name, safe.String(safe.Limit(text, 1024))))
}

// raw writes a line as it is.
func (n *notices) raw(line string) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if n.closed {
		return
	}
	select {
	case n.lines <- line:
	default:
		n.lost.Add(1)
	}
}

// close waits, but not forever, until the lines are written.
func (n *notices) close() {
	n.mu.Lock()
	n.closed = true
	close(n.lines)
	n.mu.Unlock()
	select {
	case <-n.done:
		if lost := n.lost.Load(); lost > 0 {
			fmt.Fprintf(n.w, "%s: %s dropped: standard error was not read in time\n", name, program.Count(lost, "more line was", "more lines were"))
		}
	case <-time.After(n.patient):
	}
}
