package report

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Ids are mostly read without a JSON decoder; that must change none of them.
func TestStringIDs(t *testing.T) {
	parts := []string{`"`, `\`, `\n`, `\u0041`, "a", "req-1", "é", "\x1f", "\x7f", "\xff", " "}
	rapid.Check(t, func(t *rapid.T) {
		raw := `"` + strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 6).Draw(t, "parts"), "") + rapid.SampledFrom([]string{`"`, ""}).Draw(t, "end")
		var want rpcID
		if text := ""; json.Unmarshal([]byte(raw), &text) == nil {
			want = rpcID{kind: idString, text: text}
		}
		if got := newLens(testRun()).rpcID([]byte(raw)); got != want {
			t.Fatalf("%q: %+v, want %+v", raw, got, want)
		}
	})
}
