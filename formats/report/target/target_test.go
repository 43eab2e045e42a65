//go:build unix

package target

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// write makes a whole report at path.
func write(path, text string) error {
	f, err := Create(path, &bytes.Buffer{})
	if err != nil {
		return err
	}
	if _, err := f.Write([]byte(text)); err != nil {
		f.Abort()
		return err
	}
	return f.Close()
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// holds checks what a folder has in it: nothing half-written is left.
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

func TestNewFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	f, err := Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(bytes.Repeat([]byte("x"), 200<<10)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the report is there before it is complete: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "r.json")
	if n := len(read(t, path)); n != 200<<10 {
		t.Errorf("%d bytes", n)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := 0o666 &^ umask(); st.Mode().Perm() != want {
		t.Errorf("mode %v, want %v", st.Mode().Perm(), want)
	}
	if _, err := f.Write([]byte("late")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("writing to a closed report: %v", err)
	}
	f.Abort()
	if err := f.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	holds(t, dir, "r.json")
}

func TestReplaceKeepsMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(path, "new"); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if read(t, path) != "new" || st.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v", read(t, path), st.Mode())
	}
}

func TestAbort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, filepath.Join(dir, "fresh")} {
		f, err := Create(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte("half"))
		f.Abort()
		f.Abort()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	holds(t, dir, "r")
	if read(t, path) != "old" {
		t.Error("the old report is gone")
	}
}

func TestStdout(t *testing.T) {
	for _, path := range []string{"-", "/dev/stdout", "/dev/fd/1"} {
		var b bytes.Buffer
		f, err := Create(path, &b)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte("a"))
		if err := f.Flush(); err != nil || b.String() != "a" {
			t.Errorf("%s: flushed %q, %v", path, b.String(), err)
		}
		f.Write([]byte("b"))
		if err := f.Close(); err != nil || b.String() != "ab" {
			t.Errorf("%s: %q, %v", path, b.String(), err)
		}
	}
}

// failing takes room bytes, then says that the disk is full.
type failing struct{ room int }

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return f.room, syscall.ENOSPC
	}
	f.room -= len(p)
	return len(p), nil
}

func TestFullStdout(t *testing.T) {
	f, err := Create("-", &failing{room: 100})
	if err != nil {
		t.Fatal(err)
	}
	f.Write(make([]byte, 50<<10))
	err = f.Close()
	var e *Error
	if !errors.As(err, &e) || e.Path != "standard output" || !strings.Contains(e.Advice(), "disk is full") {
		t.Errorf("%v", err)
	}
}

func TestDevNullStays(t *testing.T) {
	before, err := os.Stat(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(os.DevNull, "x"); err != nil {
		t.Fatal(err)
	}
	f, err := Create(os.DevNull, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Abort()
	after, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(before, after) || after.Mode() != before.Mode() {
		t.Errorf("/dev/null is another: %v, %v", after, err)
	}
}

func TestFIFO(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("fifo", link); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, link} {
		got := make(chan string, 1)
		go func() {
			b, err := os.ReadFile(path)
			if err != nil {
				got <- err.Error()
				return
			}
			got <- string(b)
		}()
		if err := write(p, "through the pipe"); err != nil {
			t.Fatal(err)
		}
		if s := <-got; s != "through the pipe" {
			t.Errorf("the reader got %q", s)
		}
	}
	st, err := os.Lstat(path)
	if err != nil || st.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the FIFO is gone: %v, %v", st, err)
	}
	holds(t, dir, "fifo", "link")
}

func TestReaderGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	f, err := Create("-", w)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("x"))
	err = f.Close()
	if !errors.Is(err, syscall.EPIPE) || !strings.Contains(err.(*Error).Advice(), "reader went away") {
		t.Errorf("%v", err)
	}
}

func TestSymlinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "deep", "er"), 0o755); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, to := range map[string]string{
		"link":       "deep/r",
		"again":      "link",
		"absolute":   at("deep/r"),
		"folder":     "deep/er",
		"deep/er/up": "../r", // through "folder" this is deep/r and not r
		"dangling":   "deep/new",
		"circle":     "circle2",
		"circle2":    "circle",
	} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link", "again", "absolute", "folder/up"} {
		if err := os.WriteFile(at("deep/r"), []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := write(at(name), "by "+name); err != nil {
			t.Fatal(err)
		}
		if got := read(t, at("deep/r")); got != "by "+name {
			t.Errorf("the target holds %q", got)
		}
		if st, err := os.Lstat(at(name)); err != nil || st.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link %s was replaced", name)
		}
	}
	if err := write(at("dangling"), "x"); err != nil || read(t, at("deep/new")) != "x" {
		t.Errorf("through a dangling link: %v", err)
	}
	holds(t, at("deep"), "er", "new", "r")
	if err := write(at("circle"), "x"); err == nil || !strings.Contains(err.Error(), "circle") {
		t.Errorf("a circle of links: %v", err)
	}
}

func TestClearErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, says, hint string }{
		{"", "is empty", "standard output"},
		{dir, "can't write " + dir, "it is a directory"},
		{dir + "/", "is a directory", "it is a directory"},
		{filepath.Join(dir, "new") + "/", "is a directory", "it is a directory"},
		{filepath.Join(dir, "no", "r"), "no such file", "make it first"},
		{filepath.Join(file, "r"), "not a directory", "a file, not a folder"},
		{filepath.Join(dir, strings.Repeat("x", 300)), "name too long", ""},
	} {
		f, err := Create(c.path, nil)
		if err == nil {
			t.Errorf("%q is taken", c.path)
			continue
		}
		if f != nil {
			t.Errorf("%q: a file and an error", c.path)
		}
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Error(), c.says) || !strings.Contains(e.Advice(), c.hint) {
			t.Errorf("%.80q: %v; %s", c.path, err, e.Advice())
		}
	}
	holds(t, dir, "file")
}

func TestLongName(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("x", 255)
	if err := write(filepath.Join(dir, name), "x"); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, name)
}

// TestMain lets the test program be a child of its own: with less right or less
// room than the test, it writes one report and says what came of it.
func TestMain(m *testing.M) {
	path := os.Getenv("TARGET_CHILD")
	if path == "" {
		os.Exit(m.Run())
	}
	if os.Getenv("TARGET_LIMIT") != "" {
		lim := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lim); err != nil {
			panic(err)
		}
	}
	err := write(path, strings.Repeat("x", 1<<20))
	var e *Error
	if errors.As(err, &e) {
		os.Stdout.WriteString("child: " + e.Error() + "; " + e.Advice() + "\n")
		os.Exit(0)
	}
	os.Stdout.WriteString("child: no error of ours\n")
	os.Exit(1)
}

// child runs a child and returns what it says.
func child(t *testing.T, path string, attr *syscall.SysProcAttr, env ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), "TARGET_CHILD="+path), env...)
	cmd.SysProcAttr = attr
	b, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return string(b)
}

func TestNoRoomToGrow(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := child(t, path, nil, "TARGET_LIMIT=1")
	if !strings.Contains(got, "can't write "+path+": file too large; ") || !strings.Contains(got, "ulimit") {
		t.Errorf("the child says %q", got)
	}
	holds(t, dir, "r")
	if read(t, path) != "old" {
		t.Error("the old report is gone")
	}
}

func TestStream(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	if err := os.WriteFile(path, []byte("older and longer"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Stream(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("one\n"))
	if err := f.Flush(); err != nil || read(t, path) != "one\n" {
		t.Errorf("flushed: %q, %v", read(t, path), err)
	}
	f.Abort()
	if read(t, path) != "one\n" {
		t.Errorf("what was written is gone: %q", read(t, path))
	}
	holds(t, dir, "log")
	var b bytes.Buffer
	for _, p := range []string{"-", "/dev/stdout"} {
		if f, err = Stream(p, &b); err != nil {
			t.Fatal(err)
		}
		f.Write([]byte("x"))
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if b.String() != "xx" {
		t.Errorf("standard output got %q", b.String())
	}
	for _, p := range []string{"", dir, filepath.Join(dir, "no", "log")} {
		var e *Error
		if f, err := Stream(p, nil); !errors.As(err, &e) || e.Hint == "" || f != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}

func TestCreateUntil(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	time.AfterFunc(20*time.Millisecond, func() { close(stop) })
	if _, err := CreateUntil(path, nil, stop); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	// The opening that was left behind ends with the first reader.
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); err != nil || len(b) > 0 {
		t.Errorf("%q, %v", b, err)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"closed", "aborted", "open"} {
		f, err := Create(filepath.Join(dir, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "closed":
			err = f.Close()
		case "aborted":
			f.Abort()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	Sweep()
	holds(t, dir, "closed")
}
