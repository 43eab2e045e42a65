package profile

import (
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// bench runs one answered call again and again; MB/s are those of its frames.
func bench(b *testing.B, result string) {
	p, err := New(MCP, Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := p.NewSession()
	frame := func(l string) *Frame {
		f := &Frame{Dir: analyze.ClientToServer, Raw: []byte(l[2:])}
		if l[0] == '<' {
			f.Dir = analyze.ServerToClient
		}
		var jf jsonrpc.Frame
		jsonrpc.Read(f.Raw, analyze.Full, &jf)
		f.Msg = &jf.Msgs[0]
		return f
	}
	for i, l := range list("1", sumTool, echoTool) {
		f := frame(l)
		if i == 1 {
			f.Request = &Request{Method: "tools/list"}
		}
		s.Frame(f)
	}
	tool := "echo"
	if strings.Contains(result, "structuredContent") {
		tool = "sum"
	}
	xs := call("2", tool, result)
	ask, answer := frame(xs[0]), frame(xs[1])
	answer.Request = &Request{Method: "tools/call", Tool: tool}
	b.SetBytes(int64(len(ask.Raw) + len(answer.Raw)))
	b.ReportAllocs()
	for b.Loop() {
		if found := append(s.Frame(ask), s.Frame(answer)...); len(found) > 0 {
			b.Fatal(ids(found))
		}
	}
}

func BenchmarkCallSmall(b *testing.B) { bench(b, okContent) }
func BenchmarkCallText(b *testing.B) {
	bench(b, `{"content":[{"type":"text","text":"`+strings.Repeat(`plain words of a result `, 400)+`"}]}`)
}
func BenchmarkCallCode(b *testing.B) {
	bench(b, `{"content":[{"type":"text","text":"`+strings.Repeat(`if s == \"a\" {\n\treturn\n}\n`, 400)+`"}]}`)
}
func BenchmarkCallBlocks(b *testing.B) {
	bench(b, `{"content":[`+strings.Repeat(`{"type":"text","text":"a short block of text"},`, 99)+`{"type":"text","text":""}]}`)
}
func BenchmarkCallStructured(b *testing.B) {
	bench(b, `{"content":[],"structuredContent":{"n":7,"more":[1,2,3,{"a":"b"}]}}`)
}

func BenchmarkListKnown(b *testing.B) {
	p, _ := New(MCP, Options{})
	s := p.NewSession()
	l := list("1", sumTool, echoTool)
	var jf jsonrpc.Frame
	jsonrpc.Read([]byte(l[1][2:]), analyze.Full, &jf)
	f := &Frame{Dir: analyze.ServerToClient, Raw: []byte(l[1][2:]), Msg: &jf.Msgs[0], Request: &Request{Method: "tools/list"}}
	b.SetBytes(int64(len(f.Raw)))
	for b.Loop() {
		s.Frame(f)
	}
}

func BenchmarkExecFrame(b *testing.B) {
	p, _ := New(Exec, Options{})
	s := p.NewSession()
	for _, l := range []string{spawn, capsOff, created} {
		(&told{s: s}).line(b, l)
	}
	announce := &Frame{Dir: analyze.ServerToClient, Text: true, Raw: []byte(`{"ExpectStdOut":null}`)}
	data := &Frame{Dir: analyze.ServerToClient, Binary: true, HasBytes: true, Bytes: []byte("some output\n"), Size: 12}
	b.ReportAllocs()
	for b.Loop() {
		if len(s.Frame(announce))+len(s.Frame(data)) > 0 {
			b.Fatal("a finding")
		}
	}
}
