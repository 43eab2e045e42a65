//go:build unix

package guard

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// readiness returns a function that reports whether a write of at most
// atomicWrite bytes to w is certain not to block: a pipe that can be written to
// has room for PIPE_BUF bytes, a socket for more. Nobody else writes to it. nil
// where that can't be known.
func readiness(w io.Writer) func() bool {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	conn := pipeConn(f)
	if conn == nil {
		return nil
	}
	var fds [1]unix.PollFd
	ready := false
	ask := func(fd uintptr) {
		fds[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLOUT}
		n, err := unix.Poll(fds[:], 0)
		if err == syscall.EINTR {
			n = 0
		}
		ready = n == 1
	}
	return func() bool {
		ready = false
		return conn.Control(ask) == nil && ready
	}
}

// pipeConn gives access to a pipe or a socket, nil for other files.
func pipeConn(f *os.File) syscall.RawConn {
	st, err := f.Stat()
	if err != nil || st.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return nil
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	return conn
}
