package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
)

// A line of JSON is what was written, but that no secret is in it, and nothing that
// can't be seen.
func TestWriteJSONLine(t *testing.T) {
	pieces := []string{"a", " ", `"`, `\`, "\n", "\x1b[31m", "\u202e", "\u0085", "\u200b", "é", "漢", "\U0001f600", "\U000e0041", "\x7f", "</script>", "&", " " + planted + " ", " AKIAQX7RTYB2KLMN4PSW "}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces"), "")
		})
		v := map[string]any{"n": 1.5, "l": []any{text.Draw(t, "one"), nil, true}, text.Draw(t, "key") + "k": text.Draw(t, "two")}
		var b bytes.Buffer
		if err := WriteJSONLine(&b, v); err != nil {
			t.Fatal(err)
		}
		line := b.String()
		if strings.Count(line, "\n") != 1 || strings.Contains(line, planted) || strings.Contains(line, "AKIAQX7RTYB2KLMN4PSW") {
			t.Fatalf("%q", line)
		}
		for _, r := range strings.TrimSuffix(line, "\n") {
			if !safe.Visible(r) {
				t.Fatalf("%U in %q", r, line)
			}
		}
		var got any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		if d := cmp.Diff(scrubbed(v), got); d != "" {
			t.Fatalf("%q: %s", line, d)
		}
	})
}

func scrubbed(v any) any {
	switch v := v.(type) {
	case string:
		return secret.Scrub(v)
	case []any:
		out := []any{}
		for _, x := range v {
			out = append(out, scrubbed(x))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[secret.Scrub(k)] = scrubbed(x)
		}
		return out
	}
	return v
}
