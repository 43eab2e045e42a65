package target

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user without rights, if this process may become one. Otherwise
// the process itself has no more rights than it should for these tests.
func nobody(t *testing.T) *syscall.SysProcAttr {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}}
}

// reachable is a folder that any user can look into, and a copy of this test
// program in it.
func reachable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// childAs is child run as a user without rights.
func childAs(t *testing.T, path string) string {
	t.Helper()
	home := reachable(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(filepath.Join(home, "test"), os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(to.Name())
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "TARGET_CHILD="+path)
	cmd.SysProcAttr = nobody(t)
	b, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return string(b)
}

func TestReadOnlyFolder(t *testing.T) {
	dir := reachable(t)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	got := childAs(t, filepath.Join(dir, "r"))
	if !strings.Contains(got, "permission denied; no right to write there") {
		t.Errorf("the child says %q", got)
	}
	holds(t, dir)
}

func TestReadOnlyFileIsNotReplaced(t *testing.T) {
	dir := reachable(t)
	path := filepath.Join(dir, "r")
	if err := os.WriteFile(path, []byte("old"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	got := childAs(t, path)
	if !strings.Contains(got, "permission denied; no right to write there") {
		t.Errorf("the child says %q", got)
	}
	holds(t, dir, "r")
	if read(t, path) != "old" {
		t.Error("the file was replaced")
	}
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		// Without the right to mount, the device that is always full has the
		// same error to give, though nothing to leave behind.
		got := write("/dev/full", strings.Repeat("x", 1<<20))
		if got == nil || !strings.Contains(got.(*Error).Advice(), "disk is full") {
			t.Errorf("%v", got)
		}
		return
	}
	defer syscall.Unmount(dir, 0)
	path := filepath.Join(dir, "r")
	if err := write(path, "old"); err != nil {
		t.Fatal(err)
	}
	err := write(path, strings.Repeat("x", 1<<20))
	if err == nil || err.Error() != "can't write "+path+": no space left on device" {
		t.Errorf("%v", err)
	}
	if err != nil && !strings.Contains(err.(*Error).Advice(), "disk is full") {
		t.Errorf("%v", err.(*Error).Advice())
	}
	holds(t, dir, "r")
	if read(t, path) != "old" {
		t.Error("the old report is gone")
	}
}

func TestRedirectedStdoutIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "redirected")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("before\n"); err != nil {
		t.Fatal(err)
	}
	if err := write("/proc/self/fd/"+strconv.Itoa(int(f.Fd())), "report\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("after\n"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "before\nreport\nafter\n" {
		t.Errorf("the file holds %q", got)
	}
	holds(t, dir, "redirected")
}
