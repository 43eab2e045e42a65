//go:build !purego

package catalog

import "golang.org/x/sys/cpu"

// vectors are the backends of this machine's instruction sets, the fastest last.
func vectors() (out []backend) {
	x := &cpu.X86
	if x.HasAVX2 {
		out = append(out, backend{"AVX2", kernelVia(kernelAVX2), unescapeVector})
	}
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VBMI && x.HasAVX512VBMI2 && x.HasPOPCNT && x.HasBMI1 {
		out = append(out, backend{"AVX-512", kernelVia(kernelAVX512), unescapeWide})
	}
	return out
}

// kernelAVX2 is kernelPortable with vectors. src must have 64*n+ahead readable
// bytes.
//
//go:noescape
func kernelAVX2(src *byte, n int, out *block, t *tables)

// kernelAVX512 is kernelAVX2 with vectors of 64 bytes.
//
//go:noescape
func kernelAVX512(src *byte, n int, out *block, t *tables)

// unescapeAVX2 decodes src up to an escape that simple has no byte for, or its
// last 31 bytes. dst must have room for n+32 bytes.
//
//go:noescape
func unescapeAVX2(dst, src *byte, n int, simple *[256]byte) (wrote, read int)

// unescapeAVX512 decodes src up to a \u or its end. dst must have room for n+64
// bytes.
//
//go:noescape
func unescapeAVX512(dst, src *byte, n int, letters *[64]byte) (wrote, read int)

func unescapeVector(dst, src []byte) (wrote, read int) {
	if len(src) < 32 {
		return 0, 0
	}
	_ = dst[len(src)+31]
	return unescapeAVX2(&dst[0], &src[0], len(src), &simple)
}

func unescapeWide(dst, src []byte) (wrote, read int) {
	if len(src) == 0 {
		return 0, 0
	}
	_ = dst[len(src)+63]
	return unescapeAVX512(&dst[0], &src[0], len(src), &letters)
}

// letters is simple for the letters, by their low six bits.
var letters = func() (t [64]byte) {
	for c := byte('`'); c < 0x80; c++ {
		if t[c&63] = simple[c]; simple[c] == 0 {
			t[c&63] = c
		}
	}
	return t
}()

func kernelVia(run func(src *byte, n int, out *block, t *tables)) func([]byte, int, []block, *tables) {
	return func(src []byte, n int, out []block, t *tables) {
		if n == 0 {
			return
		}
		_, _ = src[n*64+ahead-1], out[n-1]
		run(&src[0], n, &out[0], t)
	}
}
