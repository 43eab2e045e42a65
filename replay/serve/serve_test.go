package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/script"
)

const recorded = `{"direction":"s2c","frame":{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"up"}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"a"}}}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"s"}}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","method":"notifications/initialized"}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":"r1","method":"roots/list"}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":"r1","result":{"roots":[]}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{"n":1},"_meta":{"progressToken":2}}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fast","arguments":{"n":1}}}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"fast 1"}],"x":1.50}}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":0,"result":{"model":"m"}}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"slow 1"}]}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"fast","arguments":{"n":2}}}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"fast 2"}]}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"lost"}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"given-up"}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}}
`

func session(t testing.TB, text string) *script.Session {
	t.Helper()
	c, err := catalog.New(catalog.Options{Rules: ruleset.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := script.Load(func(yield func(*formats.Input, error) bool) {
		yield(&formats.Input{Name: "t.jsonl", R: strings.NewReader(text), Size: -1, Explicit: true}, nil)
	}, script.Options{Config: &replay.Config{Rules: ruleset.Builtin(), Catalog: c}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// talk gives a server all that its client says, and returns what it said.
func talk(t testing.TB, lines ...string) (*Server, []string) {
	t.Helper()
	s := &Server{Session: session(t, recorded)}
	var out bytes.Buffer
	if err := s.Serve(strings.NewReader(strings.Join(lines, "\n")+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, l := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		if l != "" && !json.Valid([]byte(l)) {
			t.Errorf("no JSON: %s", l)
		}
		said = append(said, l)
	}
	return s, said
}

func TestServe(t *testing.T) {
	for _, c := range []struct {
		name  string
		asked []string
		said  []string // beginnings or whole lines, in order
	}{
		{"other ids and another client", []string{
			`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"clientInfo":{"name":"b"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		}, []string{
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"up"}}`,
			`{"jsonrpc":"2.0","id":"i","result":{"serverInfo":{"name":"s"}}}`,
			`{"jsonrpc":"2.0","id":"r1","method":"roots/list"}`,
		}},
		{"by parameters, in any order", []string{
			`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"arguments":{"n":2},"name":"fast"}}`,
			`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"fast","arguments":{"n":1}}}`,
		}, []string{``, `{"jsonrpc":"2.0","id":10,"result":{"content":[{"type":"text","text":"fast 2"}]}}`,
			`{"jsonrpc":"2.0","id":11,"result":{"content":[{"type":"text","text":"fast 1"}],"x":1.50}}`}},
		{"by order, where the parameters are others", []string{
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fast","arguments":{"n":7}}}`,
		}, []string{``, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"fast 1"}],"x":1.50}}`}},
		{"progress under the live token, a request of the server in between", []string{
			`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow","arguments":{"n":1},"_meta":{"progressToken":"t9"}}}`,
			`{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"no"}}`,
		}, []string{``,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t9","progress":1}}`,
			`{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{}}`,
			`{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"slow 1"}]}}`,
		}},
		{"no progress for who did not ask; the answer waits for the client", []string{
			`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow","arguments":{"n":1}}}`,
		}, []string{``, `{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{}}`}},
		{"cancelled while it waits", []string{
			`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow","arguments":{"n":1}}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`,
			`{"jsonrpc":"2.0","id":0,"result":{}}`,
		}, []string{``, `{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{}}`}},
		{"what was never asked", []string{
			`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"other\u001b[2J"}}`,
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"lost"}}`,
			`{"jsonrpc":"2.0","id":4,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"given-up"}}`,
		}, []string{``,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"warden: the recording has no request of this method"`,
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"warden: the recording has no request of this method about this name"`,
			`{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"warden: the recording ends before the answer`,
			`{"jsonrpc":"2.0","id":4,"result":{}}`,
		}},
		{"a call is answered as often as it was recorded", []string{
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow2"}}`,
			`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"clientInfo":{"name":"a"}}}`,
			`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"clientInfo":{"name":"a"}}}`,
		}, []string{``, `{"jsonrpc":"2.0","id":1,"error"`, `{"jsonrpc":"2.0","id":2,"result"`, `{"jsonrpc":"2.0","id":3,"result"`}},
		{"a batch, and no message at all", []string{
			`[{"jsonrpc":"2.0","id":1,"method":"ping"},7,{"jsonrpc":"2.0","id":2,"method":"ping"}]`,
			`what`,
		}, []string{``, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600`, `{"jsonrpc":"2.0","id":2,"result":{}}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700`}},
	} {
		_, said := talk(t, c.asked...)
		if len(said) != len(c.said) {
			t.Errorf("%s: said %d lines, want %d:\n%s", c.name, len(said), len(c.said), strings.Join(said, "\n"))
			continue
		}
		for i, want := range c.said {
			if !strings.HasPrefix(said[i], want) {
				t.Errorf("%s: line %d:\n%s\nwant\n%s", c.name, i, said[i], want)
			}
		}
	}
}

func TestCounts(t *testing.T) {
	s, _ := talk(t,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fast","arguments":{"n":2}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fast","arguments":{"n":9}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fast","arguments":{"n":9}}}`)
	if s.Answered != 2 || s.InOrder != 1 || s.Unmatched != 1 {
		t.Errorf("%+v", s)
	}
}

// Headers in, headers out.
func TestContentLength(t *testing.T) {
	s := &Server{Session: session(t, recorded)}
	var out bytes.Buffer
	ask := `{"jsonrpc":"2.0","id":4,"method":"ping"}`
	if err := s.Serve(strings.NewReader("Content-Length: 40\r\n\r\n"+ask), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), "Content-Length: 36\r\n\r\n"+`{"jsonrpc":"2.0","id":4,"result":{}}`) {
		t.Errorf("%q", out.String())
	}
}

// Whatever a client sends, serve ends with the stream and stays within bounds.
func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow"}}` + "\n"))
	f.Add([]byte("Content-Length: 9999999999\r\n\r\n{"))
	f.Add([]byte(`{"id":{"a":1},"method":"ping"}` + "\n" + `{"id":1,"id":2,"method":"initialize"}` + "\n"))
	ss := session(f, recorded)
	f.Fuzz(func(t *testing.T, in []byte) {
		s := &Server{Session: ss, MaxFrame: 1 << 16}
		var out bytes.Buffer
		if err := s.Serve(bytes.NewReader(in), &out); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if out.Len() > 400*(len(in)+10)+100*(bytes.Count(in, []byte("id"))+1)*1000 {
			t.Errorf("%d bytes in, %d bytes out", len(in), out.Len())
		}
	})
}
