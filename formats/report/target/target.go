// Package target writes report files so that nobody ever sees half of one
// (product.md, "Everywhere"). A report goes to a temporary name in the same
// folder and is renamed when it is complete; a target that is no regular file
// (a device, a FIFO, a pipe) is written to as it is and never removed or
// replaced; a symbolic link is followed and stays.
package target

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Error is what is wrong with a target: where, what, and what to do.
type Error struct {
	Path string // as the user gave it
	Err  error
	Hint string
}

func (e *Error) Error() string { return "can't write " + e.Path + ": " + reason(e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Advice is the hint; cmd/program prints it on a line of its own.
func (e *Error) Advice() string { return e.Hint }

// File is one report being written. Write buffers; Close puts the report in
// its place; Abort throws it away. After either, both do nothing.
type File struct {
	path  string // as the user gave it
	final string // the regular file to replace, links resolved; "" when direct
	f     *os.File
	w     *bufio.Writer
	mode  fs.FileMode
	own   bool // f is ours to close
	done  bool
	err   error // the first failure; a report with one is never renamed

	written, begun int64 // bytes, and those that the disk has been told of
}

// Create opens path for a report. "-" is stdout, which is neither closed nor
// renamed. Everything that can be known beforehand (no such folder, no right to
// write, path is a directory) fails here, before a trace is read.
func Create(path string, stdout io.Writer) (*File, error) { return create(path, stdout, nil) }

func create(path string, stdout io.Writer, stop <-chan struct{}) (*File, error) {
	t := &File{path: path}
	switch path {
	case "":
		return nil, &Error{Path: `""`, Err: errors.New("the file name is empty"), Hint: "give a file name, or - for standard output"}
	case "-":
		t.w = bufio.NewWriterSize(stdout, 64<<10)
		return t, nil
	}
	final, err := resolve(path)
	if err != nil {
		return nil, t.fail(err)
	}
	if n, ok := descriptor(final); ok {
		if n == 1 {
			t.w = bufio.NewWriterSize(stdout, 64<<10)
			return t, nil
		}
		f, err := duplicate(n, path)
		if err != nil {
			return nil, t.fail(err)
		}
		t.open(f, "")
		return t, nil
	}
	st, err := os.Stat(final)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.mode = 0o666 // less the umask
	case err != nil:
		return nil, t.fail(err)
	case st.IsDir():
		return nil, t.fail(syscall.EISDIR)
	case !st.Mode().IsRegular():
		f, err := openDirect(final, stop)
		if err != nil {
			return nil, t.fail(err)
		}
		t.open(f, "")
		return t, nil
	default:
		t.mode = st.Mode().Perm()
		// Renaming needs no right on the file itself, so a file that was made
		// read-only on purpose would be replaced without a word.
		probe, err := os.OpenFile(final, os.O_WRONLY, 0)
		if err != nil {
			return nil, t.fail(err)
		}
		probe.Close()
	}
	if err := t.temporary(final, st); err != nil {
		return nil, err
	}
	return t, nil
}

// Stream opens path for a report that is read while it grows and must survive
// the program's sudden end, such as the log of a live session: there is no
// temporary name, what was written stays, also after Abort. An existing file is
// emptied. Everything else is as with Create; call Flush after each record.
func Stream(path string, stdout io.Writer) (*File, error) {
	t := &File{path: path}
	final, err := resolve(path)
	if path == "" || path == "-" || err != nil {
		return Create(path, stdout)
	}
	st, err := os.Stat(final)
	switch {
	case err == nil && !st.Mode().IsRegular():
		return Create(path, stdout)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, t.fail(err)
	}
	if _, ok := descriptor(final); ok {
		return Create(path, stdout)
	}
	f, err := os.OpenFile(final, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, t.fail(err)
	}
	t.open(f, "")
	return t, nil
}

// open makes f what Write goes to; final is what to rename it to at the end,
// "" for a target that is written to as it is.
func (t *File) open(f *os.File, final string) {
	t.f, t.own, t.final, t.w = f, true, final, bufio.NewWriterSize(f, 64<<10)
}

// temporary opens the temporary file beside final. old is what is there, or nil.
func (t *File) temporary(final string, old fs.FileInfo) error {
	dir, base := filepath.Split(final)
	if dir == "" {
		dir = "."
	}
	if len(base) > 200 {
		base = base[:200] // leaves room for the suffix in a 255 byte name
	}
	f, err := os.CreateTemp(dir, "."+base+".*.tmp")
	if err != nil {
		return t.fail(err)
	}
	if old == nil {
		t.mode &^= umask()
	}
	if err := f.Chmod(t.mode); err != nil && old != nil {
		f.Close()
		os.Remove(f.Name())
		return t.fail(err)
	}
	remember(f.Name())
	t.open(f, final)
	return nil
}

// Apart reports that the report has a temporary name until Close: nobody sees it
// before, and nothing else is written to its place.
func (t *File) Apart() bool { return t.final != "" }

// Write implements io.Writer.
func (t *File) Write(p []byte) (int, error) {
	if t.done {
		return 0, fs.ErrClosed
	}
	n, err := t.w.Write(p)
	if err != nil {
		if err = t.keep(err); err == nil {
			n = len(p) // nobody reads it any more
		}
		return n, err
	}
	t.written += int64(n)
	if at := t.written - int64(t.w.Buffered()); t.final != "" && at-t.begun >= writebackStep {
		writeback(t.f, t.begun, at-t.begun)
		t.begun = at
	}
	return n, nil
}

// writebackStep is after how many bytes a report's file is begun to be written to
// the disk, so that Close does not wait for all of it.
const writebackStep = 4 << 20

// Flush hands what is buffered to the system, for a report that is read while
// it grows.
func (t *File) Flush() error {
	if t.done {
		return nil
	}
	return t.keep(t.w.Flush())
}

// Close writes out what is buffered, makes it durable and renames it into
// place. When any of that fails, or any write before did, the temporary file is
// removed, what stood at the target stays as it was, and the error says so.
func (t *File) Close() error {
	if t.done {
		return t.err
	}
	err := t.keep(t.w.Flush())
	t.done = true
	if !t.own {
		return err
	}
	if t.final == "" {
		if e := t.f.Close(); err == nil && e != nil {
			err = t.keep(e)
		}
		return err
	}
	defer forget(t.f.Name())
	if err == nil {
		err = t.keep(t.f.Sync())
	}
	if e := t.f.Close(); err == nil {
		err = t.keep(e)
	}
	if err == nil {
		err = t.keep(os.Rename(t.f.Name(), t.final))
	}
	if err != nil {
		os.Remove(t.f.Name())
		return err
	}
	syncDir(filepath.Dir(t.final))
	return nil
}

// Abort throws the report away. What was already written to a target that is
// no regular file can't be taken back.
func (t *File) Abort() {
	if t.done {
		return
	}
	t.done = true
	if !t.own {
		return
	}
	t.f.Close()
	if t.final != "" {
		os.Remove(t.f.Name())
		forget(t.f.Name())
	}
}

// keep remembers the first error and returns it with its place.
func (t *File) keep(err error) error {
	if err == nil {
		return nil
	}
	if t.err == nil {
		t.err = t.fail(err)
	}
	return t.err
}
