//go:build !amd64 || purego

package jsonrpc

const haveVector = false

func masksVector(src []byte, n int, out []block, carry uint64) uint64 {
	return masksPortable(src, n, out, carry)
}
