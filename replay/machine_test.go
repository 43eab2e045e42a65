package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/replay"
)

// newConfig is the default configuration, bent by f.
func newConfig(t testing.TB, f func(*replay.Config)) *replay.Config {
	t.Helper()
	cfg := &replay.Config{Rules: ruleset.Builtin()}
	if f != nil {
		f(cfg)
	}
	var err error
	if cfg.Catalog, err = catalog.New(catalog.Options{Rules: cfg.Rules, Coverage: cfg.Coverage}); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// session plays lines into one machine. A line is "c2s FRAME", "s2c FRAME" or
// a bare "FRAME".
type session struct {
	t       testing.TB
	machine *replay.Machine
	examine *replay.Examiner
	n       int
}

func newSession(t testing.TB, cfg *replay.Config) *session {
	return &session{t: t, machine: replay.NewMachine(cfg), examine: replay.NewExaminer(cfg.Catalog, cfg.Coverage)}
}

// told is what one step came to, in a form that reads like its story.
type told struct {
	Dir      string
	Verdict  string
	Bytes    string
	Replies  []string
	Findings []string // RULE action [tool] [#id] [@block]
}

func (s *session) step(line string) told {
	s.t.Helper()
	ev := replay.Event{Place: replay.Place{Frame: s.n}}
	s.n++
	if rest, ok := strings.CutPrefix(line, "c2s "); ok {
		ev.Dir, line = analyze.ClientToServer, rest
	} else if rest, ok := strings.CutPrefix(line, "s2c "); ok {
		ev.Dir, line = analyze.ServerToClient, rest
	}
	var f replay.Frame
	s.examine.Read([]byte(line), &f)
	ev.Frame = &f
	o := s.machine.Step(&ev)
	out := told{Dir: o.Dir.String(), Verdict: o.Verdict.String(), Bytes: string(o.Bytes)}
	for _, r := range o.Replies {
		out.Replies = append(out.Replies, string(r))
	}
	for _, f := range o.Findings {
		what := f.Rule + " " + f.Action.String()
		if f.Tool != "" {
			what += " " + f.Tool
		}
		if f.RPCID != nil {
			what += " #" + string(f.RPCID)
		}
		if f.Block >= 0 {
			what += fmt.Sprintf(" @%d", f.Block)
		}
		out.Findings = append(out.Findings, what)
	}
	return out
}

// code is the code of a JSON-RPC error frame, 0 if it is none.
func code(t testing.TB, frame string) (code int, data map[string]any) {
	t.Helper()
	var e struct {
		Error struct {
			Code int
			Data map[string]any
		}
	}
	if frame == "" {
		return 0, nil
	}
	if err := json.Unmarshal([]byte(frame), &e); err != nil {
		t.Fatalf("%s: %v", frame, err)
	}
	return e.Error.Code, e.Error.Data
}

const (
	call   = `c2s {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}}`
	secret = "sk-abcdefghijklmnopqrst"
)

func text(id, s string) string {
	return `s2c {"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + s + `"}]}}`
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		name    string
		cfg     func(*replay.Config)
		result  string
		verdict string
		actions []string
		rule    string // named on the wire
		bytes   string // exact, where the frame is edited
	}{
		{name: "clean", result: text("1", "ok"), verdict: "forward"},
		{name: "secret", result: text("1", secret), verdict: "replace", rule: "WRD-RES-SECRET-ECHO",
			actions: []string{"WRD-RES-SECRET-ECHO blocked t #1 @0"}},
		{name: "ansi is stripped in place", result: text("1", `a\u001b[1mb`), verdict: "replace",
			actions: []string{"WRD-RES-ANSI modified t #1 @0"},
			bytes:   `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a[1mb"}],"_meta":{"warden":{"modified":true,"rules":["WRD-RES-ANSI"]}}}}`},
		{name: "error wins over redaction", result: text("1", `\u001b `+secret), verdict: "replace", rule: "WRD-RES-SECRET-ECHO",
			actions: []string{"WRD-RES-ANSI blocked t #1 @0", "WRD-RES-SECRET-ECHO blocked t #1 @0"}},
		{name: "what stripping uncovers blocks", result: text("1", `sk-abcdefghij\u001bklmnopqrst`), verdict: "replace", rule: "WRD-RES-SECRET-ECHO",
			actions: []string{"WRD-RES-ANSI blocked t #1 @0"}},
		{name: "secrets can be redacted", cfg: func(c *replay.Config) { c.Posture.RedactSecretEcho = true },
			result: text("1", `key `+secret+` é`), verdict: "replace", actions: []string{"WRD-RES-SECRET-ECHO modified t #1 @0"},
			bytes: `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"key sk-a…(len=23) é"}],"_meta":{"warden":{"modified":true,"rules":["WRD-RES-SECRET-ECHO"]}}}}`},
		{name: "audit only", cfg: func(c *replay.Config) { c.Posture.AuditOnly = true }, result: text("1", secret), verdict: "forward",
			actions: []string{"WRD-RES-SECRET-ECHO shadowed t #1 @0"}},
		{name: "audit only beats asking for phrases", cfg: func(c *replay.Config) { c.Posture.AuditOnly, c.Posture.BlockInjectPhrase = true, true },
			result: text("1", "you are now"), verdict: "forward", actions: []string{"WRD-RES-INJECT-PHRASE shadowed t #1 @0"}},
		{name: "opt-out of one rule leaves the others", cfg: func(c *replay.Config) { c.Posture.NoBlockANSI = true },
			result: text("1", `\u001b `+secret), verdict: "replace", rule: "WRD-RES-SECRET-ECHO",
			actions: []string{"WRD-RES-ANSI shadowed t #1 @0", "WRD-RES-SECRET-ECHO blocked t #1 @0"}},
		{name: "opt-out of all", cfg: func(c *replay.Config) { c.Posture.NoBlockAll = true }, result: text("1", `\u001b http://10.0.0.1/`), verdict: "forward",
			actions: []string{"WRD-RES-ANSI shadowed t #1 @0", "WRD-RES-EXFIL-IP-LITERAL shadowed t #1 @0", "WRD-RES-URL passed t #1 @0"}},
		{name: "phrases pass", result: text("1", "you are now"), verdict: "forward", actions: []string{"WRD-RES-INJECT-PHRASE passed t #1 @0"}},
		{name: "phrases block when asked", cfg: func(c *replay.Config) { c.Posture.BlockInjectPhrase = true }, result: text("1", "you are now"),
			verdict: "replace", rule: "WRD-RES-INJECT-PHRASE", actions: []string{"WRD-RES-INJECT-PHRASE blocked t #1 @0"}},
		{name: "an edit needs a place for its mark", result: `s2c {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\u0007"}],"_meta":7}}`,
			verdict: "replace", rule: "WRD-RES-ANSI", actions: []string{"WRD-RES-ANSI blocked t #1 @0"}},
		{name: "two _meta", result: `s2c {"jsonrpc":"2.0","id":1,"result":{"_meta":{},"content":[{"type":"text","text":"\u0007"}],"_meta":{}}}`,
			verdict: "replace", rule: "WRD-RES-ANSI", actions: []string{"WRD-RES-ANSI blocked t #1 @0", "WRD-RES-AMBIGUOUS passed t #1"}},
		{name: "an older mark is replaced", result: `s2c {"jsonrpc":"2.0","id":1,"result":{"_meta":{"k":1,"warden":{"x":2}},"content":[{"type":"text","text":"\u0007a"}]}}`,
			verdict: "replace", actions: []string{"WRD-RES-ANSI modified t #1 @0"},
			bytes: `{"jsonrpc":"2.0","id":1,"result":{"_meta":{"k":1,"warden":{"modified":true,"rules":["WRD-RES-ANSI"]}},"content":[{"type":"text","text":"a"}]}}`},
		{name: "an error's text reaches the model too", result: `s2c {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"` + secret + `"}}`,
			verdict: "replace", rule: "WRD-RES-SECRET-ECHO", actions: []string{"WRD-RES-SECRET-ECHO blocked t #1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t, newConfig(t, c.cfg))
			s.step(call)
			got := s.step(c.result)
			if got.Verdict != c.verdict {
				t.Errorf("verdict %s, want %s", got.Verdict, c.verdict)
			}
			if d := cmp.Diff(c.actions, got.Findings); d != "" {
				t.Errorf("findings (-want +got):\n%s", d)
			}
			if c.bytes != "" && got.Bytes != c.bytes {
				t.Errorf("delivered %s\nwant      %s", got.Bytes, c.bytes)
			}
			if c.rule == "" {
				return
			}
			n, data := code(t, got.Bytes)
			if n != -32001 || data["rule"] != c.rule || data["stage"] != "response" || data["warden"] != true || data["tool"] != "t" {
				t.Errorf("the client got %s", got.Bytes)
			}
			if strings.Contains(got.Bytes, secret) {
				t.Errorf("the error holds the secret: %s", got.Bytes)
			}
		})
	}
}

