package formats

import (
	"bytes"
	"io"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// mergeWindow is how far Merge reads ahead on each side, in bytes.
const mergeWindow = 8 << 20

// maxPending bounds the unanswered requests that Merge remembers a side.
const maxPending = 1 << 16

// Merge makes one stream of two that were captured apart (--c2s, --s2c). Each
// keeps its own order; a response comes after the request with its id, and what
// a server says on the way to a response comes after that request, where the
// two files allow it. Line and Offset of a record are those in its own file:
// Dir says which. Memory is bounded by a window on each side.
func Merge(c2s, s2c Source) Source {
	m := &merged{}
	for i, src := range []Source{c2s, s2c} {
		m.side[i] = &mergeSide{src: src, dec: src.NewDecoder(), st: src.NewStitcher(), dir: analyze.ClientToServer + analyze.Direction(i),
			requests: map[jsonrpc.Key]int{}, pending: map[jsonrpc.Key]int{}}
	}
	return m
}

type merged struct {
	side [2]*mergeSide
	seq  int
}

// part is one record in a side's queue.
type part struct {
	rec      Record
	frame    []byte
	request  jsonrpc.Key // "": none
	response jsonrpc.Key
	now      bool // need not wait: what it says is about the server, not a call
}

type mergeSide struct {
	src Source
	dec Decoder
	st  Stitcher
	dir analyze.Direction
	err error

	chunk    Chunk
	columns  Columns // of chunk
	recs     []Record
	ids      []part // of recs
	queue    []part
	head     int
	bytes    int
	answer   int                 // index of the first response at or after head
	requests map[jsonrpc.Key]int // requests in the queue
	pending  map[jsonrpc.Key]int // requests handed out and not answered
}

func (m *merged) Format() string {
	return m.side[0].src.Format() + " and " + m.side[1].src.Format() + ", merged"
}

func (m *merged) Fidelity() Fidelity {
	return max(m.side[0].src.Fidelity(), m.side[1].src.Fidelity())
}

func (m *merged) NewDecoder() Decoder   { return &lineDecoder{max: 1<<63 - 1} }
func (m *merged) NewStitcher() Stitcher { return nil }

func (m *merged) Notices() (out []string) {
	for _, s := range m.side {
		for _, n := range s.src.Notices() {
			out = append(out, s.dir.String()+" file: "+n)
		}
	}
	return out
}

// Next implements Source.
func (m *merged) Next(c *Chunk) error {
	*c = Chunk{Seq: m.seq, Buf: buffer(c, chunkLen), Cuts: []Cut{}}
	for len(c.Buf) < chunkLen && len(c.Cuts) < 1<<14 {
		for _, s := range m.side {
			s.read()
		}
		from, to := m.side[0], m.side[1]
		if !from.any() && !to.any() {
			break
		}
		if !m.clientFirst() {
			from, to = to, from
		}
		p := from.take(to)
		a := len(c.Buf)
		c.Buf = append(c.Buf, p.frame...)
		c.Cuts = append(c.Cuts, Cut{Start: a, End: len(c.Buf), Line: p.rec.Line, Offset: p.rec.Offset, Record: &p.rec})
	}
	if cap(c.Buf) < len(c.Buf)+jsonrpc.Pad {
		c.Buf = append(make([]byte, 0, len(c.Buf)+jsonrpc.Pad), c.Buf...)
	}
	if len(c.Cuts) > 0 {
		m.seq++
		return nil
	}
	for _, s := range m.side {
		if s.err != io.EOF {
			return s.err
		}
	}
	return io.EOF
}

// clientFirst decides whose record comes next.
func (m *merged) clientFirst() bool {
	c, s := m.side[0], m.side[1]
	if !c.any() || !s.any() {
		return c.any()
	}
	ch, sh := &c.queue[c.head], &s.queue[s.head]
	// The client answers a request that the server has yet to send.
	if ch.response != "" && s.pending[ch.response] == 0 && s.requests[ch.response] > 0 {
		return false
	}
	// It answers one that has been handed out: mostly the server waits for that.
	if ch.response != "" && s.pending[ch.response] > 0 {
		return true
	}
	if sh.now {
		return false
	}
	s.find()
	if s.answer == len(s.queue) {
		return false
	}
	id := s.queue[s.answer].response
	return c.pending[id] == 0 && c.requests[id] > 0
}

func (s *mergeSide) any() bool { return s.head < len(s.queue) }

// find moves answer to the first response that is queued.
func (s *mergeSide) find() {
	s.answer = max(s.answer, s.head)
	for s.answer < len(s.queue) && s.queue[s.answer].response == "" {
		s.answer++
	}
}

func (s *mergeSide) take(other *mergeSide) part {
	p := s.queue[s.head]
	s.queue[s.head] = part{}
	s.head++
	s.bytes -= len(p.frame) + 256
	if s.head == len(s.queue) || s.head > 4096 && s.head > len(s.queue)/2 {
		n := copy(s.queue, s.queue[s.head:])
		clear(s.queue[n:])
		s.queue = s.queue[:n]
		s.answer = max(0, s.answer-s.head)
		s.head = 0
	}
	if p.request != "" {
		count(s.requests, p.request, -1)
		if len(s.pending) < maxPending {
			count(s.pending, p.request, 1)
		}
	}
	if p.response != "" {
		count(other.pending, p.response, -1)
	}
	return p
}

func count(m map[jsonrpc.Key]int, k jsonrpc.Key, n int) {
	if v := m[k] + n; v > 0 {
		m[k] = v
	} else {
		delete(m, k)
	}
}

// read fills the queue up to the window.
func (s *mergeSide) read() {
	for s.err == nil && s.bytes < mergeWindow && len(s.queue)-s.head < 1<<16 {
		if s.err = s.src.Next(&s.chunk); s.err != nil {
			if s.st != nil {
				s.st.Close(s.push)
			}
			return
		}
		s.columns.Reset(&s.chunk)
		if s.st == nil {
			s.dec.Decode(&s.chunk, s.push)
			continue
		}
		s.recs, s.ids = s.recs[:0], s.ids[:0]
		s.dec.Decode(&s.chunk, func(r *Record, m *jsonrpc.Message) {
			s.recs = append(s.recs, *r)
			var p part
			p.identify(r, m)
			s.ids = append(s.ids, p)
		})
		s.st.Chunk(&s.chunk, s.recs, func(i int) {
			r := &s.recs[i]
			r.Column, r.EndColumn = s.columns.Of(r)
			s.enqueue(r, s.ids[i])
		}, s.push)
	}
}

func (s *mergeSide) push(r *Record, m *jsonrpc.Message) {
	var p part
	p.identify(r, m)
	s.enqueue(r, p)
}

// enqueue copies the record: its bytes go with the chunk.
func (s *mergeSide) enqueue(r *Record, p part) {
	p.rec, p.frame = *r, bytes.Clone(r.Frame)
	p.rec.Frame = nil
	p.rec.Session, p.rec.Candidate, p.rec.HTTP = bytes.Clone(r.Session), bytes.Clone(r.Candidate), bytes.Clone(r.HTTP)
	p.rec.Dir = s.dir
	if p.request != "" {
		s.requests[p.request]++
	}
	s.bytes += len(p.frame) + 256
	p.rec.numbered = nil
	s.queue = append(s.queue, p)
}

// identify notes what decides the order.
func (p *part) identify(r *Record, m *jsonrpc.Message) {
	if r.Kind == KindOverCap && r.Skim != nil {
		p.of(r.Skim.ID, r.Skim.Method, r.Skim.Has)
		return
	}
	if r.Kind != KindFrame {
		return
	}
	if m == nil {
		var f jsonrpc.Frame
		jsonrpc.Read(r.Frame, analyze.Full, &f)
		if len(f.Msgs) == 0 {
			return
		}
		m = &f.Msgs[0]
	}
	p.of(m.ID, m.Method, m.Has)
}

func (p *part) of(id, method []byte, has jsonrpc.Has) {
	key, ok := jsonrpc.IDKey(id)
	switch {
	case has&jsonrpc.HasMethod != 0 && ok:
		p.request = key
	case has&jsonrpc.HasMethod != 0:
		p.now = bytes.HasSuffix(method, []byte("list_changed")) || bytes.Equal(method, []byte("notifications/resources/updated"))
	case has&(jsonrpc.HasResult|jsonrpc.HasError) != 0 && ok:
		p.response = key
	}
}
