package guard

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Framing is how messages are told apart on a stream.
type Framing uint8

// Framings. The zero value means: not known yet, told from the first bytes.
const (
	Undecided     Framing = iota
	Newline               // one message a line
	ContentLength         // LSP-style header blocks
)

// String returns the name used in recordings.
func (f Framing) String() string { return [...]string{"undecided", "newline", "content-length"}[f] }

const (
	maxHeader = 8 << 10  // a header block is at most this long (replay.md)
	readSize  = 64 << 10 // one read, and one piece of a streamed frame
)

// errPartial says that a stream ended inside a frame, which is discarded.
var errPartial = errors.New("the stream ended inside a frame")

// unit is one framed message as it came. Its memory is its own: it can be
// queued.
type unit struct {
	raw  []byte // all bytes, framing included; for newline framing up to and with the line feed
	body []byte // the message: part of raw, with room to pad behind it
}

// framer cuts a stream into units. One reader owns it.
type framer struct {
	r       io.Reader
	framing Framing
	max     int // cap on a body
	buf     []byte
	pos     int // buf[pos:] is unread
	err     error
}

func newFramer(r io.Reader, framing Framing, max int) *framer {
	return &framer{r: r, framing: framing, max: max}
}

// fill reads more. It returns false at the end of the stream or on an error,
// which is then in f.err.
func (f *framer) fill() bool {
	if f.err != nil {
		return false
	}
	if f.pos > 0 && f.pos == len(f.buf) {
		f.buf, f.pos = f.buf[:0], 0
	}
	if cap(f.buf)-len(f.buf) < readSize {
		// What was handed out is never overwritten: units keep their memory.
		next := make([]byte, len(f.buf)-f.pos, 2*(len(f.buf)-f.pos)+2*readSize)
		copy(next, f.buf[f.pos:])
		f.buf, f.pos = next, 0
	}
	n, err := f.r.Read(f.buf[len(f.buf):cap(f.buf)])
	f.buf = f.buf[:len(f.buf)+n]
	if err != nil {
		f.err = err
	}
	return n > 0 || err == nil
}

// over is a frame over the cap: its bytes are read piece by piece.
type over struct {
	f    *framer
	head []byte // bytes that come before the body (a header block)
	left int64  // bytes of the body still to come; -1: up to the line feed
	done bool
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
		_, _, _, state := header(f.buf[f.pos:])
		switch {
		case state == headerBad, state == headerMore && len(f.buf)-f.pos > maxHeader:
			f.framing = Newline
			return
		case state == headerOK:
			f.framing = ContentLength
			return
		}
		if !f.fill() {
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
	from := f.pos
	for {
		if i := bytes.IndexByte(f.buf[from:], '\n'); i >= 0 {
			end := from + i + 1
			raw := f.buf[f.pos:end:end]
			if end-1-f.pos > f.max {
				// Only when the cap is below one read: stream what is here.
				return unit{}, &over{f: f, left: -1}, nil
			}
			f.pos = end
			return f.own(raw, raw[:len(raw)-1]), nil, nil
		}
		if len(f.buf)-f.pos > f.max {
			return unit{}, &over{f: f, left: -1}, nil
		}
		scanned := len(f.buf) - f.pos
		if !f.fill() {
			return unit{}, nil, f.ended()
		}
		from = f.pos + scanned
	}
}

// own gives a unit memory of its own, with Pad readable bytes behind the body.
func (f *framer) own(raw, body []byte) unit {
	b := make([]byte, len(raw), len(raw)+jsonrpc.Pad)
	copy(b, raw)
	off := cap(raw) - cap(body)
	return unit{raw: b, body: b[off : off+len(body)]}
}

func (f *framer) header() (unit, *over, error) {
	for {
		n, length, _, state := header(f.buf[f.pos:])
		if state == headerOK {
			if length > int64(f.max) {
				o := &over{f: f, head: append([]byte(nil), f.buf[f.pos:f.pos+n]...), left: length}
				f.pos += n
				return unit{}, o, nil
			}
			for len(f.buf)-f.pos < n+int(length) {
				if !f.fill() {
					return unit{}, nil, f.ended()
				}
			}
			raw := f.buf[f.pos : f.pos+n+int(length)]
			f.pos += len(raw)
			return f.own(raw, raw[n:]), nil, nil
		}
		if state == headerBad || len(f.buf)-f.pos > maxHeader {
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
// read, and whether they are the last.
func (o *over) piece() (b []byte, last bool, err error) {
	f := o.f
	if f.pos == len(f.buf) && !f.fill() && f.pos == len(f.buf) {
		err := f.ended()
		if err == io.EOF {
			err = errPartial
		}
		return nil, true, err
	}
	b = f.buf[f.pos:]
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

type headerState uint8

const (
	headerMore headerState = iota // could still become one
	headerOK
	headerBad
)

// header reads a header block at the beginning of b: lines of "name: value"
// ended by CRLF or LF, then an empty line; names of letters, digits and '-';
// one of them Content-Length, in any case and place (replay.md, "Live guard").
// n is the length of the block with its empty line.
func header(b []byte) (n int, length int64, names int, state headerState) {
	length = -1
	for {
		nl := bytes.IndexByte(b[n:], '\n')
		line := b[n:]
		if nl >= 0 {
			line = bytes.TrimSuffix(b[n:n+nl], []byte("\r"))
			if len(line) == 0 {
				if length < 0 || names == 0 {
					return 0, 0, 0, headerBad
				}
				return n + nl + 1, length, names, headerOK
			}
		}
		name, value, colon := bytes.Cut(line, []byte(":"))
		if !colon && nl < 0 {
			if len(name) == 1 && name[0] == '\r' && names > 0 {
				return 0, 0, 0, headerMore
			}
		}
		for _, c := range name {
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-') {
				return 0, 0, 0, headerBad
			}
		}
		if nl < 0 {
			return 0, 0, 0, headerMore
		}
		if !colon || len(name) == 0 || n+nl+1 > maxHeader {
			return 0, 0, 0, headerBad
		}
		if bytes.EqualFold(name, []byte("Content-Length")) {
			v, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 62)
			if err != nil || length >= 0 && length != int64(v) {
				return 0, 0, 0, headerBad
			}
			length = int64(v)
		}
		names++
		n += nl + 1
	}
}

// Wrap frames a message as guard does with those that it writes itself.
func Wrap(body []byte, framing Framing) []byte {
	if framing == ContentLength {
		b := append([]byte("Content-Length: "), strconv.Itoa(len(body))...)
		b = append(b, "\r\n\r\n"...)
		return append(b, body...)
	}
	b := append([]byte(nil), body...)
	return append(b, '\n')
}
