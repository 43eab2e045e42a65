package main

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/warden-trace/warden/cmd/program"
)

// gone is a standard output that its reader has closed.
type gone struct{}

func (gone) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
}

// TestClosedStandardOutput: "| head" is no error of any command, and the exit code
// is that of the whole run.
func TestClosedStandardOutput(t *testing.T) {
	corpus := filepath.Join("..", "..", "corpus", "catalog")
	trace := filepath.Join(corpus, "ansi.jsonl")
	for _, c := range []struct {
		code int
		args []string
	}{
		{0, []string{"verify", trace}},
		{0, []string{"verify", "--json", trace}},
		{0, []string{"test", "-v", corpus}},
		{1, []string{"test", "--rule-coverage", trace}},
		{1, []string{"test", "--rule-coverage", "--json", trace}},
		{0, []string{"test", "--shrink", trace}},
		{0, []string{"diff", "--base", "builtin", "--head", "calibrated", "--fail-on", "never", trace}},
		{0, []string{"diff", "--base", "builtin", "--head", "builtin", "--format", "sarif", trace}},
		{0, []string{"version"}},
		{0, []string{"completion", "zsh"}},
		{0, []string{"--help"}},
	} {
		var errs bytes.Buffer
		code := Run(&program.World{Args: c.args, Stdin: strings.NewReader(""), Stdout: gone{}, Stderr: &errs,
			Getenv: func(string) string { return "" }, Now: time.Now})
		said := errs.String()
		if strings.Contains(strings.Join(c.args, " "), "--shrink") {
			said = strings.TrimPrefix(said, "warden-replay: WRD-RES-ANSI") // what was kept
			said = said[strings.IndexByte(said, '\n')+1:]
		}
		if code != c.code || said != "" {
			t.Errorf("%v: %d, %s", c.args, code, &errs)
		}
	}
}
