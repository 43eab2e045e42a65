package guard

import (
	"os"

	"golang.org/x/sys/unix"
)

// atomicWrite is PIPE_BUF: a pipe that can be written to has room for it.
const atomicWrite = 4096

// pipeSize is what the pipes to and from the child hold, if the system lets
// them: fewer, larger turns when much is to be moved.
const pipeSize = 256 << 10

func widen(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}
