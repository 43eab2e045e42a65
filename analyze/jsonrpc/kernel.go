package jsonrpc

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// block holds the masks of 64 bytes of a buffer, the lowest bit for the first.
type block struct {
	quote uint64 // quotes that no backslash escapes
	back  uint64 // backslashes
	odd   uint64 // bytes below 0x20, and escaped characters other than "\/bfnrt
	high  uint64 // bytes from 0x80
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// transpose turns bit g of byte j into bit j of byte g: it swaps neighbours two,
// then four, then eight bits wide.
func transpose(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}

// plainEscape marks the characters that may follow a backslash and need no
// further look.
var plainEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// masksPortable fills out[k] for each of the n blocks of 64 bytes that src
// begins with. carry is 1 when the first byte is escaped by what came before;
// the carry for the byte after the last is returned.
//
// Eight words of eight bytes are compared without a branch: texts are too mixed
// for one to be foreseen. A comparison leaves its answer in the high bit of each
// byte; those of a block's words are packed side by side into the bytes of one
// word, the first lowest, and transposed when all are there.
func masksPortable(src []byte, n int, out []block, carry uint64) uint64 {
	for k := range n {
		p := (*[64]byte)(src[k*64:])
		var quote, back, ctl, high uint64 // the first three inverted, but for bytes from 0x80
		for g := 0; g < 64; g += 8 {
			x := binary.LittleEndian.Uint64(p[g:])
			low := x &^ highs
			quote = quote>>1 | ((low^'"'*lows)+0x7f*lows)&highs
			back = back>>1 | ((low^'\\'*lows)+0x7f*lows)&highs
			ctl = ctl>>1 | (low+0x60*lows)&highs
			high = high>>1 | x&highs
		}
		b := block{quote: transpose(^(quote | high)), back: transpose(^(back | high))}
		if ctl |= high; ctl != math.MaxUint64 {
			ctl = transpose(^ctl)
		} else {
			ctl = 0
		}
		if high != 0 {
			b.high = transpose(high)
		}
		if b.back|carry != 0 {
			var esc uint64
			esc, carry = escaped(b.back, carry)
			b.quote &^= esc
			for m := esc; m != 0; m &= m - 1 {
				if !plainEscape[p[bits.TrailingZeros64(m)&63]] {
					ctl |= m & -m
				}
			}
		}
		b.odd = ctl
		out[k] = b
	}
	return carry
}

// escaped turns the mask of backslashes into that of the characters that one
// escapes: every second of a run of backslashes, and what follows an odd run.
// The sum carries each run that starts at an odd place to its end.
func escaped(back, carry uint64) (esc, next uint64) {
	const even = 0x5555555555555555
	back &^= carry
	follows := back<<1 | carry
	starts := back &^ follows &^ even
	sum, next := bits.Add64(starts, back, 0)
	return (even ^ sum<<1) & follows, next
}
