package formats

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// seen is a record as the tests compare it: own memory, no pointers.
type seen struct {
	Kind      Kind
	Flags     Flags
	Dir       analyze.Direction
	TS        int64
	Session   string
	Seq       int64
	Line      int64
	Offset    int64
	Frame     string
	Size      int64
	Candidate string
	HTTP      string
	Skim      string
	Err       string
	Msg       bool
}

func see(r *Record, m *jsonrpc.Message) seen {
	s := seen{r.Kind, r.Flags, r.Dir, r.TS, string(r.Session), r.Seq, r.Line, r.Offset, string(r.Frame), r.Size,
		string(r.Candidate), string(r.HTTP), "", r.Err, m != nil}
	if r.Skim != nil {
		s.Skim = fmt.Sprintf("%s %s %s %d", r.Skim.ID, r.Skim.Method, r.Skim.Name, r.Skim.Size)
	}
	return s
}

// fataler is a testing.TB or a rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// drain reads a source to its end as a driver does, with the stitcher in it.
func drain(t fataler, src Source) ([]seen, error) {
	t.Helper()
	var out []seen
	visit := func(r *Record, m *jsonrpc.Message) { out = append(out, see(r, m)) }
	dec, st := src.NewDecoder(), src.NewStitcher()
	var c Chunk
	for n := 0; ; n++ {
		err := src.Next(&c)
		if err != nil {
			if st != nil {
				st.Close(visit)
			}
			if err == io.EOF {
				err = nil
			}
			return out, err
		}
		if c.Seq != n {
			t.Fatalf("chunk %d says it is %d", n, c.Seq)
		}
		if cap(c.Buf) < len(c.Buf)+jsonrpc.Pad && c.Skim == nil {
			t.Fatalf("chunk %d has no pad", n)
		}
		if st == nil {
			dec.Decode(&c, visit)
			continue
		}
		var recs []Record
		var msgs []bool
		dec.Decode(&c, func(r *Record, m *jsonrpc.Message) { recs, msgs = append(recs, *r), append(msgs, m != nil) })
		st.Chunk(&c, recs, func(i int) {
			s := see(&recs[i], nil)
			s.Msg = msgs[i]
			out = append(out, s)
		}, visit)
	}
}

