package formats

import (
	"bytes"
	"io"
	"strconv"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// maxHeaderBlock is the most that a header block may have (replay.md, "Live
// guard").
const maxHeaderBlock = 8 << 10

// headers is what stands at the start of some bytes.
type headers struct {
	end    int   // offset after the empty line; 0: no whole block here
	more   bool  // right so far, but the bytes end in it
	length int64 // Content-Length; -1: none, or none that can be read
}

// readHeaders reads a block of header lines (names of letters, digits and "-",
// CRLF or LF) that ends with an empty line within limit bytes.
func readHeaders(b []byte, limit int) headers {
	h := headers{length: -1}
	for i := 0; i < limit; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			h.more = len(b) < limit && headerStart(b[i:])
			return h
		}
		line := bytes.TrimSuffix(b[i:i+n], []byte{'\r'})
		next := i + n + 1
		if len(line) == 0 {
			if i > 0 {
				h.end = next
			}
			return h
		}
		name, value, ok := bytes.Cut(line, []byte{':'})
		if !ok || !headerName(name) {
			return h
		}
		if bytes.EqualFold(name, []byte("Content-Length")) {
			v, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			if err != nil || v < 0 {
				v = -1
			}
			h.length = v
		}
		i = next
	}
	return h
}

func headerName(b []byte) bool {
	for _, c := range b {
		if !(c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			return false
		}
	}
	return len(b) > 0
}

// headerStart reports a beginning of a header line.
func headerStart(b []byte) bool {
	name, _, found := bytes.Cut(bytes.TrimSuffix(b, []byte{'\r'}), []byte{':'})
	return len(name) == 0 && !found || headerName(name)
}

// framedSource finds the messages of a Content-Length framed stream. It reads
// on after damage: a line that is no header is told of, and the next block is
// looked for.
type framedSource struct {
	*stream
	rest []byte // read but not handed out
}

// Next implements Source.
func (s *framedSource) Next(c *Chunk) error {
	buf := buffer(c, max(s.size, 2*maxHeaderBlock))
	if cap(buf) < len(s.rest)+s.size+jsonrpc.Pad {
		buf = make([]byte, 0, len(s.rest)+s.size+jsonrpc.Pad)
	}
	buf = append(buf, s.rest...)
	s.rest = s.rest[:0]
	buf = s.fill(buf, cap(buf)-jsonrpc.Pad)
	if len(buf) == 0 {
		return s.end()
	}
	s.content = s.content || !blank(buf)
	*c = Chunk{Seq: s.seq, Offset: s.off, FirstLine: s.line, Cuts: []Cut{}}
	s.seq++
	i := 0
	for i < len(buf) {
		h := readHeaders(buf[i:], maxHeaderBlock)
		if h.end == 0 || h.length < 0 {
			if h.more && s.err == nil {
				break // the block goes on
			}
			i = s.skipLine(c, buf, i, h)
			continue
		}
		body := i + h.end
		if h.length <= int64(len(buf)-body) {
			end := body + int(h.length)
			s.line += int64(bytes.Count(buf[i:body], lf))
			c.Cuts = append(c.Cuts, Cut{Start: body, End: end, Line: s.line, Offset: s.off + int64(body), Flags: ContentLength})
			s.line += int64(bytes.Count(buf[body:end], lf))
			i = end
			continue
		}
		if len(c.Cuts) > 0 {
			break // hand out what is whole; this one comes first next time
		}
		if h.length > int64(s.o.MaxFrame) {
			c.Skim = s.skim(buf, i, body, h.length)
			s.off += int64(body) + c.Skim.Size
			c.Buf = buf[:0]
			return nil
		}
		if s.err == nil {
			grown := make([]byte, len(buf), body+int(h.length)+jsonrpc.Pad)
			copy(grown, buf)
			buf = s.fill(grown, body+int(h.length))
			continue
		}
		// The stream ended in a body: what there is of it is kept.
		s.line += int64(bytes.Count(buf[i:body], lf))
		c.Cuts = append(c.Cuts,
			Cut{Line: s.line, Offset: s.off + int64(body), Bad: "the stream ends inside a message: " + strconv.Itoa(len(buf)-body) + " of " + strconv.FormatInt(h.length, 10) + " bytes"},
			Cut{Start: body, End: len(buf), Line: s.line, Offset: s.off + int64(body), Flags: ContentLength | Truncated})
		s.line += int64(bytes.Count(buf[body:], lf))
		i = len(buf)
	}
	s.rest = append(s.rest, buf[i:]...)
	s.off += int64(i)
	c.Buf = buf[:i]
	return nil
}

// skipLine passes over a line at i that begins no header block, or over a
// block without a length.
func (s *framedSource) skipLine(c *Chunk, buf []byte, i int, h headers) int {
	end := len(buf)
	why := "not a header of a message"
	if h.end > 0 {
		end, why = i+h.end, "a header block without a Content-Length that can be read"
	} else if n := bytes.IndexByte(buf[i:], '\n'); n >= 0 {
		end = i + n + 1
	} else if s.err != nil && h.more {
		why = "the stream ends inside a header block"
	}
	if !blank(buf[i:end]) {
		c.Cuts = append(c.Cuts, Cut{Line: s.line, Offset: s.off + int64(i), Bad: why})
	}
	s.line += int64(bytes.Count(buf[i:end], lf))
	return end
}

// skim streams a body over the cap. The length is the header's word: nothing
// is allocated for it.
func (s *framedSource) skim(buf []byte, i, body int, length int64) *Record {
	s.line += int64(bytes.Count(buf[i:body], lf))
	r := &Record{Kind: KindOverCap, Dir: s.o.Dir, Line: s.line, Offset: s.off + int64(body), Seq: -1,
		Flags: ContentLength | Truncated, Skim: new(jsonrpc.Skimmer)}
	part := buf[body:]
	for {
		r.Skim.Write(part)
		r.Size += int64(len(part))
		s.line += int64(bytes.Count(part, lf))
		left := length - r.Size
		if left == 0 || s.err != nil && len(part) == 0 {
			break
		}
		part = s.fill(buf[:0], int(min(left, int64(cap(buf)))))
	}
	if r.Size < length {
		s.err = io.ErrUnexpectedEOF
	}
	return r
}
