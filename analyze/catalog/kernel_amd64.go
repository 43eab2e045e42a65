//go:build !purego

package catalog

import "golang.org/x/sys/cpu"

var haveVector = cpu.X86.HasAVX2

// kernelAVX2 is kernelPortable with vectors. src must have 64*n+ahead readable
// bytes.
//
//go:noescape
func kernelAVX2(src *byte, n int, out *block, t *tables)

// unescapeAVX2 decodes src up to an escape that simple has no byte for, or its
// last 31 bytes. dst must have room for n+32 bytes.
//
//go:noescape
func unescapeAVX2(dst, src *byte, n int, simple *[256]byte) (wrote, read int)

func unescapeVector(dst, src []byte) (wrote, read int) {
	if len(src) < 32 {
		return 0, 0
	}
	_ = dst[len(src)+31]
	return unescapeAVX2(&dst[0], &src[0], len(src), &simple)
}

func kernelVector(src []byte, n int, out []block, t *tables) {
	if n == 0 {
		return
	}
	_, _ = src[n*64+ahead-1], out[n-1]
	kernelAVX2(&src[0], n, &out[0], t)
}
