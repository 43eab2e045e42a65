package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestShrinkKeepsAFindingAndLittleElse(t *testing.T) {
	for _, c := range []struct {
		trace, rule  string
		lines, bytes int
		holds        string
	}{
		{"sessions/review.jsonl", "", 2, 260, `"sk-`},
		{"sessions/review.jsonl", "WRD-RES-ANSI", 2, 260, `\u001b`},
		{"sessions/review.jsonl", "WRD-RES-INJECT-PHRASE", 2, 260, "do not tell the user"},
		{"real/filesystem.jsonl", "WRD-RES-URL", 2, 260, "http"},
		{"policy/shell.jsonl", "POL-SHELL-DENY", 1, 300, "tools/call"},
		{"allowlist/duplicate-id.jsonl", "GWH-DUPLICATE-ID", 0, 1500, ""},
		{"forms/zstd.jsonl.zst", "", 2, 260, `"sk-`},
	} {
		code, out, errs := run(t, "test", "--shrink", filepath.Join(corpusDir, c.trace), "--rule", c.rule)
		if code != 0 || !strings.Contains(errs, " kept in ") {
			t.Errorf("%s: exit %d, %s", c.trace, code, errs)
			continue
		}
		if n := strings.Count(out, "\n"); n != c.lines && c.lines > 0 || len(out) > c.bytes || !strings.Contains(out, c.holds) {
			t.Errorf("%s %s: %d lines, %d bytes\n%s", c.trace, c.rule, n, len(out), out)
		}
	}
}

// The secret of the trace must be nowhere in what is written, and what is
// written must be as its own expectation says.
func TestShrinkRedacts(t *testing.T) {
	dir := t.TempDir()
	const secret = "ghp_q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8"
	trace := write(t, dir, "big.jsonl", strings.Replace(call, "see webhook.site", "the key is "+secret+" and more", 1)+strings.Repeat(call, 30))
	out := filepath.Join(dir, "out", "small")
	if err := os.Mkdir(filepath.Dir(out), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run(t, "test", "--shrink", trace, "--rule", "WRD-SEC-GITHUB", "-o", out); code != 0 {
		t.Fatalf("exit %d, %s", code, errs)
	}
	data, err := os.ReadFile(out + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), secret) || !strings.Contains(string(data), "ghp_") || strings.Count(string(data), "\n") != 2 {
		t.Errorf("%s", data)
	}
	if code, text, errs := run(t, "test", filepath.Dir(out)); code != 0 {
		t.Errorf("exit %d, %s%s", code, text, errs)
	}
	_, plain, _ := run(t, "test", "--shrink", trace, "--rule", "WRD-SEC-GITHUB", "--no-redact")
	if !strings.Contains(plain, secret) {
		t.Errorf("--no-redact: %s", plain)
	}
	if code, _, errs := run(t, "test", "--shrink", trace, "--rule", "WRD-SEC-JWT"); code != 2 || !strings.Contains(errs, "no finding of WRD-SEC-JWT") {
		t.Errorf("exit %d, %s", code, errs)
	}
}
