package report

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes at a time are looked at in one word; the lowest of a word's high bits
// that is set marks the first byte that is looked for. Those above it may be wrong:
// what is borrowed from a byte that is a hit makes the next one look like one.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// zeroIn marks the bytes of x that are zero.
func zeroIn(x uint64) uint64 { return (x - lowBits) &^ x & highBits }

// unbrokenRun is how many bytes of s, from the first, are unbroken.
func unbrokenRun(s []byte) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := binary.LittleEndian.Uint64(s[i:])
		// `"` and `#` differ in one bit alone, DEL and what is not ASCII follow 0x7e.
		hit := (x-lowBits*0x20)&^x | x
		hit = hit&highBits | zeroIn((x^lowBits*'"')&^lowBits) | zeroIn(x^lowBits*'\\') | zeroIn(x^lowBits*0x7f)
		if hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(s) && unbroken[s[i]] {
		i++
	}
	return i
}

// asciiRun is how many bytes of s, from the first and at most max, are ASCII.
func asciiRun(s []byte, max int) int {
	s = s[:min(len(s), max)]
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if hit := binary.LittleEndian.Uint64(s[i:]) & highBits; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(s) && s[i] < 0x80 {
		i++
	}
	return i
}
