//go:build unix

package target

import (
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// umask reads the process's file mode mask. It can only be read by setting it,
// so that is done once, before reports are written by several goroutines.
var umask = sync.OnceValue(func() fs.FileMode {
	m := syscall.Umask(0o077)
	syscall.Umask(m)
	return fs.FileMode(m)
})

// duplicate returns a second handle on descriptor n, which shares its offset.
func duplicate(n int, name string) (*os.File, error) {
	fd, err := syscall.Dup(n)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), name), nil
}
