package main

import (
	"bytes"
	"io"
	"os"
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

// TestArmedRulesJudgeWithoutFindings: what -armed measures is judging; rules that
// denied every generated call would measure the writing of findings instead.
func TestArmedRulesJudgeWithoutFindings(t *testing.T) {
	dir := t.TempDir()
	pol, allow, trace := filepath.Join(dir, "p.yaml"), filepath.Join(dir, "a.json"), filepath.Join(dir, "t.jsonl")
	doc, err := allowlist()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := gen.Write(&b, gen.Options{Bytes: 2e6, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{pol: []byte(policy), allow: doc, trace: b.Bytes()} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var f struct {
		program.RuleFlags
		program.PostureFlags
		program.ReadFlags
	}
	if _, err := kong.Must(&f).Parse([]string{"--policy", pol, "--allowlist", allow}); err != nil {
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
	if s := out.String(); strings.Contains(s, "GWH-") || strings.Contains(s, "POL-FS") || strings.Contains(s, "POL-SQL") || strings.Contains(s, "POL-SHELL") {
		t.Errorf("the rules deny what they should let through:\n%.2000s", s)
	}
}
