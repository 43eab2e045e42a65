package pretty

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
)

func text(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.Repeat("  ", l.Depth))
		for _, p := range l.Pieces {
			b.WriteString(p.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestLines(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1,"b":[true,null,"x"],"c":{}}`: "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null,\n    \"x\"\n  ],\n  \"c\": {}\n}\n",
		`[]`:                                 "[]\n",
		`"s"`:                                "\"s\"\n",
		`{"a":oops`:                          "{\n  \"a\": oops\n",
		`}] {`:                               "}\n]\n{\n",
		`{"a" "b":1}`:                        "{\n  \"a\"\n  \"b\": 1\n}\n",
		``:                                   "",
	} {
		if got := text(Lines(bare(in), Options{})); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", in, got, want)
		}
	}
}

func bare[T string | []byte](s T) *Frame { return NewFrame([]byte(s), nil) }

func marked(lines []Line, k Kind) string {
	var b strings.Builder
	for _, l := range lines {
		for _, p := range l.Pieces {
			if p.Kind == k {
				b.WriteString(p.Text)
			}
		}
	}
	return b.String()
}

func TestSpansAreMarkedWhereTheyStand(t *testing.T) {
	for _, c := range []struct {
		in, pointer string
		span        analyze.Span
		want        string
	}{
		{`{"a":["x","hello world"]}`, "/a/1", analyze.Span{Start: 6, End: 11}, "world"},
		{`{"a":"é漢x"}`, "/a", analyze.Span{Start: 1, End: 2}, "漢"},
		{`{"a":"\n\u001b[2J!"}`, "/a", analyze.Span{Start: 1, End: 2}, `\u001b`},
		{`{"a":"\ud83d\ude42x"}`, "/a", analyze.Span{Start: 1, End: 2}, "x"},
		{`{"a/b":{"~":"abc"}}`, "/a~1b/~0", analyze.Span{Start: 0, End: 1}, "a"},
		{`[[1,2],{"k":"v"}]`, "/1/k", analyze.Span{Start: 0, End: 1}, "v"},
		{`{"a":"` + strings.Repeat("x", 5000) + `KEY` + strings.Repeat("y", 5000) + `"}`, "/a", analyze.Span{Start: 5000, End: 5003}, "KEY"},
	} {
		lines := Lines(bare(c.in), Options{Marks: []Mark{{Pointer: c.pointer, Spans: []analyze.Span{c.span}, Now: true}}})
		if got := marked(lines, Current); got != c.want {
			t.Errorf("%.60s at %s: marked %q, want %q", c.in, c.pointer, got, c.want)
		}
	}
}

func TestFolding(t *testing.T) {
	in := []byte(`{"a":{"b":[1,2,3]},"c":1}`)
	if got := text(Lines(bare(in), Options{Toggled: map[int]bool{2: true}})); got != "{\n  \"a\": { 1 member, 13 bytes },\n  \"c\": 1\n}\n" {
		t.Error(got)
	}
}

func TestDiff(t *testing.T) {
	got := text(Diff(bare(`{"id":1,"result":{"t":"a\u001b[2Jb"}}`), bare(`{"id":1,"result":{"t":"a[2Jb"}}`)))
	if !strings.Contains(got, `-     "t": "a\u001b[2Jb"`) || !strings.Contains(got, `+     "t": "a[2Jb"`) {
		t.Error(got)
	}
	gone := marked(Diff(bare(`{"t":"a\u001b[2Jb"}`), bare(`{"t":"a[2Jb"}`)), GoneMark)
	if gone != `-\u001b` {
		t.Errorf("marked as gone: %q", gone)
	}
	if got := text(Diff(bare(`[1]`), bare(`[1]`))); strings.ContainsAny(got, "-+") {
		t.Error(got)
	}
	if got := text(Diff(bare(""), bare(`[1]`))); got != "+ [\n+   1\n+ ]\n" {
		t.Errorf("%q", got)
	}
}

// Anything is laid out in bounded time, and JSON keeps its content.
func TestAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(rapid.SliceOf(rapid.SampledFrom([]byte(`{}[]",:\u0 1antrue`))), rapid.SliceOf(rapid.Byte())).Draw(t, "bytes")
		Lines(bare(b), Options{Toggled: map[int]bool{1: true, 3: true}})
		Raw(bare(b))
		out := text(Lines(bare(b), Options{}))
		if json.Valid(b) {
			var x, y any
			json.Unmarshal(b, &x)
			// Strings are broken at their line feeds; the generator makes none that long.
			if err := json.Unmarshal([]byte(out), &y); err != nil {
				t.Fatalf("%q laid out is no JSON: %q", b, out)
			}
		}
		Diff(bare(b), bare(out))
	})
}

