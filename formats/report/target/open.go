package target

import (
	"context"
	"io"
	"io/fs"
	"os"
	"sync"
)

// CreateUntil is Create, but gives up when stop is closed while it waits: the
// opening of a FIFO waits for somebody who reads it. The error is then
// context.Canceled.
func CreateUntil(path string, stdout io.Writer, stop <-chan struct{}) (*File, error) {
	return create(path, stdout, stop)
}

// openDirect opens a target that is written to as it is.
func openDirect(path string, stop <-chan struct{}) (*os.File, error) {
	if stop == nil {
		return os.OpenFile(path, os.O_WRONLY, 0)
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
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
		return nil, &fs.PathError{Op: "open", Path: path, Err: context.Canceled}
	}
}

// temporaries are the files that must not outlive the process under their
// temporary names.
var temporaries struct {
	sync.Mutex
	names map[string]bool
}

func remember(name string) {
	temporaries.Lock()
	defer temporaries.Unlock()
	if temporaries.names == nil {
		temporaries.names = make(map[string]bool)
	}
	temporaries.names[name] = true
}

func forget(name string) {
	temporaries.Lock()
	defer temporaries.Unlock()
	delete(temporaries.names, name)
}

// Sweep removes all temporary files of reports that are neither closed nor
// aborted, for a program that is about to end without doing either. Nothing can
// be written to them any more.
func Sweep() {
	temporaries.Lock()
	defer temporaries.Unlock()
	for name := range temporaries.names {
		os.Remove(name)
	}
	temporaries.names = nil
}
