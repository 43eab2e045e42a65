package paint

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"github.com/warden-trace/warden/formats/report/safe"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

func draws() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x1b[31m", "漢字", "e\u0301\u0301\u0301\u0301\u0301\u0301", "a\u202eb", "\t", "\n", "🙂", "ﷺ", "👩‍👧", "🇩🇪", "한글", "नमस्ते",
		"🏻", "👍🏽🏽", "\u1161", "\u1100", "\u11a8", "\u0e33", "\uff9e", "\u093e"}),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 6), func(b []byte) string { return string(b) }))
}

// Whatever is put into it, a row is exactly as wide as it was asked to be, and
// only colours are escapes in it.
func TestRowsKeepTheirWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		profile := rapid.SampledFrom([]termenv.Profile{termenv.Ascii, termenv.ANSI, termenv.ANSI256, termenv.TrueColor}).Draw(t, "profile")
		p := New(profile, rapid.Bool().Draw(t, "dark"))
		w := rapid.IntRange(0, 60).Draw(t, "width")
		r := p.Row(w).On(rapid.SampledFrom([]Role{Text, Cursor, Title}).Draw(t, "base"))
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			s, role := draws().Draw(t, "text"), Role(rapid.IntRange(0, int(roleCount)-1).Draw(t, "role"))
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				r.Put(role, s)
			case 1:
				r.PutPad(role, s, rapid.IntRange(0, 20).Draw(t, "cells"))
			case 2:
				r.PutRight(role, s, rapid.IntRange(0, 20).Draw(t, "cells"))
			case 3:
				r.PutAll(Wrap([]Seg{{role, s}}, max(w, 4), 2)[0])
			}
		}
		out := r.String()
		plain := sgr.ReplaceAllString(out, "")
		if strings.ContainsAny(plain, "\x1b\n\r\t") {
			t.Fatalf("a control in %q", out)
		}
		if n := cells.StringWidth(plain); n != w {
			t.Fatalf("%q takes %d cells, not %d", plain, n, w)
		}
		if profile == termenv.Ascii && regexp.MustCompile("\x1b\\[[0-9;]*(3[0-9]|4[0-9]|9[0-9]|10[0-9])[;m]").MatchString(out) {
			t.Fatalf("a colour without colours: %q", out)
		}
	})
}

func TestWideAndCombining(t *testing.T) {
	for s, want := range map[string]int{"abc": 3, "漢字": 4, "e\u0301": 1, "🙂": 2, "한글": 4, "a\u200bb": 8, "\x1b": 4, "ｆｕｌｌ": 8} {
		if n := Width(s); n != want {
			t.Errorf("Width(%q) = %d, want %d", s, n, want)
		}
		row := sgr.ReplaceAllString(New(termenv.Ascii, true).Row(10).Put(Text, s).String(), "")
		if n := ansi.StringWidth(row); n != 10 {
			t.Errorf("a row of %q is %d cells by another measure", s, n)
		}
	}
}

// Wrapping loses nothing and keeps to the width.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, w, indent := draws().Draw(t, "a")+draws().Draw(t, "b"), rapid.IntRange(4, 30).Draw(t, "width"), rapid.IntRange(0, 8).Draw(t, "indent")
		whole := New(termenv.Ascii, true).Row(100000).Put(Text, s)
		want := strings.TrimRight(sgr.ReplaceAllString(whole.String(), ""), " ")
		var got strings.Builder
		for i, row := range Wrap([]Seg{{Text, s}}, w, indent) {
			var line strings.Builder
			for _, seg := range row {
				line.WriteString(seg.Text)
			}
			if n := cells.StringWidth(line.String()); n > w {
				t.Fatalf("a row of %d cells in %d", n, w)
			}
			text := line.String()
			if i > 0 {
				text = text[min(min(indent, w/2), len(text)):]
			}
			got.WriteString(text)
		}
		if strings.TrimRight(got.String(), " ") != want {
			t.Fatalf("wrapped %q, want %q", got.String(), want)
		}
	})
}

// Sentences are broken between words; nothing but the blanks there is lost, and
// no row is wider than asked for.
func TestWrapWords(t *testing.T) {
	for _, c := range []struct {
		text   string
		width  int
		indent int
		want   string
	}{
		{"the text names hosts of the denylist", 20, 2, "the text names hosts|  of the denylist"},
		{"evidence: https://a-host-of-some-length.example", 20, 2, "evidence: https://a-|  host-of-some-lengt|  h.example"},
		{"nowordswhatsoeverhere", 10, 0, "nowordswha|tsoeverher|e"},
		{"  keys   help of it", 10, 4, "  keys|    help|    of it"},
		{"ends with blanks     ", 10, 0, "ends with|blanks"},
		{"", 10, 2, ""},
		{"          ", 5, 0, "     "},
	} {
		var rows []string
		for _, r := range WrapWords([]Seg{{Text, c.text}}, c.width, c.indent) {
			var b strings.Builder
			for _, s := range r {
				b.WriteString(s.Text)
			}
			rows = append(rows, b.String())
		}
		if got := strings.Join(rows, "|"); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab  é漢\x1b\u0301"))).Draw(t, "text")
		width, indent := rapid.IntRange(1, 30).Draw(t, "width"), rapid.IntRange(0, 10).Draw(t, "indent")
		var all strings.Builder
		for _, r := range WrapWords([]Seg{{Text, text}, {Dim, text}}, width, indent) {
			n := 0
			for _, s := range r {
				n += cells.StringWidth(s.Text)
				all.WriteString(s.Text)
			}
			if n > max(width, 4) {
				t.Fatalf("a row of %d cells at %d", n, width)
			}
		}
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got, want := squeeze(all.String()), squeeze(safe.String(text)+safe.String(text)); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
