package main_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var updateReadme = flag.Bool("update-readme", false, "write the real output into README.md's examples")

// TestReadme runs every example of the README: in a ```console block, each line
// that begins with "$ " is a command for a shell in the root of the repository,
// with both programs on its path; what follows is what it prints. Lines of
// "..." stand for output left out.
func TestReadme(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the examples are written for a POSIX shell
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "README.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+"/", "./cmd/warden-inspect", "./cmd/warden-replay")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	run := func(t *testing.T, tmp, command string) string {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", command)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "TMP="+tmp, "NO_COLOR=1", "COLUMNS=80", "LC_ALL=C.UTF-8")
		out, err := cmd.CombinedOutput()
		if e, ok := err.(*exec.ExitError); err != nil && (!ok || e.ExitCode() > 3) {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
		return strings.ReplaceAll(string(out), tmp, "$TMP")
	}
	var result bytes.Buffer
	examples := 0
	tmp := t.TempDir()
	lines := strings.SplitAfter(string(page), "\n")
	for i := 0; i < len(lines); i++ {
		result.WriteString(lines[i])
		if strings.TrimSpace(lines[i]) != "```console" {
			continue
		}
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; {
			command := lines[i]
			i++
			if !strings.HasPrefix(command, "$ ") {
				t.Fatalf("line %d: a console block begins with a command, not with %q", i, command)
			}
			for strings.HasSuffix(command, "\\\n") {
				command += lines[i]
				i++
			}
			var want string
			for i < len(lines) && !strings.HasPrefix(lines[i], "$ ") && strings.TrimSpace(lines[i]) != "```" {
				want += lines[i]
				i++
			}
			examples++
			got := run(t, tmp, strings.TrimPrefix(command, "$ "))
			if len(got) > 0 && !strings.HasSuffix(got, "\n") {
				got += "\n"
			}
			result.WriteString(command)
			if !same(want, got) && *updateReadme {
				want = got
			}
			if !same(want, got) {
				t.Errorf("README.md: %s\nprints\n%s\nnot\n%s", command, got, want)
			}
			result.WriteString(want)
		}
		if i < len(lines) {
			result.WriteString(lines[i])
		}
	}
	if examples < 5 {
		t.Errorf("only %d examples found", examples)
	}
	if *updateReadme && !bytes.Equal(result.Bytes(), page) {
		if err := os.WriteFile(file, result.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// same compares output with what the README shows, in which "..." on a line of
// its own stands for any lines.
func same(want, got string) bool {
	parts := strings.Split("\n"+want, "\n...\n")
	rest := "\n" + got
	for i, p := range parts {
		if i == 0 {
			if !strings.HasPrefix(rest, p) {
				return false
			}
			rest = rest[len(p):]
			continue
		}
		if i == len(parts)-1 {
			return strings.HasSuffix(rest, p)
		}
		_, after, found := strings.Cut(rest, p)
		if !found {
			return false
		}
		rest = after
	}
	return rest == ""
}
