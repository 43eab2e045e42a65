package formats

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones must not depend on the machine

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// pieces are what random streams are made of: good lines of every spelling,
// damaged ones, values over several lines.
var pieces = []string{
	req1 + "\n", res1 + "\n", "\n", " \t\r\n", "\r\n",
	`{"direction":"c2s","ts":"2026-01-02T03:04:05.5Z","frame":` + req1 + "}\n",
	`{ "frame" : ` + res1 + ` ,"session":"s","direction":"s2c", "unknown":[1,{"x":"}"}] }` + "\r\n",
	`{"direction":"s2c","frame":"x"}` + "\n", `{"direction":"s2c","raw_b64":"anVuaw=="}` + "\n", `{"meta":{"warden_trace":1}}` + "\n",
	"{\n", "[\n", "}\n", "]\n", "{\"a\":\n", "\"x\",\n", "{\"a\":[{\n", "}]}\n", "[]\n", "{}\n",
	"{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"method\": \"ping\"\n}\n",
	"{\n \"direction\":\"s2c\",\n \"frame\": {\"jsonrpc\":\"2.0\",\n\"id\":2,\"result\":{}}\n}\n",
	"[\n" + req1 + ",\n" + res1 + "\n]\n", req1 + res1 + "\n", `{"jsonrpc":"2.0","id":1,"resu` + res1 + "\n",
	`{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}` + "\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"\xff\"}}\n",
	"junk\n", "x\\\n", "\"\n", `{"a":"\` + "\n", "\xef\xbb\xbf" + res1 + "\n", `{"jsonrpc":"2.0","id":3,"method":"` + strings.Repeat("m", 300) + "\"}\n",
	`{"direction":"c2s","frame":{"jsonrpc":"2.0","id":3,"method":"` + strings.Repeat("m", 700) + "\"}}\n", `{"\u0064irection":"c2s","frame":{}}` + "\n",
	`{"direction":"c2s","frame":{"jsonrpc":"2.0"},"frame":{"id":1}}` + "\n", `{"direction":"c2s","text":{"a":null}}` + "\n",
}

func genStream(t *rapid.T) string {
	n := rapid.IntRange(0, 25).Draw(t, "n")
	var b strings.Builder
	b.WriteString(req1 + "\n") // so that it is told
	for range n {
		p := rapid.SampledFrom(pieces).Draw(t, "piece")
		if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
			p = p[:rapid.IntRange(0, len(p)).Draw(t, "at")]
		}
		b.WriteString(p)
	}
	return b.String()
}

// Where chunks are cut, and how reads come in, makes no difference.
func TestChunkingMakesNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := genStream(t)
		o := Options{MaxFrame: rapid.SampledFrom([]int{0, 0, 200, 500}).Draw(t, "cap"), Dir: rapid.SampledFrom([]analyze.Direction{0, 0, 1, 2}).Draw(t, "dir")}
		want := drainSize(t, text, o, chunkLen, 1<<20)
		size := rapid.SampledFrom([]int{1, 2, 7, 40, 64, 100, 333, 1000}).Draw(t, "size")
		step := rapid.SampledFrom([]int{1, 3, 50, 1 << 20}).Draw(t, "step")
		if d := cmp.Diff(want, drainSize(t, text, o, size, step)); d != "" {
			t.Fatalf("chunks of %d, reads of %d of %q: (-whole +cut)\n%s", size, step, text, d)
		}
	})
}

// steps gives at most n bytes a read.
type steps struct {
	r io.Reader
	n int
}

func (s *steps) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.n)]) }

func drainSize(t *rapid.T, text string, o Options, size, step int) []seen {
	src, err := Open("x", &steps{strings.NewReader(text), step}, o)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	switch s := src.(type) {
	case *lineSource:
		s.size, s.hold = size, 1<<20
	case *framedSource:
		s.size = size
	}
	out, err := drain(t, src)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return out
}

// genJSON is a JSON value as text, spaced at random.
func genJSON(t *rapid.T, depth int) string {
	sp := func() string { return rapid.SampledFrom([]string{"", "", " ", "\t", "  "}).Draw(t, "space") }
	k := rapid.IntRange(0, 8).Draw(t, "kind")
	if depth == 0 && k > 5 {
		k = 0
	}
	switch k {
	case 0:
		return rapid.SampledFrom([]string{"0", "-1", "1.5e3", "12345678901234567890", "-0.0E-7"}).Draw(t, "num")
	case 1:
		return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word")
	case 2, 3, 4, 5:
		return rapid.SampledFrom([]string{`""`, `"a"`, `"é\u00e9"`, `"\\"`, `"\""`, `"{[}]"`, `"x\ny"`, "\"\u2028\"", `"\ud83d\ude00"`}).Draw(t, "str")
	}
	n := rapid.IntRange(0, 3).Draw(t, "len")
	var parts []string
	for i := range n {
		v := sp() + genJSON(t, depth-1) + sp()
		if k == 6 {
			v = sp() + fmt.Sprintf("\"k%d\"", i) + sp() + ":" + v
		}
		parts = append(parts, v)
	}
	if k == 6 {
		return "{" + sp() + strings.Join(parts, ",") + "}"
	}
	return "[" + sp() + strings.Join(parts, ",") + "]"
}

