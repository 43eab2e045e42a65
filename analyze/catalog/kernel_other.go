//go:build !amd64 || purego

package catalog

const haveVector = false

func unescapeVector(dst, src []byte) (wrote, read int) { return 0, 0 }

func kernelVector(src []byte, n int, out []block, t *tables) { kernelPortable(src, n, out, t) }
