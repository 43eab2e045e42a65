package secret

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is found without control characters is, by its place, the same text with
// them: cut out, it is what was found.
func TestUnbroken(t *testing.T) {
	p := Builtin()
	cut := strings.NewReplacer("\x00", "", "\x1b", "", "\x7f", "", "\u0085", "", "\u009b", "", "\u2028", "", "\u2029", "")
	const key = "AKIADROG8BZSQ4FW0GPN"
	if Unbroken([]byte("a "+key+" é\t“b”\r\n"), p.All) != nil {
		t.Error("a text without control characters has another reading")
	}
	rapid.Check(t, func(t *rapid.T) {
		var s strings.Builder
		odd := rapid.SampledFrom([]string{"", "", "", "", "\x00", "\x1b", "\x7f", "\u0085", "\u009b", "\u2028", "\u2029"})
		for _, r := range rapid.SampledFrom([]string{" ", "é ", "x "}).Draw(t, "before") + key + " “c”" {
			s.WriteString(odd.Draw(t, "odd"))
			s.WriteRune(r)
		}
		text := s.String()
		if cut.Replace(text) == text {
			return
		}
		found := Unbroken([]byte(text), p.All)
		want := p.All([]byte(cut.Replace(text)))
		if len(found) != len(want) {
			t.Fatalf("%q: %d, want %d", text, len(found), len(want))
		}
		for _, m := range found {
			if got := cut.Replace(text[m.Start:m.End]); got != key {
				t.Fatalf("%q: %q", text, got)
			}
			if !bytes.HasPrefix([]byte(text[m.Start:]), []byte("A")) || !strings.HasSuffix(text[:m.End], "N") {
				t.Fatalf("%q: more than the key: %q", text, text[m.Start:m.End])
			}
		}
	})
}
