package verify

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/allowlist"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func config(t testing.TB, cov analyze.Coverage) *replay.Config {
	t.Helper()
	c, err := catalog.New(catalog.Options{Rules: ruleset.Builtin(), Coverage: cov})
	if err != nil {
		t.Fatal(err)
	}
	return &replay.Config{Coverage: cov, Rules: ruleset.Builtin(), Catalog: c}
}

// trace is a recording that a test writes line by line.
type trace struct{ bytes.Buffer }

func (b *trace) add(dir, frame string, more ...string) *trace {
	fmt.Fprintf(b, `{"direction":%q,"frame":%s%s}`+"\n", dir, frame, strings.Join(more, ""))
	return b
}

func (b *trace) raw(dir, body string) *trace {
	fmt.Fprintf(b, `{"direction":%q,"raw_b64":%q}`+"\n", dir, base64.StdEncoding.EncodeToString([]byte(body)))
	return b
}

// told keeps what a run says.
type told struct {
	sessions []Session
	problems []string
}

func (r *told) Problem(p *report.Problem) error {
	r.problems = append(r.problems, p.Message)
	return nil
}
func (r *told) Finding(*analyze.Finding) error { return nil }
func (r *told) Trace(*report.Trace) error      { return nil }
func (r *told) Close(*report.Summary) error    { return nil }
func (r *told) Abort()                         {}

