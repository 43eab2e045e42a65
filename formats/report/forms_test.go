package report

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
)

func TestJUnitGoldens(t *testing.T) {
	make := func(o JUnitOptions) func(*bytes.Buffer) Handler {
		return func(b *bytes.Buffer) Handler { return NewJUnit(b, o, testRun()) }
	}
	for _, c := range []struct {
		name  string
		o     JUnitOptions
		story func(*testing.T, Handler)
	}{
		{"junit.xml", JUnitOptions{FailOn: analyze.Block}, tell},
		{"junit-monitor.xml", JUnitOptions{FailOn: analyze.Monitor}, tell},
		{"junit-never.xml", JUnitOptions{Never: true}, tell},
		{"junit-clean.xml", JUnitOptions{FailOn: analyze.Block}, nothing},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := render(t, c.story, make(c.o))
			golden(t, c.name, b)
			validJUnit(t, b)
			xmllint(t, b)
		})
	}
}

// xmllint checks a report against Jenkins' own schema where the program is at
// hand; validJUnit holds it to the same everywhere.
func xmllint(t *testing.T, b []byte) {
	t.Helper()
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		return
	}
	path := filepath.Join(t.TempDir(), "r.xml")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(lint, "--nonet", "--noout", "--schema", "testdata/jenkins-junit.xsd", path).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestGitHubGoldens(t *testing.T) {
	make := func(verbose bool) func(*bytes.Buffer) Handler {
		return func(b *bytes.Buffer) Handler { return NewGitHub(b, verbose, testRun()) }
	}
	golden(t, "github.txt", render(t, tell, make(false)))
	golden(t, "github-verbose.txt", render(t, tell, make(true)))
	golden(t, "github-clean.txt", render(t, nothing, make(false)))
}

func TestGitHubLimit(t *testing.T) {
	out := string(render(t, func(t *testing.T, h Handler) {
		for range githubLimit + 7 {
			h.Finding(ansi())
		}
		h.Close(&Summary{})
	}, func(b *bytes.Buffer) Handler { return NewGitHub(b, false, testRun()) }))
	if n := strings.Count(out, "::error "); n != githubLimit {
		t.Errorf("%d annotations", n)
	}
	if !strings.Contains(out, "::notice title=annotations left out::7 more than the 1,000 above") {
		t.Error("no word of the rest")
	}
}

func TestMarkdownGoldens(t *testing.T) {
	make := func(b *bytes.Buffer) Handler { return NewMarkdown(b, testRun()) }
	golden(t, "report.md", render(t, tell, make))
	golden(t, "clean.md", render(t, nothing, make))
}

func TestMarkdownFitsAComment(t *testing.T) {
	b := render(t, func(t *testing.T, h Handler) {
		for range 5000 {
			h.Finding(soil(strings.Repeat("|<@", 400), analyze.Block))
			h.Problem(&Problem{Trace: strings.Repeat("_", 500), Message: strings.Repeat("*", 500)})
		}
		h.Close(&Summary{})
	}, func(b *bytes.Buffer) Handler { return NewMarkdown(b, testRun()) })
	checkMarkdown(t, b)
	if !bytes.Contains(b, []byte("more are not shown")) || !bytes.Contains(b, []byte("more remarks")) {
		t.Error("no word of the rest")
	}
}

// recorder notes what a handler was called with.
type recorder struct {
	calls  []string
	failOn string
}

func (r *recorder) note(s string) error {
	r.calls = append(r.calls, s)
	if s == r.failOn {
		return errors.New("broken at " + s)
	}
	return nil
}
func (r *recorder) Problem(*Problem) error         { return r.note("problem") }
func (r *recorder) Finding(*analyze.Finding) error { return r.note("finding") }
func (r *recorder) Trace(*Trace) error             { return r.note("trace") }
func (r *recorder) Close(*Summary) error           { return r.note("close") }
func (r *recorder) Abort()                         { r.note("abort") }

func TestTee(t *testing.T) {
	good, bad, late := &recorder{}, &recorder{failOn: "finding"}, &recorder{failOn: "close"}
	h := Tee(nil, bad, good, late)
	for _, err := range []error{h.Problem(&Problem{}), h.Finding(ansi()), h.Finding(ansi()), h.Trace(&Trace{})} {
		if err != nil {
			t.Errorf("one broken report ended the run: %v", err)
		}
	}
	err := h.Close(&Summary{})
	if err == nil || err.Error() != "broken at finding\nbroken at close" {
		t.Errorf("Close says %v", err)
	}
	for _, c := range []struct {
		r    *recorder
		want string
	}{
		{good, "problem finding finding trace close"},
		{bad, "problem finding abort"},
		{late, "problem finding finding trace close abort"},
	} {
		if got := strings.Join(c.r.calls, " "); got != c.want {
			t.Errorf("calls %q, want %q", got, c.want)
		}
	}
}

func TestTeeAllBroken(t *testing.T) {
	h := Tee(&recorder{failOn: "finding"}, &recorder{failOn: "finding"})
	if err := h.Finding(ansi()); err == nil || !strings.Contains(err.Error(), "broken at finding") {
		t.Errorf("nobody is left, and Finding says %v", err)
	}
	h.Abort()
	quiet := &recorder{}
	Tee(quiet).Abort()
	if strings.Join(quiet.calls, " ") != "abort" {
		t.Errorf("calls %q", quiet.calls)
	}
}
