package formats

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// trace is a recording of n calls with results of about size bytes.
func trace(n, size int) []byte {
	var b bytes.Buffer
	text := strings.Repeat("the quick brown fox, a path/to/file.go and 12345. ", size/50+1)[:size]
	for i := range n {
		fmt.Fprintf(&b, `{"direction":"c2s","ts":"2026-01-02T03:04:05.%06dZ","frame":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read","arguments":{"path":"/srv/%d"}}}}`+"\n", i%1000000, i, i)
		fmt.Fprintf(&b, `{"direction":"s2c","ts":"2026-01-02T03:04:05.%06dZ","frame":{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}}`+"\n", i%1000000, i, text)
	}
	return b.Bytes()
}

// BenchmarkRead measures Next and Decode in one goroutine.
func BenchmarkRead(b *testing.B) {
	blank := bytes.Repeat([]byte{'\n'}, 8<<20)
	bare := bytes.ReplaceAll(trace(8000, 1000), []byte(`{"direction":"c2s","ts":"2026-01-02T03:04:05.`), []byte(`{"x":"`))
	for _, bb := range []struct {
		name string
		in   []byte
	}{
		{"small", trace(30000, 100)}, {"1k", trace(8000, 1000)}, {"64k", trace(120, 64<<10)},
		{"blank", blank}, {"other", bare}, {"brackets", bytes.Repeat([]byte("[\n"), 1<<20)}, {"braces", bytes.Repeat([]byte("{\"a\":[\n"), 1<<20)},
		{"pretty", bytes.ReplaceAll(trace(8000, 1000), []byte(`,"`), []byte(",\n  \""))},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.in)))
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				head := append([]byte(req1+"\n"), bb.in...)
				src, err := Open("x", bytes.NewReader(head), Options{})
				if err != nil {
					b.Fatal(err)
				}
				dec, st := src.NewDecoder(), src.NewStitcher()
				var c Chunk
				var recs []Record
				for {
					if err := src.Next(&c); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
					recs = recs[:0]
					dec.Decode(&c, func(r *Record, _ *jsonrpc.Message) { recs = append(recs, *r) })
					st.Chunk(&c, recs, func(int) { n++ }, func(*Record, *jsonrpc.Message) { n++ })
				}
				st.Close(func(*Record, *jsonrpc.Message) { n++ })
			}
		})
	}
}
