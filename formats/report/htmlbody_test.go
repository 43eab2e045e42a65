package report

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/warden-trace/warden/analyze"
)

// marked is the text that a body marks, piece by piece.
func marked(b *body) (out []string) {
	units := utf16.Encode([]rune(string(b.text)))
	for _, m := range b.marks {
		out = append(out, string(utf16.Decode(units[m[0]:m[1]])))
	}
	return out
}

func TestPrettyMarksWhatMatched(t *testing.T) {
	b := &body{m: newMasker(nil)}
	at := func(rule, pointer string, spans ...analyze.Span) analyze.Finding {
		return analyze.Finding{Rule: rule, Tier: analyze.Block, Pointer: pointer, Spans: spans}
	}
	long := strings.Repeat("filler ", 2000)
	for _, c := range []struct {
		name, raw string
		spots     []analyze.Finding
		want      string
	}{
		{"escape", `{"result":{"content":[{"type":"text","text":"a\u001b[31mb"}]}}`, []analyze.Finding{at("x", "/result/content/0/text", analyze.Span{Start: 1, End: 2})}, `\x1b`},
		{"beyond the BMP", `{"result":{"content":[1,{"text":"😀😀é bad"}]}}`, []analyze.Finding{at("x", "/result/content/1/text", analyze.Span{Start: 4, End: 7})}, "bad"},
		{"two", `{"a/b":{"~":"one two"}}`, []analyze.Finding{at("x", "/a~1b/~0", analyze.Span{Start: 4, End: 7}, analyze.Span{Start: 0, End: 3})}, "one two"},
		{"secret", `{"t":"key ` + planted + ` end"}`, []analyze.Finding{at("x", "/t", analyze.Span{Start: 4, End: 44})}, "ghp_…(len=40)"},
		{"deep in a long text", `{"t":"` + long + `bad ` + long + `"}`, []analyze.Finding{at("x", "/t", analyze.Span{Start: len(long), End: len(long) + 3})}, "bad"},
		{"no such place", `{"t":"x"}`, []analyze.Finding{at("x", "/u", analyze.Span{Start: 0, End: 1})}, ""},
	} {
		b.pretty([]byte(c.raw), c.spots, bodyLimit)
		if got := strings.Join(marked(b), " "); got != c.want {
			t.Errorf("%s: marked %q, wanted %q, in\n%s", c.name, got, c.want, b.text)
		}
	}
}