func TestHugeIsBounded(t *testing.T) {
	start := time.Now()
	for _, s := range []string{strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<18), `"` + strings.Repeat(`\n`, 1<<20) + `"`, strings.Repeat("1,", 1<<20), strings.Repeat("x", 1<<21)} {
		if n := len(Lines(bare(s), Options{})); n > maxLines+2 {
			t.Errorf("%d lines of %.10q", n, s)
		}
		Diff(bare(s), bare(s[1:]))
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

// letters finds runs of Z.
func letters(text []byte) (out []secret.Match) {
	for i := 0; i < len(text); i++ {
		if from := i; text[i] == 'Z' {
			for i < len(text) && text[i] == 'Z' {
				i++
			}
			out = append(out, secret.Match{Start: from, End: i})
		}
	}
	return out
}

func TestSecretsAreHidden(t *testing.T) {
	z := strings.Repeat("Z", 12)
	for in, want := range map[string]string{
		`{"a":"x ` + z + ` y"}`: "{\n  \"a\": \"x ZZZZ…(len=12) y\"\n}\n",
		`{"` + z + `":1}`:       "{\n  \"ZZZZ…(len=12)\": 1\n}\n",
		`[` + z + `,"ZZ","` + z: "[\n  ZZZZ…(len=12),\n  \"Z…(len<=3)\",\n  \"ZZZZ…(len=12)\n",
		`["\u005aZ\u005a` + z + `\ud83d\ude42\ud83d\q` + z + `\u12"]`: "[\n  \"\\u005aZ\\u005aZ…(len=15)\\ud83d\\ude42\\ud83d\\qZZZZ…(len=12)\\u12\"\n]\n",
	} {
		f := NewFrame([]byte(in), letters)
		if got := text(Lines(f, Options{})); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", in, got, want)
		}
		if got := string(f.Bytes()); strings.Contains(got, "ZZZZZ") || strings.Join(strings.Fields(want), "") != strings.Join(strings.Fields(got), "") {
			t.Errorf("%s: bytes %s", in, got)
		}
	}
	// What a finding marks is marked where it stands, its secret in one piece.
	f := NewFrame([]byte(`{"a":"x `+z+` y"}`), letters)
	lines := Lines(f, Options{Marks: []Mark{{Pointer: "/a", Spans: []analyze.Span{{Start: 2, End: 14}}, Now: true}}})
	if got := marked(lines, Current); got != "ZZZZ…(len=12)" {
		t.Errorf("marked %q", got)
	}
	// A block that redacts is a change, though both sides read alike.
	after := bare(`{"a":"x ZZZZ…(len=12) y"}`)
	if got := text(Diff(f, after)); !strings.Contains(got, `-   "a": "x ZZZZ…(len=12) y"`) || !strings.Contains(got, `+   "a": "x ZZZZ…(len=12) y"`) {
		t.Error(got)
	}
	if got := marked(Diff(f, after), NewMark); got != "+ZZZZ…(len=12)" {
		t.Errorf("marked as new: %q", got)
	}
}

// However a string is spelled and cut, no more of a secret is laid out than its
// form.
func TestNoSecretComesThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(rapid.SampledFrom([]string{"ZZZZZZZZZZ", `\u005a`, "Z", `\`, `"`, `\ud83d`, `\ude42`, `\u00`, "\xff", "é", ":", ",", "{", "[", " ", strings.Repeat("x", 700), strings.Repeat("ZZ", 1500)}), rapid.String())
		b := []byte(strings.Join(rapid.SliceOf(part).Draw(t, "parts"), ""))
		spelled := rapid.Bool().Draw(t, "in a string, decoded")
		if spelled {
			b = []byte(`{"k":"` + strings.NewReplacer(`\u005a`, `\u005a`, `\ud83d`, `\ud83d`, `\ude42`, `\ude42`, `\`, "", `"`, "").Replace(string(b)) + `"}`)
		}
		f := NewFrame(b, letters)
		shown := text(Lines(f, Options{})) + text(Lines(f, Options{Toggled: map[int]bool{1: true, 2: true, 3: true}})) + text(Raw(f)) +
			text(Diff(f, bare(""))) + text(Diff(NewFrame(b[len(b)/2:], letters), f))
		texts := []string{shown}
		if spelled {
			texts = append(texts, strings.ReplaceAll(shown, `\u005a`, "Z"))
		}
		for _, s := range texts {
			if at := strings.Index(s, "ZZZZZ"); at >= 0 {
				t.Fatalf("%q shows %q", b, s[max(at-30, 0):at+8])
			}
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"a":["\u001b[2J",{"b":1}]}`))
	f.Fuzz(func(_ *testing.T, b []byte) {
		Lines(bare(b), Options{Marks: []Mark{{Pointer: "/a/0", Spans: []analyze.Span{{Start: 0, End: 3}}}}, Toggled: map[int]bool{2: true}})
		Diff(bare(b), bare(append([]byte("{"), b...)))
	})
}
