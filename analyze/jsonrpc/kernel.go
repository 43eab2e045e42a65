package jsonrpc

import (
	"encoding/binary"
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

// zeroBytes sets the high bit of each byte of x that is zero, and no other.
func zeroBytes(x uint64) uint64 { return ^((x&^highs + 0x7f*lows) | x | 0x7f*lows) }

// gather packs the high bits of the eight bytes of x, all else being zero.
func gather(x uint64) uint64 { return x >> 7 * 0x0102040810204080 >> 56 }

// plainEscape marks the characters that may follow a backslash and need no
// further look.
var plainEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// masksPortable fills out[k] for each of the n blocks of 64 bytes that src
// begins with. carry is 1 when the first byte is escaped by what came before;
// the carry for the byte after the last is returned.
func masksPortable(src []byte, n int, out []block, carry uint64) uint64 {
	for k := range n {
		p := src[k*64 : k*64+64 : k*64+64]
		var b block
		var ctl uint64
		for g := 0; g < 64; g += 8 {
			x := binary.LittleEndian.Uint64(p[g : g+8])
			// High bits: where a byte is a quote, a backslash, below 0x20, or not
			// ASCII; maybe a byte too many behind one that is.
			q, e, c := x^'"'*lows, x^'\\'*lows, (x-0x20*lows)&^x
			if ((q-lows)&^q|(e-lows)&^e|c|x)&highs == 0 {
				continue // as most words of a text
			}
			q, e, c = zeroBytes(q), zeroBytes(e), zeroBytes(x&(0xe0*lows))
			h := x & highs
			sh := uint(g) & 63
			b.quote |= gather(q) << sh
			b.back |= gather(e) << sh
			ctl |= gather(c) << sh
			b.high |= gather(h) << sh
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
