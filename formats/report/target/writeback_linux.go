package target

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeback has the system begin to write n bytes of f, from off, to the disk, and
// does not wait for it. It is a hint: nothing depends on it.
func writeback(f *os.File, off, n int64) {
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	c.Control(func(fd uintptr) { unix.SyncFileRange(int(fd), off, n, unix.SYNC_FILE_RANGE_WRITE) })
}
