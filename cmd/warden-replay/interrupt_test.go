package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/cmd/program"
)

// TestInterruptIsTold: a run that the user ended says that it did not go through
// all there was.
func TestInterruptIsTold(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(trace, []byte(`{"direction":"c2s","frame":{"jsonrpc":"2.0","id":1,"method":"ping"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	close(asked)
	for _, args := range [][]string{
		{"test", trace},
		{"verify", trace},
		{"test", "--shrink", trace, "-o", filepath.Join(dir, "small")},
	} {
		var out, errs bytes.Buffer
		code := Run(&program.World{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
			Getenv: func(string) string { return "" }, Now: time.Now, Interrupt: asked})
		if code != program.ExitInterrupt || !strings.Contains(errs.String(), "warden-replay: interrupted: ") {
			t.Errorf("%v: %d, %s%s", args, code, &out, &errs)
		}
	}
}
