package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/formats/report/safe"
)

func textHandler(o TextOptions) func(*bytes.Buffer) Handler {
	return func(b *bytes.Buffer) Handler { return NewText(b, o, testRun()) }
}

func TestTextGoldens(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     TextOptions
		story func(*testing.T, Handler)
	}{
		{"text.txt", TextOptions{}, tell},
		{"text-verbose.txt", TextOptions{Verbose: true}, tell},
		{"text-quiet.txt", TextOptions{Quiet: true}, tell},
		{"text-color.txt", TextOptions{Color: true}, tell},
		{"text-narrow.txt", TextOptions{Width: 50}, tell},
		{"text-clean.txt", TextOptions{}, nothing},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, c.name, render(t, c.story, textHandler(c.o)))
		})
	}
}

// story is what a text report says of a run.
func story(t *testing.T, o TextOptions, tell func(h Handler)) string {
	t.Helper()
	var b bytes.Buffer
	tell(NewText(&b, o, testRun()))
	return b.String()
}

func mentions(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in\n%.3000s", w, text)
		}
	}
}

func TestTextShowsABoundedNumber(t *testing.T) {
	h := NewText(io.Discard, TextOptions{}, testRun()).(*text)
	const many = 5000
	for range many {
		h.Finding(ansi())
		h.Finding(phrase())
		h.Finding(note())
	}
	if n := len(h.full.b) + len(h.brief.b) + len(h.notes.b); n > 200<<10 {
		t.Errorf("%d bytes are held", n)
	}
	out := story(t, TextOptions{}, func(h Handler) {
		for range many {
			h.Finding(ansi())
			h.Finding(phrase())
			h.Finding(note())
		}
		c := Counts{Block: many, Monitor: many, Note: many, Rules: map[string]int64{"WRD-RES-ANSI": many, "WRD-RES-INJECT-PHRASE": many, "WRD-RES-URL": many}}
		h.Trace(&Trace{Name: wireTrace, Fidelity: "wire", Frames: 9, Inspected: 9, Counts: c})
		h.Close(&Summary{Frames: 9, Inspected: 9, Traces: 1, Sessions: 1, Counts: c, ExitCode: 1})
	})
	mentions(t, out, "... and 4,800 more block findings", "... and 4,900 more monitor findings",
		"4,800 block findings are not shown in full: --json FILE writes all of them", "5,000 notes")
	if n := strings.Count(out, "evidence"); n != fullLimit {
		t.Errorf("%d findings in full", n)
	}
}

func TestTextScreenfulOfSessions(t *testing.T) {
	trace := &Trace{Name: "a", Fidelity: "wire", Incomplete: true, SessionsAll: 5000}
	for i := range MaxSessions {
		trace.Sessions = append(trace.Sessions, Session{Number: i, Name: fmt.Sprint("s", i)})
	}
	out := story(t, TextOptions{}, func(h Handler) { h.Trace(trace); h.Close(&Summary{}) })
	mentions(t, out, "session #7 s7", "... and 4,992 sessions more", "5,000 sessions")
	if n := strings.Count(out, "\n"); n > 24 {
		t.Errorf("%d lines are more than a screen", n)
	}
	out = story(t, TextOptions{Verbose: true}, func(h Handler) { h.Trace(trace); h.Close(&Summary{}) })
	mentions(t, out, "session #99 s99", "... and 4,900 sessions more")
}

func TestTextManyCleanTraces(t *testing.T) {
	tell := func(h Handler) {
		for i := range 1000 {
			h.Trace(&Trace{Name: fmt.Sprintf("t%04d", i), Fidelity: "wire", Frames: 1, Inspected: 1})
		}
		h.Close(&Summary{Traces: 1000, Sessions: 1000, Frames: 1000, Inspected: 1000})
	}
	out := story(t, TextOptions{}, tell)
	mentions(t, out, "t0039  clean", "... and 960 clean traces more", "clean: no findings; read 1,000 frames")
	if strings.Contains(out, "t0040") {
		t.Error("all clean traces are named")
	}
	mentions(t, story(t, TextOptions{Verbose: true}, tell), "t0999  clean")
	if got := story(t, TextOptions{Quiet: true}, tell); got != "" {
		t.Errorf("quiet says %q", got)
	}
}

