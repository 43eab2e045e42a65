package catalog

import (
	"strings"
	"testing"
)

// BenchmarkKernel measures the kernels of all backends on plain prose.
func BenchmarkKernel(b *testing.B) {
	c, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	src := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog: see /usr/share/doc/fox.txt, v1.2.3. ", 60))
	n := len(src) / 64
	src = append(src, make([]byte, 64)...)
	out := make([]block, n)
	for _, l := range backends() {
		b.Run(l.name, func(b *testing.B) {
			b.SetBytes(int64(n * 64))
			for b.Loop() {
				l.kernel(src, n, out, c.tables)
			}
		})
	}
}
