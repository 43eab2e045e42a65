package safe

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestString(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "read_file", "read_file"},
		{"empty", "", ""},
		{"escape sequence", "a\x1b[31mb", `a\x1b[31mb`},
		{"line ends and tab", "a\nb\r\tc", `a\nb\r\tc`},
		{"NUL and DEL", "\x00\x7f", `\x00\x7f`},
		{"C1", "\u0080\u009b1m", `\u0080\u009b1m`},
		{"separators", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"bidi override", "exe\u202egnp.", `exe\u202egnp.`},
		{"bidi isolate and mark", "\u2066x\u2069\u200f\u061c", `\u2066x\u2069\u200f\u061c`},
		{"zero width", "a\u200bb\u2060\ufeff", `a\u200bb\u2060\ufeff`},
		{"soft hyphen", "a\u00adb", `a\u00adb`},
		{"tags", "a\U000e0041", `a\U000e0041`},
		{"variation selectors", "a\ufe0f\U000e0100", `a\ufe0f\U000e0100`},
		{"hangul filler", "\u3164\uffa0", `\u3164\uffa0`},
		{"private use", "\ue000", `\ue000`},
		{"unassigned and noncharacter", "\u0378\U0001ffff", `\u0378\U0001ffff`},
		{"stray byte", "a\xffb", `a\xffb`},
		{"lone surrogate in UTF-8", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"overlong", "\xc0\x80", `\xc0\x80`},
		{"replacement character", "\ufffd", "\ufffd"},
		{"letters of many scripts", "żółć 漢字 שלום नमस्ते", "żółć 漢字 שלום नमस्ते"},
		{"emoji", "🙂", "🙂"},
		{"wide blank", "a\u3000b\u00a0c", "a\u3000b\u00a0c"},
		{"accent on a letter", "e\u0301", "e\u0301"},
		{"accent on nothing", "\u0301x", `\u0301x`},
		{"accent after an escape", "\n\u0301", `\n\u0301`},
		{"a storm of accents", "e" + strings.Repeat("\u0301", 6), "e" + strings.Repeat("\u0301", 4) + `\u0301\u0301`},
		{"a runner's command", "::error::x", `\x3a:error::x`},
		{"after blanks", " \u3000 ::error::x", " \u3000 \\x3a:error::x"},
		{"no command", "std::x : ##", "std::x : ##"},
		{"a runner's old command", "a ##[add-path]/x", `a #\x23[add-path]/x`},
		{"hidden in hashes", "####[x]", `###\x23[x]`},
		{"backslash", `C:\x1b`, `C:\x1b`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := String(c.in); got != c.want {
				t.Errorf("String(%q) = %q, want %q", c.in, got, c.want)
			}
			if got := Bytes([]byte(c.in)); got != c.want {
				t.Errorf("Bytes(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// raw names the first thing in s that no terminal should be given; it does not
// use the package's own tables.
func raw(s string) string {
	marks := 0
	if strings.HasPrefix(strings.TrimSpace(s), "::") || strings.Contains(s, "##[") {
		return "a runner's command"
	}
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") {
			return "invalid UTF-8"
		}
		switch {
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Co):
			return "control, format, separator or private use"
		case unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Bidi_Control, unicode.Join_Control):
			return "invisible"
		case unicode.In(r, unicode.Noncharacter_Code_Point):
			return "no character"
		}
		if unicode.Is(unicode.M, r) {
			if marks++; marks > maxMarks || i == 0 {
				return "a mark without a base or one too many"
			}
		} else {
			marks = 0
		}
	}
	return ""
}

// hostile draws texts that are mostly made of what must not come through.
func hostile() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.String(),
		rapid.StringOfN(rapid.RuneFrom(nil, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Mn, unicode.Co), 0, 8, -1),
		rapid.StringOfN(rapid.RuneFrom(nil, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point), 0, 4, -1),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"\x1b]0;x\x07", "::", "##[", "#", "\x1b[2J", "\u202e", "\xed\xa0\x80", "e\u0301", "a"}),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 6), func(p []string) string { return strings.Join(p, "") })
}

func TestNothingRawComesThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostile().Draw(t, "text")
		out := String(s)
		if why := raw(out); why != "" {
			t.Fatalf("String(%q) = %q: %s", s, out, why)
		}
		if again := String(out); again != out {
			t.Fatalf("not stable: %q became %q", out, again)
		}
		if raw(s) == "" && strings.ToValidUTF8(s, "") == s && allAssigned(s) && out != s {
			t.Fatalf("String(%q) = %q, but nothing in it needed escaping", s, out)
		}
		width := rapid.IntRange(0, 12).Draw(t, "width")
		cut := Cut(s, width)
		if why := raw(cut); why != "" {
			t.Fatalf("Cut(%q, %d) = %q: %s", s, width, cut, why)
		}
		if n := cells.StringWidth(cut); n > width {
			t.Fatalf("Cut(%q, %d) = %q takes %d cells", s, width, cut, n)
		}
	})
}

func allAssigned(s string) bool {
	for _, r := range s {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs) {
			return false
		}
	}
	return true
}

func TestEveryCodePoint(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if 0xd800 <= r && r <= 0xdfff {
			continue
		}
		if why := raw(String(string(r))); why != "" {
			t.Fatalf("%U: %s", r, why)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"abc", 0, ""},
		{"abc", 1, "…"},
		{"漢字漢字", 5, "漢字…"},
		{"漢字漢字", 4, "漢…"},
		{"a\x1bb", 4, "a…"},
		{"a\x1bb", 6, `a\x1bb`},
		{strings.Repeat("x", 1<<21), 5, "xxxx…"},
	} {
		if got := Cut(c.in, c.width); got != c.want {
			t.Errorf("Cut(%.20q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
	if got := Cut("e"+strings.Repeat("\u0301", 1<<20), 10); len(got) > 400 {
		t.Errorf("a storm of marks gives %d bytes", len(got))
	}
}

func TestLimit(t *testing.T) {
	if got := Limit("short", 10); got != "short" {
		t.Error(got)
	}
	if got, want := Limit(strings.Repeat("é", 100), 5), "éé…(len=200 bytes)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Limit("\x80\x80\x80\x80\x80\x80\x80\x80", 6); !strings.HasSuffix(got, "(len=8 bytes)") {
		t.Errorf("got %q", got)
	}
}

func TestNamer(t *testing.T) {
	calls := 0
	n := Namer{Max: 8, Scrub: func(s string) string {
		calls++
		return strings.ReplaceAll(s, "hush", "*")
	}}
	for range 3 {
		if got, want := n.Name("a\x1bhush"), `a\x1b*`; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if calls != 1 {
		t.Errorf("the same name was redacted %d times", calls)
	}
	if got := n.Name("1234567hush"); got != "1234567*" {
		t.Errorf("cut before redaction: %q", got)
	}
	if got := (&Namer{}).Name(""); got != "" {
		t.Errorf("got %q", got)
	}
}

func FuzzString(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		if why := raw(String(s)); why != "" {
			t.Fatal(why)
		}
	})
}

func BenchmarkString(b *testing.B) {
	s := strings.Repeat("\x1b\u202eabcdefgh漢", 1<<12)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		String(s)
	}
}

// Append takes runs of plain characters at once; character by character it must
// say the same.
func TestAppendTakesRunsAsCharacters(t *testing.T) {
	parts := []string{"::", "##[", "#", ":", "[", " ", "\u3000", "a word", "e", "\u0301", "\n", "\x1b", "\xff", "\xe2\x80", "漢", "\u202e", "\U000e0041"}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "parts"), "")
		w := writer{}
		for i := 0; i < len(s); {
			i += w.step(s[i:])
		}
		if got := string(Append(nil, s)); got != string(w.dst) || got != Bytes([]byte(s)) || got != String(s) {
			t.Fatalf("%q: %q, want %q", s, got, w.dst)
		}
	})
}
