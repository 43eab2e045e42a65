package formats

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

func drainFuzz(t *testing.T, in []byte, o Options, size int) []seen {
	src, err := Open("x", bytes.NewReader(in), o)
	if err != nil {
		return nil
	}
	switch s := src.(type) {
	case *lineSource:
		s.size, s.hold = size, 1<<20
	case *framedSource:
		s.size = size
	}
	out, _ := drain(t, src)
	for _, r := range out {
		if r.Line < 1 || r.Offset < 0 {
			t.Fatalf("a record at line %d, offset %d", r.Line, r.Offset)
		}
	}
	return out
}

// FuzzOpen reads anything in any way of cutting, and wants the same records.
func FuzzOpen(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte(req1+"\n"+p+res1), uint8(0))
	}
	f.Add([]byte("Content-Length: 36\r\n\r\n"+res1+"x: y\nContent-Length: 9\n\n{"), uint8(7))
	f.Add([]byte("read: "+init0+"\nwrite: "+res1+"\nx\n"), uint8(1))
	f.Add([]byte(`{"session_id":"s","seq":1,"direction":"s2c","raw":`+res1+`,"status":200,"mcp_param_headers":[{"name":"a","value":"b"}]}`+"\n"), uint8(2))
	f.Add([]byte("\xff\xfe{\x00}\x00"), uint8(3))
	f.Fuzz(func(t *testing.T, in []byte, how uint8) {
		if len(in) > 1<<16 {
			return
		}
		o := Options{Dir: analyze.Direction(how % 3)}
		if how&4 != 0 {
			o.MaxFrame = 64
		}
		began := time.Now()
		whole := drainFuzz(t, in, o, chunkLen)
		if took := time.Since(began); took > time.Minute {
			t.Fatalf("%v for %d bytes", took, len(in))
		}
		if d := cmp.Diff(whole, drainFuzz(t, in, o, 5)); d != "" {
			t.Fatalf("(-whole +cut)\n%s", d)
		}
		// what can be written in the canonical form comes back
		for _, r := range whole {
			if r.Kind != KindFrame {
				continue
			}
			line := AppendCanonical(nil, &Record{Frame: []byte(r.Frame), Dir: analyze.ClientToServer, Seq: -1})
			back := drainFuzz(t, line, Options{}, chunkLen)
			if len(back) != 1 || back[0].Frame != r.Frame {
				t.Fatalf("%q came back as %v from %q", r.Frame, brief(back), line)
			}
		}
	})
}

// FuzzLetter holds the scanner against the tree reader: both take the same
// values, and where lines are cut makes no difference to it.
func FuzzLetter(f *testing.F) {
	for _, s := range []string{req1, "[1,2,{}]", "{", `"\ud800"`, "-0.5e+3", "[\n1\n,\n2]", "nul", `{"a":NaN}`, "\"\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, lenient := range []bool{false, true} {
			l := letter{lenient: lenient}
			n, st := l.feed(in)
			if st == stateDone && blank(in[n:]) {
				if _, err := jsonrpc.Decode(in, jsonrpc.DecodeOptions{Lenient: true}); err != nil {
					t.Fatalf("taken, but %v", err)
				}
			} else if _, err := jsonrpc.Decode(in, jsonrpc.DecodeOptions{Lenient: lenient}); err == nil {
				t.Fatalf("not taken (%d at %d), though it is JSON", st, n)
			}
			lines := letter{lenient: lenient}
			at, got := 0, stateMore
			for line := range bytes.Lines(in) {
				var m int
				m, got = lines.feed(line)
				at += m
				if got != stateMore {
					break
				}
			}
			if got != st || at != n {
				t.Fatalf("whole: %d at %d; by lines: %d at %d", st, n, got, at)
			}
		}
	})
}

// FuzzSkim holds the streaming reader against the held one, for any cut.
func FuzzSkim(f *testing.F) {
	f.Add([]byte(`{"direction":"s2c","session":"s","frame":`+res1+`}`), uint8(3))
	f.Add([]byte(`{"a":{"jsonrpc":1},"frame":{"id":1,"method":"x"},"direction":"c2s"}`), uint8(1))
	f.Add([]byte(req1), uint8(9))
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		if bytes.IndexByte(in, '\n') >= 0 || len(in) > 1<<12 {
			return
		}
		d := &lineDecoder{max: 0, form: formLines}
		cut := newSkim(d)
		for i := 0; i < len(in); i += int(step) + 1 {
			cut.write(in[i:min(len(in), i+int(step)+1)])
		}
		whole := newSkim(d)
		whole.write(in)
		a, b := whole.record(1, 0), cut.record(1, 0)
		if d := cmp.Diff(see(a, nil), see(b, nil)); d != "" {
			t.Fatalf("(-whole +cut)\n%s", d)
		}
		// the decoder, with a cap of nothing, knows the same of one good object
		var recs []seen
		d.by.reset()
		if n, st := d.by.feed(in); st != stateDone || !blank(in[n:]) || len(in) == 0 {
			return
		}
		buf := append(make([]byte, 0, len(in)+jsonrpc.Pad), in...)
		d.Decode(&Chunk{Buf: buf, FirstLine: 1}, func(r *Record, m *jsonrpc.Message) { recs = append(recs, see(r, m)) })
		if len(recs) == 1 && recs[0].Kind == KindOverCap && a.Kind == KindOverCap && a.Skim.Has&jsonrpc.Ambiguous == 0 && a.Size == recs[0].Size {
			if a.Dir != recs[0].Dir || string(a.Session) != recs[0].Session || see(a, nil).Skim != recs[0].Skim {
				t.Fatalf("streamed %v, held %v", brief([]seen{see(a, nil)}), brief(recs))
			}
		}
	})
}

// FuzzMerge wants every record of both sides once, in each side's order.
func FuzzMerge(f *testing.F) {
	f.Add([]byte(req1+"\n"+init0), []byte(res1+"\n"+res1))
	f.Add([]byte("x\n[\n1]\n"+res1), []byte("Content-Length: 2\n\n{}"))
	f.Fuzz(func(t *testing.T, c, s []byte) {
		if len(c)+len(s) > 1<<14 {
			return
		}
		var want [3][]string
		var src [3]Source
		for i, in := range [][]byte{nil, c, s} {
			if i == 0 {
				continue
			}
			o := Options{Dir: analyze.Direction(i)}
			var err error
			if src[i], err = Open("x", bytes.NewReader(in), o); err != nil {
				return
			}
			for _, r := range drainFuzz(t, in, o, chunkLen) {
				want[i] = append(want[i], brief([]seen{{Kind: r.Kind, Line: r.Line, Frame: r.Frame, Err: r.Err, Dir: analyze.Direction(i)}})...)
			}
		}
		got, err := drain(t, Merge(src[1], src[2]))
		if err != nil && err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
		var have [3][]string
		for _, r := range got {
			have[r.Dir] = append(have[r.Dir], brief([]seen{{Kind: r.Kind, Line: r.Line, Frame: r.Frame, Err: r.Err, Dir: r.Dir}})...)
		}
		if d := cmp.Diff(want, have); d != "" {
			t.Fatalf("(-want +got)\n%s", d)
		}
	})
}
