package policy

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestNormalise(t *testing.T) {
	for in, want := range map[string]string{
		"/a/b": "/a/b", "/a//b/": "/a/b", "/a/./b": "/a/b", "/a/../b": "/b", "/../../b": "/b", `C:\a\..\b`: "C:/b", `/a\..\b`: "/b",
		"": ".", ".": ".", "a/..": ".", "a/../..": "..", "../a": "../a", "a/../../b": "../b", "../../a/../b": "../../b", "/": "/", "//": "/", "/..": "/", `\\host\share`: "/host/share", "/a/...": "/a/...",
	} {
		if got := normalise(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.StringOf(rapid.SampledFrom([]rune(`ab./\`))).Draw(rt, "path")
		n := normalise(p)
		if normalise(n) != n {
			rt.Fatalf("%q gives %q, and that %q", p, n, normalise(n))
		}
		if strings.Contains(n, "//") || strings.Contains(n, "/./") || strings.Contains(n+"/", "a/../") || strings.Contains(n, `\`) {
			rt.Fatalf("%q gives %q", p, n)
		}
	})
}

func TestPathGlobs(t *testing.T) {
	for _, c := range []struct {
		glob    string
		yes, no []string
	}{
		{"/srv/**", []string{"/srv/a", "/srv/a/b/c", "/srv/.hidden"}, []string{"/srv", "/srvx/a", "srv/a", "/"}},
		{"/srv/*", []string{"/srv/a", "/srv/.a"}, []string{"/srv", "/srv/a/b"}},
		{"/srv/*.txt", []string{"/srv/a.txt", "/srv/.txt"}, []string{"/srv/a.txt.sh", "/srv/d/a.txt"}},
		{"/srv/**/a", []string{"/srv/a", "/srv/b/a", "/srv/b/c/a"}, []string{"/srv/ba", "/srv/b/ca", "/srv/a/b"}},
		{"**/a", []string{"a", "b/a", "/a", "/b/c/a"}, []string{"ba", "/b/ca", "../a"}},
		{"**", []string{"a", "/a/b"}, []string{"..", "../a", "../../etc/passwd"}},
		{"../a/*", []string{"../a/b"}, []string{"a/b", "../../a/b"}},
		{"/srv/?", []string{"/srv/a", "/srv/é"}, []string{"/srv/", "/srv/ab", "/srv//"}},
		{"/srv/a?c", []string{"/srv/abc"}, []string{"/srv/a/c", "/srv/ac"}},
		{"/srv//./x/../a", []string{"/srv/a"}, []string{"/srv/x/a"}},
		{`C:\work\**`, []string{"C:/work/a"}, []string{"c:/work/a", "C:/work"}},
		{"/s/a**b", []string{"/s/ab", "/s/a/x/b"}, []string{"/s/a/x/c"}},
		{"/srv/a", []string{"/srv/a"}, []string{"/srv/A", "/srv/a/b", "/srv/ab"}},
	} {
		p, err := compilePath(c.glob, false)
		if err != nil {
			t.Fatal(c.glob, err)
		}
		for _, s := range c.yes {
			if !p.match(normalise(s)) {
				t.Errorf("%s does not match %s", c.glob, s)
			}
		}
		for _, s := range c.no {
			if p.match(normalise(s)) {
				t.Errorf("%s matches %s", c.glob, s)
			}
		}
	}
	// A denied folder is denied itself, with all below it.
	for _, glob := range []string{"/etc/**", "/etc/"} {
		p, err := compilePath(glob, true)
		if err != nil || !p.match("/etc") || !p.match("/etc/a/b") || p.match("/etcetera") {
			t.Errorf("deny %s: %v", glob, err)
		}
	}
	if p, _ := compilePath("/**", true); !p.match("/a") {
		t.Error("deny /** lets /a pass")
	}
	for _, bad := range []string{"", " ", "/a/***", "/a/[ab]", "/a/{b,c}", "/a/b]", "/a\x00", "/a\n", "/**/../b", "/a?/../b", strings.Repeat("a", maxGlob+1)} {
		if _, err := compilePath(bad, false); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// plainGlob says the same with the regexp package.
func plainGlob(glob string) *regexp.Regexp {
	s := regexp.QuoteMeta(glob)
	s = strings.ReplaceAll(s, `/\*\*/`, "\x00")
	s = regexp.MustCompile(`^\\\*\\\*/`).ReplaceAllString(s, `(.*/)?`)
	s = strings.ReplaceAll(s, `\*\*`, `.*`)
	s = strings.ReplaceAll(s, `\*`, `[^/]*`)
	s = strings.ReplaceAll(s, `\?`, `[^/]`)
	s = strings.ReplaceAll(s, "\x00", `/(.*/)?`)
	return regexp.MustCompile(`\A(?s:` + s + `)\z`)
}

func TestGlobEqualsRegexp(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "b", "/", "/", "*", "?", "/**/", "/**", "ab", "a*"})
	text := rapid.StringOf(rapid.SampledFrom([]rune("aab/")))
	rapid.Check(t, func(rt *rapid.T) {
		glob := strings.Join(rapid.SliceOfN(part, 1, 8).Draw(rt, "glob"), "")
		if rapid.Bool().Draw(rt, "head") {
			glob = "**/" + glob
		}
		g, err := compileGlob(glob, '/')
		if err != nil || strings.Contains(glob, "/**/**") {
			return // stars in a row, or overlapping steps that the regexp form reads otherwise
		}
		s := text.Draw(rt, "text")
		if got, want := g.match(s, '/'), plainGlob(glob).MatchString(s); got != want {
			rt.Fatalf("%q on %q: %v, want %v", glob, s, got, want)
		}
	})
}

// No pattern makes a match cost more than its size times the text's.
func TestGlobIsLinear(t *testing.T) {
	start := time.Now()
	for _, glob := range []string{strings.Repeat("*a", 500) + "b", strings.Repeat("/**", 300) + "/b", "**/" + strings.Repeat("a*", 400)} {
		p, err := compilePath(glob, false)
		if err != nil {
			t.Fatal(err)
		}
		p.match(strings.Repeat("a", maxPath))
		p.match(strings.Repeat("/a", maxPath/2))
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("/srv/**/a*", "/srv/b/ab")
	f.Add("**/a?", "a/b/ac")
	f.Fuzz(func(t *testing.T, glob, text string) {
		g, err := compileGlob(glob, '/')
		if err != nil || strings.Contains(glob, "/**/**") || strings.Contains(glob, "**/**/") {
			return
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
		if got, want := g.match(text, '/'), plainGlob(glob).MatchString(text); got != want {
			t.Fatalf("%q on %q: %v, want %v", glob, text, got, want)
		}
	})
}