// read opens and drains a text.
func read(t testing.TB, text string, o Options) ([]seen, Source) {
	t.Helper()
	src, err := Open("test", strings.NewReader(text), o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	out, err := drain(t, src)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return out, src
}

// brief is a record in one line: what matters for tables.
func brief(rs []seen) []string {
	kinds := [...]string{"frame", "over", "bad", "meta", "stderr", "http", "text", "binary"}
	var out []string
	for _, r := range rs {
		s := fmt.Sprintf("%d %s", r.Line, kinds[r.Kind])
		if r.Dir != analyze.Unknown {
			s += " " + r.Dir.String()
		}
		if r.Session != "" {
			s += " @" + r.Session
		}
		if r.Kind == KindBad {
			out = append(out, s+" "+r.Err)
			continue
		}
		if r.Msg {
			s += " msg"
		}
		s += " " + r.Frame
		if r.Skim != "" {
			s += "(" + r.Skim + ")"
		}
		if r.HTTP != "" {
			s += " http=" + r.HTTP
		}
		out = append(out, s)
	}
	return out
}

const (
	req1  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`
	res1  = `{"jsonrpc":"2.0","id":1,"result":{}}`
	res0  = `{"jsonrpc":"2.0","id":0,"result":{}}`
	init0 = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`
)

const (
	errTwo    = "more than one value on the line"
	errLetter = "not JSON by the letter (a bad number, or bytes that are no UTF-8); read leniently"
	errOpen   = "the line ends inside a JSON value"
	errCase   = "a key of the record is spelled in another case, which makes it another key: "
)

func TestForms(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		o        Options
		want     []string
		format   string
	}{
		{name: "canonical", in: `{"direction":"c2s","ts":"2026-01-02T03:04:05.5Z","frame":` + req1 + "}\n" + `{"frame": ` + res1 + ` , "direction" : "s2c"}` + "\r\n",
			want: []string{"1 frame c2s msg " + req1, "2 frame s2c msg " + res1}, format: nameCanonical},
		{name: "bare", in: req1 + "\n\n  \n" + res1, want: []string{"1 frame msg " + req1, "4 frame msg " + res1}, format: nameBare},
		{name: "bare whatever else is there", in: `{"direction":"s2c","frame":{"a":1},"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n",
			want: []string{`1 frame msg {"direction":"s2c","frame":{"a":1},"jsonrpc":"2.0","id":1,"method":"ping"}`}},
		{name: "bare without jsonrpc", in: `{"method":"ping","id":1,"params":{"x":[1,2]}}` + "\n", want: []string{`1 frame msg {"method":"ping","id":1,"params":{"x":[1,2]}}`}},
		{name: "batch", in: "[" + req1 + "]\n", want: []string{"1 frame [" + req1 + "]"}},
		{name: "no message", in: req1 + "\n" + `{"direction":"s2c","frame":"x"}` + "\n" + `{"direction":"s2c","frame":null}` + "\n" + `{"direction":"s2c","frame":[1]}` + "\n3\n",
			want: []string{"1 frame msg " + req1, `2 frame s2c "x"`, "3 frame s2c null", "4 frame s2c [1]", "5 frame 3"}},
		{name: "raw_b64", in: `{"direction":"s2c","raw_b64":"eyJhIjoKMX0="}` + "\n" + `{"direction":"s2c","raw_b64":"anVuaw"}` + "\n" + `{"direction":"s2c","raw_b64":"*"}` + "\n",
			want: []string{"1 frame s2c msg {\"a\":\n1}", "2 frame s2c junk", "3 bad s2c raw_b64 is no base64"}},
		{name: "exec channel", in: `{"direction":"c2s","ts":"2026-01-02T03:04:05Z","text":{"KeepAlive":null}}` + "\n" + `{"direction":"s2c","ts":"2026-01-02T03:04:05Z","binary_b64":"b3V0"}` + "\n" + `{"direction":"s2c","binary_len":12}` + "\n",
			want: []string{`1 text c2s {"KeepAlive":null}`, "2 binary s2c out", "3 binary s2c "}},
		{name: "http", in: `{"direction":"s2c","http":{"status":401}}` + "\n" + `{"direction":"c2s","frame":` + req1 + `,"http":{"method":"POST"}}` + "\n",
			want: []string{`1 http s2c  http={"status":401}`, "2 frame c2s msg " + req1 + ` http={"method":"POST"}`}},
		{name: "meta, session", in: `{"meta":{"warden_trace":1}}` + "\n" + `{"direction":"c2s","session":"a\u0062","frame":` + req1 + "}\n" + `{"direction":"c2s","session":7,"frame":` + req1 + "}\n",
			want: []string{`1 meta {"warden_trace":1}`, "2 frame c2s @ab msg " + req1, "3 frame c2s @7 msg " + req1}},
		{name: "no frame", in: `{"direction":"c2s","frame":` + req1 + "}\n" + `{"direction":"c2s","ts":1}` + "\n", want: []string{"1 frame c2s msg " + req1, "2 bad c2s a record without a frame"}},
		{name: "frame and raw_b64", in: `{"direction":"c2s","raw_b64":"e30=","frame":` + req1 + "}\n" + req1 + "\n",
			want: []string{"1 bad a member of the record stands twice: raw_b64", "1 frame c2s msg {}", "1 frame c2s msg " + req1, "2 frame msg " + req1}},
		{name: "twice", in: `{"direction":"c2s","direction":"s2c","candidate":1,"candidate":2,"frame":` + res1 + "}\n" + `{"dir":"c2s","direction":"c2s","frame":` + req1 + "}\n",
			want: []string{"1 bad a member of the record stands twice: direction, candidate", "1 frame s2c msg " + res1, "2 bad a member of the record stands twice: direction", "2 frame c2s msg " + req1}},
		{name: "three frames", in: `{"direction":"c2s","frame":` + req1 + `,"fr\u0061me":"x","frame":` + res1 + "}\n",
			want: []string{"1 bad a member of the record stands twice: frame", "1 frame c2s msg " + req1, `1 frame c2s "x"`, "1 frame c2s msg " + res1}},
		{name: "another case", in: req1 + "\n" + `{"Direction":"s2c","Frame":` + res1 + "}\n" + `{"direction":"s2c","FRAME":` + res1 + "}\n" + `{"Direction":"s2c","frame":` + res1 + "}\n" + `{"jsonrpc":"2.0","id":1,"method":"ping","Frame":{}}` + "\n",
			want: []string{"1 frame msg " + req1, "2 bad " + errCase + "direction, frame", "3 bad " + errCase + "frame", "3 bad s2c a record without a frame", "4 bad " + errCase + "direction", "4 frame msg " + res1, `5 frame msg {"jsonrpc":"2.0","id":1,"method":"ping","Frame":{}}`}},
		{name: "two frames", in: `{"direction":"c2s","frame":` + req1 + `,"frame":` + res1 + "}\n",
			want: []string{"1 bad a member of the record stands twice: frame", "1 frame c2s msg " + req1, "1 frame c2s msg " + res1}},
		{name: "escaped keys", in: `{"\u0064irection":"c2s","fram\u0065":` + req1 + "}\n" + req1 + "\n", want: []string{"1 frame c2s msg " + req1, "2 frame msg " + req1}},
		{name: "aliases", in: `{"dir":"client_to_server","timestamp":1767225600,"message":` + req1 + "}\n" + `{"direction":"fromAgent","t":1,"payload":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"}` + "\n" +
			`{"_meta":{"dir":"s2c"},"msg":` + res1 + "}\n" + `{"id":"x","data":{"note":1},"body":` + res1 + `,"dir":"res"}` + "\n",
			want: []string{"1 frame c2s msg " + req1, "2 frame s2c msg " + res1, "3 frame s2c msg " + res1, "4 frame msg " + res1}, format: nameAlias},
		{name: "relative to a client", in: `{"direction":"SEND","payload":` + init0 + "}\n" + `{"direction":"RECEIVE","payload":` + res1 + "}\n",
			want: []string{"1 frame c2s msg " + init0, "2 frame s2c msg " + res1}},
		{name: "relative to a server", in: `{"direction":"in","payload":` + init0 + "}\n" + `{"direction":"out","payload":` + res0 + "}\n",
			want: []string{"1 frame c2s msg " + init0, "2 frame s2c msg " + res0}},
		{name: "relative, told", in: `{"direction":"in","payload":` + req1 + "}\n", o: Options{Perspective: "client"}, want: []string{"1 frame s2c msg " + req1}},
		{name: "relative, unknown", in: `{"direction":"in","payload":` + req1 + "}\n", want: []string{"1 frame msg " + req1}},
		{name: "two on a line", in: req1 + res1 + "\n" + req1 + " " + res1 + " x" + res1 + "\n",
			want: []string{"1 frame msg " + req1, "1 bad " + errTwo, "1 frame msg " + res1, "2 frame msg " + req1, "2 bad " + errTwo, "2 frame msg " + res1, "2 bad not JSON", "2 frame msg " + res1}},
		{name: "resynchronised", in: req1 + "\n" + `{"jsonrpc":"2.0","id":1,"resu` + res1 + "\n" + `nonsense {} ` + res1 + "\n",
			want: []string{"1 frame msg " + req1, "2 bad not JSON", "2 frame msg " + res1, "3 bad not JSON", "3 frame msg " + res1}},
		{name: "NaN", in: `{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{"x":NaN,"y":-Infinity}}}` + "\n",
			want: []string{"1 bad " + errLetter, `1 frame s2c {"jsonrpc":"2.0","id":1,"result":{"x":NaN,"y":-Infinity}}`}},
		{name: "bad UTF-8", in: "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"\xff\"}}\n",
			want: []string{"1 bad " + errLetter, "1 frame {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"\xff\"}}"}},
		{name: "cut at the end", in: req1 + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"conte`, want: []string{"1 frame msg " + req1, "2 bad not JSON"}},
		{name: "cut between tokens", in: req1 + "\n" + `{"jsonrpc":"2.0","id":1,`, want: []string{"1 frame msg " + req1, "2 bad " + errOpen}},
		{name: "captured", in: "starting up\n" + res1 + "\n[INFO] x\n" + res1 + "\n", want: []string{"1 frame starting up", "2 frame msg " + res1, "3 frame [INFO] x", "4 frame msg " + res1}, format: "captured stdio"},
		{name: "not captured", in: "starting up\n" + req1 + "\n[INFO] x\n" + res1 + "\n", want: []string{"1 bad not JSON", "2 frame msg " + req1, "3 bad not JSON", "4 frame msg " + res1}, format: nameBare},
		{name: "captured, told", in: "junk " + req1 + "\r\n" + req1 + res1 + "\n{\"a\n" + req1, o: Options{Dir: analyze.ServerToClient},
			want: []string{"1 frame s2c junk " + req1, "2 frame s2c " + req1 + res1, `3 frame s2c {"a`, "4 frame s2c msg " + req1}},
		{name: "go-sdk client", in: "write: " + init0 + "\nread: " + res1 + "\nread error: EOF\nwrite: {\n",
			want: []string{"1 frame c2s msg " + init0, "2 frame s2c msg " + res1, "3 stderr read error: EOF", "4 bad not JSON after read: or write:"}, format: "go-sdk log"},
		{name: "go-sdk server", in: "read: " + init0 + "\nwrite: " + res0 + "\n", want: []string{"1 frame c2s msg " + init0, "2 frame s2c msg " + res0}},
		{name: "go-sdk told", in: "read: " + req1 + "\n", o: Options{Perspective: "server"}, want: []string{"1 frame c2s msg " + req1}},
		{name: "pretty", in: "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"method\": \"ping\"\n}\n" + req1 + "\n[\n" + req1 + ",\n" + res1 + "\n]\n",
			want: []string{"1 frame msg {\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"method\": \"ping\"\n}", "6 frame msg " + req1, "7 frame [\n" + req1 + ",\n" + res1 + "\n]"}},
		{name: "pretty envelope", in: "{\n\"direction\": \"s2c\",\n\"frame\":\n" + res1 + "}\n" + "{\n\"direction\": \"s2c\",\n\"frame\": {\n\"id\":1,\"result\":{}}} {\n\"direction\":\"c2s\",\"frame\":{}}\n",
			want: []string{"1 frame s2c msg " + res1, "5 frame s2c msg {\n\"id\":1,\"result\":{}}", "8 bad " + errTwo, "8 bad " + errOpen, "9 bad not JSON"}},
		{name: "no join over a frame", in: req1 + "\n{\"x\":\n" + res1 + "\n}\n", want: []string{"1 frame msg " + req1, "2 bad " + errOpen, "3 frame msg " + res1, "4 bad not JSON"}},
		{name: "BOM", in: "\xef\xbb\xbf" + req1 + "\n", want: []string{"1 frame msg " + req1}},
		{name: "UTF-16", in: "\xff\xfe" + utf16le(req1+"\n"+res1+"\n"), want: []string{"1 frame msg " + req1, "2 frame msg " + res1}},
		{name: "line separators inside", in: "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\u2028\u0085\"}}\n", want: []string{"1 frame msg {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\u2028\u0085\"}}"}},
		{name: "over the cap", in: `{"direction":"c2s","frame":` + req1 + "}\n" + res1 + "\n", o: Options{MaxFrame: 40},
			want: []string{fmt.Sprintf("1 over c2s (1 tools/call t %d)", len(req1)), "2 frame msg " + res1}},
		{name: "over the cap, recorded", in: `{"direction":"s2c","over_cap":{"size":99,"id":7,"result":true},"truncated":true}` + "\n", want: []string{"1 over s2c (7   99)"}},
		{name: "mcpsnoop", in: `{"session_id":"s","server_label":"x","seq":0,"ts":"2026-08-01T10:00:00.123Z","direction":"meta","transport":"stdio","raw":{"command":["n"]}}` + "\n" +
			`{"session_id":"s","seq":1,"direction":"c2s","raw":` + req1 + "}\n" + `{"session_id":"s","seq":2,"direction":"stderr","text":"a\nb"}` + "\n" +
			`{"session_id":"s","seq":4,"direction":"s2c","raw":` + res1 + `,"status":200,"conn_id":"c1","mcp_method":"ping"}` + "\n" + `{"session_id":"s","seq":5,"direction":"s2c","text":"oops"}` + "\n" +
			`{"session_id":"s","seq":6,"direction":"s2c","status":202}` + "\n",
			want: []string{`1 meta @s {"command":["n"]}`, "2 frame c2s @s msg " + req1, "3 stderr @s a\nb",
				"4 frame s2c @s/c1 msg " + res1 + ` http={"status":200,"headers":{"Mcp-Method":"ping"}}`, "5 frame s2c @s oops", `6 http s2c @s  http={"status":202}`}, format: "mcpsnoop session"},
		{name: "framed", in: "Content-Length: 36\r\n\r\n" + res1 + "content-type: x\ncontent-LENGTH:36\n\n" + res1, want: []string{"3 frame msg " + res1, "6 frame msg " + res1}, format: "Content-Length framing"},
		{name: "framed, damaged", in: "Content-Length: 36\r\n\r\n" + res1 + "\r\nnoise\nContent-Length: x\n\nContent-Length: 36\n\n" + res1 + "Content-Length: 99\r\n\r\n{\"a\":1",
			want: []string{"3 frame msg " + res1, "4 bad not a header of a message", "5 bad a header block without a Content-Length that can be read", "9 frame msg " + res1, "11 bad the stream ends inside a message: 6 of 99 bytes", `11 frame {"a":1`}},
		{name: "framed, half a header", in: "Content-Length: 36\r\n\r\n" + res1 + "Content-Le", want: []string{"3 frame msg " + res1, "3 bad the stream ends inside a header block"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, src := read(t, tt.in, tt.o)
			if d := cmp.Diff(tt.want, brief(got)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if tt.format != "" && src.Format() != tt.format {
				t.Errorf("format %q, want %q", src.Format(), tt.format)
			}
		})
	}
}

func utf16le(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}
