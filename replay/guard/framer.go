package guard

import (
	"bytes"
	"errors"
	"io"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

const (
	readSize   = 64 << 10     // what one read asks for at least, and one piece of a streamed frame
	normalSize = 4 * readSize // of a framer's buffer while frames are of ordinary size
)

// errPartial says that a stream ended inside a frame, which is discarded.
var errPartial = errors.New("the stream ended inside a frame")

// unit is one framed message as it came. It is valid until the next call of
// next, or for good after take.
type unit struct {
	raw  []byte // all bytes, framing included; for newline framing up to and with the line feed
	body []byte // the message: part of raw, with jsonrpc.Pad readable bytes behind it
}

// framer cuts a stream into units. One reader owns it. Its memory grows with
// the bytes that came, never with what a header promises, up to the cap.
type framer struct {
	r       io.Reader
	framing Framing
	max     int // cap on a body
	buf     []byte
	pos     int // buf[pos:] is unread
	taken   bool
	err     error
}

func newFramer(r io.Reader, framing Framing, max int) *framer {
	return &framer{r: r, framing: framing, max: max}
}

// take makes the memory of the unit in hand its own: the framer goes on in
// other memory.
func (f *framer) take() { f.taken = true }

// fill reads more. It returns false at the end of the stream or on an error,
// which is then in f.err.
func (f *framer) fill() bool {
	if f.err != nil {
		return false
	}
	f.room()
	end := cap(f.buf) - jsonrpc.Pad
	n, err := f.r.Read(f.buf[len(f.buf):end])
	f.buf = f.buf[:len(f.buf)+n]
	if err != nil {
		f.err = err
	}
	return n > 0 || err == nil
}

// room makes place for one read behind what is unread.
func (f *framer) room() {
	left := len(f.buf) - f.pos
	if left == 0 && !f.taken && cap(f.buf) > 0 && cap(f.buf) <= normalSize {
		f.buf, f.pos = f.buf[:0], 0
	}
	grown := cap(f.buf) > normalSize && left <= normalSize/2 // by a large frame that is gone
	if !f.taken && !grown && cap(f.buf)-len(f.buf) >= readSize+jsonrpc.Pad {
		return
	}
	size := normalSize
	if left > size/2 {
		// Double, but do not hold twice the cap: the last step is to what a
		// frame at the cap needs.
		size = 2 * left
		if most := f.max + maxHeader + 2*readSize; size > most/2 && left+readSize+jsonrpc.Pad <= most {
			size = most
		}
		size = max(size, left+readSize+jsonrpc.Pad)
	}
	if f.taken || grown || size > cap(f.buf) {
		next := make([]byte, left, size)
		copy(next, f.buf[f.pos:])
		f.buf = next
	} else {
		copy(f.buf, f.buf[f.pos:])
		f.buf = f.buf[:left]
	}
	f.pos, f.taken = 0, false
}

// over is a frame over the cap: its bytes are read piece by piece.
type over struct {
	f    *framer
	head []byte // bytes that come before the body (a header block)
	left int64  // bytes of the body still to come; -1: up to the line feed
}

// next returns the next unit, or an over-cap frame to be streamed. io.EOF at a
// clean end, errPartial inside a frame, else the reader's own error.
func (f *framer) next() (unit, *over, error) {
	if f.framing == Undecided {
		f.decide()
	}
	if f.framing == ContentLength {
		return f.header()
	}
	return f.line()
}

// decide tells the framing from the first bytes: a well-formed header block
// with a Content-Length in it, else lines.
func (f *framer) decide() {
	for {
		_, _, state := header(f.buf[f.pos:])
		switch state {
		case headerBad:
			f.framing = Newline
			return
		case headerOK:
			f.framing = ContentLength
			return
		}
		if !f.fill() {
			if f.pos == len(f.buf) {
				return // nothing came at all
			}
			f.framing = Newline
			return
		}
	}
}

func (f *framer) ended() error {
	switch {
	case f.err != io.EOF:
		return f.err
	case f.pos < len(f.buf):
		f.pos = len(f.buf)
		return errPartial
	}
	return io.EOF
}

func (f *framer) line() (unit, *over, error) {
	scanned := 0
	for {
		if i := bytes.IndexByte(f.buf[f.pos+scanned:], '\n'); i >= 0 && scanned+i <= f.max {
			raw := f.buf[f.pos : f.pos+scanned+i+1]
			f.pos += len(raw)
			return unit{raw: raw, body: raw[:len(raw)-1]}, nil, nil
		}
		scanned = len(f.buf) - f.pos
		if scanned > f.max {
			return unit{}, &over{f: f, left: -1}, nil
		}
		if !f.fill() {
			return unit{}, nil, f.ended()
		}
	}
}

func (f *framer) header() (unit, *over, error) {
	for {
		n, length, state := header(f.buf[f.pos:])
		switch {
		case state == headerOK && length > int64(f.max):
			o := &over{f: f, head: bytes.Clone(f.buf[f.pos : f.pos+n]), left: length}
			f.pos += n
			return unit{}, o, nil
		case state == headerOK:
			n += int(length)
			for len(f.buf)-f.pos < n {
				if !f.fill() {
					return unit{}, nil, f.ended()
				}
			}
			raw := f.buf[f.pos : f.pos+n]
			f.pos += n
			return unit{raw: raw, body: raw[n-int(length):]}, nil, nil
		case state == headerBad:
			// Junk between framed messages: up to the line feed it is a unit
			// that is no message, so that nothing is lost or reordered.
			return f.line()
		}
		if !f.fill() {
			return unit{}, nil, f.ended()
		}
	}
}

// piece returns the next bytes of an over-cap frame, valid until the next
// read, and whether they are the last. At most readSize bytes are returned.
func (o *over) piece() (b []byte, last bool, err error) {
	f := o.f
	for f.pos == len(f.buf) {
		if f.fill() {
			continue
		}
		if err = f.ended(); err == io.EOF {
			err = errPartial
		}
		return nil, true, err
	}
	b = f.buf[f.pos:min(len(f.buf), f.pos+readSize)]
	if o.left < 0 {
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			b, last = b[:i+1], true
		}
	} else {
		if int64(len(b)) >= o.left {
			b, last = b[:o.left], true
		}
		o.left -= int64(len(b))
	}
	f.pos += len(b)
	return b, last, nil
}
