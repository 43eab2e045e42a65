package profile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// A told session is a list of lines. MCP: "> {...}" from the client, "< {...}"
// from the server, with "http {...} " before the message (or "-" for none).
// Exec: ">t JSON" and "<t JSON" for text, ">b BYTES" and "<b BYTES" for binary
// frames, "<n 40000" for one of which only the length was recorded.
type told struct {
	s        Session
	pending  map[string]*Request
	inFlight int
}

func tell(t testing.TB, name string, o Options, lines ...string) []analyze.Finding {
	t.Helper()
	p, err := New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	w := &told{s: p.NewSession(), pending: map[string]*Request{}}
	var out []analyze.Finding
	for _, l := range lines {
		out = append(out, w.line(t, l)...)
	}
	return append(out, w.s.Close()...)
}

func (w *told) line(t testing.TB, l string) []analyze.Finding {
	f := &Frame{Dir: analyze.ClientToServer}
	if l[0] == '<' {
		f.Dir = analyze.ServerToClient
	}
	head, rest, _ := strings.Cut(l[1:], " ")
	switch head {
	case "t":
		f.Text, f.Raw = true, []byte(rest)
		return w.s.Frame(f)
	case "b":
		f.Binary, f.HasBytes, f.Bytes, f.Size = true, true, []byte(rest), int64(len(rest))
		return w.s.Frame(f)
	case "n":
		f.Binary = true
		fmt.Sscan(rest, &f.Size)
		return w.s.Frame(f)
	}
	if h, ok := strings.CutPrefix(rest, "http "); ok {
		var v string
		end := valueEnd([]byte(h), 0)
		v, rest = h[:end], strings.TrimSpace(h[end:])
		f.HTTP = []byte(v)
	}
	if rest == "-" || rest == "" {
		return w.s.Frame(f)
	}
	f.Raw = []byte(rest)
	var jf jsonrpc.Frame
	jsonrpc.Read(f.Raw, analyze.Full, &jf)
	f.Batch = jf.Batch
	if !jf.Batch && len(jf.Msgs) == 1 {
		f.Msg = &jf.Msgs[0]
		w.correlate(f)
	}
	return w.s.Frame(f)
}

// correlate does what the session machine does for a profile.
func (w *told) correlate(f *Frame) {
	f.InFlight = w.inFlight
	m := f.Msg
	key, ok := jsonrpc.IDKey(m.ID)
	if !ok {
		return
	}
	if m.IsResponse() {
		at := f.Dir.Opposite().String() + string(key)
		if f.Request = w.pending[at]; f.Request != nil && f.Request.Method == "tools/call" {
			w.inFlight--
		}
		delete(w.pending, at)
		return
	}
	w.pending[f.Dir.String()+string(key)] = &Request{Method: string(m.Method), Tool: string(m.Name)}
	if string(m.Method) == "tools/call" {
		w.inFlight++
	}
}

// ids joins the rule ids of findings.
func ids(found []analyze.Finding) string {
	var out []string
	for _, f := range found {
		out = append(out, f.Rule)
	}
	return strings.Join(out, " ")
}

// rpc writes the usual messages.
func req(id, method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%s,"method":%q%s}`, id, method, params)
}

func res(id, result string) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func fail(id, object string) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%s,"error":%s}`, id, object)
}

const (
	initParams = `{"protocolVersion":"2025-06-18","capabilities":{"sampling":{}},"clientInfo":{"name":"h","version":"1"}}`
	initResult = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
	echoTool   = `{"name":"echo","inputSchema":{"type":"object"}}`
	sumTool    = `{"name":"sum","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`
)

// list is a whole tools/list exchange.
func list(id string, tools ...string) []string {
	return []string{req(id, "tools/list", ""), res(id, `{"tools":[`+strings.Join(tools, ",")+`]}`)}
}

// call is a whole tools/call exchange.
func call(id, tool, result string) []string {
	return []string{req(id, "tools/call", `{"name":"`+tool+`","arguments":{}}`), res(id, result)}
}

func lines(parts ...any) []string {
	var out []string
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(out, p)
		case []string:
			out = append(out, p...)
		}
	}
	return out
}

const okContent = `{"content":[{"type":"text","text":"ok"}]}`
