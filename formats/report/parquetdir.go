package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	files "github.com/warden-trace/warden/formats/report/target"
)

// parquetTables are the tables, each a folder of the report.
var parquetTables = [...]string{"sessions", "frames", "calls", "findings"}

// ParquetDir is the folder of a Parquet report. Tables are written to a hidden
// folder within it and renamed when all are complete, so a reader of
// DIR/frames/**/*.parquet never sees half of one. Folders of the same names are
// replaced only where they hold an earlier report and nothing else.
type ParquetDir struct {
	path  string // as the user gave it
	stage string
	made  bool // the folder did not exist before
	done  bool

	settling sync.WaitGroup
	lost     atomic.Pointer[error] // why a file could not be made durable
}

// CreateParquetDir prepares the folder. Everything that can be known beforehand
// (it is a file, it may not be written to, it holds something else) fails here,
// before a trace is read.
func CreateParquetDir(path string) (*ParquetDir, error) {
	d := &ParquetDir{path: path}
	if path == "" || path == "-" {
		return nil, d.hint(fmt.Errorf("no folder"), "give the name of a folder: four tables don't fit into one stream")
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.Mkdir(path, 0o777); err != nil {
			return nil, d.fail(err)
		}
		d.made = true
	case err != nil:
		return nil, d.fail(err)
	case !st.IsDir():
		return nil, d.hint(syscall.ENOTDIR, "give the name of a folder; one that does not exist is made")
	}
	for _, t := range parquetTables {
		if err := d.ours(t); err != nil {
			return nil, err
		}
	}
	d.stage, err = os.MkdirTemp(path, ".warden-*.tmp")
	if err != nil {
		d.unmake()
		return nil, d.fail(err)
	}
	return d, nil
}

// ours reports with an error that a table's folder holds something that no
// report put there.
func (d *ParquetDir) ours(table string) error {
	bad := func(name string) error {
		return d.hint(fmt.Errorf("%s is not from an earlier report", filepath.Join(table, name)), "give another folder, or move that out of the way")
	}
	st, err := os.Lstat(filepath.Join(d.path, table))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return d.fail(err)
	}
	if !st.IsDir() {
		return bad("")
	}
	parts, err := os.ReadDir(filepath.Join(d.path, table))
	if err != nil {
		return d.fail(err)
	}
	for _, p := range parts {
		if !p.IsDir() || !strings.HasPrefix(p.Name(), "file=") {
			return bad(p.Name())
		}
		files, err := os.ReadDir(filepath.Join(d.path, table, p.Name()))
		if err != nil {
			return d.fail(err)
		}
		for _, f := range files {
			if !f.Type().IsRegular() || !strings.HasPrefix(f.Name(), "part-") || !strings.HasSuffix(f.Name(), ".parquet") {
				return bad(filepath.Join(p.Name(), f.Name()))
			}
		}
	}
	return nil
}

// settle makes a complete file durable and closes it, while others are written.
func (d *ParquetDir) settle(f *os.File) {
	d.settling.Go(func() {
		err := f.Sync()
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			d.lost.CompareAndSwap(nil, &err)
		}
	})
}

// settled waits until nothing is left to settle.
func (d *ParquetDir) settled() error {
	d.settling.Wait()
	if err := d.lost.Load(); err != nil {
		return d.fail(*err)
	}
	return nil
}

// commit puts the tables in their places. Where that fails half-way, what stood
// there before is put back.
func (d *ParquetDir) commit() (err error) {
	d.done = true
	old := filepath.Join(d.stage, "old")
	if err := os.Mkdir(old, 0o777); err != nil {
		return d.undo(err, 0)
	}
	for i, t := range parquetTables {
		place := filepath.Join(d.path, t)
		if err := os.Rename(place, filepath.Join(old, t)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return d.undo(err, i)
		}
		if err := os.Rename(filepath.Join(d.stage, t), place); err != nil {
			os.Rename(filepath.Join(old, t), place)
			return d.undo(err, i)
		}
	}
	if err := os.RemoveAll(d.stage); err != nil {
		return d.fail(err)
	}
	return nil
}

// undo puts back the first n tables that commit has replaced.
func (d *ParquetDir) undo(err error, n int) error {
	for _, t := range parquetTables[:n] {
		place := filepath.Join(d.path, t)
		if os.Rename(place, filepath.Join(d.stage, t)) == nil {
			os.Rename(filepath.Join(d.stage, "old", t), place)
		}
	}
	os.RemoveAll(d.stage)
	d.unmake()
	return d.fail(err)
}

// Abort throws away what was written.
func (d *ParquetDir) Abort() {
	if d.done {
		return
	}
	d.done = true
	os.RemoveAll(d.stage)
	d.unmake()
}

func (d *ParquetDir) unmake() {
	if d.made {
		os.Remove(d.path) // fails where somebody has put something there
	}
}

func (d *ParquetDir) fail(err error) error {
	var e *files.Error
	if errors.As(err, &e) {
		return err
	}
	return files.Fault(d.path, err)
}

func (d *ParquetDir) hint(err error, hint string) error {
	return &files.Error{Path: d.path, Err: err, Hint: hint}
}
