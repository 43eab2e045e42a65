package allowlist

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPatternGrammar(t *testing.T) {
	for _, p := range []string{
		`^$`, `^abc$`, `^0x[0-9a-fA-F]{40}$`, `^[A-Za-z0-9 .,_:-]+$`, `^a{2}b{3}c*$`, `^a{2,2}b+$`, `^a?$`, `^a{0}$`, `^a{1,}$`, `^x{1,3}$`,
		`^\\\[\]\^\$\.\{\}\(\)\|\+\*\?\-$`, `^/:;,_ -~$`, `^é+$`, `^[é]$`, `^[-a]$`, `^[a-]$`, `^[{}()|.*+?$]$`, `^a{999999999}$`, "^\U0001F600$",
	} {
		if _, err := parsePattern(p, 128); err != nil {
			t.Errorf("%s is refused: %v", p, err)
		}
	}
	for _, p := range []string{
		``, `^`, `$`, `abc`, `^abc`, `abc$`, `^abc\$`, `^abc\\\$`, `^*$`, `^+$`, `^?$`, `^{2}$`, `^a**$`, `^a+?$`, `^a*+$`, `^a{2}{3}$`,
		`^a*b*$`, `^a?b+$`, `^a{1,}b{0,1}$`, `^a{1,2}b*$`, `^(a)$`, `^(?=a)a$`, `^(?:a)$`, `^a|b$`, `^a.c$`, `^\d$`, `^\w+$`, `^\a$`, `^\/$`, `^\u0041$`,
		`^a\$`, `^[]$`, `^[]a]$`, `^[^a]$`, `^[a^]$`, `^[a[b]$`, `^[\d]$`, `^[\]]$`, `^[a-Z]$`, `^[A-z]$`, `^[0-a]$`, `^[9-0]$`, `^[ -~]$`, `^[à-ÿ]$`, `^[a-c-e]$`, `^[+--]$`,
		`^[a`, `^[a$`, `^a]$`, `^a}$`, `^a{$`, `^a{}$`, `^a{,3}$`, `^a{3,1}$`, `^a{01}$`, `^a{1,02}$`, `^a{00}$`, `^a{ 1}$`, `^a{1, 2}$`, `^a{-1}$`, `^a{1.5}$`, `^^a$`, `^a$$`, `^a^$`, "^" + strings.Repeat("a", 127) + "$",
	} {
		if _, err := parsePattern(p, 128); err == nil {
			t.Errorf("%s is admitted", p)
		}
	}
	if _, err := parsePattern("^"+strings.Repeat("é", 126)+"$", 128); err != nil {
		t.Error("128 characters are refused:", err)
	}
}

func TestPatternMatch(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{`^$`, []string{""}, []string{" ", "\n"}},
		{`^0x[0-9a-f]{4}$`, []string{"0x12ef"}, []string{"0x12e", "0x12eff", "0X12ef", "0x12eF", " 0x12ef", "0x12ef\n"}},
		{`^[a-z]+-[0-9]{2}$`, []string{"a-12", "abc-99"}, []string{"-12", "a-1", "a-123", "A-12", "a12"}},
		{`^ab?c$`, []string{"ac", "abc"}, []string{"abbc", "a", "abcc"}},
		{`^a{2,3}$`, []string{"aa", "aaa"}, []string{"a", "aaaa"}},
		{`^aa*a$`, []string{"aa", "aaa"}, []string{"a", ""}},
		{`^\.\*$`, []string{".*"}, []string{"x*", ".", "..*"}},
		{`^é{2}$`, []string{"éé"}, []string{"é", "ééé", "e\u0301e\u0301"}},
		{`^[😀a]$`, []string{"😀", "a"}, []string{"😀a", ""}},
		{`^a{9007199254740993}$`, nil, []string{"a", strings.Repeat("a", 5000)}},
	} {
		p, err := parsePattern(c.pattern, 128)
		if err != nil {
			t.Fatal(c.pattern, err)
		}
		for _, s := range c.yes {
			if !p.MatchString(s) {
				t.Errorf("%s does not match %q", c.pattern, s)
			}
		}
		for _, s := range c.no {
			if p.MatchString(s) {
				t.Errorf("%s matches %q", c.pattern, s)
			}
		}
	}
}

// agree compares an admitted pattern with the regexp package on one text.
func agree(t interface{ Fatalf(string, ...any) }, pattern, text string) {
	p, err := parsePattern(pattern, 128)
	if err != nil {
		return
	}
	// `\-` is an escape that the regexp package takes as well; a count over
	// 1,000 is not.
	re, err := regexp.Compile(`\A(?:` + pattern[1:len(pattern)-1] + `)\z`)
	if err != nil {
		return
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if got, want := p.MatchString(text), re.MatchString(text); got != want {
		t.Fatalf("%q on %q: %v, the regexp package says %v", pattern, text, got, want)
	}
}

func TestPatternEqualsRegexp(t *testing.T) {
	atom := rapid.SampledFrom([]string{"a", "b", "0", "é", `\.`, `\-`, "[ab]", "[a-c0-9]", "[-a]", "[.é]", "-"})
	count := rapid.SampledFrom([]string{"", "", "", "{2}", "{0}", "{1,1}"})
	variable := rapid.SampledFrom([]string{"", "*", "+", "?", "{1,}", "{0,2}", "{2,3}"})
	text := rapid.StringOf(rapid.SampledFrom([]rune("abc09.-é")))
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(rt, "atoms")
		at := rapid.IntRange(0, 5).Draw(rt, "variable at")
		var b strings.Builder
		for i := range n {
			b.WriteString(atom.Draw(rt, "atom"))
			if i == at {
				b.WriteString(variable.Draw(rt, "variable"))
			} else {
				b.WriteString(count.Draw(rt, "count"))
			}
		}
		p := "^" + b.String() + "$"
		if _, err := parsePattern(p, 128); err != nil {
			rt.Fatalf("%s is refused: %v", p, err)
		}
		agree(rt, p, text.Draw(rt, "text"))
	})
}

func FuzzPattern(f *testing.F) {
	for _, p := range []string{`^0x[0-9a-fA-F]{40}$`, `^[A-Za-z0-9 .,_:-]+$`, `^a{2,3}\-é$`, `^[-a]?$`, `^a{0}$`} {
		f.Add(p, "0xabc")
		f.Add(p, "aa-é")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if strings.ToValidUTF8(pattern, "") != pattern {
			return // a list is valid UTF-8
		}
		agree(t, pattern, text)
	})
}
