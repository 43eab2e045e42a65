package program

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Progress is the bar on stderr: how far, how fast, how long still. Workers add
// to it from any goroutine; it draws at most ten times a second, and not at all
// in the first second, so that a quick run leaves no trace. A nil *Progress
// does nothing.
type Progress struct {
	w     io.Writer
	cols  int
	now   func() time.Time
	start time.Time

	total atomic.Int64 // bytes to read, 0 while unknown
	read  atomic.Int64 // of these, as they lie on disk
	bytes atomic.Int64 // uncompressed

	mu    sync.Mutex
	drawn int // cells of the line on the screen
	stop  chan struct{}
	ended chan struct{}
}

// Times of the bar.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// NewProgress starts a bar, or returns nil where there shall be none: choice is
// nil for neither --progress nor --no-progress, and then a terminal decides.
func (w *World) NewProgress(choice *bool, quiet bool) *Progress {
	show := IsTerminal(w.Stderr) && w.env("TERM") != "dumb" && !quiet
	if choice != nil {
		show = *choice
	}
	if !show {
		return nil
	}
	now := w.Now
	if now == nil {
		now = time.Now
	}
	p := newProgress(w.Stderr, w.Columns(w.Stderr), now)
	go p.loop()
	return p
}

func newProgress(w io.Writer, cols int, now func() time.Time) *Progress {
	return &Progress{w: w, cols: cols, now: now, start: now(), stop: make(chan struct{}), ended: make(chan struct{})}
}

// Expect adds n bytes on disk to what will be read; n < 0 is unknown.
func (p *Progress) Expect(n int64) {
	if p != nil && n > 0 {
		p.total.Add(n)
	}
}

// Read adds n bytes that were read from disk.
func (p *Progress) Read(n int64) {
	if p != nil {
		p.read.Add(n)
	}
}

// Inspected adds n bytes of uncompressed recording that were inspected.
func (p *Progress) Inspected(n int64) {
	if p != nil {
		p.bytes.Add(n)
	}
}

func (p *Progress) loop() {
	defer close(p.ended)
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			p.draw()
		}
	}
}

// Done ends the bar and wipes it from the screen.
func (p *Progress) Done() {
	if p == nil {
		return
	}
	select {
	case <-p.stop:
		return
	default:
	}
	close(p.stop)
	<-p.ended
	p.Wipe()
}

// Wipe takes the bar from the screen, so that other text can be written to
// stderr; the next tick draws it anew.
func (p *Progress) Wipe() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn > 0 {
		io.WriteString(p.w, "\r"+strings.Repeat(" ", p.drawn)+"\r")
		p.drawn = 0
	}
}

func (p *Progress) draw() {
	since := p.now().Sub(p.start)
	if since < progressAfter {
		return
	}
	line := progressLine(p.read.Load(), p.total.Load(), p.bytes.Load(), since, p.cols)
	p.mu.Lock()
	defer p.mu.Unlock()
	pad := max(p.drawn-len(line), 0)
	io.WriteString(p.w, "\r"+line+strings.Repeat(" ", pad))
	p.drawn = len(line)
}

// progressLine is the bar after since, in at most cols-1 cells, all ASCII: a
// full line would wrap on some terminals.
func progressLine(read, total, bytes int64, since time.Duration, cols int) string {
	rate := fmt.Sprintf("%s/s", amount(float64(bytes)/since.Seconds()))
	if total <= 0 || read > total {
		return clip(fmt.Sprintf("%s  %s  %s", amount(float64(bytes)), rate, clock(since)), cols-1)
	}
	part := float64(read) / float64(total)
	left := "--:--"
	if read > 0 {
		left = clock(time.Duration(float64(since) * (1 - part) / part))
	}
	facts := fmt.Sprintf(" %3d%%  %s  %s left", int(part*100), rate, left)
	width := min(cols-1-len(facts)-2, 40)
	if width < 5 {
		return clip(strings.TrimSpace(facts), cols-1)
	}
	full := int(part * float64(width))
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", width-full) + "]" + facts
}

func clip(s string, n int) string { return s[:min(len(s), max(n, 0))] }

// amount is bytes for a person, in units of 1000 as rates are given.
func amount(n float64) string {
	for _, u := range [...]string{"B", "kB", "MB", "GB"} {
		if n < 999.5 {
			if n < 9.95 && u != "B" {
				return fmt.Sprintf("%.1f %s", n, u)
			}
			return fmt.Sprintf("%.0f %s", n, u)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.1f TB", n)
}

// clock is a duration as m:ss or h:mm:ss.
func clock(d time.Duration) string {
	if d > 99*time.Hour {
		return "99:00:00"
	}
	s := int64(d.Round(time.Second) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
