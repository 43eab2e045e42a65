package target

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// fail gives err its place and says what to do about it.
func (t *File) fail(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	path := t.path
	if path == "-" {
		path = "standard output"
	}
	return &Error{Path: path, Err: err, Hint: hint(err)}
}

// Fault gives an error about path its place and says what to do about it, for
// reports that are no single file.
func Fault(path string, err error) error { return (&File{path: path}).fail(err) }

// hint says what to do about a failure to write.
func hint(err error) string {
	switch {
	case errors.Is(err, syscall.EISDIR):
		return "it is a directory: name a file in it"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the disk is full: free some space or write elsewhere; nothing half-written was left"
	case errors.Is(err, syscall.EFBIG):
		return "the file may not grow that large here (ulimit -f); nothing half-written was left"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only: write elsewhere"
	case errors.Is(err, fs.ErrPermission):
		return "no right to write there: choose another folder, or change the rights of the file and its folder"
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of the path is a file, not a folder"
	case errors.Is(err, fs.ErrNotExist):
		return "its folder does not exist: make it first"
	case errors.Is(err, syscall.ELOOP):
		return "name the file itself instead of the link"
	case errors.Is(err, syscall.EPIPE):
		return "the reader went away before the report was complete"
	}
	return ""
}

// reason is the cause without the path and the system call, which the message
// has said or nobody needs.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err.Error()
	}
	return err.Error()
}

// syncDir makes a rename durable. Not every file system can; the report is in
// place either way.
func syncDir(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	d.Sync()
	d.Close()
}