// The walk on the masks says what a plain reading of the tree says.
func TestFastIsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := []string{}
		add := func(k, v string) { members = append(members, fmt.Sprintf("%q:%s", k, v)) }
		want := seen{Seq: -1, Line: 1}
		if rapid.Bool().Draw(t, "hasDir") {
			d := rapid.SampledFrom([]string{"c2s", "s2c", "client_to_server", "fromAgent", "nonsense"}).Draw(t, "dir")
			add(rapid.SampledFrom([]string{"direction", "dir"}).Draw(t, "dirKey"), `"`+d+`"`)
			want.Dir = map[string]analyze.Direction{"c2s": 1, "client_to_server": 1, "s2c": 2, "fromAgent": 2}[d]
		}
		frame := "{" + fmt.Sprintf(`"jsonrpc":"2.0","id":%d,"result":`, rapid.IntRange(0, 9).Draw(t, "id")) + genJSON(t, 3) + "}"
		want.Frame, want.Size, want.Msg = frame, int64(len(frame)), true
		add("frame", frame)
		if rapid.Bool().Draw(t, "hasTS") {
			ns := rapid.Int64Range(0, 4e18).Draw(t, "ns")
			add("ts", `"`+time.Unix(0, ns).UTC().Format(time.RFC3339Nano)+`"`)
			want.TS = ns
		}
		if rapid.Bool().Draw(t, "hasSession") {
			add("session", `"s1"`)
			want.Session = "s1"
		}
		if rapid.Bool().Draw(t, "hasSeq") {
			want.Seq = rapid.Int64Range(0, 1e12).Draw(t, "seq")
			add("seq", fmt.Sprint(want.Seq))
		}
		if rapid.Bool().Draw(t, "hasCandidate") {
			want.Candidate = genJSON(t, 2)
			add("candidate", want.Candidate)
		}
		if rapid.Bool().Draw(t, "hasMore") {
			add("zzz", genJSON(t, 3))
		}
		if rapid.Bool().Draw(t, "truncated") {
			add("truncated", "true")
			want.Flags |= Truncated
		}
		members = rapid.Permutation(members).Draw(t, "order")
		line := rapid.SampledFrom([]string{"", " "}).Draw(t, "lead") + "{" + strings.Join(members, rapid.SampledFrom([]string{",", ", ", " ,\t"}).Draw(t, "comma")) + "}" + rapid.SampledFrom([]string{"", "\r", "  "}).Draw(t, "trail")
		want.Offset = int64(strings.Index(line, `"frame":`) + len(`"frame":`))
		// the tree agrees that this is the frame
		v, err := jsonrpc.Decode([]byte(line), jsonrpc.DecodeOptions{})
		if err != nil || string(v.Get("frame").Raw) != frame {
			t.Fatalf("bad generator: %v: %s", err, line)
		}
		got := drainSize(t, line+"\n", Options{}, chunkLen, 1<<20)
		if d := cmp.Diff([]seen{want}, got); d != "" {
			t.Fatalf("%s\n%s", line, d)
		}
		// and the slow path says the same
		d := &lineDecoder{max: DefaultMaxFrame, form: formLines}
		buf := append(make([]byte, 0, len(line)+jsonrpc.Pad), line...)
		d.p.Load(buf)
		var slow []seen
		a := len(line) - len(strings.TrimLeft(line, " "))
		d.slow(buf, a, len(buf), 1, 0, func(r *Record, m *jsonrpc.Message) { slow = append(slow, see(r, m)) })
		if d := cmp.Diff(got, slow); d != "" {
			t.Fatalf("%s (-fast +slow)\n%s", line, d)
		}
	})
}

