package catalog

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// TestUnescape holds every backend against jsonrpc.Unquote, with escapes at
// every distance from the edges of their blocks.
func TestUnescape(t *testing.T) {
	parts := []string{`\n`, `\t`, `\r`, `\b`, `\f`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\\n`, "é", "😀",
		"a", "bc", strings.Repeat("x", 7), strings.Repeat("y", 31), strings.Repeat("z", 64)}
	rapid.Check(t, func(t *rapid.T) {
		raw := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 30).Draw(t, "parts"), ""))
		want, _ := jsonrpc.Unquote(nil, raw)
		for _, l := range backends() {
			if got := unescape(nil, raw, &l); !bytes.Equal(got, want) {
				t.Fatalf("%s: unescape(%q) = %q, want %q", l.name, raw, got, want)
			}
		}
	})
}

func BenchmarkUnescape(b *testing.B) {
	raw := []byte(strings.Repeat(`the quick brown fox says \"jump\" over\nthe lazy dog. `, 80))
	for _, l := range backends() {
		b.Run(l.name, func(b *testing.B) {
			var buf []byte
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				buf = unescape(buf, raw, &l)
			}
		})
	}
}
