package formats

import (
	"errors"
	"io"
	"os"
)

// ErrInterrupted is what a read or an open that waits ends with when
// Options.Interrupt is closed. What had come before has been handed out.
var ErrInterrupted = errors.New("interrupted")

// interruptLen is how much an interruptible reader asks for at a time.
const interruptLen = 64 << 10

// interruptible makes Read give up once stop is closed, also in the middle of
// waiting for a terminal, a pipe or a FIFO. Not every such read can be called
// off, so each is a goroutine of its own with a buffer of its own; one that is
// still waiting then is left behind, and ends with its descriptor.
func interruptible(r io.Reader, stop <-chan struct{}) io.Reader {
	if stop == nil || r == nil {
		return r
	}
	return &waiting{r: r, stop: stop, done: make(chan readResult, 1)}
}

type waiting struct {
	r    io.Reader
	stop <-chan struct{}
	done chan readResult
	buf  []byte
	rest []byte // of buf, read and not handed out
	err  error
}

type readResult struct {
	n   int
	err error
}

func (w *waiting) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(w.rest) == 0 && w.err == nil {
		w.wait()
	}
	if len(w.rest) > 0 {
		n := copy(p, w.rest)
		w.rest = w.rest[n:]
		return n, nil
	}
	return 0, w.err
}

func (w *waiting) wait() {
	select {
	case <-w.stop:
		w.err = ErrInterrupted
		return
	default:
	}
	if w.buf == nil {
		w.buf = make([]byte, interruptLen)
	}
	go func(r io.Reader, b []byte) {
		n, err := r.Read(b)
		w.done <- readResult{n, err}
	}(w.r, w.buf)
	select {
	case got := <-w.done:
		w.rest, w.err = w.buf[:got.n], got.err
	case <-w.stop:
		w.err, w.buf = ErrInterrupted, nil
	}
}

// openInput opens path for reading. Opening a FIFO waits until somebody opens
// it for writing; an interrupt ends that.
func openInput(path string, regular bool, stop <-chan struct{}) (*os.File, error) {
	if stop == nil || regular {
		return os.Open(path)
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-stop:
		go func() {
			if o := <-done; o.f != nil {
				o.f.Close()
			}
		}()
		return nil, ErrInterrupted
	}
}
