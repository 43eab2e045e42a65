package profile

import (
	"bytes"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// feed gives a session the lines of a fuzzed trace: the first byte of a line
// says whose frame it is and of what kind.
func feed(s Session, data []byte) (n int) {
	pending := map[string]*Request{}
	for _, line := range bytes.Split(data, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		f := &Frame{Dir: analyze.ClientToServer, Raw: line[1:]}
		if line[0]&1 != 0 {
			f.Dir = analyze.ServerToClient
		}
		switch line[0] >> 1 & 7 {
		case 1, 2:
			f.Text = true
		case 3:
			f.Binary, f.HasBytes, f.Bytes, f.Size, f.Raw = true, true, line[1:], int64(len(line)-1), nil
		case 4:
			f.HTTP = line[1:]
			f.Raw = nil
		default:
			var jf jsonrpc.Frame
			jsonrpc.Read(f.Raw, analyze.Full, &jf)
			f.Batch = jf.Batch
			if !jf.Batch && len(jf.Msgs) == 1 {
				m := &jf.Msgs[0]
				f.Msg = m
				if key, ok := jsonrpc.IDKey(m.ID); ok && m.IsResponse() {
					f.Request = pending[string(key)]
				} else if ok {
					pending[string(key)] = &Request{Method: string(m.Method), Tool: string(m.Name), Params: m.Params}
				}
			}
		}
		n += check(s.Frame(f))
	}
	return n + check(s.Close())
}

// check looks at what every finding must be.
func check(found []analyze.Finding) int {
	known := map[string]bool{}
	for _, id := range RuleIDs() {
		known[id] = true
	}
	for _, f := range found {
		if !known[f.Rule] && f.Rule != "X" {
			panic("a finding of the rule " + f.Rule)
		}
		if f.Message == "" && f.Rule != "X" {
			panic("a finding without a message: " + f.Rule)
		}
		if len(f.Pointer) > 2*maxPointer {
			panic("an unbounded pointer")
		}
	}
	return len(found)
}

func FuzzSessions(f *testing.F) {
	for _, session := range [][]string{
		lines(req("1", "initialize", initParams), res("1", initResult), list("2", sumTool, echoTool), call("3", "sum", `{"content":[{"type":"text","text":"a"}],"structuredContent":{"n":1}}`), fail("4", `{"code":1,"message":"/etc/passwd","data":{"a":["10.0.0.1"]}}`)),
		lines(spawn, capsOn, created, s("ExpectStdOut"), "<b out", s("StdOutEOF"), exited),
		post("1", "https://a.example/mcp?access_token=x", "200", "Origin", "null"),
	} {
		var data []byte
		for _, l := range session {
			kind := byte('0')
			switch {
			case len(l) > 2 && l[1] == 't':
				kind, l = '2', l[:1]+l[2:]
			case len(l) > 2 && l[1] == 'b':
				kind, l = '6', l[:1]+l[2:]
			}
			if l[0] == '<' {
				kind++
			}
			data = append(data, kind)
			data = append(data, l[2:]...)
			data = append(data, '\n')
		}
		f.Add(data)
	}
	mcp, err := New(MCP, Options{Audience: "a"})
	if err != nil {
		f.Fatal(err)
	}
	exec, err := New(Exec, Options{Catalog: marker})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// Twice each: what a session says depends on its frames alone.
		for _, p := range []Profile{mcp, exec} {
			if a, b := feed(p.NewSession(), data), feed(p.NewSession(), data); a != b {
				t.Fatalf("%s: %d findings, then %d", p.Name(), a, b)
			}
		}
	})
}

// FuzzCompactSize compares the counting with the plain way: decode, and write
// anew.
func FuzzCompactSize(f *testing.F) {
	f.Add([]byte(`{"a" : [1 , "\u00e9\/\n\u0001\ud83d\ude00\"" ] }`))
	f.Add([]byte(`"\ud800"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := jsonrpc.Decode(raw, jsonrpc.DecodeOptions{MaxDepth: 100})
		if err != nil {
			compactSize(raw) // must not panic on anything
			return
		}
		if got, want := compactSize(raw), plainCompact(v); got != want {
			t.Fatalf("%q: %d, want %d", raw, got, want)
		}
	})
}

func plainCompact(v *jsonrpc.Value) int64 {
	str := func(s string) int64 {
		n := int64(2)
		for _, r := range s {
			n += int64(plainSize(r))
		}
		return n
	}
	switch v.Kind {
	case jsonrpc.String:
		return str(v.Str)
	case jsonrpc.Array:
		n := int64(2 + max(0, len(v.Elems)-1))
		for _, e := range v.Elems {
			n += plainCompact(e)
		}
		return n
	case jsonrpc.Object:
		n := int64(2 + max(0, len(v.Members)-1))
		for _, m := range v.Members {
			n += str(m.Key) + 1 + plainCompact(m.Value)
		}
		return n
	}
	return int64(len(v.Raw))
}
