package tape

import (
	"encoding/hex"
	"errors"
	"io"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

// work is a chunk on its way through the pass; its memory is reused.
type work struct {
	chunk  formats.Chunk
	recs   []formats.Record
	frames []replay.Frame
	hits   []catalog.Hit
	err    error // the end
}

// run starts the pass: one goroutine cuts chunks, one decodes and scans them,
// one feeds the session machines, in order.
func (t *Tape) run(next func(*formats.Chunk) error) {
	free, raw, ready := make(chan *work, 3), make(chan *work, 3), make(chan *work, 3)
	for range 3 {
		free <- new(work)
	}
	go func() {
		defer close(raw)
		for w := range free {
			select {
			case <-t.stop:
				w.err = io.EOF
			default:
				w.err = next(&w.chunk)
			}
			raw <- w
			if w.err != nil {
				return
			}
		}
	}()
	go func() {
		defer close(ready)
		x := replay.NewExaminer(t.o.Config.Catalog, t.o.Config.Coverage)
		d := t.src.NewDecoder()
		for w := range raw {
			w.recs, w.frames, w.hits = w.recs[:0], w.frames[:0], w.hits[:0]
			if w.err == nil {
				d.Decode(&w.chunk, func(r *formats.Record, m *jsonrpc.Message) {
					w.recs = append(w.recs, *r)
					if len(w.frames) < cap(w.frames) {
						w.frames = w.frames[:len(w.frames)+1]
					} else {
						w.frames = append(w.frames, replay.Frame{})
					}
					w.hits = offline.Examine(x, r, m, &w.frames[len(w.frames)-1], w.hits)
					if len(w.recs)%16 == 0 {
						t.rest()
					}
				})
			}
			ready <- w
		}
	}()
	go func() {
		defer close(t.ended)
		p := newPass(t)
		for w := range ready {
			if w.err != nil {
				p.end(w.err)
				return
			}
			p.chunk(w)
			if cap(w.chunk.Buf) > 2<<20 {
				w.chunk.Buf = nil
			}
			free <- w
		}
	}()
}

// pass is the ordered end: it fills the index.
type pass struct {
	t        *Tape
	x        *index
	sessions *replay.Sessions
	stitch   formats.Stitcher
	examine  *replay.Examiner
	prints   offline.Fingerprinter
	spooled  bool // the chunk in hand can't be read again
	failed   error
}

func newPass(t *Tape) *pass {
	p := &pass{t: t, x: t.x, sessions: replay.NewSessions(t.o.Config), stitch: t.src.NewStitcher(),
		examine: replay.NewExaminer(t.o.Config.Catalog, t.o.Config.Coverage)}
	p.sessions.Closed = p.closed
	return p
}

func (p *pass) chunk(w *work) {
	// The lock is held for a few frames at a time: whoever draws the screen
	// must not wait for a chunk of slow ones.
	p.x.mu.Lock()
	defer p.x.mu.Unlock()
	p.spooled = p.t.at == nil || w.chunk.Cuts != nil || w.chunk.Skim != nil
	n := 0
	breathe := func() {
		if n++; n%32 == 0 {
			p.x.mu.Unlock()
			p.t.rest() // a key that was pressed comes first
			p.x.mu.Lock()
		}
	}
	if p.stitch == nil {
		for i := range w.recs {
			p.record(&w.recs[i], &w.frames[i], p.spooled)
			breathe()
		}
	} else {
		p.stitch.Chunk(&w.chunk, w.recs, func(i int) {
			p.record(&w.recs[i], &w.frames[i], p.spooled)
			breathe()
		}, p.visit)
	}
	if err := p.t.spool.flush(); err != nil && p.failed == nil {
		p.failed = err
	}
}

// visit takes a record that the stitcher made of several lines.
func (p *pass) visit(r *formats.Record, m *jsonrpc.Message) {
	var f replay.Frame
	offline.Examine(p.examine, r, m, &f, nil)
	p.record(r, &f, true)
}

// tally is what the pass keeps with a session.
type tally struct {
	last int // its latest frame; -1: none
	info *Session
}

func (p *pass) record(r *formats.Record, f *replay.Frame, spooled bool) {
	x := p.x
	if r.Kind == formats.KindMeta || r.Kind == formats.KindStderr || p.failed != nil {
		return
	}
	if x.n >= maxFrames || r.Offset > maxOffset {
		p.failed = errors.New("more frames or bytes than can be stepped through; cut the trace")
		return
	}
	e := Entry{place: newPlace(r.Offset, r.Size), TS: r.TS, Session: NoSession, Line: uint32(min(r.Line, 1<<32-1))}
	if spooled || r.Kind == formats.KindOverCap {
		at, err := p.t.spool.put(r)
		if err != nil {
			p.failed = err
			return
		}
		e.place = newPlace(at, r.Size)
		e.flags |= flagSpooled
	}
	e.flags |= uint16(r.Kind) << kindShift
	if r.Kind == formats.KindBad {
		x.bad++
		e.flags |= uint16(r.Dir) << dirShift
		x.add(e, -1)
		return
	}
	if r.Skim != nil {
		s := *r.Skim
		x.skims[uint32(x.n)] = &s
	}
	s := p.sessions.For(r.Session, r.Dir, f)
	if s.Data == nil {
		info := &Session{Name: s.Name, First: x.n}
		x.sessions = append(x.sessions, info)
		s.Data = &tally{last: -1, info: info}
	}
	t := s.Data.(*tally)
	if s.Frames > 0 && s.Frames%x.stride == 0 {
		if c, ok := s.Machine.Clone(); ok {
			x.stop(uint32(s.Number), checkpoint{after: t.last, count: s.Frames, m: c})
		}
	}
	var ev replay.Event
	offline.Feed(&ev, r, f, s.Frames)
	out := s.Machine.Step(&ev)
	e.Session, e.prev = uint32(s.Number), uint32(t.last+1)
	e.label = x.label(out.Method, out.Tool)
	e.flags |= p.bits(f, out)
	i := x.n
	s.Frames++
	t.last, t.info.Last, t.info.Frames = i, i, s.Frames
	t.info.Server, t.info.Protocol = s.Machine.ServerName(), s.Machine.Protocol()
	if e.Blocked() {
		t.info.Blocked++
	}
	x.add(e, s.Frames-1)
	p.findings(i, t.info, out.Findings, false)
}

// bits are the flags that an outcome gives an entry.
func (p *pass) bits(f *replay.Frame, out *replay.Outcome) uint16 {
	b := uint16(out.Dir)<<dirShift | uint16(out.Verdict)<<verdictShift
	if out.Verdict != replay.Forward || len(out.Replies) > 0 {
		b |= flagActed
	}
	if out.Calls > 0 {
		b |= flagCall
	}
	for i := range f.Parts() {
		m := &f.Parts()[i].Msg
		if m.IsResponse() {
			b |= flagAnswer
		}
		if m.Has&(jsonrpc.HasError|jsonrpc.HasIsError|jsonrpc.HasNestedIsError) != 0 {
			b |= flagError
		}
	}
	tier := uint16(0)
	for i := range out.Findings {
		switch f := &out.Findings[i]; f.Action {
		case analyze.Blocked, analyze.Modified:
			b |= flagActed
		case analyze.Shadowed:
			b |= flagShadow
		}
		tier = max(tier, uint16(out.Findings[i].Tier)+1)
	}
	return b | tier<<tierShift
}

func (p *pass) findings(frame int, s *Session, fs []analyze.Finding, late bool) {
	for i := range fs {
		f := &fs[i]
		var print [16]byte
		hx := p.prints.Of(f)
		hex.Decode(print[:], []byte(hx))
		var decided uint8
		if p.t.o.Decided != nil {
			decided = p.t.o.Decided(hx)
		}
		s.Findings[f.Tier]++
		p.x.mark(frame, f, late, decided, print)
	}
}

// closed takes what the end of a session shows; it stands on its last frame.
func (p *pass) closed(s *replay.Session) {
	t, ok := s.Data.(*tally)
	if !ok {
		return
	}
	t.info.Closed = true
	out := s.Machine.Close()
	p.findings(t.last, t.info, out.Findings, true)
	if len(out.Findings) > 0 {
		e := p.x.entry(t.last)
		top := e.flags >> tierShift & 3
		for i := range out.Findings {
			top = max(top, uint16(out.Findings[i].Tier)+1)
		}
		e.flags = e.flags&^(3<<tierShift) | top<<tierShift
	}
}

func (p *pass) end(err error) {
	p.x.mu.Lock()
	defer p.x.mu.Unlock()
	if p.stitch != nil {
		p.stitch.Close(p.visit)
	}
	p.sessions.Close()
	if e := p.t.spool.flush(); e != nil && p.failed == nil {
		p.failed = e
	}
	p.x.notices = p.t.src.Notices()
	p.x.done = true
	if err != io.EOF {
		p.x.err = err
	}
	if p.failed != nil {
		p.x.err = p.failed
	}
}
