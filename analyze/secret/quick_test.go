package secret

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestQuickMissesNothing compares Scrub with a Scrub that looks at every text.
func TestQuickMissesNothing(t *testing.T) {
	parts := []string{"sk-", "SK-", "AKIA", "akia", "xox", "eyJ", "-----BEGIN ", "PRIVATE KEY-----", "ghp_", "gho_",
		strings.Repeat("aB3", 12), "ABCDEFGHIJKLMNOP", "b-", ".", " ", "é", "\x00"}
	p := Builtin()
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8).Draw(t, "parts"), "")
		want := s
		if found := p.All([]byte(s)); len(found) > 0 {
			want = string(Replace([]byte(s), found))
		}
		if got := p.Scrub(s); got != want {
			t.Fatalf("Scrub(%q) = %q, want %q", s, got, want)
		}
	})
}

func TestQuickRejects(t *testing.T) {
	p := Builtin()
	for _, s := range []string{"", "a", "/result/content/0/text", "the text holds 3 URLs on no denylist"} {
		if p.quick.may(s) {
			t.Errorf("%q is not turned away at once", s)
		}
	}
}
