package formats

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// chunkLen is the usual size of a chunk.
const chunkLen = 128 << 10

// stream is what all sources share.
type stream struct {
	r    io.Reader
	o    Options
	s    sniffed
	off  int64 // in the stream, of the next chunk
	line int64 // number of the next chunk's first line
	seq  int
	size int // of a chunk
	hold int // bytes of a line that are held at most
	err  error

	mu      sync.Mutex
	notices []string
	content bool // a byte that is no white space was seen
}

func (s *stream) Format() string     { return s.s.name }
func (s *stream) Fidelity() Fidelity { return Wire }

// NewDecoder implements Source.
func (s *stream) NewDecoder() Decoder { return s.decoder() }

func (s *stream) decoder() *lineDecoder {
	return &lineDecoder{o: s.o, max: s.o.MaxFrame, form: s.s.form, out: s.s.out, tee: s.s.tee}
}

// Notices implements Source.
func (s *stream) Notices() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.notices...)
}

func (s *stream) notice(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notices = append(s.notices, text)
}

// end reports the end of the stream, once everything has been handed out.
func (s *stream) end() error {
	if s.err == io.EOF && !s.content {
		s.content = true
		s.notice("empty: no frames in it")
	}
	return s.err
}

// fill reads into buf[len(buf):limit] until it is full or the stream ends.
func (s *stream) fill(buf []byte, limit int) []byte {
	for idle := 0; len(buf) < limit && s.err == nil; {
		n, err := s.r.Read(buf[len(buf):limit])
		buf = buf[:len(buf)+n]
		s.err = err
		if n > 0 {
			idle = 0
		} else if idle++; idle == 100 && err == nil {
			s.err = io.ErrNoProgress
		}
	}
	return buf
}

// buffer returns c.Buf emptied, or a new one of size where it is too small to
// use or too large to keep (one long line must not cost every buffer).
func buffer(c *Chunk, size int) []byte {
	if cap(c.Buf) < size+jsonrpc.Pad || cap(c.Buf) > 4*size+jsonrpc.Pad {
		return make([]byte, 0, size+jsonrpc.Pad)
	}
	return c.Buf[:0]
}

// lineSource cuts a stream into chunks at line feeds.
type lineSource struct {
	*stream
	carry []byte // the beginning of a line whose end was not in the last chunk
	taken int    // of carry, handed out already
	lines bool   // carry has whole lines too
}

// Next implements Source.
func (s *lineSource) Next(c *Chunk) error {
	buf := buffer(c, s.size)
	carry := s.carry[s.taken:]
	if s.lines {
		if n, lines := cutLines(carry, maxLines); n < len(carry) {
			s.taken += n
			if cap(buf) < n+jsonrpc.Pad {
				buf = make([]byte, 0, n+jsonrpc.Pad)
			}
			s.hand(c, append(buf, carry[:n]...), lines)
			return nil
		}
	}
	if cap(buf) <= len(carry)+jsonrpc.Pad {
		buf = make([]byte, 0, len(carry)+s.size+jsonrpc.Pad)
	}
	buf = append(buf, carry...)
	from := len(buf) // no line feed before it
	if s.lines {
		from = 0
	}
	s.carry, s.taken, s.lines = s.carry[:0], 0, false
	for {
		buf = s.fill(buf, cap(buf)-jsonrpc.Pad)
		n := lastLineFeed(buf[from:])
		switch {
		case n >= 0:
			n += from + 1
		case s.err != nil:
			if n = s.last(buf); n == 0 {
				return s.end()
			}
		case len(buf) >= s.hold:
			*c = Chunk{Seq: s.seq, Buf: buf[:0], Offset: s.off, FirstLine: s.line, Skim: s.skim(buf)}
			s.seq++
			return nil
		default:
			from = len(buf)
			grown := make([]byte, len(buf), min(2*len(buf), s.hold)+jsonrpc.Pad+1)
			copy(grown, buf)
			buf = grown
			continue
		}
		if s.err != nil {
			n = s.last(buf) // the last line too, whole or not
		}
		lines := bytes.Count(buf[:n], lf)
		if lines > maxLines {
			whole := n
			n, lines = cutLines(buf[:n], maxLines)
			s.lines = n < whole
		}
		s.carry = append(s.carry, buf[n:]...)
		s.hand(c, buf[:n], lines)
		return nil
	}
}

// last is where a stream that has ended with buf ends for its reader: behind
// its last line, with a line feed or without. Of a line that an interrupt cut
// nobody knows whether it was to go on: it counts only when it is a whole value.
func (s *lineSource) last(buf []byte) int {
	if !errors.Is(s.err, ErrInterrupted) {
		return len(buf)
	}
	from := lineStart(buf, len(buf))
	var l letter
	if n, st := l.feed(buf[from:]); st == stateDone && blank(buf[from+n:]) {
		return len(buf)
	}
	return from
}

// hand puts buf, which has that many line feeds, into c.
func (s *lineSource) hand(c *Chunk, buf []byte, lines int) {
	*c = Chunk{Seq: s.seq, Buf: buf, Offset: s.off, FirstLine: s.line}
	s.seq++
	s.off += int64(len(buf))
	s.line += int64(lines)
	s.content = s.content || !blank(buf)
}

// maxLines bounds the lines of a chunk that may make a record, and so the
// records that are in flight; empty ones make none.
const maxLines = 1 << 12

// cutLines is the offset after the first limit lines of b that are not empty,
// and how many line feeds stand before it.
func cutLines(b []byte, limit int) (n, lines int) {
	for n < len(b) && limit > 0 {
		if b[n] == '\n' {
			n++
			lines++
			continue
		}
		limit--
		end := bytes.IndexByte(b[n:], '\n')
		if end < 0 {
			return len(b), lines
		}
		n += end + 1
		lines++
	}
	return n, lines
}

var lf = []byte{'\n'}

// lastLineFeed is the offset of b's last line feed, -1 without one. It looks at
// eight bytes at a time from the end, where package bytes looks at one.
func lastLineFeed(b []byte) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	n := len(b)
	for ; n >= 8; n -= 8 {
		if x := binary.LittleEndian.Uint64(b[n-8:]) ^ '\n'*each; (x-each)&^x&high != 0 {
			break
		}
	}
	return bytes.LastIndexByte(b[:n], '\n')
}

// skim streams a line that is too long to hold through an envelope-aware
// skimmer. buf holds its beginning and serves as the window for the rest.
func (s *lineSource) skim(buf []byte) *Record {
	s.content = true
	d := s.decoder()
	k := newSkim(d)
	k.write(buf)
	total := int64(len(buf))
	for {
		buf = s.fill(buf[:0], min(chunkLen, cap(buf)))
		n := bytes.IndexByte(buf, '\n')
		if n >= 0 {
			k.write(buf[:n])
			total += int64(n) + 1
			s.carry = append(s.carry, buf[n+1:]...)
			break
		}
		k.write(buf)
		total += int64(len(buf))
		if s.err != nil {
			break
		}
	}
	r := k.record(s.line, s.off)
	s.off += total
	s.line++
	return r
}