// What AppendCanonical writes, the reader reads back.
func TestCanonicalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Record{Seq: rapid.SampledFrom([]int64{-1, 0, 7}).Draw(t, "seq"), Dir: analyze.Direction(rapid.IntRange(1, 2).Draw(t, "dir")),
			TS: rapid.SampledFrom([]int64{0, 1, 1767225600_123456789, -5}).Draw(t, "ts")}
		r.Kind = rapid.SampledFrom([]Kind{KindFrame, KindFrame, KindFrame, KindOverCap, KindHTTP, KindText, KindBinary, KindMeta}).Draw(t, "kind")
		r.Flags = Flags(rapid.IntRange(0, 255).Draw(t, "flags")) & (Truncated | Elided | Redacted | Synthetic | ContentLength | Batched)
		if s := rapid.SampledFrom([]string{"", "s", "a\"b\n", "é"}).Draw(t, "session"); s != "" {
			r.Session = []byte(s)
		}
		if rapid.Bool().Draw(t, "candidate") {
			r.Candidate = []byte(genJSON(t, 2))
		}
		if r.Kind == KindHTTP || rapid.Bool().Draw(t, "http") {
			r.HTTP = []byte(`{"status":202}`)
		}
		switch r.Kind {
		case KindFrame:
			r.Frame = []byte(rapid.OneOf(
				rapid.SampledFrom([]string{req1, res1, "{\n\"id\":1}", "junk", "", "3", `"{}"`, " {}", "[1]", "{\"a\":NaN}", "{\"a\":\"\xff\"}", "\x1b[2J", `{"a":"\ud800"}`, "{\"a\":1,\r\"b\":2}"}),
				rapid.Custom(func(t *rapid.T) string { return genJSON(t, 3) }),
				rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) }),
			).Draw(t, "frame"))
			r.Size = int64(len(r.Frame))
		case KindOverCap:
			r.Size = 9 << 20
			r.Flags |= Truncated
			r.Skim = &jsonrpc.Skimmer{Size: r.Size, ID: []byte(`"x"`), Method: []byte("tools/call"), Name: []byte("t\x00"), Has: jsonrpc.HasID | jsonrpc.HasMethod | jsonrpc.HasName}
		case KindText:
			r.Frame = []byte(genJSON(t, 2))
			r.Size = int64(len(r.Frame))
		case KindBinary:
			r.Size = 12
			if rapid.Bool().Draw(t, "bytes") {
				r.Frame = []byte("\x00\xffabcdefghij")
			}
		case KindMeta:
			r.Frame = []byte(`{"warden_trace":1}`)
			r.Size, r.Dir = int64(len(r.Frame)), analyze.Unknown
		}
		line := AppendCanonical(nil, &r)
		if bytes.Count(line, lf) != 1 || line[len(line)-1] != '\n' {
			t.Fatalf("not one line: %q", line)
		}
		if _, err := jsonrpc.Decode(line, jsonrpc.DecodeOptions{Lenient: true}); err != nil {
			t.Fatalf("not JSON: %v: %q", err, line)
		}
		want := see(&r, nil)
		got := drainSize(t, string(line), Options{}, chunkLen, 1<<20)
		if len(got) != 1 {
			t.Fatalf("%d records of %q", len(got), line)
		}
		g := got[0]
		g.Line, g.Offset, g.Msg, g.Flags = 0, 0, false, g.Flags&^(RawB64|Embedded)
		if r.Kind == KindMeta {
			want.Seq = g.Seq
		}
		if d := cmp.Diff(want, g); d != "" {
			t.Fatalf("%q\n%s", line, d)
		}
	})
}

func TestParseTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(-9_100_000_000_000_000_000, 9_200_000_000_000_000_000).Draw(t, "ns")
		at := time.Unix(0, ns).In(time.FixedZone("", 60*rapid.IntRange(-23*60, 23*60).Draw(t, "zone")))
		s := at.Format(rapid.SampledFrom([]string{time.RFC3339Nano, "2006-01-02T15:04:05.000000000Z07:00"}).Draw(t, "layout"))
		if got, ok := parseTime([]byte(s), time.UTC); !ok || got != ns {
			t.Fatalf("%s: %d, %v, want %d", s, got, ok, ns)
		}
		// any damage is judged as time.Parse judges it
		b := []byte(s)
		b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = rapid.SampledFrom([]byte("0123456789-:TZ.+ x")).Draw(t, "byte")
		want, err := time.Parse(time.RFC3339Nano, string(b))
		got, ok := parseTime(b, time.UTC)
		if err == nil && want.Year() > 1700 && want.Year() < 2260 && (!ok || got != want.UnixNano()) {
			t.Fatalf("%s: %d, %v, want %d", b, got, ok, want.UnixNano())
		}
	})
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]int64{
		"1767225600": 1767225600e9, "1767225600123": 1767225600123e6, "1767225600123456": 1767225600123456e3, "1767225600123456789": 1767225600123456789,
		"1767225600.25": 1767225600_250000000, "1767225600123.5": 1767225600_123500000, "0": 0, "-1": -1e9,
		"2026-01-01 00:00:00": 1767222000e9, "2026-01-01T00:00:00.5": 1767222000e9 + 5e8, "2026-01-01T00:00:00+0100": 1767222000e9,
	} {
		if got, ok := parseTime([]byte(in), paris); !ok || got != want {
			t.Errorf("%s: %d, %v, want %d", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "x", "NaN", "1e400", "Infinity", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00.Z", "2026-01-01T25:00:00Z", "99999999999999999999", "2026-01-01", "0x10"} {
		if got, ok := parseTime([]byte(in), time.UTC); ok {
			t.Errorf("%s taken as %d", in, got)
		}
	}
}