// TestTextIsHonest sees that "clean" is never said without what limits it.
func TestTextIsHonest(t *testing.T) {
	for _, c := range []struct {
		name string
		tr   Trace
		sum  Summary
		want []string
	}{
		{"elided", Trace{Fidelity: "wire-elided", Frames: 3, Inspected: 1}, Summary{Frames: 3, Inspected: 1},
			[]string{"wire-elided", "what was cut was not inspected"}},
		{"transcript", Trace{Fidelity: "host-synthesised", Frames: 3, Inspected: 1}, Summary{Frames: 3, Inspected: 1},
			[]string{"host-synthesised", "only what the transcript holds"}},
		{"damaged", Trace{Fidelity: "wire", Frames: 3, Inspected: 1, Incomplete: true}, Summary{Frames: 3, Inspected: 1},
			[]string{"incomplete: damaged", "read as far as it went"}},
		{"no results", Trace{Fidelity: "wire", Frames: 3}, Summary{Frames: 3}, []string{"nothing to inspect"}},
		{"empty", Trace{Fidelity: "wire"}, Summary{}, []string{"nothing inspected"}},
		{"unread lines", Trace{Fidelity: "wire", Frames: 3, Inspected: 1, ParseErrors: 2}, Summary{Frames: 3, Inspected: 1, ParseErrors: 2},
			[]string{"2 lines not read", "2 lines could not be read nor inspected"}},
		{"interrupted", Trace{Fidelity: "wire", Frames: 3, Inspected: 1}, Summary{Frames: 3, Inspected: 1, Interrupted: true, ExitCode: 130},
			[]string{"interrupted: this is what was found until then", "exit 130"}},
		{"passed over", Trace{Fidelity: "wire", Frames: 3, Inspected: 1}, Summary{Frames: 3, Inspected: 1, Unrecognised: 1},
			[]string{"1 file of no known form passed over"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.tr.Name, c.sum.Traces = "a.jsonl", 1
			out := story(t, TextOptions{}, func(h Handler) {
				h.Trace(&c.tr)
				h.Close(&c.sum)
			})
			mentions(t, strings.Join(strings.Fields(out), " "), c.want...)
		})
	}
}

// TestTextColumns sees that lines fit where nothing forces them wider: places
// are kept whole.
func TestTextColumns(t *testing.T) {
	for _, width := range []int{60, 80, 132} {
		out := render(t, tell, textHandler(TextOptions{Width: width, Verbose: true}))
		for line := range strings.Lines(string(out)) {
			line = strings.TrimSuffix(line, "\n")
			if n := safe.Width(line); n > width && !strings.Contains(line, ".jsonl:") {
				t.Errorf("%d cells of %d: %q", n, width, line)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  []string
	}{
		{"", 10, nil},
		{"  a  b ", 10, []string{"a b"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"abcdefgh i", 3, []string{"abc", "def", "gh", "i"}},
		{"漢字漢字", 4, []string{"漢字", "漢字"}},
		{"a ::error::x", 9, []string{"a", `\x3a:erro`, "r::x"}},
		{"aaaa::bbbb", 4, []string{"aaaa", `\x3a`, ":bbb", "b"}},
	} {
		if diff := cmp.Diff(c.want, wrap(c.in, c.width)); diff != "" {
			t.Errorf("wrap(%q, %d): %s", c.in, c.width, diff)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1002003: "1,002,003", -1234: "-1,234"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q", n, got)
		}
	}
	if got := size(1536); got != "1.5 KiB" {
		t.Error(got)
	}
}

// What to do is told whole: a half of a sentence tells nobody what to do.
func TestTextTellsAllThatCanBeDone(t *testing.T) {
	run := testRun()
	run.Rules = ruleset.Builtin().Rules
	for i := range run.Rules {
		r := &run.Rules[i]
		if r.Tier != analyze.Block || r.Relax == "" || r.Family == "secret" {
			continue
		}
		var b bytes.Buffer
		h := NewText(&b, TextOptions{}, run)
		f := secretEcho()
		f.Rule = r.ID
		h.Finding(f)
		h.Close(&Summary{})
		if text := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(text, "what to do "+strings.Join(strings.Fields(r.Relax), " ")) {
			t.Errorf("%s: %s", r.ID, text)
		}
	}
}
