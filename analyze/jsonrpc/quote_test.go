package jsonrpc

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestAppendQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s") + rapid.SampledFrom([]string{"", "\x00\x1b\x7f\u0085\u2028\u2029\n\"\\", "\xff", "😀"}).Draw(t, "more")
		q := AppendQuoted([]byte("x"), s)
		v, err := Decode(q[1:], DecodeOptions{})
		if err != nil || v.Str != strings.ToValidUTF8(s, "\ufffd") {
			t.Fatalf("%q: %q, %v", s, q, err)
		}
		for _, r := range string(q) {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 {
				t.Fatalf("%q has %U", q, r)
			}
		}
		if !utf8.Valid(q) {
			t.Fatalf("%q", q)
		}
	})
}
