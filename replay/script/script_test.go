package script

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
)

func config(t testing.TB) *replay.Config {
	t.Helper()
	c, err := catalog.New(catalog.Options{Rules: ruleset.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	return &replay.Config{Rules: ruleset.Builtin(), Catalog: c}
}

func load(t testing.TB, text string, o Options) (*Session, error) {
	t.Helper()
	if o.Config == nil {
		o.Config = config(t)
	}
	return Load(func(yield func(*formats.Input, error) bool) {
		yield(&formats.Input{Name: "t.jsonl", R: strings.NewReader(text), Size: -1, Explicit: true}, nil)
	}, o)
}

func TestLoad(t *testing.T) {
	s, err := load(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"direction":"c2s","framing":"content-length","frame":[{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}},{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"u:1"}}]}
{"direction":"s2c","raw_b64":"bm9pc2U="}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"m"}}}
`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Lines) != 5 || s.Passed != 1 || s.Framing != guard.ContentLength {
		t.Fatalf("%d lines, %d passed over, %v", len(s.Lines), s.Passed, s.Framing)
	}
	for i, want := range []struct {
		dir            analyze.Direction
		method, target string
		source         int64
		answer, fail   bool
	}{
		{analyze.ClientToServer, "initialize", "", 1, false, false},
		{analyze.ServerToClient, "", "", 2, true, false},
		{analyze.ClientToServer, "tools/call", "x", 3, false, false},
		{analyze.ClientToServer, "resources/read", "u:1", 3, false, false},
		{analyze.ServerToClient, "", "", 5, true, true},
	} {
		l := &s.Lines[i]
		if l.Dir != want.dir || l.Method != want.method || l.Target != want.target || l.Source != want.source || l.IsAnswer() != want.answer || l.Error != want.fail || l.Number != i {
			t.Errorf("line %d: %+v", i, l)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	two := `{"direction":"c2s","session":"a","frame":{"jsonrpc":"2.0","id":1,"method":"ping"}}
{"direction":"c2s","session":"b\u001b[2J","frame":{"jsonrpc":"2.0","id":1,"method":"ping"}}
`
	b, none := "b\x1b[2J", "c"
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{two, Options{}, `2 sessions: "a", "b\\x1b[2J"`},
		{two, Options{Session: &none}, `no session "c"`},
		{"", Options{}, "no session in it"},
		{two, Options{Session: &b, MaxSize: 100}, "too large"},
		{"what is this\n", Options{}, ""},
	} {
		_, err := load(t, c.text, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
		if err != nil && strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("a raw escape in %q", err)
		}
	}
	if s, err := load(t, two, Options{Session: &b}); err != nil || len(s.Lines) != 1 {
		t.Errorf("the chosen session: %v %v", s, err)
	}
}

func TestKey(t *testing.T) {
	same := []string{`{"a":1,"b":[2]}`, `{ "b":[2], "a":1.0 }`, `{"a":1,"_meta":{"progressToken":7},"b":[2]}`}
	for _, p := range same {
		if got := Key("m", []byte(p)); got != Key("m", []byte(same[0])) {
			t.Errorf("%s: %s", p, got)
		}
	}
	if Key("m", nil) != Key("m", []byte(`{}`)) || Key("m", nil) != Key("m", []byte(`{"_meta":{}}`)) {
		t.Error("no parameters and empty ones are the same")
	}
	for _, p := range []string{`{"a":2,"b":[2]}`, `{"a":1}`, `{"a":"1","b":[2]}`} {
		if Key("m", []byte(p)) == Key("m", []byte(same[0])) {
			t.Errorf("%s is something else", p)
		}
	}
}

// An id is replaced wherever it stands on top; no other byte changes.
func TestWithID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.StringMatching(`[ ]?("k[0-9]":(1\.50|"a\\"b"|\{"id":9\}), ?)?`).Draw(t, "before"), rapid.StringMatching(`( ?,"k[0-9]":\[1, ?\{"id":3\}\])?`).Draw(t, "after")
		raw := fmt.Sprintf(`{%s"id" : "x"%s}`, before, after)
		want := fmt.Sprintf(`{%s"id" : 42%s}`, before, after)
		if got := WithID([]byte(raw), []byte("42")); string(got) != want {
			t.Fatalf("%s\n%s\n%s", raw, got, want)
		}
	})
	if got := WithToken([]byte(`{"params":{"progressToken":1,"progress":1},"progressToken":1}`), []byte(`"t"`)); string(got) != `{"params":{"progressToken":"t","progress":1},"progressToken":1}` {
		t.Errorf("%s", got)
	}
}

func TestOneLine(t *testing.T) {
	raw := []byte("{\r\n \"a\": 1\n}")
	if got := OneLine(raw); string(got) != `{   "a": 1 }` || !bytes.Contains(raw, []byte("\n")) {
		t.Errorf("%q, from %q", got, raw)
	}
}
