package convert

import (
	"bytes"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay/offline"
	"github.com/warden-trace/warden/replay/redact"
)

// The bytes of a standard stream in an exec channel's recording come in binary
// frames, cut anywhere: secrets are looked for in the stream as a whole. So such
// a frame, and all lines behind it, wait until enough of its stream follows.
const (
	// overlap is how long a secret may be that is found over several frames.
	overlap = 16 << 10
	// batch is how much of a stream is read at a time.
	batch = 128 << 10
	// Beyond these nothing waits any longer.
	maxHeld      = 8 << 20
	maxHeldLines = 1 << 16
	maxStreams   = 4096
)

// announces are the keys of the frames that say whose bytes come next.
var announces = [][]byte{[]byte("ExpectStdIn"), []byte("ExpectStdOut"), []byte("ExpectStdErr")}

// maxAnnounce is how long such a frame may be.
const maxAnnounce = 4096

// joiner holds back what must wait.
type joiner struct {
	trace   string
	due     map[side]int // the stream that was announced, from 1
	streams map[name]*stream
	queue   []*held
	size    int
}

type side struct {
	session string
	dir     analyze.Direction
}

type name struct {
	side
	announced int
}

// stream is one whose frames are joined.
type stream struct {
	before, written []byte // the end of what is written: the original and the copy
	pending         []*held
	size            int
}

// held is a line in the queue, or a frame that is to become one.
type held struct {
	line   []byte
	ready  bool
	drop   bool // a frame that the copy leaves out
	rec    formats.Record
	source string // its trace
	format string
	flags  formats.Flags // before redaction
	stream *stream       // of the frame
}

// stream is the one that a frame belongs to; nil where none was announced.
func (j *joiner) stream(rec *formats.Record) *stream {
	switch rec.Kind {
	case formats.KindFrame, formats.KindText:
		if len(rec.Frame) > maxAnnounce || !bytes.Contains(rec.Frame, []byte("ExpectStd")) {
			return nil
		}
		at := side{string(rec.Session), rec.Dir}
		for i, a := range announces {
			if bytes.Contains(rec.Frame, a) {
				if j.due == nil {
					j.due = map[side]int{}
				}
				j.due[at] = i + 1
			}
		}
	case formats.KindBinary:
		if len(j.due) == 0 || rec.Frame == nil {
			return nil
		}
		at := side{string(rec.Session), rec.Dir}
		n := j.due[at]
		if n == 0 {
			return nil
		}
		delete(j.due, at)
		if j.streams == nil {
			j.streams = map[name]*stream{}
		}
		s := j.streams[name{at, n}]
		if s == nil {
			s = &stream{}
			j.streams[name{at, n}] = s
		}
		return s
	}
	return nil
}

// hold puts a frame of a stream into the queue.
func (c *Writer) hold(s *stream, rec *formats.Record, o *offline.Observation, drop bool) {
	h := &held{stream: s, drop: drop, rec: *rec, source: o.Trace, format: o.Format, flags: rec.Flags}
	h.rec.Frame = append(make([]byte, 0, len(rec.Frame)), rec.Frame...)
	h.rec.Session, h.rec.Candidate, h.rec.HTTP, h.rec.Skim = bytes.Clone(rec.Session), bytes.Clone(rec.Candidate), bytes.Clone(rec.HTTP), nil
	s.pending = append(s.pending, h)
	s.size += len(h.rec.Frame)
	c.join.queue = append(c.join.queue, h)
	c.join.size += len(h.rec.Frame)
	if s.size >= batch {
		c.read(s, overlap)
		c.release()
	}
	c.bound()
}

// bound writes all that waits once it is too much.
func (c *Writer) bound() {
	if j := &c.join; j.size > maxHeld || len(j.queue) > maxHeldLines || len(j.streams) > maxStreams || len(j.due) > maxStreams {
		c.flush()
		if len(j.streams) > maxStreams || len(j.due) > maxStreams {
			j.streams, j.due = nil, nil
		}
	}
}

// read replaces the secrets of a stream's frames, but for those that end in the
// last tail bytes: they wait for more.
func (c *Writer) read(s *stream, tail int) {
	n, rest := len(s.pending), 0
	for n > 0 && rest < tail {
		n--
		rest += len(s.pending[n].rec.Frame)
	}
	if n == 0 {
		return
	}
	in := redact.Stream{Before: s.before, Tail: rest}
	for _, h := range s.pending {
		in.Parts = append(in.Parts, h.rec.Frame)
	}
	begun, out := c.Redact.Stream(in)
	was, is := s.before[len(s.before)-len(begun):], s.written[len(s.before)-len(begun):]
	for i := range begun {
		if begun[i] != was[i] && is[i] == was[i] {
			c.Late++
			break
		}
	}
	for i, h := range s.pending[:n] {
		s.before, s.written = append(s.before, h.rec.Frame...), append(s.written, out[i]...)
		s.size -= len(h.rec.Frame)
		frame := h.rec.Frame
		h.rec.Frame = nil // is done; what else the record has is not
		rec := c.Redact.Record(&h.rec)
		if rec.Frame = frame; !bytes.Equal(frame, out[i]) {
			rec.Frame = out[i]
			rec.Flags |= formats.Redacted
		}
		h.ready = true
		if h.drop {
			continue
		}
		if rec.Flags != h.flags {
			c.Redacted++
		}
		h.line = bytes.Clone(c.form(&rec, h.source, h.format))
	}
	s.pending = append([]*held(nil), s.pending[n:]...)
	if k := len(s.before) - overlap; k > 0 {
		s.before, s.written = bytes.Clone(s.before[k:]), bytes.Clone(s.written[k:])
	}
}

// release writes what waits for nothing any more.
func (c *Writer) release() {
	j := &c.join
	n := 0
	for ; n < len(j.queue) && j.queue[n].ready; n++ {
		c.put(j.queue[n].line)
	}
	j.queue = append([]*held(nil), j.queue[n:]...)
	j.size = 0
	for _, h := range j.queue {
		j.size += len(h.line) + len(h.rec.Frame)
	}
}

// flush writes all that waits.
func (c *Writer) flush() {
	for _, h := range c.join.queue { // in order: what a value is does not hang on chance
		if !h.ready {
			c.read(h.stream, 0)
		}
	}
	c.release()
}

// Flush writes what still waits for more of its stream, at the end of a run.
func (c *Writer) Flush() error {
	c.flush()
	c.join = joiner{}
	return c.err
}
