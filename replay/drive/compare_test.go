package drive

import (
	"strings"
	"testing"
)

// What is told of a difference shows one, or says why it can't.
func TestADifferenceIsSeen(t *testing.T) {
	long := strings.Repeat("the same words ", 80)
	key := func(c string) string { return "AKIA" + strings.Repeat(c, 16) }
	for _, c := range []struct{ name, a, b, x, y, note string }{
		{"at once", `"old"`, `"new"`, `"old"`, `"new"`, ""},
		{"far in", `"` + long + `left"`, `"` + long + `right"`, `…ords the same words left"`, `…ords the same words right"`, ""},
		{"one ends", `"` + long + `"`, `"` + long + `and more"`, `…ords the same words "`, `…ords the same words and more"`, ""},
		{"in a secret", `"key ` + key("A") + `"`, `"key ` + key("B") + `"`, `"key AKIA…(len=20)"`, `"key AKIA…(len=20)"`, "differs within a redacted secret"},
		{"in a secret far in", `"` + long + key("A") + `"`, `"` + long + key("B") + `"`, "", "", "differs within a redacted secret"},
		{"behind wide characters", `"` + strings.Repeat("ж", 500) + `a"`, `"` + strings.Repeat("ж", 500) + `b"`, "…" + strings.Repeat("ж", 10) + `a"`, "…" + strings.Repeat("ж", 10) + `b"`, ""},
	} {
		x, y, note := apart([]byte(c.a), []byte(c.b))
		if note != c.note || note == "" && x == y || c.x != "" && (!strings.HasSuffix(x, c.x) || !strings.HasSuffix(y, c.y)) {
			t.Errorf("%s: %q, %q, %q", c.name, x, y, note)
		}
		if strings.Contains(x+y, "AAAAAAAA") {
			t.Errorf("%s: a secret is shown: %q", c.name, x)
		}
	}
}
