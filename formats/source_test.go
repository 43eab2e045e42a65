package formats

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func TestLastLineFeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte("\n\x0b\x8a\x0a\x00\x09 a")), 0, 40).Draw(t, "bytes")
		if got, want := lastLineFeed(b), bytes.LastIndexByte(b, '\n'); got != want {
			t.Fatalf("%q: %d, want %d", b, got, want)
		}
	})
}
