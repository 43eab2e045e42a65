package secret

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestScrubAll(t *testing.T) {
	const random = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW"
	vendor := "ghp_" + strings.Repeat("aB3d", 9)
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain words", "plain words"},
		{random, "aB3d…(len=32)"},
		{random + " " + random, "aB3d…(len=32) aB3d…(len=32)"},
		{"a " + vendor + " b", "a ghp_…(len=40) b"},
		{vendor + "/" + random, "ghp_…(len=73)"}, // overlapping finds are one
	} {
		if got := ScrubAll(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
		if HoldsAny(c.in) != (c.in != c.want) {
			t.Errorf("%q: HoldsAny", c.in)
		}
	}
}

// What has been scrubbed holds no secret any more.
func TestScrubAllIsDone(t *testing.T) {
	piece := rapid.StringMatching(`[A-Za-z0-9+/_=-]{0,60}|ghp_[A-Za-z0-9]{36}|AKIA[A-Z0-9]{16}|[ .:/]`)
	rapid.Check(t, func(rt *rapid.T) {
		s := ScrubAll(strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(rt, "pieces"), ""))
		if HoldsAny(s) {
			rt.Fatalf("%q still holds a secret", s)
		}
	})
}
