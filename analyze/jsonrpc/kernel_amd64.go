//go:build !purego

package jsonrpc

import "golang.org/x/sys/cpu"

// vectors are the backends of this machine's instruction sets, the fastest last.
func vectors() (out []backend) {
	x := &cpu.X86
	if x.HasAVX2 {
		out = append(out, backend{"AVX2", masksVia(masksAVX2)})
	}
	if x.HasAVX512F && x.HasAVX512BW {
		out = append(out, backend{"AVX-512", masksVia(masksAVX512)})
	}
	return out
}

// masksAVX2 is masksPortable with vectors. src must have 64*n readable bytes.
//
//go:noescape
func masksAVX2(src *byte, n int, out *block, carry uint64) uint64

// masksAVX512 is masksAVX2 with vectors of 64 bytes.
//
//go:noescape
func masksAVX512(src *byte, n int, out *block, carry uint64) uint64

func masksVia(run func(src *byte, n int, out *block, carry uint64) uint64) func([]byte, int, []block, uint64) uint64 {
	return func(src []byte, n int, out []block, carry uint64) uint64 {
		if n == 0 {
			return carry
		}
		_, _ = src[n*64-1], out[n-1]
		return run(&src[0], n, &out[0], carry)
	}
}
