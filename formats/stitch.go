package formats

import (
	"bytes"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// stitcher joins JSON values that go over several lines (pretty-printed
// recordings). It begins where a decoder found a line that ends inside an
// object or array, and feeds the following lines to one scanner until the
// value closes, goes wrong, or grows over the frame cap. Where that fails the
// lines count as they were decoded one by one, and the next attempt begins no
// earlier than the line that spoilt this one: no byte is fed more than twice.
//
// A join never hides a frame: when a line inside is a message by itself, and
// the whole is not an array of messages, the lines count.
type stitcher struct {
	src *stream
	d   *lineDecoder
	max int
	by  letter
	seq seqWatch

	active bool
	text   []byte // lines of earlier chunks that are withheld
	off    int64  // of text[0] in the stream
	line   int64
	lone   bool // a line that is withheld is a message by itself
}

// NewStitcher implements Source.
func (s *lineSource) NewStitcher() Stitcher {
	return &stitcher{src: s.stream, d: s.decoder(), max: s.o.MaxFrame}
}

// NewStitcher implements Source: framed messages need none.
func (s *framedSource) NewStitcher() Stitcher { return nil }

// Chunk implements Stitcher.
func (s *stitcher) Chunk(c *Chunk, recs []Record, keep func(int), visit Visit) {
	next := 0                 // of recs
	upTo := func(off int64) { // keep what stands before off
		for ; next < len(recs) && recs[next].Offset < off; next++ {
			s.seq.see(&recs[next])
			keep(next)
		}
	}
	drop := func(off int64) { // withhold or replace what stands before off
		for ; next < len(recs) && recs[next].Offset < off; next++ {
			r := &recs[next]
			s.lone = s.lone || s.alone(c, r)
		}
	}
	end := c.Offset + int64(len(c.Buf))
	if c.Skim != nil {
		s.fail(visit)
		upTo(1<<63 - 1)
		return
	}
	pos := 0
	if s.active {
		room := min(len(c.Buf), s.max-len(s.text))
		n, st := s.by.feed(c.Buf[:room])
		switch {
		case st == stateMore && room == len(c.Buf):
			drop(end)
			s.text = append(s.text, c.Buf...)
			return
		case st == stateDone:
			drop(c.Offset + int64(n))
			if s.joins(c.Buf[:n]) {
				s.text = append(s.text, c.Buf[:n]...)
				s.join(visit)
				pos = s.after(c, n, visit)
				drop(c.Offset + int64(pos))
				break
			}
			next = 0
			s.fail(visit)
			pos = lineEnd(c.Buf, n)
		default:
			s.fail(visit)
			pos = lineStart(c.Buf, n)
			if st == stateMore {
				pos = lineEnd(c.Buf, n)
			}
		}
		s.active = false
	}
	for at := next; at < len(recs); at++ {
		r := &recs[at]
		if !r.Open || r.Offset < c.Offset+int64(pos) {
			continue
		}
		upTo(r.Offset)
		pos = s.attempt(c, int(r.Offset-c.Offset), r.Line, drop, &next, visit)
		if s.active {
			return
		}
		at = next - 1
		if next < len(recs) && recs[next].Offset < c.Offset+int64(pos) {
			upTo(c.Offset + int64(pos)) // the attempt failed: they stand
			at = next - 1
		}
	}
	upTo(1<<63 - 1)
}

// attempt tries to join from a on and returns where to go on. Records that it
// replaces or withholds are dropped; those it leaves are to be kept.
func (s *stitcher) attempt(c *Chunk, a int, line int64, drop func(int64), next *int, visit Visit) int {
	from := *next
	s.lone = false
	s.by.reset()
	stop := min(len(c.Buf), a+s.max)
	n, st := s.by.feed(c.Buf[a:stop])
	n += a
	s.off, s.line = c.Offset+int64(a), line
	switch {
	case st == stateMore && stop == len(c.Buf):
		drop(c.Offset + int64(len(c.Buf)))
		s.active = true
		s.text = append(s.text[:0], c.Buf[a:]...)
		return len(c.Buf)
	case st == stateMore:
		return lineEnd(c.Buf, n)
	case st == stateBad:
		return max(lineStart(c.Buf, n), lineEnd(c.Buf, a+1)) // the cap may cut a's own line
	}
	drop(c.Offset + int64(n))
	s.text = s.text[:0]
	if !s.joins(c.Buf[a:n]) {
		*next = from
		return lineEnd(c.Buf, n)
	}
	s.text = append(s.text, c.Buf[a:n]...)
	s.join(visit)
	pos := s.after(c, n, visit)
	drop(c.Offset + int64(pos))
	return pos
}

// alone reports a record that is a whole message and the whole of its line.
func (s *stitcher) alone(c *Chunk, r *Record) bool {
	if r.Kind != KindFrame || r.Open || len(r.Frame) == 0 || r.Frame[0] != '{' {
		return false
	}
	a := int(r.Offset - c.Offset)
	b := a + len(r.Frame)
	if a < 0 || b > len(c.Buf) || !blank(c.Buf[lineStart(c.Buf, a):a]) || !blank(c.Buf[b:lineEnd(c.Buf, b)]) {
		return false
	}
	return s.d.known(r.Frame)
}

// joins decides whether text plus last, a whole value, stands for its lines.
func (s *stitcher) joins(last []byte) bool {
	first := last
	if len(s.text) > 0 {
		first = s.text
	}
	return !s.lone || first[0] == '['
}

// join emits the value in text.
func (s *stitcher) join(visit Visit) {
	buf := s.padded()
	s.text = s.text[:0]
	s.d.p.Load(buf)
	s.d.line(buf, 0, len(buf), s.line, s.off, s.watch(visit))
}

// padded copies text: the records keep pointing into it.
func (s *stitcher) padded() []byte {
	buf := make([]byte, len(s.text), len(s.text)+jsonrpc.Pad)
	copy(buf, s.text)
	return buf
}

// after deals with what stands behind a joined value on its last line, and
// returns the offset of the next line.
func (s *stitcher) after(c *Chunk, n int, visit Visit) int {
	end := lineEnd(c.Buf, n)
	rest, skip := trimSpace(c.Buf[n:end])
	if len(rest) == 0 {
		return end
	}
	line := c.FirstLine + int64(bytes.Count(c.Buf[:n], lf))
	s.d.bad(n+skip, line, c.Offset, "more than one value on the line", visit)
	buf := make([]byte, len(rest), len(rest)+jsonrpc.Pad)
	copy(buf, rest)
	s.d.p.Load(buf)
	s.d.line(buf, 0, len(buf), line, c.Offset+int64(n+skip), s.watch(visit))
	return end
}

// fail emits the withheld lines one by one.
func (s *stitcher) fail(visit Visit) {
	if !s.active {
		return
	}
	s.active = false
	c := Chunk{Buf: s.padded(), Offset: s.off, FirstLine: s.line}
	s.text = s.text[:0]
	s.d.Decode(&c, s.watch(visit))
}

func (s *stitcher) watch(visit Visit) Visit {
	return func(r *Record, m *jsonrpc.Message) {
		s.seq.see(r)
		visit(r, m)
	}
}

// Close implements Stitcher.
func (s *stitcher) Close(visit Visit) {
	s.fail(visit)
	s.seq.close(s.src)
}

func lineStart(b []byte, i int) int { return bytes.LastIndexByte(b[:min(i, len(b))], '\n') + 1 }

func lineEnd(b []byte, i int) int {
	if i > 0 && i <= len(b) && b[i-1] == '\n' {
		return i
	}
	if n := bytes.IndexByte(b[min(i, len(b)):], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(b)
}
