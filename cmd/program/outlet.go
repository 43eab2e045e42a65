package program

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/alecthomas/kong"
)

// Raw is a command that needs the standard output itself: a terminal that it
// draws on, or a client that speaks a protocol, whose going away is an end.
type Raw interface{ RawOutput() }

func raw(ctx *kong.Context) bool {
	command := ctx.Selected()
	if command == nil {
		return false
	}
	_, is := command.Target.Addr().Interface().(Raw)
	return is
}

// outlet is the standard output of every other command. Its reader may have seen
// enough ("| head"): that is no error, the rest goes nowhere, and the exit code
// and the other reports are those of the whole run.
type outlet struct {
	w      io.Writer
	closed atomic.Bool
}

func (o *outlet) Write(p []byte) (int, error) {
	if o.closed.Load() {
		return len(p), nil
	}
	n, err := o.w.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		o.closed.Store(true)
		return len(p), nil
	}
	return n, err
}

// Fd lets a terminal be told; what is no file has none.
func (o *outlet) Fd() uintptr {
	if f, ok := o.w.(filer); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Stat tells what file the output is, where it is one.
func (o *outlet) Stat() (os.FileInfo, error) {
	if f, ok := o.w.(stater); ok {
		return f.Stat()
	}
	return nil, os.ErrInvalid
}

// stater is what os.File has and a comparison of files needs.
type stater interface{ Stat() (os.FileInfo, error) }

// OneStream reports that standard output and standard error end at the same place,
// a terminal or the log of a job: whoever reads the one reads the other too.
func (w *World) OneStream() bool {
	a, ok := w.Stdout.(stater)
	if !ok {
		return false
	}
	b, ok := w.Stderr.(stater)
	if !ok {
		return false
	}
	x, err := a.Stat()
	if err != nil {
		return false
	}
	y, err := b.Stat()
	return err == nil && os.SameFile(x, y)
}
