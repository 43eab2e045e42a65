package report

import (
	"encoding/binary"
	"math/bits"
)

// blockBreak stands before each text of a block. None has it: see appendBlockText.
const blockBreak = "^|"

// appendBlockText appends a text for a script block that is no JSON, so that
// nothing in it ends the block or a text there: < is ^l, and ^ is ^c.
func appendBlockText(b, text []byte) []byte {
	for {
		n := blockRun(text)
		b = append(b, text[:n]...)
		if n == len(text) {
			return b
		}
		if text[n] == '<' {
			b = append(b, "^l"...)
		} else {
			b = append(b, "^c"...)
		}
		text = text[n+1:]
	}
}

// blockRun is the length of what a block has as it is, at the beginning of text.
func blockRun(text []byte) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		if z := zeroIn(x^'<'*lowBits) | zeroIn(x^'^'*lowBits); z != 0 {
			return i + bits.TrailingZeros64(z)/8
		}
	}
	for i < len(text) && text[i] != '<' && text[i] != '^' {
		i++
	}
	return i
}
