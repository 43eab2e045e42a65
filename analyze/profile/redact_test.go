package profile

import (
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze/ruleset"
)

func TestRedactor(t *testing.T) {
	find, err := SecretsOf(ruleset.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	r := &redactor{find}
	const random = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW"
	vendor := "ghp_" + strings.Repeat("aB3d", 9)
	for _, c := range []struct{ in, text, pointer string }{
		{"plain", "plain", "plain"},
		{random + " " + random + "," + random, "aB3d…(len=32) aB3d…(len=32),aB3d…(len=32)", "aB3d…(len=32) aB3d…(len=32),aB3d…(len=32)"},
		{vendor + "=" + random, "ghp_…(len=40)=aB3…(len=33)", "ghp_…(len=40)=aB3…(len=33)"},
		{"/params/" + vendor, "/params/ghp_…(len=40)", "/params/ghp_…(len=40)"},
		{"/result/structuredContent/Quux7/Vw3kXyz", "/res…(len=39)", "/result/structuredContent/Quux7/Vw3kXyz"},
	} {
		if got := r.text(c.in); got != c.text {
			t.Errorf("text %q: %q, want %q", c.in, got, c.text)
		}
		if got := r.part(c.in, c.in); got != c.text {
			t.Errorf("part %q: %q, want %q", c.in, got, c.text)
		}
		if got := r.pointer(c.in); got != c.pointer {
			t.Errorf("pointer %q: %q, want %q", c.in, got, c.pointer)
		}
	}
	if got := r.part("a "+random, random[:12]); got != "a aB3d…(len=32)" {
		t.Errorf("a part of a secret: %q", got)
	}
}
