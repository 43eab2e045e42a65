//go:build !purego

package jsonrpc

import "golang.org/x/sys/cpu"

var haveVector = cpu.X86.HasAVX2

// masksAVX2 is masksPortable with vectors. src must have 64*n readable bytes.
//
//go:noescape
func masksAVX2(src *byte, n int, out *block, carry uint64) uint64

func masksVector(src []byte, n int, out []block, carry uint64) uint64 {
	if n == 0 {
		return carry
	}
	_, _ = src[n*64-1], out[n-1]
	return masksAVX2(&src[0], n, &out[0], carry)
}
