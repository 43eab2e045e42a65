package report

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
)

func jsonHandler(b *bytes.Buffer) Handler { return NewJSON(b, testRun()) }

func TestJSONGoldens(t *testing.T) {
	golden(t, "report.jsonl", render(t, tell, jsonHandler))
	golden(t, "clean.jsonl", render(t, nothing, jsonHandler))
}

// flushed counts how often a report was handed on.
type flushed struct {
	bytes.Buffer
	times int
}

func (f *flushed) Flush() error { f.times++; return nil }

func TestLiveJSON(t *testing.T) {
	var f flushed
	h := NewLiveJSON(&f, testRun())
	for i := range 3 {
		if err := h.Finding(ansi()); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(f.Bytes(), []byte("\n")); n != i+1 || f.times != i+1 {
			t.Errorf("after %d findings: %d lines, flushed %d times", i+1, n, f.times)
		}
	}
}

// TestJSONOrder pins the order of a finding's members: users cut lines by eye.
func TestJSONOrder(t *testing.T) {
	line, _, _ := strings.Cut(string(render(t, tell, jsonHandler)), "\n")
	d := json.NewDecoder(strings.NewReader(line))
	var keys []string
	depth := 0
	key := false
	for {
		tok, err := d.Token()
		if err != nil {
			break
		}
		switch v := tok.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				depth++
			} else {
				depth--
			}
			key = depth == 1
		case string:
			if depth == 1 && key {
				keys = append(keys, v)
				key = false
				continue
			}
			key = depth == 1
		default:
			key = depth == 1
		}
	}
	want := strings.Fields(`kind rule_id sub_rule severity level tier action direction rpc_id tool block_index message snippet
		matched_phrases trace session frame line offset ts pointer spans fingerprint method is_error`)
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Error(diff)
	}
}

// unescaped names what in a line is not plain text.
func unescaped(s string) string {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") {
			return "invalid UTF-8"
		}
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return strings.ToUpper(string("0123456789abcdef"[r>>4&15])) + " a control, format or invisible character"
		}
	}
	return ""
}

func TestJSONStringsRoundTrip(t *testing.T) {
	text := rapid.OneOf(
		rapid.String(),
		rapid.StringOf(rapid.RuneFrom(nil, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Mn, unicode.So)),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"</script>", "\"\\\x7f\u0080", "\xed\xa0\x80", "😀\U000e0041\U0010ffff"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		b := appendJSON(nil, s)
		var back string
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%q gives %s: %v", s, b, err)
		}
		// encoding/json's own reading of bad UTF-8 is the measure.
		std, _ := json.Marshal(s)
		var want string
		json.Unmarshal(std, &want)
		if back != want {
			t.Fatalf("%q came back as %q, want %q", s, back, want)
		}
		if why := unescaped(string(b)); why != "" {
			t.Fatalf("%q gives %q: %s", s, b, why)
		}
		if bytes.ContainsAny(b, "<>&") {
			t.Fatalf("%q gives %s, which HTML would read", s, b)
		}
	})
}

func TestRPCIDs(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"", "null"},
		{"null", "null"},
		{"0", "0"},
		{"-0", "-0"},
		{"1.50", "1.50"},
		{"1e1000000000", "1e1000000000"},
		{"123456789012345678901234567890", "123456789012345678901234567890"},
		{"01", "null"},
		{"1.", "null"},
		{"1x", "null"},
		{"-", "null"},
		{"NaN", "null"},
		{"Infinity", "null"},
		{"true", "null"},
		{`{"a":1}`, "null"},
		{`[1]`, "null"},
		{`"a"`, `"a"`},
		{`"\u0061\n"`, `"a\n"`},
		{`"` + "\u202e" + `"`, `"\u202e"`},
		{`"` + "a\xff" + `"`, `"a` + "\ufffd" + `"`},
		{`"\ud800"`, `"` + "\ufffd" + `"`},
		{`"a`, "null"},
		{`"a" x`, "null"},
		{`"` + planted + `"`, `"ghp_…(len=40)"`},
		{strings.Repeat("7", 1<<20), `"` + strings.Repeat("7", 32) + `…(len=1048576 bytes)"`},
		{"1" + strings.Repeat("<b>", 1000), "null"},
		{`"` + strings.Repeat("x", 1<<20) + `"`, `"…(len=1048578 bytes)"`},
		{`"` + strings.Repeat("x", 600) + `"`, `"` + strings.Repeat("x", 512) + `…(len=600 bytes)"`},
	} {
		got := string(appendID(nil, newLens(testRun()).rpcID([]byte(c.raw))))
		if got != c.want {
			t.Errorf("id %.60q gives %.100s, want %.100s", c.raw, got, c.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("id %.60q gives no JSON: %.100s", c.raw, got)
		}
	}
}

func FuzzRPCID(f *testing.F) {
	f.Add([]byte(`"a\ud800"`))
	f.Add([]byte("1e5"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l := newLens(testRun())
		for range 2 { // the second comes from what the lens remembers
			got := appendID(nil, l.rpcID(raw))
			if !json.Valid(got) || unescaped(string(got)) != "" || len(got) > 8<<10 {
				t.Fatalf("%q gives %q", raw, got)
			}
		}
	})
}

// TestIDsDoNotStick sees that remembering the last id mixes nothing up.
func TestIDsDoNotStick(t *testing.T) {
	l := newLens(testRun())
	for _, raw := range []string{"1", "", "1", `"1"`, "2", strings.Repeat("9", 2000), "2", "null"} {
		want := newLens(testRun()).rpcID([]byte(raw))
		if got := l.rpcID([]byte(raw)); got != want {
			t.Errorf("id %.20q gives %v, want %v", raw, got, want)
		}
	}
}

// TestBuiltinRedaction sees that a run without a redaction of its own has one.
func TestBuiltinRedaction(t *testing.T) {
	run := testRun()
	run.Scrub = nil
	var b bytes.Buffer
	h := NewJSON(&b, run)
	f := soil("x "+planted+" y", analyze.Block)
	f.Trace = "t"
	if err := h.Finding(f); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(&Summary{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), planted[5:20]) || !strings.Contains(b.String(), `"tool":"x ghp_…(len=40) y"`) {
		t.Errorf("not redacted: %s", b.String())
	}
}

func BenchmarkFindings(b *testing.B) {
	run := testRun()
	run.Scrub = nil
	for _, c := range []struct {
		name string
		h    Handler
	}{
		{"json", NewJSON(discard{}, run)},
		{"sarif", NewSARIF(discard{}, SARIFOptions{Limit: 1 << 30}, run)},
		{"sarif-full", NewSARIF(discard{}, SARIFOptions{Limit: 1}, run)},
		{"text", NewText(discard{}, TextOptions{}, run)},
		{"junit", NewJUnit(discard{}, JUnitOptions{}, run)},
		{"markdown", NewMarkdown(discard{}, run)},
		{"github", NewGitHub(discard{}, false, run)},
	} {
		b.Run(c.name, func(b *testing.B) {
			f := ansi()
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				// Messages and evidence differ from finding to finding.
				n++
				f.Message = "3 control characters: U+001B, U+001B, U+0007" + strconv.Itoa(n)
				f.Snippet = `some lines of text around what was found, as they mostly are \\x1b[31m` + strconv.Itoa(n)
				if err := c.h.Finding(f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