func run(t testing.TB, o Options, traces ...string) *told {
	t.Helper()
	r := &told{}
	o.Formats.MaxFrame = o.Config.MaxFrame
	inputs := func() iter.Seq2[*formats.Input, error] {
		return func(yield func(*formats.Input, error) bool) {
			for i, s := range traces {
				if !yield(&formats.Input{Name: fmt.Sprintf("t%d.jsonl", i), R: strings.NewReader(s), Size: int64(len(s)), Explicit: true}, nil) {
					return
				}
			}
		}
	}
	err := Run(inputs, o, r, func(s *Session) error { r.sessions = append(r.sessions, *s); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	hello   = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	welcome = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`
	fetch   = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fetch","arguments":{"u":"x"}}}`
	hosts   = `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"see https://webhook.site/abc"}]}}`
	escapes = `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a\u001b[2Jb"}],"n":1.50e2}}`
	fine    = `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"plain"}],"n":1.50e2}}`
)

// rich is a session with what is hard about sessions.
func rich() *trace {
	var b trace
	b.add("c2s", hello).add("s2c", welcome)
	b.add("c2s", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	b.add("c2s", fetch).add("s2c", hosts)
	b.add("c2s", fetch).add("s2c", escapes)
	b.add("c2s", `[{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"b"}}]`)
	b.add("s2c", `[{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"http://169.254.169.254/"}]}},`+fine+`, 7 ]`)
	b.raw("s2c", "{\"jsonrpc\":\"2.0\",\n \"id\":4,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"sk-proj-\n\"}]}}")
	b.raw("s2c", "listening on port 7\r")
	b.raw("c2s", `{"jsonrpc":"2.0","id":9,"method":"ping"} trailing`)
	b.raw("s2c", "\xff\xfe\x00")
	b.add("s2c", `{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[]}}`)
	b.add("c2s", `{"jsonrpc":"2.0","id":"s1","result":{"model":"m","role":"assistant","content":{"type":"text","text":"x"}}}`)
	b.add("c2s", fetch).add("s2c", strings.Replace(fine, "plain", strings.Repeat("é", 40_000), 1))
	return &b
}

func agree(t *testing.T, r *told, n int) {
	t.Helper()
	if len(r.sessions) != n {
		t.Fatalf("%d sessions were told, want %d: %+v", len(r.sessions), n, r.sessions)
	}
	for _, s := range r.sessions {
		if s.Verdict != Agree {
			t.Errorf("%s %q: %s %s %+v", s.Trace, s.Session, s.Verdict, s.Why, s.Diff)
		}
	}
}

func TestAgree(t *testing.T) {
	for _, cov := range []analyze.Coverage{analyze.Full, analyze.Spec} {
		r := run(t, Options{Config: config(t, cov), Seed: 1}, rich().String())
		agree(t, r, 1)
		s := r.sessions[0]
		if s.Frames != 17 || s.Findings < 5 || s.Setups != 8 {
			t.Errorf("%s: %+v", cov, s)
		}
		if s.Skipped != 4 { // one frame holds a line feed, in four setups of lines
			t.Errorf("%s: %d plays skipped, want 4", cov, s.Skipped)
		}
	}
}

// What a guard's peers get is compared even where the posture changes it.
func TestPostures(t *testing.T) {
	for _, p := range []replay.Posture{{AuditOnly: true}, {NoBlockANSI: true}, {RedactSecretEcho: true}, {NoBlockAll: true}} {
		cfg := config(t, analyze.Full)
		cfg.Posture = p
		agree(t, run(t, Options{Config: cfg, Seed: 7}, rich().String()), 1)
	}
}

func TestServerFirst(t *testing.T) {
	for _, cov := range []analyze.Coverage{analyze.Full, analyze.Spec} {
		var b trace
		b.raw("s2c", "Content-Length: no header, a line of a server that logs to standard output")
		b.raw("c2s", "Content-Type: nor this")
		b.add("c2s", hello).add("s2c", welcome)
		agree(t, run(t, Options{Config: config(t, cov), Seed: 3}, b.String()), 1)
	}
}

func TestOverCap(t *testing.T) {
	cfg := config(t, analyze.Full)
	cfg.MaxFrame = 2000
	long := strings.Repeat("y", 3000)
	var b trace
	b.add("c2s", hello).add("s2c", welcome)
	b.add("c2s", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fetch","arguments":{"u":"`+long+`"}}}`)
	b.add("s2c", `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"`+long+`"}]}}`)
	b.add("c2s", fetch).add("s2c", hosts)
	// Right at the cap.
	at := `{"jsonrpc":"2.0","id":5,"method":"x","params":{"p":""}}`
	b.add("c2s", strings.Replace(at, `""`, `"`+strings.Repeat("z", 2000-len(at))+`"`, 1))
	r := run(t, Options{Config: cfg, Seed: 1}, b.String())
	agree(t, r, 1)
	if r.sessions[0].Frames != 7 {
		t.Errorf("%d frames played, want 7", r.sessions[0].Frames)
	}
}

const allowFetch = `{"version":"1.0.0","posture":"default-deny","tools":{"fetch":{"action":"ENFORCE","argsSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false,"properties":{"u":{"type":"string","pattern":"^[a-z]{1,3}$","maxLength":3}},"required":["u"]}}}}`

// An allow-list refuses requests: the answer goes to the client alone.
func TestDenials(t *testing.T) {
	cfg := config(t, analyze.Full)
	p, err := allowlist.Load("allow.json", []byte(allowFetch), allowlist.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Allow, cfg.MaxFrame = p, 2000
	b := rich()
	b.add("c2s", strings.Replace(fetch, `"x"`, `"much too long"`, 1))
	b.add("c2s", strings.Replace(fetch, `"x"`, `"`+strings.Repeat("x", 3000)+`"`, 1))
	agree(t, run(t, Options{Config: cfg, Seed: 1}, b.String()), 1)
}

// Sessions that follow each other on one stream, and many side by side, more
// than are played at once.
func TestManySessions(t *testing.T) {
	var b trace
	for range 3 {
		b.add("c2s", hello).add("s2c", welcome).add("c2s", fetch).add("s2c", hosts)
	}
	for i := range 10 {
		b.add("c2s", hello, fmt.Sprintf(`,"session":"k%d"`, i))
	}
	for i := range 10 {
		b.add("s2c", welcome, fmt.Sprintf(`,"session":"k%d"`, i))
	}
	r := run(t, Options{Config: config(t, analyze.Full), Seed: 1}, b.String(), b.String())
	agree(t, r, 26)
	seen := map[string]int{}
	for _, s := range r.sessions {
		seen[s.Trace+s.Session]++
	}
	if len(seen) != 26 {
		t.Errorf("sessions were told twice or not at all: %v", seen)
	}
}

func TestNotVerified(t *testing.T) {
	for _, c := range []struct{ line, why string }{
		{`{"direction":"c2s","text":{"type":"hello"}}`, whyExec},
		{`{"direction":"s2c","frame":` + welcome + `,"truncated":true}`, whyLacking},
		{`{"direction":"s2c","frame":` + welcome + `,"elided":true}`, whyLacking},
		{`{"direction":"s2c","frame":` + welcome + `,"synthetic":true}`, whyFidelity},
	} {
		r := run(t, Options{Config: config(t, analyze.Full)}, `{"direction":"c2s","frame":`+hello+"}\n"+c.line+"\n")
		if len(r.sessions) != 1 || r.sessions[0].Verdict != NotVerified || r.sessions[0].Why != c.why {
			t.Errorf("%s: %+v", c.line, r.sessions)
		}
	}
}

func TestHTTPIsLeftOut(t *testing.T) {
	var b trace
	b.add("c2s", hello, `,"http":{"method":"POST","url":"http://h/mcp"}`)
	b.add("s2c", welcome, `,"http":{"status":200}`)
	b.WriteString(`{"direction":"s2c","http":{"status":202}}` + "\n")
	r := run(t, Options{Config: config(t, analyze.Full)}, b.String())
	agree(t, r, 1)
	if l := r.sessions[0].LeftOut; len(l) != 1 || l[0] != (LeftOut{leftHTTP, 3}) || r.sessions[0].Frames != 2 {
		t.Errorf("%+v", r.sessions[0])
	}
}

func TestInterrupted(t *testing.T) {
	stop := make(chan struct{})
	var b trace
	for range 2000 {
		b.add("c2s", hello).add("s2c", welcome)
	}
	o := Options{Config: config(t, analyze.Full), Interrupt: stop}
	frames := 0
	o.faults.to = func(w io.Writer) io.Writer {
		return writerFunc(func(p []byte) (int, error) {
			if frames++; frames == 100 {
				close(stop)
			}
			return w.Write(p)
		})
	}
	o.OnlySetup = "newline/4096"
	r := run(t, o, b.String())
	for _, s := range r.sessions {
		if s.Verdict == Differ {
			t.Fatalf("an interrupt is no difference: %+v", s)
		}
	}
	if n := len(r.sessions); n > 0 && r.sessions[n-1].Verdict != NotVerified {
		t.Errorf("the last session: %+v", r.sessions[n-1])
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
