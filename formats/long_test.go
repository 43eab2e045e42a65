package formats

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// filler gives n bytes of text without holding them.
type filler int

func (f *filler) Read(p []byte) (int, error) {
	if *f <= 0 {
		return 0, io.EOF
	}
	n := min(len(p), int(*f))
	for i := range p[:n] {
		p[i] = 'a' + byte(i&15)
	}
	*f -= filler(n)
	return n, nil
}

// A line of any length costs no more than the hold limit, and what surrounds
// it is read as ever.
func TestLongLines(t *testing.T) {
	const long = 64 << 20
	for _, tt := range []struct {
		name, head, tail, want string
		size                   int // of the frame beside the filler
	}{
		{"envelope", `{"direction":"s2c","session":"s","ts":"1970-01-01T00:00:01Z","frame":{"jsonrpc":"2.0","id":7,"result":{"id":9,"x":"`, `"}},"seq":3}`, "over s2c @s (7   %d)", len(`{"jsonrpc":"2.0","id":7,"result":{"id":9,"x":""}}`)},
		{"envelope, direction last", `{"frame":{"jsonrpc":"2.0","result":{"x":["`, `"]},"id":"q"},"direction":"s2c"}`, `over s2c ("q"   %d)`, len(`{"jsonrpc":"2.0","result":{"x":[""]},"id":"q"}`)},
		{"bare", `{"jsonrpc":"2.0","method":"tools/call","frame":{"id":5},"params":{"name":"t","x":"`, `"},"id":7}`, "over (7 tools/call t %d)", len(`{"jsonrpc":"2.0","method":"tools/call","frame":{"id":5},"params":{"name":"t","x":""},"id":7}`)},
		{"bare, jsonrpc last", `{"direction":"s2c","frame":{"x":"`, `"},"id":1,"method":"m","jsonrpc":"2.0"}`, "over (1 m  %d)", len(`{"direction":"s2c","frame":{"x":""},"id":1,"method":"m","jsonrpc":"2.0"}`)},
		{"bytes", `{"direction":"s2c","raw_b64":"`, `"}`, "over s2c (   %d)", long/4*3 - long},
		{"cut", `{"direction":"s2c","frame":{"x":"`, ``, "bad a line of %d bytes that ends inside a JSON value", len(`{"direction":"s2c","frame":{"x":"`)},
		{"junk", ``, ``, "bad a line of %d bytes that is not JSON", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fill := filler(long)
			src, err := Open("x", io.MultiReader(strings.NewReader(req1+"\n"+tt.head), &fill, strings.NewReader(tt.tail+"\n"+res1+"\n")), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := drain(t, src)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 48<<20 {
				t.Errorf("%d MiB allocated", used>>20)
			}
			b := brief(got)
			if len(b) != 3 || b[0] != "1 frame msg "+req1 || b[1] != "2 "+fmt.Sprintf(tt.want, long+tt.size) || b[2] != "3 frame msg "+res1 {
				t.Errorf("got %q", b)
			}
			if n := int64(len(req1) + 1 + len(tt.head) + long + len(tt.tail) + 1); got[2].Offset != n {
				t.Errorf("offset %d, want %d", got[2].Offset, n)
			}
		})
	}
}

// The cap counts the frame, not its line.
func TestCapCountsTheFrame(t *testing.T) {
	for _, n := range []int{len(res1), len(res1) - 1} {
		for _, in := range []string{res1, `{"direction":"s2c","frame":` + res1 + `,"candidate":"` + strings.Repeat("x", 500) + `"}`, "{\n\"direction\":\"s2c\",\n\"frame\":" + res1 + "}"} {
			got, _ := read(t, in+"\n", Options{MaxFrame: max(n, len(res1)-1)})
			last := got[len(got)-1]
			if strings.Contains(in, "\n") {
				continue // joining is bounded by the cap too
			}
			if want := n < len(res1); (last.Kind == KindOverCap) != want || last.Size != int64(len(res1)) {
				t.Errorf("cap %d: %v for %q", n, brief(got), in)
			}
		}
	}
}

