// Package terminal reads text as a terminal does: it swallows escape sequences,
// and so does a person who reads what it shows; a model may, too. The last byte of
// a sequence stands right before what follows it, often a letter, so that
// `ESC [ 3 4 m https://` begins no URL. What looks for something in text that may
// hold sequences therefore reads it twice (catalog.md, coverage full): as it
// stands, and with the sequences blanked.
package terminal

import "bytes"

// Holds reports a text with an escape sequence in it.
func Holds(t []byte) bool {
	return bytes.IndexByte(t, 0x1b) >= 0 || bytes.Contains(t, csi) || bytes.Contains(t, osc)
}

var csi, osc = []byte("\u009b"), []byte("\u009d")

// Introduces reports a character that begins a sequence: ESC, or one of the C1
// controls CSI and OSC.
func Introduces(t []byte, i int) bool {
	return t[i] == 0x1b || t[i] == 0xc2 && i+1 < len(t) && (t[i+1] == 0x9b || t[i+1] == 0x9d)
}

// Blanked appends t with a space for each byte of an escape sequence.
func Blanked(dst, t []byte) []byte {
	from := len(dst)
	dst = append(dst, t...)
	out := dst[from:]
	for i := 0; i < len(t); {
		if !Introduces(t, i) {
			i++
			continue
		}
		end := bareEnd(t, i)
		if end == 0 {
			end = sequenceEnd(t, i)
		}
		for ; i < end; i++ {
			out[i] = ' '
		}
	}
	return dst
}

// bareEnd is sequenceEnd where an introducer stands right before another, the
// short way through rows of them; else 0.
func bareEnd(t []byte, i int) int {
	n := i + 1
	if t[i] == 0xc2 {
		n++
	}
	if n < len(t) && (t[n] == 0x1b || t[n] == 0xc2) {
		return n
	}
	return 0
}

// sequenceEnd returns the end of the sequence that begins at i. A sequence that
// breaks off ends there. The content of an OSC string, which a terminal does not
// show but a model reads, is no part of it; only its number is, and the
// parameters of a link (number 8).
func sequenceEnd(t []byte, i int) int {
	if t[i] == 0xc2 {
		if t[i+1] == 0x9b {
			return controlEnd(t, i+2, 0x40)
		}
		return stringStart(t, i+2)
	}
	j := i + 1
	for j < len(t) && within(t[j]) {
		j++
	}
	if j < len(t) {
		switch t[j] {
		case '[':
			return controlEnd(t, j+1, 0x40)
		case ']':
			return stringStart(t, j+1)
		}
	}
	return controlEnd(t, j, 0x30)
}

// controlEnd skips parameters and intermediates, and the final byte, which is
// final at least.
func controlEnd(t []byte, i int, final byte) int {
	for i < len(t) && (within(t[i]) || t[i] >= 0x20 && t[i] < final) {
		i++
	}
	if i < len(t) && t[i] >= final && t[i] < 0x7f {
		i++
	}
	return i
}

// within reports the controls that a terminal obeys, or drops, in the middle of a
// sequence without ending it.
func within(c byte) bool {
	return c < 0x20 && c != 0x1b && c != 0x18 && c != 0x1a || c == 0x7f
}

// stringStart skips the number of an OSC string, and the parameters of a link.
func stringStart(t []byte, i int) int {
	from := i
	for i < len(t) && isDigit(t[i]) {
		i++
	}
	link := string(t[from:i]) == "8"
	if i >= len(t) || t[i] != ';' {
		return i
	}
	i++
	for j := i; link && j < len(t) && t[j] >= 0x20 && t[j] < 0x7f; j++ {
		if t[j] == ';' {
			return j + 1
		}
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
