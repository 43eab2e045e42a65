package guard

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestEagerReadsAll has what an eager reader reads come fast, slow, and end.
func TestEagerReadsAll(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := ""
	for i := range 300 {
		want += strings.Repeat("x", i)
	}
	go func() {
		for i := range 300 {
			io.WriteString(w, strings.Repeat("x", i))
			switch i % 50 {
			case 20:
				time.Sleep(2 * awake)
			case 30:
				time.Sleep(2 * near)
			}
		}
		w.Close()
	}()
	e := eager(r)
	if _, ok := e.(*eagerReader); !ok {
		t.Fatalf("a pipe is read by a %T", e)
	}
	got, err := io.ReadAll(e)
	if err != nil || string(got) != want {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
	}
}

// TestEagerClosed closes a file that is being waited for.
func TestEagerClosed(t *testing.T) {
	for _, pause := range []time.Duration{awake / 2, 50 * awake} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		e := eager(r).(*eagerReader)
		e.brisk = true // it expects something at once
		time.AfterFunc(pause, func() { r.Close() })
		if _, err := e.Read(make([]byte, 8)); !errors.Is(err, os.ErrClosed) {
			t.Errorf("after %s: %v", pause, err)
		}
		w.Close()
	}
}

func TestEagerIsForPipes(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if e := eager(f); e != io.Reader(f) {
		t.Errorf("a device is read by a %T", e)
	}
}

// TestPace states when a frame is waited for awake.
func TestPace(t *testing.T) {
	var p pace
	if p.expects() {
		t.Error("the first frame is not expected soon")
	}
	p.came(100, near/2)
	if !p.expects() {
		t.Error("after a short wait the next frame is expected soon")
	}
	for _, not := range []func(){
		func() { p.came(100, near) },
		func() { p.came(atomicWrite+1, near/2) },
	} {
		if not(); p.expects() {
			t.Error("after a long wait, or much, it is not")
		}
	}
	rests := func() (n int) {
		p.came(100, 0)
		for !p.expects() {
			n++
		}
		return n
	}
	for range fewMisses - 1 {
		p.missed()
	}
	if n := rests(); n != 0 {
		t.Errorf("few misses are let pass, not answered with a rest of %d", n)
	}
	for want := minRest; want <= maxRest; want *= 2 {
		p.crowded()
		if n := rests(); n != want {
			t.Errorf("rest of %d, want %d", n, want)
		}
	}
	p.crowded()
	if n := rests(); n != maxRest {
		t.Errorf("rest of %d, want at most %d", n, maxRest)
	}
	for range maxRest {
		p.paid()
	}
	for range fewMisses {
		p.missed()
	}
	if n := rests(); n != minRest {
		t.Errorf("rest of %d after much that paid, want %d", n, minRest)
	}
}
