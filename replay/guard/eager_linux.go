package guard

import (
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// eager returns a reader of r that, while frames come in quick succession,
// waits for the next one awake for a moment before it sleeps; where r is no
// pipe and no socket, r.
//
// The work that a small frame makes takes a few microseconds; to wake a sleeper
// on a processor that has gone idle takes tens. Two peers that answer each
// other at once would pay that at every frame. Waiting awake is bounded, gives
// way to whoever wants the processor, and isn't done where it has not paid.
func eager(r io.Reader) io.Reader {
	f, ok := r.(*os.File)
	if !ok {
		return r
	}
	conn := pipeConn(f)
	if conn == nil {
		return r
	}
	e := &eagerReader{f: f, conn: conn}
	e.look = e.await
	return e
}

const (
	// awake is how long one frame is waited for awake at most.
	awake = 100 * time.Microsecond
	// away is how long giving way takes when there is other work for the
	// processor: a sleeper that is woken gets it sooner than one that gives way.
	away = time.Millisecond
)

// eagerReader reads a pipe or socket. One reader owns it.
type eagerReader struct {
	f    *os.File
	conn syscall.RawConn
	look func(fd uintptr) // await, made once
	fds  [1]unix.PollFd
	pace
}

// Read is the file's, after a while of looking whether something has come.
func (e *eagerReader) Read(b []byte) (int, error) {
	from := time.Now()
	if e.expects() {
		_ = e.conn.Control(e.look) // of a file that is closed Read tells
	}
	n, err := e.f.Read(b)
	e.came(n, time.Since(from))
	return n, err
}

// await returns when there is something to read, or when it was waited for long
// enough.
func (e *eagerReader) await(fd uintptr) {
	e.fds[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	from := time.Now()
	for at := from; ; {
		if n, err := unix.Poll(e.fds[:], 0); n != 0 && err == nil { // an end too
			e.paid()
			return
		}
		if at.Sub(from) > awake {
			e.missed()
			return
		}
		// As a system call that may take long, so that who else runs in this
		// process need not wait for it.
		_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		now := time.Now()
		if now.Sub(at) > away {
			e.crowded()
			return
		}
		at = now
	}
}
