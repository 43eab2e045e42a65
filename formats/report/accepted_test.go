package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
)

// suppressed are findings that a baseline has something to say of: the first is
// accepted (for a reason that a trace could have planted), the second expired,
// the third confirmed.
func suppressed() []*analyze.Finding {
	a, b, c := ansi(), secretEcho(), phrase()
	a.Suppressed = &analyze.Suppression{State: "accepted", Reason: "known \x1b[31m" + planted, Owner: "ops", Expires: "2027-01-31"}
	b.Suppressed = &analyze.Suppression{State: "false-positive", Reason: "a sample", Expires: "2020-01-01", Expired: true}
	c.Suppressed = &analyze.Suppression{State: "true-positive", Reason: "reported"}
	return []*analyze.Finding{a, b, c}
}

func tellSuppressed(t *testing.T, h Handler) {
	t.Helper()
	var counts Counts
	for _, f := range suppressed() {
		counts.Add(f)
		if err := h.Finding(f); err != nil {
			t.Fatal(err)
		}
	}
	if counts.Accepted != 1 || counts.Block != 1 || counts.Monitor != 1 || counts.Rules["WRD-RES-ANSI"] != 0 {
		t.Fatalf("counts: %+v", counts)
	}
	if err := h.Trace(&Trace{Name: wireTrace, Format: "bare", Fidelity: "wire", Frames: 12, Inspected: 3, Counts: counts, SessionsAll: 1}); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(&Summary{Traces: 1, Sessions: 1, Frames: 12, Inspected: 3, Counts: counts, ExitCode: 1}); err != nil {
		t.Fatal(err)
	}
}

func TestAcceptedFindings(t *testing.T) {
	for _, c := range []struct {
		name       string
		make       func(*bytes.Buffer) Handler
		want, lack []string
	}{
		{"text", func(b *bytes.Buffer) Handler { return NewText(b, TextOptions{Width: 100}, testRun()) },
			[]string{"1 finding accepted by the baseline", "accepted until 2020-01-01, which is over: it counts again", "found 1 block, 1 monitor, 1 accepted", "true-positive: reported"},
			[]string{"WRD-RES-ANSI"}}, // listed with -v
		{"verbose", func(b *bytes.Buffer) Handler { return NewText(b, TextOptions{Width: 100, Verbose: true}, testRun()) },
			[]string{"WRD-RES-ANSI", `accepted: known \x1b[31mghp_`, "(ops), until 2027-01-31"}, nil},
		{"quiet", func(b *bytes.Buffer) Handler { return NewText(b, TextOptions{Quiet: true}, testRun()) },
			[]string{"WRD-RES-SECRET-ECHO"}, []string{"WRD-RES-ANSI"}},
		{"json", jsonHandler,
			[]string{`"baseline":{"accepted":true,"state":"accepted"`, `"expires":"2020-01-01","expired":true}`, `"baseline":{"accepted":false,"state":"true-positive"`, `"accepted":1`}, nil},
		{"sarif", sarifHandler(SARIFOptions{}), []string{`"suppressions":[{"kind":"external","status":"accepted","justification":"accepted: known`}, nil},
		{"junit", func(b *bytes.Buffer) Handler { return NewJUnit(b, JUnitOptions{FailOn: analyze.Block}, testRun()) },
			[]string{"[accepted by the baseline: accepted: known", `failures="1"`}, nil},
		{"markdown", func(b *bytes.Buffer) Handler { return NewMarkdown(b, testRun()) },
			[]string{"1 block finding", "1 finding accepted by the baseline."}, []string{"WRD-RES-ANSI"}},
		{"github", func(b *bytes.Buffer) Handler { return NewGitHub(b, true, testRun()) },
			[]string{"::error", "1 block finding, 1 monitor, 0 notes", "1 accepted by the baseline"}, []string{"WRD-RES-ANSI"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := render(t, tellSuppressed, c.make)
			for _, w := range c.want {
				if !bytes.Contains(out, []byte(w)) {
					t.Errorf("lacks %q:\n%s", w, out)
				}
			}
			for _, w := range append(c.lack, planted, "\x1b") {
				if bytes.Contains(out, []byte(w)) {
					t.Errorf("has %q:\n%s", w, out)
				}
			}
			switch c.name {
			case "sarif":
				run := validSARIF(t, out)
				n := 0
				for _, r := range run.Results {
					n += len(r.Suppressions)
				}
				if len(run.Results) != 3 || n != 1 {
					t.Errorf("%d results, %d suppressions", len(run.Results), n)
				}
			case "junit":
				validJUnit(t, out)
			case "json":
				for line := range strings.Lines(string(out)) {
					if !json.Valid([]byte(line)) {
						t.Errorf("not JSON: %s", line)
					}
				}
			}
		})
	}
}
