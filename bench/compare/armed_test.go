package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/warden-trace/warden/bench/gen"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay/offline"
)

// TestArmedRulesJudgeWithoutFindings: what -armed has targets for is judging; rules
// that denied every generated call would measure the writing of findings instead.
func TestArmedRulesJudgeWithoutFindings(t *testing.T) {
	dir := t.TempDir()
	pol, allow, locked := filepath.Join(dir, "p.yaml"), filepath.Join(dir, "a.json"), filepath.Join(dir, "warden.lock")
	mixed, settled := filepath.Join(dir, "t.jsonl"), filepath.Join(dir, "s.jsonl")
	doc, err := allowlist()
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]gen.Options{mixed: {}, settled: {Settled: true}} {
		var b bytes.Buffer
		o.Bytes, o.Seed = 2e6, 1
		if _, err := gen.Write(&b, o); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string][]byte{pol: []byte(policy), allow: doc} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pinned, err := exec.Command("go", "run", "../../cmd/warden-inspect", "lock", "pin", "-o", locked, settled, "--", "server").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, pinned)
	}
	for _, c := range []struct {
		trace string
		args  []string
		none  []string // what no finding may be
	}{
		{mixed, []string{"--policy", pol, "--allowlist", allow}, []string{"GWH-", "POL-FS", "POL-SQL", "POL-SHELL"}},
		{settled, []string{"--policy", pol, "--allowlist", allow, "--lock", locked, "--profile", "ocu-mcp-2025-06-18"},
			[]string{"GWH-", "POL-", "DRIFT", "OCU-"}},
	} {
		out := scanned(t, c.trace, c.args)
		for _, not := range c.none {
			if strings.Contains(out, not) {
				t.Errorf("%q: the rules %s object to what they should let through:\n%.2000s", c.args, not, out)
			}
		}
	}
}

// scanned is the text report of a scan.
func scanned(t *testing.T, trace string, args []string) string {
	t.Helper()
	var f struct {
		program.RuleFlags
		program.PostureFlags
		program.ReadFlags
	}
	if _, err := kong.Must(&f).Parse(args); err != nil {
		t.Fatal(err)
	}
	w := &program.World{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv, Now: time.Now}
	cfg, _, err := program.Configure(w, &f.RuleFlags, &f.PostureFlags, &f.ReadFlags)
	if err != nil {
		t.Fatal(err)
	}
	o, err := f.Options(w)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	text := report.NewText(&out, report.TextOptions{}, &report.Run{Rules: cfg.Rules.Rules, Start: time.Now()})
	in := formats.Inputs([]string{trace}, strings.NewReader(""), formats.InputOptions{Options: o})
	sum, err := offline.Run(in, offline.Options{Config: cfg, Formats: o, Jobs: 1, Handler: text})
	if err != nil || sum.Frames == 0 {
		t.Fatalf("%d frames, %v", sum.Frames, err)
	}
	return out.String()
}
