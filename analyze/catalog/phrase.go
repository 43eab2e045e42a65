package catalog

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
)

// phrase is a compiled phrase of WRD-RES-INJECT-PHRASE: folded code points with
// single spaces, none at the ends.
type phrase struct {
	text  string // as listed
	runes []rune
	// The code points as bytes, for eight at a time: what a byte of text must be
	// where it is one that bits says of. Behind the last nothing is asked for. nil
	// for a phrase that is not all ASCII.
	bytes, bits []byte
}

// newPhrase returns the phrase of folded code points.
func newPhrase(text string, runes []rune) phrase {
	ph := phrase{text: text, runes: runes, bytes: make([]byte, len(runes)+7), bits: make([]byte, len(runes)+7)}
	for i, r := range runes {
		if r >= utf8.RuneSelf {
			ph.bytes, ph.bits = nil, nil
			break
		}
		ph.bytes[i], ph.bits[i] = byte(r), 0xff
		if r >= 'A' && r <= 'Z' {
			ph.bits[i] -= 'a' - 'A'
		}
	}
	return ph
}

// eight returns how many code points from k on, eight at most, stand at p as they
// are, each in a byte. It leaves a space to be looked at with what follows it: a run
// of white space counts as one. 0 says nothing.
func (ph *phrase) eight(t []byte, p, k int) int {
	if ph.bytes == nil || p+8 > len(t) {
		return 0
	}
	x, want := binary.LittleEndian.Uint64(t[p:]), binary.LittleEndian.Uint64(ph.bytes[k:])
	if (x^want)&binary.LittleEndian.Uint64(ph.bits[k:]) != 0 {
		return 0
	}
	n := min(8, len(ph.runes)-k)
	if ph.runes[k+n-1] == ' ' {
		n--
	}
	return n
}

// fold returns the representative of the code points that simple case folding
// takes for the same: the smallest of them.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// blank reports the code points that a run of collapses into one space.
func blank(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\r', 0x2028, 0x2029:
		return true
	}
	return false
}

// collapse folds a phrase; outer white space goes, since it could only make a
// phrase miss.
func collapse(s string) (out []rune) {
	space := false
	for _, r := range s {
		if blank(r) {
			space = len(out) > 0
			continue
		}
		if space {
			out = append(out, ' ')
			space = false
		}
		out = append(out, fold(r))
	}
	return out
}

// at matches the phrase in t with its code point k standing at byte p. It
// returns the bytes of the match.
func (ph *phrase) at(t []byte, p, k int) (start, end int, ok bool) {
	end, ok = ph.forward(t, p, k)
	if !ok {
		return 0, 0, false
	}
	start, ok = ph.backward(t, p, k)
	return start, end, ok
}

// forward matches the code points from k on at p.
func (ph *phrase) forward(t []byte, p, k int) (int, bool) {
	for ; k < len(ph.runes); k++ {
		if n := ph.eight(t, p, k); n > 0 {
			p, k = p+n, k+n-1
			continue
		}
		if p >= len(t) {
			return 0, false
		}
		want := ph.runes[k]
		if want == ' ' {
			n := p
			for n < len(t) {
				r, w := decode(t[n:])
				if !blank(r) {
					break
				}
				n += w
			}
			if n == p {
				return 0, false
			}
			p = n
			continue
		}
		if c := t[p]; c < utf8.RuneSelf {
			if c >= 'a' && c <= 'z' {
				c -= 'a' - 'A'
			}
			if rune(c) != want {
				return 0, false
			}
			p++
			continue
		}
		r, w := decode(t[p:])
		if fold(r) != want || blank(r) {
			return 0, false
		}
		p += w
	}
	return p, true
}

// backward matches the code points before k so that they end at p.
func (ph *phrase) backward(t []byte, p, k int) (int, bool) {
	for k--; k >= 0; k-- {
		if p <= 0 {
			return 0, false
		}
		want := ph.runes[k]
		if want == ' ' {
			n := p
			for n > 0 {
				r, w := decodeLast(t[:n])
				if !blank(r) {
					break
				}
				n -= w
			}
			if n == p {
				return 0, false
			}
			p = n
			continue
		}
		if c := t[p-1]; c < utf8.RuneSelf {
			if c >= 'a' && c <= 'z' {
				c -= 'a' - 'A'
			}
			if rune(c) != want {
				return 0, false
			}
			p--
			continue
		}
		r, w := decodeLast(t[:p])
		if fold(r) != want || blank(r) {
			return 0, false
		}
		p -= w
	}
	return p, true
}

func decode(t []byte) (rune, int) {
	c := t[0]
	if c < utf8.RuneSelf {
		return rune(c), 1
	}
	if c >= 0xc2 && c < 0xe0 && len(t) > 1 && t[1]&0xc0 == 0x80 {
		return rune(c&0x1f)<<6 | rune(t[1]&0x3f), 2
	}
	// Between what begins long forms and what begins surrogates.
	if c > 0xe0 && c < 0xed && len(t) > 2 && t[1]&0xc0 == 0x80 && t[2]&0xc0 == 0x80 {
		return rune(c&0x0f)<<12 | rune(t[1]&0x3f)<<6 | rune(t[2]&0x3f), 3
	}
	return utf8.DecodeRune(t)
}

func decodeLast(t []byte) (rune, int) {
	if len(t) > 0 && t[len(t)-1] < utf8.RuneSelf {
		return rune(t[len(t)-1]), 1
	}
	return utf8.DecodeLastRune(t)
}
