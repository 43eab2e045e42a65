// Package diff compares two rule sets over recorded traces in one pass: each
// stream is read and decoded once, and what is decoded is scanned and stepped
// twice. What one set finds and the other does not, or acts upon differently,
// is a change, told with the edit of the rules that made it.
package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/warden-trace/warden/analyze/ruleset"
)

// Open reads a rule set by name and applies it to base: the name of a built-in
// set, a ruleset file, or a file in git as REVISION:PATH (PATH as git takes it:
// from the top of the repository, or from here with ./). A file may loosen here
// what it could not in a scan; with `extends: none` it stands alone.
func Open(base *ruleset.Set, name string) (*ruleset.Set, error) {
	if set, ok := ruleset.Named(name); ok {
		return set, nil
	}
	data, err := read(name)
	if err != nil {
		return nil, err
	}
	by, err := ruleset.Load(name, data)
	if err != nil {
		return nil, err
	}
	return base.Amend(by), nil
}

func read(name string) ([]byte, error) {
	st, err := os.Stat(name)
	switch {
	case err == nil && st.IsDir():
		return nil, fmt.Errorf("%s: is a directory, not a ruleset file", name)
	case err == nil && st.Size() > ruleset.MaxFileBytes:
		return nil, fmt.Errorf("%s: larger than %d bytes", name, ruleset.MaxFileBytes)
	case err == nil:
		return os.ReadFile(name)
	}
	rev, path, ok := strings.Cut(name, ":")
	if !ok || rev == "" || filepath.VolumeName(name) != "" {
		return nil, fmt.Errorf("%s: no such file, and no built-in rule set", name)
	}
	return show(rev, path)
}

// gitTime bounds how long git may take for one file.
const gitTime = 30 * time.Second

// show reads a file of a revision by `git show`, started without a shell.
func show(rev, path string) ([]byte, error) {
	name := rev + ":" + path
	if strings.HasPrefix(rev, "-") || strings.ContainsAny(name, "\x00\n") || path == "" {
		return nil, fmt.Errorf("%s: not of the form REVISION:PATH", name)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%s: a revision needs git, which is not installed", name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, git, "--no-pager", "show", "--no-textconv", "--no-ext-diff", name)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	var out, stderr bounded
	out.most, stderr.most = ruleset.MaxFileBytes+1, 4096
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: git took longer than %s", name, gitTime)
	case out.over:
		return nil, fmt.Errorf("%s: larger than %d bytes", name, ruleset.MaxFileBytes)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, gitError(err, stderr.b.Bytes()))
	}
	if bytes.HasPrefix(out.b.Bytes(), []byte("tree "+name+"\n")) {
		return nil, fmt.Errorf("%s: is a directory, not a ruleset file", name)
	}
	return out.b.Bytes(), nil
}

// gitError is what git said, in one line.
func gitError(err error, said []byte) error {
	line, _, _ := bytes.Cut(bytes.TrimSpace(said), []byte("\n"))
	text := strings.TrimPrefix(string(line), "fatal: ")
	if text == "" {
		return err
	}
	return errors.New("git: " + text)
}

// bounded keeps the first bytes of what is written to it.
type bounded struct {
	b    bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.b.Len()+len(p) > b.most {
		b.over = true
		return len(p), nil
	}
	return b.b.Write(p)
}