func TestCorrelation(t *testing.T) {
	bare := func(s string) string { return s[len("s2c "):] }
	for _, c := range []struct {
		name  string
		cfg   func(*replay.Config)
		lines []string
		want  []string // findings of the last line
		dir   string   // of the last line
	}{
		{name: "ids compare by value", lines: []string{call, text("1.0", secret)}, want: []string{"WRD-RES-SECRET-ECHO blocked t #1.0 @0"}},
		{name: "a string is no number", cfg: spec, lines: []string{call, text(`"1"`, secret)}},
		{name: "but some client may read it so", lines: []string{call, text(`"1"`, secret)}, want: []string{`WRD-RES-SECRET-ECHO blocked #"1" @0`}},
		{name: "an answer is taken once", cfg: spec, lines: []string{call, text("1", "ok"), text("1", secret)}},
		{name: "other methods pass", lines: []string{`c2s {"jsonrpc":"2.0","id":1,"method":"resources/read"}`, text("1", secret)}},
		{name: "initialize is never read", lines: []string{`c2s {"jsonrpc":"2.0","id":1,"method":"initialize"}`, text("1", secret)}},
		{name: "the client's answers are never read", lines: []string{`s2c {"jsonrpc":"2.0","id":1,"method":"roots/list"}`, "c2s " + bare(text("1", secret))}},
		{name: "the directions have ids of their own", lines: []string{call[4:], `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`, bare(text("1", secret))}, want: []string{"WRD-RES-SECRET-ECHO blocked t #1 @0"}, dir: "s2c"},
		{name: "the nearest request wins", cfg: spec, lines: []string{call[4:], `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}`, bare(text("1", secret))}, dir: "c2s"},
		{name: "but the other is not believed away", lines: []string{call[4:], `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}`, bare(text("1", secret))}, dir: "c2s",
			want: []string{"WRD-RES-SECRET-ECHO blocked t #1 @0"}},
		{name: "a second request replaces the first", lines: []string{call, strings.Replace(call, `"t"`, `"u"`, 1), text("1", secret)},
			want: []string{"WRD-RES-SECRET-ECHO blocked u #1 @0"}},
		{name: "the oldest request is forgotten", cfg: func(c *replay.Config) { c.Coverage, c.MaxInflight = analyze.Spec, 2 },
			lines: []string{call, `c2s {"id":2,"method":"ping"}`, `c2s {"id":3,"method":"ping"}`, text("1", secret)}},
		{name: "progress passes whatever it holds", lines: []string{call, `s2c {"method":"notifications/progress","params":{"message":"` + secret + `"}}`}},
		{name: "progress with a result is a result", lines: []string{call, `s2c {"id":1,"method":"notifications/progress","result":{"content":[{"type":"text","text":"` + secret + `"}]}}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked t #1 @0", "WRD-RES-AMBIGUOUS passed t #1"}},
		{name: "null fits no request", cfg: spec, lines: []string{strings.Replace(call, `"id":1`, `"id":null`, 1), text("null", secret)}},
		{name: "containers are no ids", cfg: spec, lines: []string{strings.Replace(call, `"id":1`, `"id":[1]`, 1), text("[1]", secret)}},
		{name: "a repeated method counts as a call", lines: []string{`c2s {"id":1,"method":"tools/call","method":"ping","params":{"name":"t"}}`, text("1", secret)},
			want: []string{"WRD-RES-SECRET-ECHO blocked t #1 @0"}},
		{name: "a result in another case", lines: []string{call, `s2c {"id":1,"RESULT":{"content":[{"type":"text","text":"` + secret + `"}]}}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked t #1 @0", "WRD-RES-AMBIGUOUS passed t #1"}},
		{name: "an error in another case", lines: []string{call, `s2c {"id":1,"Error":{"code":1,"message":"` + secret + `"}}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked t #1", "WRD-RES-AMBIGUOUS passed t #1"}},
		{name: "a call in another case", lines: []string{`c2s {"id":1,"METHOD":"tools/call","PARAMS":{"name":"t"}}`, text("1", secret)},
			want: []string{"WRD-RES-SECRET-ECHO blocked t #1 @0"}},
		{name: "neither method nor result", lines: []string{`c2s {"jsonrpc":"2.0","id":1}`}, want: []string{"WRD-RES-FRAME-ERROR passed"}},
		{name: "a method beside a result", lines: []string{`c2s {"id":7,"method":"ping","result":{}}`}, want: []string{"WRD-RES-AMBIGUOUS passed #7"}},
		{name: "progress that is a call as well", lines: []string{`c2s {"id":1,"method":"tools/call","method":"notifications/progress","params":{"name":"t"}}`, text("1", secret)},
			want: []string{"WRD-RES-SECRET-ECHO blocked t #1 @0"}},
		{name: "any of two ids counts", lines: []string{call, `s2c {"id":1,"result":{"content":[{"type":"text","text":"` + secret + `"}]},"id":9}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked t #9 @0", "WRD-RES-AMBIGUOUS passed t #9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t, newConfig(t, c.cfg))
			var got told
			for _, l := range c.lines {
				got = s.step(l)
			}
			if d := cmp.Diff(c.want, got.Findings); d != "" {
				t.Errorf("findings (-want +got):\n%s", d)
			}
			if c.dir != "" && got.Dir != c.dir {
				t.Errorf("direction %s, want %s", got.Dir, c.dir)
			}
		})
	}
}

func spec(c *replay.Config) { c.Coverage = analyze.Spec }

func TestTasks(t *testing.T) {
	nested := `{"content":[{"type":"text","text":"` + secret + `"}]}`
	begin := []string{call, `s2c {"id":1,"result":{"task":{"taskId":"T","status":"working"}}}`}
	for _, c := range []struct {
		name  string
		cfg   func(*replay.Config)
		lines []string
		want  []string
		drop  bool
	}{
		{name: "tasks/result", lines: []string{`c2s {"id":2,"method":"tasks/result","params":{"taskId":"T"}}`, `s2c {"id":2,"result":` + nested + `}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked t #2 @0"}},
		{name: "tasks/get", lines: []string{`c2s {"id":2,"method":"tasks/get","params":{"taskId":"T"}}`, `s2c {"id":2,"result":{"status":"completed","result":` + nested + `}}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked t #2 @0"}},
		{name: "tasks/get reads only the tool's part", lines: []string{`c2s {"id":2,"method":"tasks/get","params":{"taskId":"T"}}`, `s2c {"id":2,"result":{"note":"` + secret + `"}}`}},
		{name: "notifications/tasks is dropped", lines: []string{`s2c {"method":"notifications/tasks","params":{"taskId":"T","status":"completed","result":` + nested + `}}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked t @0"}, drop: true},
		{name: "with an id", lines: []string{`s2c {"id":null,"method":"notifications/tasks","params":{"taskId":"T","status":"completed","result":` + nested + `}}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked t #null @0"}, drop: true},
		{name: "in another case", lines: []string{`s2c {"METHOD":"notifications/tasks","PARAMS":{"taskId":"T","status":"completed","result":` + nested + `}}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked t @0", "WRD-RES-AMBIGUOUS passed t"}, drop: true},
		{name: "a result in another case", lines: []string{`s2c {"method":"notifications/tasks","params":{"taskId":"T","status":"completed","Result":` + nested + `}}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked t @0", "WRD-RES-AMBIGUOUS passed t"}, drop: true},
		{name: "behind another method", lines: []string{`s2c {"method":"notifications/tasks","method":"notifications/message","params":{"taskId":"T","result":` + nested + `}}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked t @0", "WRD-RES-AMBIGUOUS passed t"}, drop: true},
		{name: "behind other params", lines: []string{`s2c {"method":"notifications/tasks","params":{"taskId":"T","result":` + nested + `},"params":{}}`},
			want: []string{"WRD-RES-SECRET-ECHO blocked @0", "WRD-RES-AMBIGUOUS passed"}, drop: true},
		{name: "not in spec", cfg: spec, lines: []string{`c2s {"id":2,"method":"tasks/result","params":{"taskId":"T"}}`, `s2c {"id":2,"result":` + nested + `}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t, newConfig(t, c.cfg))
			var got told
			for _, l := range append(begin, c.lines...) {
				got = s.step(l)
			}
			if d := cmp.Diff(c.want, got.Findings); d != "" {
				t.Errorf("findings (-want +got):\n%s", d)
			}
			if c.drop && got.Verdict != "drop" {
				t.Errorf("verdict %s, want drop", got.Verdict)
			}
		})
	}
}

func TestBatch(t *testing.T) {
	s := newSession(t, newConfig(t, nil))
	s.step(`c2s [` + call[4:] + `,{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"u"}}]`)
	got := s.step(`s2c [{"id":1,"result":{"content":[{"type":"text","text":"ok"}]}}, {"id":2,"result":{"content":[{"type":"text","text":"` + secret + `"}]}}, 7]`)
	want := []string{"WRD-RES-SECRET-ECHO blocked u #2 @0", "WRD-RES-FRAME-ERROR passed"}
	if d := cmp.Diff(want, got.Findings); d != "" {
		t.Errorf("findings (-want +got):\n%s", d)
	}
	var elems []json.RawMessage
	if err := json.Unmarshal([]byte(got.Bytes), &elems); err != nil || len(elems) != 3 {
		t.Fatalf("delivered %s (%v)", got.Bytes, err)
	}
	if string(elems[0]) != `{"id":1,"result":{"content":[{"type":"text","text":"ok"}]}}` || string(elems[2]) != "7" {
		t.Errorf("the other elements changed: %s", got.Bytes)
	}
	if n, _ := code(t, string(elems[1])); n != -32001 {
		t.Errorf("the blocked element is %s", elems[1])
	}
}

// TestHugeBatch: what hides behind thousands of elements is judged like the
// first, and replaced in its place.
func TestHugeBatch(t *testing.T) {
	s := newSession(t, newConfig(t, nil))
	s.step(call)
	many := strings.Repeat(`{"method":"x"},`, 10_000)
	poisoned := `{"id":1,"result":{"content":[{"type":"text","text":"` + secret + `"}]}}`
	got := s.step("s2c [" + many + poisoned + "," + many + "7]")
	want := []string{"WRD-RES-SECRET-ECHO blocked t #1 @0", "WRD-RES-FRAME-ERROR passed"}
	if d := cmp.Diff(want, got.Findings); d != "" {
		t.Errorf("findings (-want +got):\n%s", d)
	}
	var elems []json.RawMessage
	if err := json.Unmarshal([]byte(got.Bytes), &elems); err != nil || len(elems) != 20_002 {
		t.Fatalf("%d elements delivered (%v)", len(elems), err)
	}
	if n, _ := code(t, string(elems[10_000])); n != -32001 || string(elems[10_001]) != `{"method":"x"}` {
		t.Errorf("elements %s, %s", elems[10_000], elems[10_001])
	}
}

func TestJunkAroundAMessage(t *testing.T) {
	s := newSession(t, newConfig(t, nil))
	s.step(call)
	got := s.step("s2c log line\r" + text("1", secret)[4:])
	if got.Verdict != "replace" {
		t.Fatalf("a client that cuts at CR would read the secret: %+v", got)
	}
	if n, _ := code(t, got.Bytes); n != -32001 || strings.Contains(got.Bytes, "log line") {
		t.Errorf("a block replaces the whole: %s", got.Bytes)
	}
}

// TestForwardedBytesAreTheInput: what is not decided about passes byte for
// byte, which the machine says by delivering nothing of its own.
func TestForwardedBytesAreTheInput(t *testing.T) {
	s := newSession(t, newConfig(t, nil))
	for _, l := range []string{call, text("1", "ok"), `s2c {"method":"x/unknown","params":[1e999,"\ud800"]}`, "s2c not json", `c2s []`, `s2c 5`} {
		if got := s.step(l); got.Verdict != "forward" || got.Bytes != "" || got.Replies != nil {
			t.Errorf("%s: %+v", l, got)
		}
	}
}

// TestLongNamesAndIds: what is kept of a request is bounded, and still
// correlates.
func TestLongNamesAndIds(t *testing.T) {
	id, tool := `"`+strings.Repeat("i", 100_000)+`"`, strings.Repeat("n", 100_000)
	s := newSession(t, newConfig(t, nil))
	s.step(`c2s {"id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}`)
	got := s.step(text(id, secret))
	if len(got.Findings) != 1 || got.Verdict != "replace" || len(got.Findings[0]) > 110_000 {
		t.Fatalf("%d findings, verdict %s", len(got.Findings), got.Verdict)
	}
	if !bytes.Contains([]byte(got.Bytes), []byte(id)) {
		t.Error("the error does not carry the id as it came")
	}
}
