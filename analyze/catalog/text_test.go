package catalog

import (
	"testing"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"pgregory.net/rapid"
)

func TestCodePoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if s := rapid.String().Draw(t, "text"); codePoints([]byte(s)) != utf8.RuneCountInString(s) {
			t.Fatalf("%q: %d", s, codePoints([]byte(s)))
		}
	})
}

func TestDecode(t *testing.T) {
	for r := range rune(utf8.MaxRune + 1) {
		s := []byte(string(r) + "x")
		wantR, wantN := utf8.DecodeRune(s)
		if got, n := decode(s); got != wantR || n != wantN {
			t.Fatalf("%U: %U in %d bytes", r, got, n)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(rapid.SampledFrom([]byte{'a', 0x80, 0x9b, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xe2, 0xec, 0xed, 0xee, 0xf0, 0xf4, 0xff}), 1, 4).Draw(t, "bytes")
		wantR, wantN := utf8.DecodeRune(s)
		if got, n := decode(s); got != wantR || n != wantN {
			t.Fatalf("%q: %U in %d bytes", s, got, n)
		}
	})
}

// TestTame: nothing that begins with a tame byte is forbidden in any charset.
func TestTame(t *testing.T) {
	for r := range rune(utf8.MaxRune + 1) {
		for _, set := range []analyze.Charset{analyze.CharsetText, analyze.CharsetExtended, analyze.CharsetBinary} {
			if forbidden(r, set) && tame[string(r)[0]] {
				t.Errorf("%U", r)
			}
		}
	}
}

func TestText(t *testing.T) {
	c, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("\x1b[1mok\xff see http://10.0.0.7/ and AKIA" + "ABCDEFGHIJKLMNOP")
	got := c.Text(text, analyze.Inspection{Charset: analyze.CharsetBinary})
	var rules []string
	for _, f := range got {
		rules = append(rules, f.Rule)
		if f.Block != -1 || f.Pointer != "" {
			t.Errorf("%s has a place: block %d, pointer %q", f.Rule, f.Block, f.Pointer)
		}
	}
	want := []string{RuleSecret, RuleIP, RuleURL}
	if len(rules) != 3 || rules[0] != want[0] || rules[1] != want[1] || rules[2] != want[2] {
		t.Errorf("rules %v, want %v (control characters are allowed in binary output)", rules, want)
	}
	if span := got[1].Spans[0]; span.Start != 19 {
		t.Errorf("the address is at code point %d, want 19: a byte that is no UTF-8 is one code point", span.Start)
	}
	if got := c.Text([]byte("nothing here"), analyze.Inspection{}); got != nil {
		t.Errorf("a clean text gave %v", got)
	}
}
