package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

// gate is a writer that takes nothing until it is opened.
type gate struct {
	open chan struct{}
	mu   sync.Mutex
	got  bytes.Buffer
	err  error
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

func (g *gate) Write(b []byte) (int, error) {
	<-g.open
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return 0, g.err
	}
	return g.got.Write(b)
}

func settle(t *testing.T, o *outbox) {
	t.Helper()
	o.close()
	select {
	case <-o.done:
	case <-time.After(longest):
		t.Fatal("the outbox does not end")
	}
}

func TestOutboxKeepsOrder(t *testing.T) {
	defer goleak.VerifyNone(t)
	rapid.Check(t, func(rt *rapid.T) {
		r, w, err := os.Pipe()
		if err != nil {
			rt.Fatal(err)
		}
		o := newOutbox(w, 1<<20, func() {})
		var want bytes.Buffer
		var got bytes.Buffer
		read := make(chan struct{})
		go func() {
			defer close(read)
			io.Copy(&got, r)
		}()
		for i := range rapid.IntRange(1, 20).Draw(rt, "messages") {
			n := rapid.SampledFrom([]int{1, 10, 100, 4096, 4097, 65536, copyLimit, copyLimit + 1, 300000}).Draw(rt, "size")
			b := bytes.Repeat([]byte{byte('a' + i%26)}, n)
			want.Write(b)
			if kept := o.put(b); kept != (n > copyLimit) {
				rt.Fatalf("%d bytes: kept %v", n, kept)
			} else if !kept {
				clear(b) // it has been copied
			}
			if rapid.Bool().Draw(rt, "flush") {
				o.flush()
			}
		}
		o.flush()
		o.close()
		<-o.done
		w.Close()
		<-read
		r.Close()
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			rt.Fatalf("%d bytes came out of %d", got.Len(), want.Len())
		}
	})
}

func TestOutboxNeverBlocksWhoPuts(t *testing.T) {
	defer goleak.VerifyNone(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	o := newOutbox(w, 1<<20, func() {})
	line := []byte(strings.Repeat("x", 999) + "\n")
	for range 2000 { // 2 MB into a pipe that nobody reads
		o.put(line)
		o.flush()
	}
	if waiting, taken := o.progress(); waiting < 1<<20 || taken == 0 {
		t.Errorf("%d bytes wait, %d are taken", waiting, taken)
	}
	full := make(chan error, 1)
	go func() { full <- o.room(0) }()
	select {
	case <-full:
		t.Fatal("there is room in a full queue")
	case <-time.After(20 * time.Millisecond):
	}
	go io.Copy(io.Discard, r)
	if err := <-full; err != nil {
		t.Fatal(err)
	}
	settle(t, o)
	w.Close()
}

func TestOutboxHoldsWhatIsNoPiece(t *testing.T) {
	defer goleak.VerifyNone(t)
	g := newGate()
	close(g.open)
	o := newOutbox(g, 100, func() {})
	o.hold()
	o.piece([]byte("big"))
	o.put([]byte("[error]"))
	o.flush()
	o.piece([]byte("ger\n"))
	o.release()
	o.put([]byte("[next]"))
	o.flush()
	settle(t, o)
	if s := g.got.String(); s != "bigger\n[error][next]" {
		t.Errorf("%q", s)
	}
}

func TestOutboxTornFrame(t *testing.T) {
	for framing, want := range map[Framing]string{Newline: "half\n[error]", ContentLength: "half"} {
		g := newGate()
		close(g.open)
		o := newOutbox(g, 100, func() {})
		o.hold()
		o.piece([]byte("half"))
		o.tear(framing)
		o.put([]byte("[error]"))
		o.flush()
		settle(t, o)
		if s := g.got.String(); s != want {
			t.Errorf("%v: %q, want %q", framing, s, want)
		}
	}
}

func TestOutboxTellsOfABrokenPipe(t *testing.T) {
	defer goleak.VerifyNone(t)
	g := newGate()
	g.err = errors.New("broken")
	close(g.open)
	told := make(chan struct{}, 10)
	o := newOutbox(g, 10, func() { told <- struct{}{} })
	for i := range 10 {
		o.put(fmt.Appendf(nil, "message %d", i))
		o.flush()
	}
	<-told
	if err := o.room(0); err == nil {
		t.Error("no error")
	}
	settle(t, o)
	if len(told) > 0 {
		t.Error("told more than once")
	}
}

func TestOutboxDrop(t *testing.T) {
	defer goleak.VerifyNone(t)
	g := newGate()
	o := newOutbox(g, 10, func() {})
	for range 5 {
		o.put(bytes.Repeat([]byte("x"), copyLimit+1))
	}
	o.flush()
	o.drop()
	if err := o.room(0); err != nil {
		t.Error(err)
	}
	close(g.open)
	settle(t, o)
	if g.got.Len() > copyLimit+1 {
		t.Errorf("%d bytes were written", g.got.Len())
	}
}
