package report

import (
	"strconv"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay"
)

// htmlSession is a session, or a whole trace, while its frames come by.
type htmlSession struct {
	id, number int
	name       string // as findings name it
	shown      string
	trace      int
	whole      bool
	frames     int64
	calls      int64
	counts     Counts
	start, end int64
	server     string
	protocol   string
	hist       histogram
	timed      bool // positions are times
	begun      bool
	lastPos    int64

	stored int         // number of the frame in hand among those shown; -1: it is not
	before []heldFrame // the last frames that are not shown, oldest first
	after  int         // how many of the next ones are to be shown
}

// heldFrame is a frame that is shown only if a finding follows.
type heldFrame struct {
	head []byte // JSON of the frame's facts
	raw  []byte
	size int64
}

const (
	holdRaw   = 6 << 10  // bytes of a frame that are held
	holdBytes = 16 << 20 // of all sessions together
)

// Frame implements FrameSink.
func (p *page) Frame(f *Frame) error {
	p.begin()
	if !p.open || f.Trace != p.trace {
		p.start(f.Trace)
	}
	s := p.last
	if s == nil || s.number != f.Session.Number {
		s = p.session(f)
	}
	if f.Event == nil {
		p.ended(f, s)
		return p.err
	}
	if f.Matched {
		s.count(f)
		p.whole.count(f)
	}
	if f.Outcome.Calls > 0 {
		if t := p.tool(p.lens.tool.Raw(f.Outcome.Tool)); t != nil {
			t.calls += int64(f.Outcome.Calls)
		}
	}
	s.stored = -1
	switch {
	case len(f.Findings) > 0 && p.shown < htmlFindings:
		for _, h := range s.before {
			p.store(h.head, h.raw, h.size, nil, nil, besideText)
		}
		p.release(s)
		s.stored = p.store(p.head(f, s), f.Raw(), f.Size(), f.Findings, f.Outcome, bodyLimit)
		s.after = htmlAround
	case s.after > 0:
		s.after--
		p.store(p.head(f, s), f.Raw(), f.Size(), nil, nil, besideText)
	default:
		p.hold(f, s)
	}
	if len(p.frames) > htmlBlock {
		return p.writeFrames()
	}
	return p.spill()
}

// start begins a trace.
func (p *page) start(trace string) {
	p.open, p.trace = true, trace
	p.running, p.last, p.held = make(map[int]*htmlSession), nil, 0
	p.whole = &htmlSession{id: p.id(), number: -1, whole: true, trace: p.traceOf(trace), hist: histogram{max: htmlBuckets}}
}

func (p *page) id() int {
	p.nextID++
	return p.nextID - 1
}

func (p *page) session(f *Frame) *htmlSession {
	n := f.Session.Number
	s := p.running[n]
	if s == nil {
		s = &htmlSession{id: p.id(), number: n, name: f.Session.Name, shown: p.lens.session.Name(f.Session.Name),
			trace: p.whole.trace, stored: -1, hist: histogram{max: htmlBuckets}}
		if len(p.running) > 1000 {
			s.hist.max = 60 // so many sessions at once can't all have a fine one
		}
		p.running[n] = s
	}
	p.last = s
	return s
}

// count puts a frame on the timeline.
func (s *htmlSession) count(f *Frame) {
	ts := f.Event.TS
	if !s.begun {
		s.begun, s.timed = true, ts != 0
	}
	pos := s.frames
	if s.timed {
		if pos = ts; ts == 0 {
			pos = s.lastPos
		}
	}
	s.lastPos = pos
	s.frames++
	s.calls += int64(f.Outcome.Calls)
	if ts != 0 {
		if s.start == 0 || ts < s.start {
			s.start = ts
		}
		s.end = max(s.end, ts)
	}
	c := s.hist.at(pos)
	if f.Outcome.Dir == analyze.ClientToServer {
		c.toServer++
	} else {
		c.toClient++
	}
	s.found(f.Findings, c)
}

func (s *htmlSession) found(fs []analyze.Finding, c *cell) {
	for i := range fs {
		s.counts.Add(&fs[i])
		if fs[i].Accepted() {
			continue
		}
		switch fs[i].Tier {
		case analyze.Block:
			c.block++
		case analyze.Monitor:
			c.monitor++
		default:
			c.note++
		}
	}
}

