package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// advised is an error like those of package target.
type advised struct{}

func (advised) Error() string  { return "can't write r.json: no space left on device" }
func (advised) Advice() string { return "free some space" }

func TestPrintError(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"none", nil, ""},
		{"plain", errors.New("no such file"), "prog: no such file\n"},
		{"with a hint", Fail("check the name", "reading %s: %w", "a.lock", errors.New("no such file")),
			"prog: reading a.lock: no such file\n  hint: check the name\n"},
		{"hint below a wrapping", fmt.Errorf("scan: %w", Fail("look", "bad")), "prog: scan: bad\n  hint: look\n"},
		{"advice", fmt.Errorf("report: %w", advised{}), "prog: report: can't write r.json: no space left on device\n  hint: free some space\n"},
		{"a file", Fail("check the name", "--lock: %w", &fs.PathError{Op: "open", Path: "a.lock", Err: fs.ErrPermission}),
			"prog: --lock: a.lock: permission denied\n  hint: check the name\n"},
		{"joined", errors.Join(errors.New("one"), errors.Join(errors.New("two"), advised{})),
			"prog: one\nprog: two\nprog: can't write r.json: no space left on device\n  hint: free some space\n"},
		{"joined and wrapped", Fail("look", "--ruleset: %w", errors.Join(errors.New("r.yaml:1: one"), errors.New("r.yaml:2: a\nb"))),
			"prog: --ruleset: r.yaml:1: one\nprog: --ruleset: r.yaml:2: a\\nb\n  hint: look\n"},
		{"two causes in one sentence", fmt.Errorf("%w after %w", errors.New("one"), errors.New("two")), "prog: one after two\n"},
		{"hostile", errors.New("tool \x1b[31m\u202e\nnext"), `prog: tool \x1b[31m\u202e\nnext` + "\n"},
		{"hostile hint", Fail("see \x1b]0;x\x07", "bad"), "prog: bad\n  hint: see \\x1b]0;x\\x07\n"},
		{"said already", &Error{Code: ExitFindings, Err: errors.New("")}, ""},
		{"interrupted", Status(ExitInterrupt), ""},
		{"interrupted, with what is left", Interrupted("nothing was written"), "prog: interrupted: nothing was written\n"},
		{"cancelled", fmt.Errorf("reading: %w", context.Canceled), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			PrintError(&b, "prog", c.err)
			if b.String() != c.want {
				t.Errorf("got %q, want %q", b.String(), c.want)
			}
		})
	}
}

func TestPrintErrorIsBounded(t *testing.T) {
	var many []error
	for i := range 1000 {
		many = append(many, fmt.Errorf("error %d %s", i, strings.Repeat("x", 1<<16)))
	}
	var b bytes.Buffer
	PrintError(&b, "prog", errors.Join(many...))
	if n := bytes.Count(b.Bytes(), []byte("\n")); n != maxErrors+1 || b.Len() > 100<<10 {
		t.Errorf("%d lines, %d bytes", n, b.Len())
	}
	if !strings.HasSuffix(b.String(), "prog: ... and 980 more errors\n") {
		t.Errorf("ends with %q", b.String()[b.Len()-60:])
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		o    Outcome
		want int
	}{
		{Outcome{}, 0},
		{Outcome{Found: true}, 1},
		{Outcome{Failed: true}, 2},
		{Outcome{Found: true, Failed: true}, 2},
		{Outcome{Found: true, AuditOnly: true}, 0},
		{Outcome{Failed: true, AuditOnly: true}, 2},
		{Outcome{Found: true, Failed: true, AuditOnly: true}, 2},
		{Outcome{Interrupted: true}, 130},
		{Outcome{Interrupted: true, Found: true, Failed: true, AuditOnly: true}, 130},
	} {
		if got := c.o.ExitCode(); got != c.want {
			t.Errorf("%+v gives %d, want %d", c.o, got, c.want)
		}
	}
	for _, c := range [][3]int{{0, 0, 0}, {0, 1, 1}, {1, 2, 2}, {2, 1, 2}, {3, 1, 3}, {3, 2, 2}, {130, 2, 130}, {0, 77, 77}} {
		if got := Worse(c[0], c[1]); got != c[2] {
			t.Errorf("Worse(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestColor(t *testing.T) {
	var out bytes.Buffer // no terminal
	for _, c := range []struct {
		choice string
		env    map[string]string
		want   bool
		fails  bool
	}{
		{choice: "auto"},
		{choice: ""},
		{choice: "always", want: true},
		{choice: "always", env: map[string]string{"NO_COLOR": "1"}, want: true},
		{choice: "never", env: map[string]string{"CLICOLOR_FORCE": "1"}},
		{choice: "auto", env: map[string]string{"CLICOLOR_FORCE": "1"}, want: true},
		{choice: "auto", env: map[string]string{"CLICOLOR_FORCE": "0"}},
		{choice: "auto", env: map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "x"}},
		{choice: "auto", env: map[string]string{"CLICOLOR_FORCE": "1", "TERM": "dumb"}},
		{choice: "pink", fails: true},
	} {
		w := &World{Getenv: func(k string) string { return c.env[k] }}
		got, err := w.Color(c.choice, &out)
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("--color=%s with %v: %v, %v", c.choice, c.env, got, err)
		}
	}
}

func TestColumns(t *testing.T) {
	for env, want := range map[string]int{"": 80, "132": 132, "10": 40, "-3": 80, "x": 80} {
		w := &World{Getenv: func(string) string { return env }}
		if got := w.Columns(&bytes.Buffer{}); got != want {
			t.Errorf("COLUMNS=%q gives %d, want %d", env, got, want)
		}
	}
	if (&World{}).Columns(nil) != 80 {
		t.Error("a world without environment has no width")
	}
}
