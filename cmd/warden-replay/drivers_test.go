//go:build unix

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/replay/drive"
)

// TestDriverStories runs what users do with verify, serve and drive.
func TestDriverStories(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
		t.Fatal(err)
	}
	corpus, err := filepath.Abs(corpusDir)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/drivers",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("CORPUS", corpus)
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// The real recordings, at least, are small: verify must be quick with them.
func TestVerifyCorpus(t *testing.T) {
	code, out, errs := run(t, "verify", corpusDir)
	if code != 0 || strings.Contains(out, "differ  ") || !strings.Contains(out, " 0 differ, ") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	for _, want := range []string{"real/everything.jsonl: ", "sessions/batch.jsonl: ", "forms/"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing about %s in\n%s", want, out)
		}
	}
}

// A reproduction keeps the rules and the posture of the run and names one trace.
func TestAgain(t *testing.T) {
	for _, c := range []struct {
		args, traces, want []string
	}{
		{[]string{"verify", "a.jsonl"}, []string{"a.jsonl"}, []string{"verify"}},
		{[]string{"verify", "--lock", "a", "--json", "a", "b"}, []string{"a", "b"}, []string{"verify", "--lock", "a"}},
		{[]string{"verify", "a", "--policy=p", "--session", "x", "--seed=7", "--setup", "newline/1", "-q"}, []string{"a"}, []string{"verify", "--policy=p"}},
	} {
		if got := withoutTraces(c.args, c.traces); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
	for in, want := range map[string]string{"": "''", "a/b-1.jsonl": "a/b-1.jsonl", "a b": "'a b'", "it's": `'it'\''s'`, "a\x1b[2J": `$'a\x1b[2J'`} {
		if got := shellWord(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// A person is told of some differences and of how many more there are; JSON has
// them all.
func TestDriveTellsAllInJSON(t *testing.T) {
	for _, c := range []struct {
		json bool
		want int
	}{{false, told}, {true, told + 50}} {
		var out strings.Builder
		w, d := &program.World{Stdout: &out}, driveCmd{JSON: c.json}
		for n := range told + 50 {
			if err := d.tell(w, n+1, &drive.Difference{Method: "ping"}); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Count(out.String(), "ping"); got != c.want {
			t.Errorf("JSON %v: %d differences told, want %d", c.json, got, c.want)
		}
	}
}
