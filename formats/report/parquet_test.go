//go:build linux

package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"

	files "github.com/warden-trace/warden/formats/report/target"
)

// tree lists all files below dir.
func tree(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func newTables(t *testing.T, dir string) Handler {
	t.Helper()
	d, err := CreateParquetDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return NewParquet(d, ParquetOptions{}, testRun())
}

func TestParquetFindings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "report")
	tell(t, newTables(t, dir))
	rows, err := parquet.ReadFile[findingRow](filepath.Join(dir, "findings", "file=00001-demo_session.jsonl", "part-0.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 4 || rows[1].SubRule != "WRD-SEC-GITHUB" || rows[1].RPCID != `"call-1"` || rows[0].TS != ansi().TS.UnixMicro() ||
		len(rows[0].Spans) != 2 || rows[0].Spans[1] != (spanRow{9, 11}) || strings.Join(rows[2].Matched, "+") != "exfiltrate+you are now" {
		t.Errorf("%+v", rows)
	}
	// The other tables have no rows, but a file with their columns.
	for _, table := range []string{"sessions", "frames", "calls"} {
		f, err := os.Open(filepath.Join(dir, table, "file=none", "part-0.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		st, _ := f.Stat()
		p, err := parquet.OpenFile(f, st.Size())
		if err != nil || p.NumRows() != 0 || len(p.Schema().Fields()) < 10 {
			t.Errorf("%s: %v", table, err)
		}
	}
}

// A second report replaces the first and leaves nothing of it; what else is in
// the folder stays.
func TestParquetReplacesItsOwnTablesOnly(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	tell(t, newTables(t, dir))
	before := len(tree(t, dir))
	nothing(t, newTables(t, dir))
	got := tree(t, dir)
	if len(got) >= before || len(got) != 5 || got[3] != "notes.txt" && !strings.Contains(strings.Join(got, " "), "notes.txt") {
		t.Errorf("before %d files, now %q", before, got)
	}
}

func TestParquetAbortLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "report")
	h := newTables(t, dir)
	if err := h.Finding(ansi()); err != nil {
		t.Fatal(err)
	}
	h.Abort()
	h.Abort()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder stayed: %v", err)
	}
	// An earlier report survives.
	tell(t, newTables(t, dir))
	want := tree(t, dir)
	h = newTables(t, dir)
	if err := h.Finding(ansi()); err != nil {
		t.Fatal(err)
	}
	h.Abort()
	if got := tree(t, dir); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q became %q", want, got)
	}
}

func TestParquetRefusesWhatIsNotItsOwn(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(base, "other")
	if err := os.MkdirAll(filepath.Join(other, "frames"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "frames", "holiday.jpg"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(base, "fifo")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{file, "not a directory"}, {"/dev/null", "not a directory"}, {fifo, "not a directory"},
		{other, "frames/holiday.jpg is not from an earlier report"},
		{filepath.Join(base, "no", "such"), "no such file or directory"},
		{"-", "no folder"}, {"", "no folder"},
	} {
		_, err := CreateParquetDir(c.path)
		var e *files.Error
		if !errors.As(err, &e) || !strings.Contains(e.Error(), c.want) || e.Advice() == "" {
			t.Errorf("%q: %v", c.path, err)
		}
	}
	if got := tree(t, base); strings.Join(got, " ") != "fifo file other/frames/holiday.jpg" {
		t.Errorf("now there is %q", got)
	}
	// A link to a folder is followed and stays.
	real := filepath.Join(base, "real")
	link := filepath.Join(base, "link")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	nothing(t, newTables(t, link))
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 || len(tree(t, real)) != 4 {
		t.Errorf("the link: %v, %q", err, tree(t, real))
	}
}

// A full disk is one clear error, and the earlier report is still there.
func TestParquetFullDisk(t *testing.T) {
	fullByLimit(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=128k"); err != nil {
		return // without the right to mount, the limit above has shown it
	}
	defer syscall.Unmount(dir, 0)
	nothing(t, newTables(t, dir))
	want := strings.Join(tree(t, dir), "|")
	h := newTables(t, dir)
	f := secretEcho()
	for i := range 40000 {
		f.Fingerprint = strings.Repeat(string(rune('a'+i%26)), 8) + strings.Repeat(string(rune('a'+i/26%26)), 8)
		f.Message = "x" + itoa(int64(i)*7919)
		if h.Finding(f) != nil {
			break
		}
	}
	err := h.Close(&Summary{})
	if err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("%v", err)
	}
	if got := strings.Join(tree(t, dir), "|"); got != want {
		t.Errorf("%s became %s", want, got)
	}
}

// fullByLimit fails the writing by the process's limit on file sizes.
func fullByLimit(t *testing.T) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "report")
	h := newTables(t, dir)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 16, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	err := h.Finding(ansi())
	if err == nil {
		err = h.Close(&Summary{})
	}
	if e := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); e != nil {
		t.Fatal(e)
	}
	if err == nil || !strings.Contains(err.Error(), "file too large") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder stayed: %v", err)
	}
}

func TestPartitionNames(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a/b/c.jsonl", "00007-c.jsonl"}, {"", "00007-."}, {"../..", "00007-.."}, {"x/é\x00=\n.zst", "00007-_____.zst"},
		{strings.Repeat("n", 300), "00007-" + strings.Repeat("n", 74)},
	} {
		if got := partition(7, c.in); got != c.want {
			t.Errorf("%q: %q, wanted %q", c.in, got, c.want)
		}
	}
}