// head is the JSON of a frame's facts: the beginning of an array that store ends.
func (p *page) head(f *Frame, s *htmlSession) []byte {
	kind, id := f.kind()
	b := append([]byte(nil), '[')
	for i, n := range [...]int64{int64(s.id), int64(f.Event.Place.Frame), f.Event.Place.Line, micros(f.Event.TS), f.Size(),
		int64(f.Outcome.Dir), int64(f.Outcome.Verdict)} {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	for _, t := range [...]string{kind, p.lens.readID(id).shown(), p.lens.method.Raw(f.Outcome.Method), p.lens.tool.Raw(f.Outcome.Tool), lacking(f.Record.Flags)} {
		b = htmlString(append(b, ','), t)
	}
	return b
}

// hold keeps a frame in case one of the next two has a finding.
func (p *page) hold(f *Frame, s *htmlSession) {
	raw := f.Raw()
	h := heldFrame{size: f.Size()}
	if len(s.before) == htmlAround { // reuse the oldest one's memory
		h = heldFrame{raw: s.before[0].raw[:0], size: f.Size()}
		p.held -= len(s.before[0].raw)
		copy(s.before, s.before[1:])
		s.before = s.before[:htmlAround-1]
	}
	h.raw = append(h.raw, raw[:min(len(raw), holdRaw)]...)
	h.head = p.head(f, s)
	p.held += len(h.raw)
	s.before = append(s.before, h)
	if p.held > holdBytes {
		for _, o := range p.running {
			o.before = nil
		}
		p.held = 0
	}
}

func (p *page) release(s *htmlSession) {
	for _, h := range s.before {
		p.held -= len(h.raw)
	}
	s.before = s.before[:0]
}

// store adds a frame to those shown and returns its number. out is nil for a
// neighbour.
func (p *page) store(head, raw []byte, size int64, spots []analyze.Finding, out *replay.Outcome, limit int) int {
	b := p.frames
	if len(b) == 0 {
		b = append(b, '[')
	} else {
		b = append(b, ',')
	}
	from := len(b)
	b = append(b, head...)
	b = p.body(append(b, ','), raw, spots, limit)
	b = append(b, ',')
	if out != nil && out.Verdict == replay.Replace {
		b = p.body(b, out.Bytes, nil, limit)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, ',')
	if out != nil && len(out.Replies) > 0 {
		b = p.body(b, out.Replies[0], nil, limit)
	} else {
		b = append(b, "null"...)
	}
	p.frames = append(b, ']')
	p.spent += int64(len(p.frames) - from)
	p.nextFrame++
	return p.nextFrame - 1
}

// body appends [text, marks], or null where there is nothing to show any more.
func (p *page) body(b, raw []byte, spots []analyze.Finding, limit int) []byte {
	if len(raw) == 0 || p.spent > htmlText || p.read > htmlRead {
		return append(b, "null"...)
	}
	p.read += int64(len(raw))
	x := p.masker.pretty(raw, spots, limit)
	b = htmlString(append(b, '['), string(x.text))
	b = append(b, ',', '[')
	for i, m := range x.marks {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for k, n := range m {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(n), 10)
		}
		b = append(b, ']')
	}
	return append(b, "]]"...)
}

// ended takes the sum of a session.
func (p *page) ended(f *Frame, s *htmlSession) {
	if len(f.Findings) > 0 {
		for _, x := range [...]*htmlSession{s, p.whole} {
			pos := x.lastPos
			x.found(f.Findings, x.hist.at(pos))
		}
	}
	s.stored = -1
	s.server, s.protocol = p.lens.tool.Name(f.Session.Machine.ServerName()), p.lens.method.Name(f.Session.Machine.Protocol())
	p.release(s)
	s.before = nil
	delete(p.running, s.number)
	p.keep(s)
	p.last = s // for the findings that follow
}

// htmlString appends s as a JSON string for a script block: nothing in it can
// end the block, and everything invisible has become visible text before.
func htmlString(b []byte, s string) []byte { return appendJSON(b, safeLines(s)) }

// safeLines is safe.String of each line.
func safeLines(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '\n' {
			continue
		} else if c < 0x20 || c >= 0x7f || c == ':' || c == '#' {
			break
		} else if i == len(s)-1 {
			return s
		}
	}
	out := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] != '\n' {
			j++
		}
		out = safe.Append(out, s[i:j])
		if j < len(s) {
			out = append(out, '\n')
		}
		i = j + 1
	}
	return string(out)
}
