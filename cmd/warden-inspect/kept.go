package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/warden-trace/warden/cmd/program"
)

// kept refuses to replace a file that holds what people decided, such as a lock
// or a baseline; hint says what replaces it all the same. A target that is no
// regular file is written to as it is.
func kept(path, hint string) error {
	if path == "" || path == "-" {
		return nil
	}
	st, err := os.Stat(path)
	switch {
	case err == nil && st.Mode().IsRegular():
		return program.Fail(hint, "%s: there is a file already", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return program.Fail("check the name and its permissions", "%w", err)
	}
	return nil
}

// sameFile reports two names of one file that is there.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
