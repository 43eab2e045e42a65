package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
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
	b := &body{m: NewMasker(nil)}
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
		b.pretty([]byte(c.raw), c.spots, forFinding, false)
		if got := strings.Join(marked(b), " "); got != c.want {
			t.Errorf("%s: marked %q, wanted %q, in\n%s", c.name, got, c.want, b.text)
		}
	}
}

// Texts are broken at their line feeds and quotes are escaped on the way; one
// after the other must give the same.
func TestLinesOfSafeText(t *testing.T) {
	parts := []string{`"`, `\`, "n", "\n", "\t", "\r\n", "a word", " ", ":: ", "#", "##[", "\x1b", "é", "\u202e", "\xff"}
	broken := strings.NewReplacer(`\n`, "\\n\n", `"`, `\"`)
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "parts"), "")
		limit := rapid.IntRange(0, 80).Draw(t, "limit")
		b := &body{extent: extent{limit: limit}}
		b.lines([]byte(s))
		want := broken.Replace(safe.String(s))
		if full := len(want) > limit; b.full != full || !full && string(b.text) != want || full && len(b.text) > 0 {
			t.Fatalf("%q in %d: %q, full %v; want %q", s, limit, b.text, b.full, want)
		}
	})
}

func TestClosingQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := []byte(`"` + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{`"`, `\`, "a"}), 0, 12).Draw(t, "parts"), ""))
		want := len(raw)
		for i := 1; i < len(raw) && want == len(raw); i++ {
			switch raw[i] {
			case '\\':
				i++
			case '"':
				want = i
			}
		}
		if got := closing(raw); got != want {
			t.Fatalf("%s: %d, want %d", raw, got, want)
		}
	})
}

// Of a long text little but the ends is looked at: no secret is in what is shown of
// it, and what is shown is what is shown where all of it was looked at.
func TestLongTextsHideSecrets(t *testing.T) {
	ends, whole := &body{m: NewMasker(nil)}, &body{m: NewMasker(nil)}
	whole.m.lines = false
	all := extent{1 << 20, forFinding.clip, forFinding.head}
	secrets := []string{planted, "AKIAQX7RTYB2KLMN4PSW", "-----BEGIN RSA PRIVATE KEY-----"}
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		for n := rapid.IntRange(3000, 6000).Draw(t, "length"); len(text) < n; {
			switch k := rapid.IntRange(0, 40).Draw(t, "piece"); {
			case k == 0:
				text = append(text, " "+rapid.SampledFrom(secrets).Draw(t, "secret")+" "...)
			case k == 1:
				text = append(text, '\n')
			case k == 2:
				text = append(text, rapid.SampledFrom([]string{" \x1b[1m" + secrets[1] + " ", "\u009b", "é", "\x1b]0;", "\x1b\\", "\x1b[31", "\u0007", "\x1bP"}).Draw(t, "odd")...)
			default:
				text = append(text, strings.Repeat("word ", rapid.IntRange(0, 40).Draw(t, "words"))...)
				text = append(text, rapid.SampledFrom([]string{" ", ".", "\n", "-"}).Draw(t, "gap")...)
			}
		}
		raw, _ := json.Marshal(string(text))
		ends.pretty(raw, nil, all, false)
		whole.pretty(raw, nil, all, false)
		shown := string(ends.text)
		for _, s := range secrets {
			if strings.Contains(shown, s) {
				t.Fatalf("%s is shown", s)
			}
		}
		if head, _, _ := strings.Cut(shown, "⟨"); !strings.HasPrefix(string(whole.text), strings.TrimSuffix(head, " ")) {
			t.Fatalf("%q begins otherwise than %q", head, whole.text)
		}
	})
}

// A frame's beginning may end within a secret, which then looks like none.
func TestCutFramesHideHalfSecrets(t *testing.T) {
	b := &body{m: NewMasker(nil)}
	key := "AKIAQX7RTYB2KLMN4PSW"
	for _, raw := range []string{
		`{"a":"one ` + planted + ` two","` + planted + `":["` + key + `",` + key + `,"x\n` + planted + `"]}`,
		`{"a":"` + strings.Repeat("word ", 118) + planted + ` and more"}`,
		planted + " " + key,
	} {
		for n := range len(raw) {
			b.pretty([]byte(raw[:n]), nil, beside, true)
			text := string(b.text)
			for _, s := range []string{planted, key} {
				if strings.Contains(text, s[:9]) {
					t.Fatalf("%s, cut at %d, shows %s", raw, n, text)
				}
			}
			if !strings.HasSuffix(text, "… the rest is left out") {
				t.Fatalf("%s, cut at %d: %s does not say so", raw, n, text)
			}
		}
	}
}

// However many secrets a text has, in JSON or not, none is shown, and none that only
// what is delivered shows in another way.
func TestBodiesHideEverySecret(t *testing.T) {
	b := &body{m: NewMasker(nil)}
	var many []string
	for i := range 400 {
		many = append(many, fmt.Sprintf("ghp_%036d", i*7919))
	}
	const key = "AKIADROG8BZSQ4FW0GPN"
	for _, raw := range []string{
		`{"t":"` + strings.Join(many, " ") + `"}`,
		strings.Join(many, " "),
		"\x1b[31m" + key + "\x1b[0m logged in",
		`{"a": ` + "\x1b[31m" + key + `}`,
		"{" + "\x1b[1;31m" + key + "\x1b[0m",
		`["` + key + `", ` + key + `]`,
	} {
		b.edited = false
		b.pretty([]byte(raw), nil, extent{1 << 20, 1 << 20, 1 << 20}, false)
		for _, s := range append(many, key) {
			if strings.Contains(string(b.text), s) {
				t.Fatalf("%.60q shows %s: %.200q", raw, s, b.text)
			}
		}
	}
	b.edited = false
	b.pretty([]byte(`{"t":"\u001b[31m`+key+`\u001b[0m"}`), nil, forFinding, false)
	b.edited = true
	b.pretty([]byte(`{"t":"[31m`+key+`[0m"}`), nil, forFinding, false)
	if strings.Contains(string(b.text), key) {
		t.Errorf("what is delivered: %s", b.text)
	}
	b.edited, b.controls = false, true
	b.pretty([]byte(`{"t":"`+key[:8]+`\u0000`+key[8:]+` and `+key[:5]+`\u009b`+key[5:]+`"}`), nil, forFinding, false)
	if strings.Contains(string(b.text), key[8:]) {
		t.Errorf("with control characters: %s", b.text)
	}
}

// A delivered text that would take too long to look through is masked as a whole.
func TestTooMuchToLookThrough(t *testing.T) {
	b := &body{m: NewMasker(nil), secrets: map[string]bool{planted: true}, edited: true}
	text := bytes.Repeat([]byte("word "), maxSearch/5+1)
	if got := b.known(text, nil); len(got) != 1 || got[0].Start != 0 || got[0].End != len(text) {
		t.Errorf("%v", got)
	}
	if got := b.known([]byte("a "+planted+" b"), nil); len(got) != 1 || got[0].Start != 2 || got[0].End != 2+len(planted) {
		t.Errorf("%v", got)
	}
}

func TestMeets(t *testing.T) {
	found := []secret.Match{{Start: 2, End: 4}, {Start: 6, End: 9}}
	for start := range 11 {
		for end := start + 1; end < 12; end++ {
			want := -1
			for i, m := range found {
				if want < 0 && m.Start < end && start < m.End {
					want = i
				}
			}
			got, ok := meets(found, start, end)
			if ok != (want >= 0) || ok && got != found[want] {
				t.Errorf("[%d, %d): %v %v, want %d", start, end, got, ok, want)
			}
		}
	}
}

// What is no JSON is shown as it is.
func TestJunkIsNotLaidOut(t *testing.T) {
	b := &body{m: NewMasker(nil)}
	b.pretty([]byte(`rm -rf / tmp; [x]: {y, z}`), nil, forFinding, false)
	if want := `rm -rf / tmp; [x]: {y, z}`; string(b.text) != want {
		t.Errorf("%q, want %q", b.text, want)
	}
}

// Of a neighbour long strings are shown by their ends, so that there is room for
// what else it says.
func TestNeighboursAreShownInShort(t *testing.T) {
	b := &body{m: NewMasker(nil)}
	raw := []byte(`{"text":"first ` + strings.Repeat("word ", 300) + `last","more":"` + strings.Repeat("word ", 300) + `","isError":true}`)
	b.pretty(raw, nil, beside, false)
	if text := string(b.text); !strings.Contains(text, "first word") || !strings.Contains(text, `last"`) || !strings.Contains(text, `"isError": true`) || len(text) > beside.limit {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	b.pretty(raw[:700], nil, beside, true)
	if text := string(b.text); len(text) < 500 || len(text) > 700 {
		t.Errorf("%d bytes of a beginning: %s", len(text), text)
	}
}

// pageParts are the writes that made a page.
type pageParts [][]byte

func (p *pageParts) Write(b []byte) (int, error) {
	*p = append(*p, bytes.Clone(b))
	return len(b), nil
}

// Whatever the frames hold, each block is JSON, an array of frames, each with
// seven numbers, five texts and three bodies' marks, and as many texts as bodies.
func TestRenderedBlocks(t *testing.T) {
	var pages pageParts
	r := newRenderer(&pages, testRun())
	raws := []string{`{"a":"</script>\u2028<b>^|^","b":[1,-2.5e3,{}],"c":"` + planted + `"}`, "no JSON \xff \"", `{"k":"` + strings.Repeat("long ", 40000) + `"}`, ""}
	const frames = 1000
	for i := range frames {
		raw := raws[i%len(raws)]
		j := renderJob{facts: facts{kind: "request", method: "tools/call", tool: "<i>"}, id: 3, extent: forFinding}
		j.raw = append(append(r.take(3+len(raw)), `"7"`...), raw...)
		if i%3 == 0 {
			j.spots = []analyze.Finding{{Tier: analyze.Block, Pointer: "/a", Spans: []analyze.Span{{Start: 1, End: 3}}}}
			j.after, j.reply = []byte(raw), []byte(`{}`)
		}
		r.send(j)
	}
	r.stop()
	count := 0
	for i, page := range pages {
		open, rest, _ := bytes.Cut(page, []byte(`">`))
		text, end, _ := bytes.Cut(rest, []byte("<"))
		if string(end) != "/script>\n" || bytes.Count(page, []byte("<")) != 2 {
			t.Error("what HTML would read")
		}
		if bytes.Contains(text, []byte(planted)) || !utf8.Valid(text) {
			t.Error("a secret, or no UTF-8")
		}
		back := strings.NewReplacer("^l", "<", "^c", "^")
		parts := strings.Split(string(text), blockBreak)
		head := []byte(back.Replace(parts[0]))
		if bytes.ContainsAny(head, "<>&") {
			t.Error("markup in the JSON")
		}
		var list [][]any
		if err := json.Unmarshal(head, &list); err != nil {
			t.Fatal(err)
		}
		bodies := 0
		for _, f := range list {
			for _, marks := range f[12:] {
				if _, ok := marks.([]any); ok {
					bodies++
				}
			}
		}
		if n := len(parts) - 1; n != bodies {
			t.Errorf("%d texts for %d bodies", n, bodies)
		}
		for _, s := range parts[1:] {
			if s = back.Replace(s); strings.Contains(s, "script") && !strings.Contains(s, "</script>\\u2028<b>^|^") {
				t.Errorf("a text became %s", s)
			}
		}
		for _, f := range list {
			if len(f) != 15 || f[7] != "request" || f[8] != `"7"` || f[10] != "<i>" {
				t.Fatalf("%v", f)
			}
		}
		if count += len(list); !bytes.HasSuffix(open, fmt.Appendf(nil, `"%d`, count-1)) {
			t.Errorf("block %d is %s, and its last frame %d", i, open, count-1)
		}
	}
	if count != frames || len(pages) < 2 {
		t.Errorf("%d frames in %d blocks", count, len(pages))
	}
}

// TestMaskReadsAsTerminalsDo: a secret behind an escape sequence is none for who
// reads the bytes, and is one for who reads what they show.
func TestMaskReadsAsTerminalsDo(t *testing.T) {
	m := NewMasker(nil)
	const key = "AKIAQX7RTYB2KLMN4PSW"
	for _, text := range []string{"\x1b[31m" + key, "\u009b1m" + key, "x\x1b[0m" + key + "\x1b[0m", "\x1b[" + key, key + " \x1b[1m" + key} {
		if got := string(m.mask([]byte(text))); strings.Contains(got, key[4:]) {
			t.Errorf("%q: %q", text, got)
		}
		spelt, _ := json.Marshal(text)
		if got := m.payload(spelt); strings.Contains(got, key[4:]) {
			t.Errorf("%s: %s", spelt, got)
		}
		if got := secret.Scrub(text); strings.Contains(got, key[4:]) {
			t.Errorf("Scrub: %q: %q", text, got)
		}
		if got := secret.ScrubAll(text); strings.Contains(got, key[4:]) {
			t.Errorf("ScrubAll: %q: %q", text, got)
		}
	}
}

// Whatever a frame is, its text is fit to be shown, has the marks within it, and
// comes out of a block as it went in.
func FuzzBody(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"x\u001b[31m y"}],"c":"^|^l<"}`), 3, true)
	f.Add([]byte(`"`+strings.Repeat("word \\n", 400)+`\ud83d`), 700, false)
	f.Add([]byte("{\"\xff\":tru"), 0, true)
	m := NewMasker(nil)
	back := strings.NewReplacer("^l", "<", "^c", "^")
	f.Fuzz(func(t *testing.T, raw []byte, at int, cut bool) {
		b := &body{m: m}
		at = max(0, min(at, len(raw)))
		spots := []analyze.Finding{{Tier: analyze.Block, Pointer: "/c", Spans: []analyze.Span{{Start: at, End: at + 3}}}, {Pointer: "", Spans: []analyze.Span{{Start: 0, End: at}}}}
		for _, shown := range []extent{forFinding, forNote, beside} {
			b.pretty(raw, spots, shown, cut)
			if !utf8.Valid(b.text) || len(b.text) > shown.limit+64 {
				t.Fatalf("%d bytes: %q", len(b.text), b.text)
			}
			for _, r := range string(b.text) {
				if r != '\n' && !safe.Visible(r) {
					t.Fatalf("%U in %q", r, b.text)
				}
			}
			units := len(utf16.Encode([]rune(string(b.text))))
			for _, x := range b.marks {
				if x[0] < 0 || x[1] < x[0] || x[1] > units {
					t.Fatalf("mark %v in %d units: %q", x, units, b.text)
				}
			}
			block := string(appendBlockText(nil, b.text))
			if strings.Contains(block, blockBreak) || strings.Contains(block, "<") || back.Replace(block) != string(b.text) {
				t.Fatalf("%q is %q in a block", b.text, block)
			}
		}
	})
}
