package main

import (
	"bytes"
	"syscall"
	"unsafe"
)

// bare is the echo server with nothing of Go's scheduler in it: one thread that
// blocks in the kernel, as most servers are. The other one, once its reads take
// longer than some 20 µs, has its processor taken away and given back at every
// one of them, which costs more the longer the way to the client is.
func bare() {
	in, n := make([]byte, 64<<10), 0
	var out []byte
	for {
		end := bytes.IndexByte(in[:n], '\n')
		if end < 0 {
			m, _, errno := syscall.RawSyscall(syscall.SYS_READ, 0, uintptr(unsafe.Pointer(&in[n])), uintptr(len(in)-n))
			if errno == syscall.EINTR {
				continue
			}
			if errno != 0 || m == 0 {
				return
			}
			n += int(m)
			continue
		}
		out = answer(out[:0], in[:end+1], smallText)
		n = copy(in, in[end+1:n])
		syscall.RawSyscall(syscall.SYS_WRITE, 1, uintptr(unsafe.Pointer(&out[0])), uintptr(len(out)))
	}
}
