package catalog

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// TestUnescape holds both decoders against jsonrpc.Unquote, with escapes at
// every distance from the edges of their blocks.
func TestUnescape(t *testing.T) {
	parts := []string{`\n`, `\t`, `\r`, `\b`, `\f`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\\n`, "é", "😀",
		"a", "bc", strings.Repeat("x", 7), strings.Repeat("y", 31), strings.Repeat("z", 64)}
	rapid.Check(t, func(t *rapid.T) {
		raw := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 30).Draw(t, "parts"), ""))
		want, _ := jsonrpc.Unquote(nil, raw)
		for _, vector := range []bool{false, haveVector} {
			if got := unescape(nil, raw, vector); !bytes.Equal(got, want) {
				t.Fatalf("unescape(%q, vector %v) = %q, want %q", raw, vector, got, want)
			}
		}
	})
}

func BenchmarkUnescape(b *testing.B) {
	raw := []byte(strings.Repeat(`the quick brown fox says \"jump\" over\nthe lazy dog. `, 80))
	for _, vector := range []bool{false, haveVector} {
		b.Run(map[bool]string{false: "portable", true: "vector"}[vector], func(b *testing.B) {
			var buf []byte
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				buf = unescape(buf, raw, vector)
			}
		})
	}
}
