package program

import (
	"bytes"
	"io/fs"
	"syscall"
	"testing"
)

// broken is a standard output that its reader has closed.
type broken struct{ n int }

func (b *broken) Write([]byte) (int, error) {
	b.n++
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
}

func TestOutlet(t *testing.T) {
	gone := &broken{}
	o := &outlet{w: gone}
	for range 10 {
		if n, err := o.Write(make([]byte, 100)); n != 100 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	if gone.n != 1 {
		t.Errorf("%d writes to what is closed", gone.n)
	}
	var b bytes.Buffer
	o = &outlet{w: &b}
	if o.Write([]byte("x")); b.String() != "x" || IsTerminal(o) {
		t.Error("it is no plain writer")
	}
	if _, err := o.Stat(); err == nil {
		t.Error("a buffer is no file")
	}
	if _, err := (&outlet{w: full{}}).Write([]byte("x")); err == nil {
		t.Error("a full disk is an error still")
	}
}

// full is a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "full", Err: syscall.ENOSPC}
}
