package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// cut is a reader that gives its text in the given pieces.
type cut struct {
	text  []byte
	sizes []int
}

func (c *cut) Read(p []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	n := len(c.text)
	if len(c.sizes) > 0 {
		n, c.sizes = min(n, c.sizes[0]), c.sizes[1:]
	}
	n = copy(p, c.text[:n])
	c.text = c.text[n:]
	return n, nil
}

// read says what a framer makes of a stream: bodies, "over N" for a frame over
// the cap, and how the stream ended. raw is everything that it would forward.
func read(f *framer) (got []string, raw []byte, err error) {
	for {
		u, big, err := f.next()
		if err != nil {
			return got, raw, err
		}
		if big == nil {
			got, raw = append(got, string(u.body)), append(raw, u.raw...)
			if room := cap(u.body) - len(u.body); room < jsonrpc.Pad {
				return got, raw, fmt.Errorf("only %d bytes of padding", room)
			}
			continue
		}
		raw = append(raw, big.head...)
		n := 0
		for last := false; !last; {
			var b []byte
			if b, last, err = big.piece(); err != nil {
				return append(got, fmt.Sprintf("torn after %d", n)), raw, err
			}
			if len(b) > readSize {
				return got, raw, errors.New("a piece is larger than promised")
			}
			n, raw = n+len(b), append(raw, b...)
		}
		got = append(got, fmt.Sprintf("over %d", n))
	}
}

func TestFraming(t *testing.T) {
	const cap = 20
	long := strings.Repeat("x", cap)
	for _, c := range []struct {
		name, in string
		framing  Framing
		want     []string
		partial  bool
	}{
		{"lines", "{1}\n{2}\n", Newline, []string{"{1}", "{2}"}, false},
		{"carriage returns stay", "{1}\r\n\r\n\n{2}\r\n", Newline, []string{"{1}\r", "\r", "", "{2}\r"}, false},
		{"no last line feed", "{1}\n{2}", Newline, []string{"{1}"}, true},
		{"header", "Content-Length: 3\r\n\r\n{1}Content-Length: 2\r\n\r\n{}", ContentLength, []string{"{1}", "{}"}, false},
		{"line feeds alone", "Content-Length: 3\n\n{1}", ContentLength, []string{"{1}"}, false},
		{"other headers first", "X-1: a:b\r\nContent-Type: application/json\r\ncontent-LENGTH:3\r\n\r\n{1}", ContentLength, []string{"{1}"}, false},
		{"other headers last", "CONTENT-LENGTH:\t3 \r\nX: \r\n\r\n{1}", ContentLength, []string{"{1}"}, false},
		{"a body with line feeds", "Content-Length: 4\r\n\r\n{\n1}", ContentLength, []string{"{\n1}"}, false},
		{"an empty body", "Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n1", ContentLength, []string{"", "1"}, false},
		{"twice the same", "Content-Length: 1\r\nContent-Length: 1\r\n\r\n1", ContentLength, []string{"1"}, false},
		{"twice another", "Content-Length: 1\nContent-Length: 2\n\n1\n", Newline, []string{"Content-Length: 1", "Content-Length: 2", "", "1"}, false},
		{"no length", "X: 1\n\n{1}\n", Newline, []string{"X: 1", "", "{1}"}, false},
		{"a negative length", "Content-Length: -1\n\n", Newline, []string{"Content-Length: -1", ""}, false},
		{"a length too long to hold", "Content-Length: 99999999999999999999\n", Newline, []string{"Content-Length: 99999999999999999999"[:0] + "over 37"}, false},
		{"an underscore", "Content_Length: 3\n\n{1}\n", Newline, []string{"Content_Length: 3", "", "{1}"}, false},
		{"a space before the colon", "Content-Length : 3\n", Newline, []string{"Content-Length : 3"}, false},
		{"half a header", "Content-Len", Newline, nil, true},
		{"half a header block", "Content-Length: 3\r\n", Newline, []string{"Content-Length: 3\r"}, false},
		{"half a header later", "Content-Length: 1\n\n1Content-Le", ContentLength, []string{"1"}, true},
		{"half a body", "Content-Length: 5\n\n123", ContentLength, nil, true},
		{"junk between", "Content-Length: 1\n\n1warn [x]\nContent-Length: 1\n\n2", ContentLength, []string{"1", "warn [x]", "2"}, false},
		{"a blank line between", "Content-Length: 1\n\n1\r\nContent-Length: 1\n\n2", ContentLength, []string{"1", "\r", "2"}, false},
		{"at the cap", long + "\n", Newline, []string{long}, false},
		{"over the cap", long + "x\n{1}\n", Newline, []string{"over 22", "{1}"}, false},
		{"over the cap, torn", long + "xy", Newline, []string{"torn after 22"}, true},
		{"at the cap, declared", "Content-Length: 20\n\n" + long, ContentLength, []string{long}, false},
		{"over the cap, declared", "Content-Length: 21\n\n" + long + "xContent-Length: 1\n\n1", ContentLength, []string{"over 21", "1"}, false},
		{"ten gigabytes promised", "Content-Length: 10737418240\n\nabc", ContentLength, []string{"torn after 3"}, true},
		{"nothing", "", Undecided, nil, false},
	} {
		if c.name == "a length too long to hold" || c.name == "half a header block" || strings.HasPrefix(c.name, "twice") ||
			strings.HasPrefix(c.name, "other") || strings.Contains(c.name, "colon") || strings.Contains(c.name, "underscore") ||
			strings.Contains(c.name, "negative") {
			// Their lines are longer than the cap of the others.
			check(t, c.name, c.in, 64, c.framing, unOver(c.want, c.in), c.partial)
			continue
		}
		check(t, c.name, c.in, cap, c.framing, c.want, c.partial)
	}
}

