package secret

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestContainsFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, letters []string, most int) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(letters), 0, most).Draw(t, name), "")
		}
		text, w := draw("text", []string{"a", "A", "b", "B", "-", "\xe9"}, 20), draw("word", []string{"a", "b", "-"}, 4)
		if w == "" {
			return
		}
		want := strings.Contains(strings.ToLower(strings.ToValidUTF8(text, "?")), w)
		if got := containsFold([]byte(text), []byte(w)); got != want {
			t.Fatalf("%q in %q: %v", w, text, got)
		}
	})
}

// A text of capitals, or of many first letters, is looked at a few times at most.
func TestContainsFoldIsLinear(t *testing.T) {
	for _, unit := range []string{"A", "aA", "AKIB", "akiB ", "-", "x"} {
		text := bytes.Repeat([]byte(unit), 20000)
		for _, w := range []string{"akia", "-----b", "a"} {
			seen := 0
			searchFold(text, []byte(w), func(b []byte, c byte) int {
				i := bytes.IndexByte(b, c)
				if seen += i + 1; i < 0 {
					seen += len(b)
				}
				return i
			})
			if seen > 2*len(text) {
				t.Errorf("%q in many %q: %d bytes looked at, of %d", w, unit, seen, len(text))
			}
		}
	}
}
