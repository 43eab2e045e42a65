package interop

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Where things are; TestMain fills it in.
var (
	root   string // of the repository
	bin    string // with warden-replay and warden-inspect
	record string // tools/record, with its npm packages
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	var err error
	if root, err = filepath.Abs(".."); err != nil {
		return 0, err
	}
	record = filepath.Join(root, "tools", "record")
	if bin, err = os.MkdirTemp("", "warden-interop-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(bin)
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/warden-replay", "./cmd/warden-inspect")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("the programs do not build: %v\n%s", err, out)
	}
	if err := install(); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// install gets the servers and the TypeScript client from npm, in the exact
// versions of the lock file, unless they are there. A registry may be slow or
// fail once: that is no reason to fail.
func install() error {
	have, err1 := os.Stat(filepath.Join(record, "node_modules", ".package-lock.json"))
	want, err2 := os.Stat(filepath.Join(record, "package-lock.json"))
	if err2 != nil {
		return err2
	}
	if err1 == nil && !have.ModTime().Before(want.ModTime()) {
		return nil
	}
	var out []byte
	var err error
	for try := range 3 {
		time.Sleep(time.Duration(try) * 5 * time.Second)
		cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--no-progress")
		cmd.Dir = record
		if out, err = cmd.CombinedOutput(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("npm ci in tools/record: %v\n%s", err, out)
}

// program runs one of ours or of node's and returns its exit code and output.
func program(t *testing.T, name string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(3*time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func replay() string  { return filepath.Join(bin, "warden-replay") }
func inspect() string { return filepath.Join(bin, "warden-inspect") }

// prove inspects and verifies a recording that a guard has made.
func prove(t *testing.T, trace string, exit int) {
	t.Helper()
	if st, err := os.Stat(trace); err != nil {
		t.Fatal(err)
	} else if st.Mode().Perm() != 0o600 {
		t.Errorf("the recording has mode %v", st.Mode())
	}
	code, out, errs := program(t, inspect(), "scan", "--no-progress", trace)
	if code != exit {
		t.Errorf("inspect %s: exit code %d, want %d\n%s%s", trace, code, exit, out, errs)
	}
	code, out, errs = program(t, replay(), "verify", trace)
	if code != 0 || !bytes.Contains([]byte(out), []byte("0 differ, 0 not verified")) {
		t.Errorf("verify %s: exit code %d\n%s%s", trace, code, out, errs)
	}
	t.Logf("%s", out)
}

// short is a directory of its own with a short name: long made-up paths in
// results look like secrets to the entropy rule, which is not what is tested. It
// stands in one that keeps its name from the tests beside, since a test may remove
// its own and make it anew.
func short(t *testing.T) string {
	t.Helper()
	for i := range 1000 {
		held := filepath.Join("/tmp", fmt.Sprintf("i%d", i))
		if os.Mkdir(held, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { os.RemoveAll(held) })
		dir := filepath.Join(held, "d")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	t.Fatal("no short directory name is free")
	return ""
}
