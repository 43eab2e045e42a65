package report

import (
	"testing"

	"pgregory.net/rapid"
)

// Words of eight bytes are looked at as the bytes are one by one.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(rapid.SampledFrom([]byte("abc \x00\x1f\x20\"#!\\[]~\x7f\x80\xa2\xff")), 0, 40).Draw(t, "text")
		if rapid.Bool().Draw(t, "quiet") {
			for i := range s { // long runs with one thing in them
				if i != len(s)/2 {
					s[i] = 'a'
				}
			}
		}
		n := 0
		for n < len(s) && unbroken[s[n]] {
			n++
		}
		if got := unbrokenRun(s); got != n {
			t.Fatalf("%q: %d unbroken, want %d", s, got, n)
		}
		max := rapid.IntRange(0, 50).Draw(t, "max")
		n = 0
		for n < min(len(s), max) && s[n] < 0x80 {
			n++
		}
		if got := asciiRun(s, max); got != n {
			t.Fatalf("%q: %d of %d ASCII, want %d", s, got, max, n)
		}
	})
}
