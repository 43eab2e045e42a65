package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites):\n%s", path, diff)
	}
}

// testRun is a run with a few rules of its own.
func testRun() *Run {
	return &Run{
		Version: "1.2.3",
		Ruleset: "sha256:" + strings.Repeat("ab", 32),
		Scrub:   func(s string) string { return strings.ReplaceAll(s, planted, "ghp_…(len=40)") },
		Rules: []ruleset.Rule{
			{ID: "WRD-RES-ANSI", Family: "catalog", Title: "Control characters in a result", Tier: analyze.Block, Severity: analyze.High,
				What: "A code point outside of plain text.", Why: "Terminals obey control characters.", Example: `\u001b[2J`,
				Relax: "Set expected_output_charset for the tool in the lock. --no-block-ansi only reports.", Source: "catalog.md"},
			{ID: "WRD-RES-SECRET-ECHO", Family: "catalog", Title: "A secret in a result", Tier: analyze.Block, Severity: analyze.Critical,
				What: "A credential in its vendor's form.", Why: "What the model sees, it may send on.",
				Relax: "Set secret_echo_applies: false for the tool in the lock, where its results are expected to hold credentials.", Source: "catalog.md"},
			{ID: "WRD-RES-INJECT-PHRASE", Family: "catalog", Title: "A phrase of prompt injections", Tier: analyze.Monitor, Severity: analyze.Medium,
				What: "A phrase that injections use.", Relax: "It blocks only with --block-inject-phrase.", Source: "catalog.md"},
			{ID: "WRD-RES-URL", Family: "catalog", Title: "URLs in a result", Tier: analyze.Note, Severity: analyze.Low,
				What: "The text holds URLs.", Relax: "Set may_return_urls: true for the tool in the lock.", Source: "catalog.md"},
		},
	}
}

// planted stands for a secret that must not come through; its form is GitHub's.
const planted = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"

const wireTrace = "corpus/demo session.jsonl"

func ansi() *analyze.Finding {
	return &analyze.Finding{
		Rule: "WRD-RES-ANSI", Tier: analyze.Block, Severity: analyze.High, Action: analyze.Modified,
		Direction: analyze.ServerToClient, RPCID: []byte("3"), Method: "tools/call", Tool: "read_file",
		Block: 0, Pointer: "/result/content/0/text", Spans: []analyze.Span{{Start: 4, End: 5}, {Start: 9, End: 11}},
		Message: "3 control characters: U+001B, U+001B, U+0007", Snippet: `ok \x1b[31m`,
		Place: analyze.Place{Trace: wireTrace, Frame: 6, Line: 7, Offset: 1234, Column: 50,
			TS: time.Date(2026, 3, 1, 9, 39, 14, 438e6, time.UTC), Fingerprint: "00112233445566778899aabbccddeeff"},
	}
}

func secretEcho() *analyze.Finding {
	f := ansi()
	f.Rule, f.SubRule, f.Severity, f.Action = "WRD-RES-SECRET-ECHO", "WRD-SEC-GITHUB", analyze.Critical, analyze.Blocked
	f.RPCID, f.Spans, f.IsError = []byte(`"call-1"`), []analyze.Span{{Start: 0, End: 40}}, true
	f.Message, f.Snippet = "a GitHub token stands in the result", "ghp_…(len=40)"
	f.Line, f.Frame, f.Fingerprint = 9, 8, "ffeeddccbbaa99887766554433221100"
	return f
}

func phrase() *analyze.Finding {
	f := ansi()
	f.Rule, f.Tier, f.Severity, f.Action = "WRD-RES-INJECT-PHRASE", analyze.Monitor, analyze.Medium, analyze.Passed
	f.Message, f.Snippet, f.Matched = "a phrase of prompt injections: exfiltrate, you are now", "", []string{"exfiltrate", "you are now"}
	f.Line, f.Frame, f.Fingerprint, f.Spans = 11, 10, "0123456789abcdef0123456789abcdef", nil
	return f
}

func note() *analyze.Finding {
	f := ansi()
	f.Rule, f.Tier, f.Severity, f.Action = "WRD-RES-URL", analyze.Note, analyze.Low, analyze.Passed
	f.Message, f.Snippet, f.Spans = "2 URLs", "", nil
	f.Line, f.Frame, f.Fingerprint = 13, 12, "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb"
	return f
}

