package catalog

import "golang.org/x/sys/cpu"

var haveVector = cpu.X86.HasAVX2

// kernelAVX2 is kernelPortable with vectors. src must have 64*n+ahead readable
// bytes.
//
//go:noescape
func kernelAVX2(src *byte, n int, out *block, t *tables)

func kernelVector(src []byte, n int, out []block, t *tables) {
	if n == 0 {
		return
	}
	_, _ = src[n*64+ahead-1], out[n-1]
	kernelAVX2(&src[0], n, &out[0], t)
}