// unOver is want under a cap that the line does not reach.
func unOver(want []string, in string) []string {
	if len(want) == 1 && strings.HasPrefix(want[0], "over ") {
		return []string{strings.TrimSuffix(in, "\n")}
	}
	return want
}

func check(t *testing.T, name, in string, cap int, framing Framing, want []string, partial bool) {
	t.Helper()
	for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
		f := newFramer(r, Undecided, cap)
		got, raw, err := read(f)
		if !slices.Equal(got, want) || errors.Is(err, errPartial) != partial || !partial && err != io.EOF {
			t.Errorf("%s: %q, %v; want %q, partial %v", name, got, err, want, partial)
		}
		if f.framing != framing {
			t.Errorf("%s: framing %v, want %v", name, f.framing, framing)
		}
		if !strings.HasPrefix(in, string(raw)) || !partial && string(raw) != in {
			t.Errorf("%s: forwards %q", name, raw)
		}
	}
}

func TestHeaderBlockLimit(t *testing.T) {
	pad := func(total int) string {
		const last = "\r\nContent-Length: 1\r\n\r\n"
		return "X: " + strings.Repeat("a", total-len(last)-3) + last + "1"
	}
	for total, want := range map[int]Framing{maxHeader: ContentLength, maxHeader + 1: Newline} {
		f := newFramer(iotest.HalfReader(strings.NewReader(pad(total))), Undecided, 1<<20)
		if _, _, err := f.next(); err != nil || f.framing != want {
			t.Errorf("a block of %d bytes: framing %v, %v; want %v", total, f.framing, err, want)
		}
	}
	// A name without an end is given up at the limit too, not waited for.
	r, w := io.Pipe()
	defer r.Close()
	go w.Write(bytes.Repeat([]byte("a"), maxHeader))
	f := newFramer(r, Undecided, 1<<20)
	f.decide()
	if f.framing != Newline {
		t.Errorf("framing %v", f.framing)
	}
}

// A server is read in its client's framing even if it writes in the other.
func TestFramingGiven(t *testing.T) {
	f := newFramer(strings.NewReader("Content-Length: 3\r\n\r\n{1}\n"), Newline, 100)
	if got, _, _ := read(f); !slices.Equal(got, []string{"Content-Length: 3\r", "\r", "{1}"}) {
		t.Errorf("%q", got)
	}
	f = newFramer(strings.NewReader("{1}\nContent-Length: 3\r\n\r\n{2}"), ContentLength, 100)
	if got, _, _ := read(f); !slices.Equal(got, []string{"{1}", "{2}"}) {
		t.Errorf("%q", got)
	}
}

