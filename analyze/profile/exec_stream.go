package profile

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/profile/streamtext"
)

// execStream is what a standard stream has carried.
type execStream struct {
	ended bool
	text  *streamtext.Windows // stdout and stderr, where there is a catalog
}

// binary judges a binary frame and moves the machine.
func (s *execSession) binary(f *Frame, v *verdicts) {
	side := s.side(f.Dir)
	side.frames++
	st := side.due
	side.due, side.dueSaid = noStream, false
	if st == noStream {
		v.add("EXEC-ANNOUNCE", "", "a binary frame that nothing announced")
	}
	size := max(f.Size, int64(len(f.Bytes)))
	if size > maxBinary {
		v.add("EXEC-BUFFER", "", "a binary frame of "+strconv.FormatInt(size, 10)+" bytes, over the limit of "+strconv.Itoa(maxBinary))
	}
	if st != noStream && s.streams[st-1].ended {
		v.add("EXEC-AFTER-EOF", "", "bytes of "+st.String()+" after its end")
	}
	if f.Dir == analyze.ServerToClient {
		first := side.frames == 1
		if first {
			v.add("EXEC-CAPABILITIES", "", "the server's first frame is not ConnectionCapabilities")
		}
		s.gone("", v)
		s.answer(execFrame{}, first, v)
	} else if !s.handshake.seen {
		s.lateHandshake("a client frame other than KeepAlive comes before the handshake", v)
	}
	if f.HasBytes && (st == stdOut || st == stdErr) {
		s.output(st, f.Bytes, v)
	}
}

// output gives the bytes of stdout and stderr to the catalog. Where the sides
// have negotiated compression, frames may be compressed by a way that no
// source pins: bytes that are no text then are noted and not read.
func (s *execSession) output(st stream, b []byte, v *verdicts) {
	if s.handshake.compression && s.caps.compression && !readable(b) {
		if !s.compressedSaid {
			s.compressedSaid = true
			v.add("EXEC-COMPRESSED", "", "compression was negotiated and the bytes of "+st.String()+" can't be read: they are not inspected")
		}
		return
	}
	if s.p.o.Catalog == nil {
		return
	}
	x := &s.streams[st-1]
	if x.text == nil {
		x.text = streamtext.New(s.p.o.Catalog)
	}
	x.text.Write(b)
	s.emit(st, x.text.Take(), v)
}

// drain inspects what the streams still hold back.
func (s *execSession) drain(v *verdicts) {
	for i := range s.streams {
		if x := &s.streams[i]; x.text != nil {
			x.text.Flush()
			s.emit(stream(i+1), x.text.Take(), v)
		}
	}
}

func (s *execSession) endOf(st stream, v *verdicts) {
	x := &s.streams[st-1]
	x.ended = true
	if x.text != nil {
		x.text.Flush()
		s.emit(st, x.text.Take(), v)
	}
}

func (s *execSession) emit(st stream, found []analyze.Finding, v *verdicts) {
	for _, f := range found {
		f.Message += " (in " + st.String() + ")"
		v.out = append(v.out, f)
	}
}

// readable reports bytes that are text as far as one frame can tell: a
// character cut at either end is no fault, a NUL or bad UTF-8 within is.
func readable(b []byte) bool {
	if bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	for i := 0; i < 3 && len(b) > 0 && b[0]&0xc0 == 0x80; i++ {
		b = b[1:]
	}
	for i := 1; i <= 3 && i <= len(b); i++ {
		if c := b[len(b)-i]; c >= 0xc0 {
			if !utf8.FullRune(b[len(b)-i:]) {
				b = b[:len(b)-i]
			}
			break
		}
	}
	return utf8.Valid(b)
}