// onSession is a finding on no frame.
func onSession() *analyze.Finding {
	return &analyze.Finding{
		Rule: "WRD-RES-URL", Tier: analyze.Note, Severity: analyze.Low, Block: -1,
		Message: "said of the whole session",
		Place:   analyze.Place{Trace: "logs/claude.log", Session: "s1", Frame: -1, Fingerprint: "cccccccccccccccccccccccccccccccc"},
	}
}

// tell plays a small run with something of everything.
func tell(t *testing.T, h Handler) {
	t.Helper()
	start := time.Date(2026, 3, 1, 9, 39, 0, 0, time.UTC)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []*analyze.Finding{ansi(), secretEcho(), phrase(), note()} {
		must(h.Finding(f))
	}
	all := Counts{Block: 2, Monitor: 1, Note: 1, Rules: map[string]int64{
		"WRD-RES-ANSI": 1, "WRD-RES-SECRET-ECHO": 1, "WRD-RES-INJECT-PHRASE": 1, "WRD-RES-URL": 1}}
	must(h.Trace(&Trace{Name: wireTrace, Format: "canonical", Fidelity: "wire", Bytes: 4000, Frames: 14, Inspected: 5, Counts: all, SessionsAll: 1,
		Sessions: []Session{{Fidelity: "wire", Frames: 14, Calls: 5, Counts: all, Start: start, End: start.Add(95 * time.Second), Protocol: "2025-06-18", Server: "files 1.0"}}}))
	must(h.Trace(&Trace{Name: "corpus/quiet.jsonl.zst", Format: "bare", Fidelity: "wire", Bytes: 1200, Frames: 6, Inspected: 2, SessionsAll: 1,
		Sessions: []Session{{Fidelity: "wire", Frames: 6, Calls: 2}}}))
	must(h.Problem(&Problem{Trace: "gone.jsonl", Message: "no such file: check the name", Fatal: true}))
	must(h.Problem(&Problem{Trace: "logs/claude.log", Line: 17, Offset: 900, Message: "not JSON: unexpected end of the value", Fatal: true, Parse: true}))
	must(h.Finding(onSession()))
	one := Counts{Note: 1, Rules: map[string]int64{"WRD-RES-URL": 1}}
	must(h.Trace(&Trace{Name: "logs/claude.log", Format: "claude-desktop", Fidelity: "wire-elided", Bytes: 90000, Frames: 1200, Inspected: 300,
		ParseErrors: 1, Incomplete: true, Counts: one, SessionsAll: 2, Sessions: []Session{
			{Name: "s1", Number: 1, Fidelity: "wire-elided", Frames: 700, Calls: 200, Counts: one, Server: "notes"},
			{Name: "s0", Number: 0, Fidelity: "wire-elided", Frames: 500, Calls: 100}}}))
	sum := Counts{Block: 2, Monitor: 1, Note: 2, Rules: map[string]int64{
		"WRD-RES-ANSI": 1, "WRD-RES-SECRET-ECHO": 1, "WRD-RES-INJECT-PHRASE": 1, "WRD-RES-URL": 2}}
	must(h.Close(&Summary{Traces: 3, Sessions: 4, Frames: 1220, Inspected: 307, Bytes: 95200, ParseErrors: 1,
		InjectPhraseFindings: 1, Unrecognised: 2, Counts: sum, ExitCode: 2}))
}

// nothing plays a run without traces' findings.
func nothing(t *testing.T, h Handler) {
	t.Helper()
	if err := h.Trace(&Trace{Name: "a.jsonl", Format: "bare", Fidelity: "wire", Frames: 3, Inspected: 1, Bytes: 120, SessionsAll: 1,
		Sessions: []Session{{Fidelity: "wire", Frames: 3, Calls: 1}}}); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(&Summary{Traces: 1, Sessions: 1, Frames: 3, Inspected: 1, Bytes: 120}); err != nil {
		t.Fatal(err)
	}
}

// render plays story into a handler and returns what it wrote.
func render(t *testing.T, story func(*testing.T, Handler), make func(*bytes.Buffer) Handler) []byte {
	t.Helper()
	var b bytes.Buffer
	story(t, make(&b))
	return b.Bytes()
}