// What a header promises is not allocated.
func TestFramedPromises(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	src, err := Open("x", strings.NewReader("Content-Length: 36\r\n\r\n"+res1+"Content-Length: 10737418240\r\n\r\n"+req1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := drain(t, src)
	runtime.ReadMemStats(&after)
	if err != io.ErrUnexpectedEOF || len(got) != 2 || got[1].Kind != KindOverCap || got[1].Size != int64(len(req1)) {
		t.Errorf("%v, %v", brief(got), err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes allocated", used)
	}
}

// A damaged stream gives all that was in front of the damage.
func TestDamagedStream(t *testing.T) {
	src, err := Open("x", io.MultiReader(strings.NewReader(req1+"\n"+res1), iotestErr{}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := drain(t, src)
	if err != io.ErrClosedPipe || len(got) != 2 || !got[1].Msg {
		t.Errorf("%v, %v", brief(got), err)
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestSeqGaps(t *testing.T) {
	line := func(seq, session string) string {
		return `{"direction":"c2s","session":"` + session + `","seq":` + seq + `,"frame":` + req1 + "}\n"
	}
	for _, tt := range []struct {
		in   string
		gaps bool
	}{
		{line("0", "a") + line("1", "a") + line("0", "b") + line("2", "a"), false},
		{line("0", "a") + line("1", "b") + line("2", "a"), false},
		{line("0", "a") + line("2", "a"), true},
		{line("3", "a"), true},
		{req1 + "\n" + res1, false},
	} {
		_, src := read(t, tt.in, Options{})
		if (len(src.Notices()) > 0) != tt.gaps {
			t.Errorf("%s: %q", tt.in, src.Notices())
		}
	}
}

func TestMerge(t *testing.T) {
	rq := func(id, m string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + m + `"}` }
	rs := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }
	nt := func(m string) string { return `{"jsonrpc":"2.0","method":"` + m + `"}` }
	for _, tt := range []struct {
		name     string
		c2s, s2c []string
		want     []string
	}{
		{"calls", []string{rq("0", "initialize"), nt("notifications/initialized"), rq("1", "a"), rq("2", "b")}, []string{rs("0"), rs("2"), rs("1")},
			[]string{rq("0", "initialize"), rs("0"), nt("notifications/initialized"), rq("1", "a"), rq("2", "b"), rs("2"), rs("1")}},
		{"server request", []string{rq("1", "a"), rs("9"), rq("2", "b")}, []string{rq("9", "roots/list"), rs("1"), rs("2")},
			[]string{rq("1", "a"), rq("9", "roots/list"), rs("9"), rs("1"), rq("2", "b"), rs("2")}},
		{"id used again", []string{rq("1", "a"), rq("1", "b")}, []string{rs("1"), rs("1")}, []string{rq("1", "a"), rs("1"), rq("1", "b"), rs("1")}},
		{"no such request", []string{rq("1", "a")}, []string{rs("7"), rs("1")}, []string{rs("7"), rq("1", "a"), rs("1")}},
		{"junk and batch", []string{"[" + rq("1", "a") + "]"}, []string{"hello", "[" + rs("1") + "]"}, []string{"[" + rq("1", "a") + "]", "hello", "[" + rs("1") + "]"}},
		{"answers each other", []string{rs("2"), rq("1", "a")}, []string{rs("1"), rq("2", "b")}, []string{rs("1"), rq("2", "b"), rs("2"), rq("1", "a")}},
		{"one empty", nil, []string{rs("1")}, []string{rs("1")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open := func(lines []string, d analyze.Direction) Source {
				src, err := Open("x", strings.NewReader(strings.Join(lines, "\n")), Options{Dir: d})
				if err != nil {
					t.Fatal(err)
				}
				return src
			}
			got, err := drain(t, Merge(open(tt.c2s, analyze.ClientToServer), open(tt.s2c, analyze.ServerToClient)))
			if err != nil {
				t.Fatal(err)
			}
			var frames []string
			for _, r := range got {
				frames = append(frames, r.Frame)
				side := tt.c2s
				if r.Dir == analyze.ServerToClient {
					side = tt.s2c
				}
				if r.Line < 1 || int(r.Line) > len(side) || side[r.Line-1] != r.Frame {
					t.Errorf("%s is not line %d of %s", r.Frame, r.Line, r.Dir)
				}
			}
			if strings.Join(frames, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(frames, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// The decoder allocates nothing for a line in good order.
func TestNoAllocations(t *testing.T) {
	in := trace(100, 200)
	buf := append(make([]byte, 0, len(in)+jsonrpc.Pad), in...)
	d := &lineDecoder{max: DefaultMaxFrame, form: formLines}
	c := Chunk{Buf: buf, FirstLine: 1}
	n := 0
	visit := func(r *Record, m *jsonrpc.Message) { n++ }
	d.Decode(&c, visit)
	if got := testing.AllocsPerRun(10, func() { d.Decode(&c, visit) }); got > 0 {
		t.Errorf("%v allocations for %d lines", got, n)
	}
}

// Very short lines are cut into chunks of few records, and counted right.
func TestManyShortLines(t *testing.T) {
	var in strings.Builder
	in.WriteString(req1 + "\n")
	for i := range 3*maxLines + 5 {
		if i%3 == 0 {
			in.WriteString("\n")
		}
		in.WriteString("{}\n")
	}
	in.WriteString("[\n" + res1 + "]")
	src, err := Open("x", strings.NewReader(in.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := drain(t, src)
	if err != nil || len(got) != 3*maxLines+7 {
		t.Fatalf("%d records, %v", len(got), err)
	}
	text := in.String()
	lines := strings.Split(text, "\n")
	for i, r := range got {
		if r.Offset < 0 || !strings.HasPrefix(text[r.Offset:], r.Frame) || !strings.HasPrefix(lines[r.Line-1], r.Frame[:1]) {
			t.Fatalf("record %d: %q at line %d, offset %d", i, r.Frame, r.Line, r.Offset)
		}
		if i > 0 && r.Line <= got[i-1].Line {
			t.Fatalf("record %d: line %d after %d", i, r.Line, got[i-1].Line)
		}
	}
	if last := got[len(got)-1]; last.Frame != "[\n"+res1+"]" || int(last.Line) != len(lines)-1 {
		t.Errorf("last: %q at line %d of %d", last.Frame, last.Line, len(lines))
	}
}
