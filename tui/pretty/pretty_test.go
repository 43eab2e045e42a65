package pretty

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
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
		if got := text(Lines([]byte(in), Options{})); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", in, got, want)
		}
	}
}

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
		lines := Lines([]byte(c.in), Options{Marks: []Mark{{Pointer: c.pointer, Spans: []analyze.Span{c.span}, Now: true}}})
		if got := marked(lines, Current); got != c.want {
			t.Errorf("%.60s at %s: marked %q, want %q", c.in, c.pointer, got, c.want)
		}
	}
}

func TestFolding(t *testing.T) {
	in := []byte(`{"a":{"b":[1,2,3]},"c":1}`)
	if got := text(Lines(in, Options{Toggled: map[int]bool{2: true}})); got != "{\n  \"a\": { 1 member, 13 bytes },\n  \"c\": 1\n}\n" {
		t.Error(got)
	}
}

func TestDiff(t *testing.T) {
	got := text(Diff([]byte(`{"id":1,"result":{"t":"a\u001b[2Jb"}}`), []byte(`{"id":1,"result":{"t":"a[2Jb"}}`)))
	if !strings.Contains(got, `-     "t": "a\u001b[2Jb"`) || !strings.Contains(got, `+     "t": "a[2Jb"`) {
		t.Error(got)
	}
	gone := marked(Diff([]byte(`{"t":"a\u001b[2Jb"}`), []byte(`{"t":"a[2Jb"}`)), GoneMark)
	if gone != `-\u001b` {
		t.Errorf("marked as gone: %q", gone)
	}
	if got := text(Diff([]byte(`[1]`), []byte(`[1]`))); strings.ContainsAny(got, "-+") {
		t.Error(got)
	}
	if got := text(Diff(nil, []byte(`[1]`))); got != "+ [\n+   1\n+ ]\n" {
		t.Errorf("%q", got)
	}
}

// Anything is laid out in bounded time, and JSON keeps its content.
func TestAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(rapid.SliceOf(rapid.SampledFrom([]byte(`{}[]",:\u0 1antrue`))), rapid.SliceOf(rapid.Byte())).Draw(t, "bytes")
		Lines(b, Options{Toggled: map[int]bool{1: true, 3: true}})
		Raw(b)
		out := text(Lines(b, Options{}))
		if json.Valid(b) {
			var x, y any
			json.Unmarshal(b, &x)
			// Strings are broken at their line feeds; the generator makes none that long.
			if err := json.Unmarshal([]byte(out), &y); err != nil {
				t.Fatalf("%q laid out is no JSON: %q", b, out)
			}
		}
		Diff(b, []byte(out))
	})
}

func TestHugeIsBounded(t *testing.T) {
	start := time.Now()
	for _, s := range []string{strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<18), `"` + strings.Repeat(`\n`, 1<<20) + `"`, strings.Repeat("1,", 1<<20), strings.Repeat("x", 1<<21)} {
		if n := len(Lines([]byte(s), Options{})); n > maxLines+2 {
			t.Errorf("%d lines of %.10q", n, s)
		}
		Diff([]byte(s), []byte(s[1:]))
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"a":["\u001b[2J",{"b":1}]}`))
	f.Fuzz(func(_ *testing.T, b []byte) {
		Lines(b, Options{Marks: []Mark{{Pointer: "/a/0", Spans: []analyze.Span{{Start: 0, End: 3}}}}, Toggled: map[int]bool{2: true}})
		Diff(b, append([]byte("{"), b...))
	})
}