// Wherever a stream is cut, the same frames come out of it and the same bytes
// go on.
func TestCutsMakeNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		framing := rapid.SampledFrom([]Framing{Newline, ContentLength}).Draw(t, "framing")
		max := rapid.IntRange(8, 400).Draw(t, "cap")
		var in []byte
		var want []string
		for range rapid.IntRange(1, 12).Draw(t, "frames") {
			n := rapid.IntRange(1, 600).Draw(t, "size")
			body := []byte("{" + strings.Repeat("y", n-1))
			in = append(in, Wrap(body, framing)...)
			switch {
			case n <= max:
				want = append(want, string(body))
			case framing == Newline:
				want = append(want, fmt.Sprintf("over %d", n+1))
			default:
				want = append(want, fmt.Sprintf("over %d", n))
			}
		}
		sizes := rapid.SliceOfN(rapid.IntRange(1, 700), 0, 200).Draw(t, "cuts")
		got, raw, err := read(newFramer(&cut{in, sizes}, Undecided, max))
		if err != io.EOF || !slices.Equal(got, want) || !bytes.Equal(raw, in) {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
	})
}

// A unit that was taken is never written over.
func TestTakenUnitsStay(t *testing.T) {
	var in []byte
	var want [][]byte
	for i := range 60 {
		b := bytes.Repeat([]byte{byte('a' + i%26)}, 1+i*4000)
		want = append(want, b)
		in = append(append(in, b...), '\n')
	}
	f := newFramer(bytes.NewReader(in), Newline, 1<<20)
	var got [][]byte
	for i := range want {
		u, _, err := f.next()
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			f.take()
			got = append(got, u.body)
		} else {
			got = append(got, bytes.Clone(u.body))
		}
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("frame %d has changed", i)
		}
	}
}

// What a header promises costs nothing.
func TestPromisesAllocateNothing(t *testing.T) {
	allocated := testing.AllocsPerRun(1, func() {
		f := newFramer(strings.NewReader("Content-Length: 8388608\r\n\r\n{"), Undecided, 8<<20)
		f.next()
		if cap(f.buf) > normalSize {
			t.Fatalf("the buffer has %d bytes", cap(f.buf))
		}
	})
	if allocated > 50 {
		t.Errorf("%v allocations", allocated)
	}
}

// After a large frame the buffer shrinks again.
func TestBufferShrinks(t *testing.T) {
	in := append(bytes.Repeat([]byte("x"), 4<<20), '\n')
	for range 40000 {
		in = append(in, "{\"small\":\"a frame of ordinary size, of which there are many\"}\n"...)
	}
	f := newFramer(bytes.NewReader(in), Newline, 8<<20)
	for {
		if _, _, err := f.next(); err != nil {
			break
		}
	}
	if cap(f.buf) > normalSize {
		t.Errorf("the buffer still has %d bytes", cap(f.buf))
	}
}

func FuzzFramer(f *testing.F) {
	f.Add([]byte("Content-Length: 3\r\n\r\n{1}\n\nx\n"), 5, 2)
	f.Add([]byte("{}\r\n[]\nContent-Length: 1\n\n"), 3, 1)
	f.Add([]byte("A: b\ncontent-length:2\n\n{}A"), 100, 7)
	f.Fuzz(func(t *testing.T, in []byte, max, size int) {
		max, size = max&0xffff+1, size&0xff+1
		whole := newFramer(bytes.NewReader(in), Undecided, max)
		got, raw, err := read(whole)
		if err != io.EOF && !errors.Is(err, errPartial) {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(in, raw) || err == io.EOF && len(raw) != len(in) {
			t.Fatalf("forwards %q of %q", raw, in)
		}
		var sizes []int
		for range len(in)/size + 1 {
			sizes = append(sizes, size)
		}
		cutUp := newFramer(&cut{in, sizes}, Undecided, max)
		again, rawAgain, errAgain := read(cutUp)
		if whole.framing != cutUp.framing || !slices.Equal(got, again) || !bytes.Equal(raw, rawAgain) || err != errAgain {
			t.Fatalf("cut in pieces of %d: %q, %v; whole: %q, %v", size, again, errAgain, got, err)
		}
	})
}
