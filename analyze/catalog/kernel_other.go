//go:build !amd64

package catalog

const haveVector = false

func kernelVector(src []byte, n int, out []block, t *tables) { kernelPortable(src, n, out, t) }
