package report

import (
	"bytes"
	"slices"
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
	facts facts
	raw   []byte
}

const (
	holdRaw   = 3 << 10  // bytes of a frame that are held
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
			p.store(h.facts.json(), h.raw, true, nil, nil, besideText)
		}
		p.release(s)
		s.before = nil // the renderer has their memory
		facts, limit := p.facts(f, s), noteText
		for i := range f.Findings {
			if f.Findings[i].Tier != analyze.Note {
				limit = bodyLimit
			}
		}
		s.stored = p.store(facts.json(), f.Raw(), false, f.Findings, f.Outcome, limit)
		s.after = htmlAround
	case s.after > 0:
		s.after--
		raw, facts := f.Raw(), p.facts(f, s)
		p.store(facts.json(), raw[:min(len(raw), holdRaw)], false, nil, nil, besideText)
	default:
		p.hold(f, s)
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

// facts are what the page says of a frame besides its text.
type facts struct {
	n                               [7]int64
	kind, id, method, tool, lacking string
}

func (p *page) facts(f *Frame, s *htmlSession) facts {
	kind, id := f.kind()
	x := facts{
		n: [...]int64{int64(s.id), int64(f.Event.Place.Frame), f.Event.Place.Line, micros(f.Event.TS), f.Size(),
			int64(f.Outcome.Dir), int64(f.Outcome.Verdict)},
		kind: kind, method: p.lens.method.Raw(f.Outcome.Method), tool: p.lens.tool.Raw(f.Outcome.Tool), lacking: lacking(f.Record.Flags),
	}
	if len(id) > 0 && len(id) <= 18 && plainNumber(id) {
		x.id = string(id)
	} else {
		x.id = p.lens.readID(id).shown()
	}
	return x
}

// json begins the array that the renderer ends.
func (x *facts) json() []byte {
	b := append(make([]byte, 0, 128), '[')
	for i, n := range x.n {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	for _, t := range [...]string{x.kind, x.id, x.method, x.tool, x.lacking} {
		b = htmlString(append(b, ','), t)
	}
	return b
}

// hold keeps a frame in case one of the next two has a finding.
func (p *page) hold(f *Frame, s *htmlSession) {
	raw := f.Raw()
	var h heldFrame
	if len(s.before) == htmlAround { // reuse the oldest one's memory
		h.raw = s.before[0].raw[:0]
		p.held -= len(s.before[0].raw)
		copy(s.before, s.before[1:])
		s.before = s.before[:htmlAround-1]
	}
	h.raw = append(h.raw, raw[:min(len(raw), holdRaw)]...)
	h.facts = p.facts(f, s)
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

// store hands a frame to the renderer and returns its number among those shown.
// out is nil for a neighbour. raw is only valid during the call unless owned.
func (p *page) store(head, raw []byte, owned bool, spots []analyze.Finding, out *replay.Outcome, limit int) int {
	j := renderJob{head: head, raw: raw, limit: limit}
	if !owned {
		j.raw = bytes.Clone(raw)
	}
	for i := range spots {
		if len(spots[i].Spans) > 0 {
			j.spots = append(j.spots, analyze.Finding{Tier: spots[i].Tier, Pointer: spots[i].Pointer, Spans: slices.Clone(spots[i].Spans)})
		}
	}
	if out != nil && out.Verdict == replay.Replace {
		j.after = bytes.Clone(out.Bytes)
	}
	if out != nil && len(out.Replies) > 0 {
		j.reply = bytes.Clone(out.Replies[0])
	}
	p.render.send(j)
	p.nextFrame++
	return p.nextFrame - 1
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
