package target

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links are followed before they count as a
// circle; the kernel's own bound on Linux.
const maxLinks = 40

// resolve follows path's symbolic links, also to a file that does not exist
// yet, so that the rename replaces what the link points at and not the link.
func resolve(path string) (string, error) {
	// A trailing separator asks for a directory; cleaning would hide that.
	if strings.HasSuffix(path, string(filepath.Separator)) {
		return "", syscall.EISDIR
	}
	for range maxLinks {
		if _, ok := descriptor(path); ok {
			return path, nil
		}
		st, err := os.Lstat(path)
		if err != nil || st.Mode()&fs.ModeSymlink == 0 {
			return path, nil // Stat tells what is wrong, if anything
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			// Not filepath.Join: it would cut "link/.." without asking where
			// the link leads.
			dir, _ := filepath.Split(path)
			to = dir + to
		}
		path = to
	}
	return "", fmt.Errorf("%w: its links lead in a circle", syscall.ELOOP)
}

// descriptor reports whether path is a name for a descriptor of this process.
// Where standard output is redirected to a file, /dev/stdout leads to that
// file; it must be written to where it stands and not be replaced.
func descriptor(path string) (int, bool) {
	switch path {
	case "/dev/stdin":
		return 0, true
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, dir := range [...]string{"/dev/fd/", "/proc/self/fd/"} {
		if rest, ok := strings.CutPrefix(path, dir); ok {
			n, err := strconv.Atoi(rest)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}
