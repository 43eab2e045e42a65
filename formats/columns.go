package formats

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// Columns tells where in their lines records stand, in code points from 1, as
// reports want it. It goes through a chunk with its records, in order, and
// counts no byte of it twice, however many records a line has.
type Columns struct {
	c   *Chunk
	pos int   // in c.Buf: where col is known
	col int64 // of pos
}

// Reset begins a chunk, which begins a line.
func (x *Columns) Reset(c *Chunk) { *x = Columns{c: c, col: 1} }

// Of returns the column in which r begins and the one after its frame's last; 0
// where that is unknown: of a frame that stands otherwise than as it is, or over
// several lines, the end, of a record that is not in the chunk both.
func (x *Columns) Of(r *Record) (start, end int64) {
	if r.Column > 0 || x.c == nil {
		return r.Column, r.EndColumn
	}
	if x.c.Cuts != nil {
		if r.Flags&ContentLength == 0 {
			return 0, 0
		}
		return 1, after(1, r.Frame) // behind its header's empty line
	}
	a, buf := int(r.Offset-x.c.Offset), x.c.Buf
	if a < x.pos || a >= len(buf) {
		return 0, 0
	}
	if n := bytes.LastIndexByte(buf[x.pos:a], '\n'); n >= 0 {
		x.pos, x.col = x.pos+n+1, 1
	}
	x.col += codePoints(buf[x.pos:a])
	x.pos = a
	if n := len(r.Frame); n > 0 && n <= len(buf)-a && &buf[a] == &r.Frame[0] {
		end = after(x.col, r.Frame)
	}
	return x.col, end
}

// after is the column behind frame, which begins at col; 0 where it does not end
// in its line.
func after(col int64, frame []byte) int64 {
	if len(frame) == 0 || bytes.IndexByte(frame, '\n') >= 0 {
		return 0
	}
	return col + codePoints(frame)
}

// codePoints is utf8.RuneCount, with a short way for ASCII, eight bytes a step,
// and for the characters of two and of three bytes.
func codePoints(b []byte) (n int64) {
	i := 0
	for i < len(b) {
		for i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&0x8080808080808080 == 0 {
			i += 8
			n += 8
		}
		for i < len(b) {
			switch c := b[i]; {
			case c < utf8.RuneSelf:
				i++
			case c >= 0xc2 && c < 0xe0 && i+1 < len(b) && b[i+1]&0xc0 == 0x80:
				i += 2
			case c > 0xe0 && c < 0xed && i+2 < len(b) && b[i+1]&0xc0 == 0x80 && b[i+2]&0xc0 == 0x80:
				i += 3
			default:
				_, w := utf8.DecodeRune(b[i:])
				i += w
			}
			n++
			if i+1 < len(b) && b[i]|b[i+1] < utf8.RuneSelf {
				break
			}
		}
	}
	return n
}
