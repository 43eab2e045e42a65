package jsonrpc

import "math/bits"

// Parser is the strict reader of many messages in one buffer: Load finds the
// quotes of the whole buffer at once, Message then walks from quote to quote.
// The zero value is ready. One goroutine uses a Parser at a time.
type Parser struct {
	Portable bool // never use vector code

	buf  []byte
	blk  []block
	lim  int // offset where the value in hand must have ended
	soft bool
	amb  Has // ambiguities of the message in hand

	walker
}

// Load takes a new buffer. The masks hold as long as buf's bytes stay as they
// are. The bytes after len(buf) are neither read nor written.
func (p *Parser) Load(buf []byte) {
	p.buf, p.lim = buf, len(buf)
	n := len(buf) / 64
	if cap(p.blk) < n+1 {
		p.blk = make([]block, n+1+n/8)
	}
	p.blk = p.blk[:n+1]
	run := fastest.masks
	if p.Portable {
		run = masksPortable
	}
	carry := run(buf, n, p.blk, 0)
	var tail [64]byte
	copy(tail[:], buf[n*64:])
	masksPortable(tail[:], 1, p.blk[n:], carry)
}

// Space returns the offset of the first byte at or after i that is no white
// space, at most len(buf).
func (p *Parser) Space(i int) int {
	p.lim = len(p.buf)
	return p.space(i)
}

// String reads the string whose opening quote stands at i: its content is
// buf[a:b], next the offset after the closing quote. escaped says that it holds
// a backslash. Escapes, control characters and UTF-8 are checked.
func (p *Parser) String(i int) (a, b, next int, escaped, ok bool) {
	p.lim, p.soft = len(p.buf), false
	if i < 0 || i >= p.lim || p.buf[i] != '"' {
		return 0, 0, i, false, false
	}
	b, escaped, ok = p.str(i)
	return i + 1, b, b + 1, escaped, ok
}

// Skip checks the JSON value that begins at i, where no white space stands, and
// returns the offset after it.
func (p *Parser) Skip(i int) (next int, ok bool) {
	p.lim, p.soft = len(p.buf), false
	if i < 0 {
		return i, false
	}
	return p.value(i, skipAll)
}

// SkipTo is Skip for a value that must end by b: it never looks at what follows,
// so that a line that ends inside a value costs no more than the line.
func (p *Parser) SkipTo(i, b int) (next int, ok bool) {
	p.lim, p.soft = min(b, len(p.buf)), false
	if i < 0 {
		return i, false
	}
	return p.value(i, skipAll)
}

func (p *Parser) space(i int) int {
	for i < p.lim {
		switch p.buf[i] {
		case ' ', '\t', '\r', '\n':
			i++
		default:
			return i
		}
	}
	return i
}

// str finds the end of the string whose opening quote stands at i: b is the
// offset of the closing quote.
func (p *Parser) str(i int) (b int, escaped, ok bool) {
	a := i + 1
	w := a >> 6
	if w >= len(p.blk) {
		return 0, false, false
	}
	k := &p.blk[w]
	keep := ^uint64(0) << (uint(a) & 63)
	var back, look uint64
	for {
		q := k.quote & keep
		if q != 0 {
			keep &= q&-q - 1
			back |= k.back & keep
			look |= (k.odd | k.high) & keep
			b = w<<6 + bits.TrailingZeros64(q)
			break
		}
		back |= k.back & keep
		look |= (k.odd | k.high) & keep
		w++
		if w<<6 >= p.lim || w >= len(p.blk) {
			return 0, false, false
		}
		k = &p.blk[w]
		keep = ^uint64(0)
	}
	if b >= p.lim {
		return 0, false, false
	}
	if look != 0 && !p.check(a, b) {
		return 0, false, false
	}
	return b, back != 0, true
}

// within is the mask of the bits of block w that stand for bytes of [a, b).
func within(w, a, b int) uint64 {
	m := ^uint64(0)
	if lo := a - w<<6; lo > 0 {
		m <<= uint(lo)
	}
	if hi := w<<6 + 64 - b; hi > 0 {
		m &= ^uint64(0) >> uint(hi)
	}
	return m
}
