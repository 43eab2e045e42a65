// Command tree writes a directory of benign text files, the same for the same
// seed: generated texts of every kind that gen knows, and the project's own
// source files. bench/precision/run.sh has a real server read them and counts
// what the scan says of it.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/warden-trace/warden/bench/gen"
)

func main() {
	out := flag.String("o", "", "directory to write (made anew)")
	files := flag.Int("files", 1000, "how many files")
	seed := flag.Uint64("seed", 1, "seed")
	flag.Parse()
	if err := run(*out, *files, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "tree:", err)
		os.Exit(2)
	}
}

func run(out string, files int, seed uint64) error {
	if out == "" {
		return fmt.Errorf("give a directory with -o")
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	own, err := source(files / 4)
	if err != nil {
		return err
	}
	for i, name := range own {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(out, "source", fmt.Sprintf("%03d-%s", i, filepath.Base(name))), data); err != nil {
			return err
		}
	}
	kinds := gen.Samples()
	for i := range files - len(own) {
		kind := kinds[i%len(kinds)]
		size := 500 << (i / len(kinds) % 6) // 500 bytes to 16,000
		data := gen.Sample(kind, seed+uint64(i), size)
		if err := write(filepath.Join(out, "text", fmt.Sprintf("%04d-%s", i, kind)), data); err != nil {
			return err
		}
	}
	return nil
}

// source lists at most n of the project's own text files: source, notes, data.
// The rules and what tests them are left out, since they hold by intent what
// the rules find.
func source(n int) ([]string, error) {
	list, err := exec.Command("git", "ls-files", "*.go", "*.md", "*.yml", "*.mjs", "*.json", "*.sum", "*.mod", "*.s", "*.sh").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the project's files: %w", err)
	}
	var out []string
	for name := range strings.Lines(string(list)) {
		name = strings.TrimSpace(name)
		switch {
		case strings.HasSuffix(name, "_test.go"), strings.Contains(name, "testdata/"), strings.HasPrefix(name, "corpus/"),
			strings.HasPrefix(name, "analyze/ruleset/"), strings.HasPrefix(name, "bench/gen/"), name == "README.md":
			continue
		}
		out = append(out, name)
	}
	if len(out) > n {
		out = out[:n]
	}
	return out, nil
}

func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
