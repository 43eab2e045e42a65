package report

import (
	"bytes"
	"slices"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
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
	loose  bool        // some of them are not kept yet
	after  int         // how many of the next ones are to be shown
}

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
		for i := range s.before {
			h := &s.before[i]
			p.keepFrame(h)
			p.held -= len(h.kept)
			p.store(renderJob{facts: h.facts, raw: h.kept, id: h.ids, extent: beside, cut: h.cut})
		}
		clear(s.before)
		s.before = s.before[:0]
		j := p.job(f, s, f.Raw())
		j.extent = forNote
		for i := range f.Findings {
			if f.Findings[i].Tier != analyze.Note {
				j.extent = forFinding
			}
		}
		j.found(f.Findings, f.Outcome)
		s.stored = p.store(j)
		s.after = htmlAround
	case s.after > 0:
		s.after--
		raw := f.Raw()
		j := p.job(f, s, raw[:min(len(raw), holdRaw)])
		j.cut = len(raw) > holdRaw
		p.store(j)
	default:
		p.hold(f, s)
	}
	return p.step()
}

// start begins a trace.
func (p *page) start(trace string) {
	p.open, p.trace = true, trace
	for _, s := range p.loose {
		s.loose = false
	}
	p.running, p.last, p.held, p.loose = make(map[int]*htmlSession), nil, 0, nil
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

// job makes a job of a frame, as for a neighbour of one with findings.
func (p *page) job(f *Frame, s *htmlSession, raw []byte) renderJob {
	facts, id := p.facts(f, s)
	return renderJob{facts: facts, raw: append(append(p.render.take(len(id)+len(raw)), id...), raw...), id: len(id), extent: beside}
}

// found adds what a frame with findings shows besides.
func (j *renderJob) found(spots []analyze.Finding, out *replay.Outcome) {
	for i := range spots {
		j.controls = j.controls || spots[i].Rule == catalog.RuleANSI
		if len(spots[i].Spans) > 0 {
			j.spots = append(j.spots, analyze.Finding{Tier: spots[i].Tier, Pointer: spots[i].Pointer, Spans: slices.Clone(spots[i].Spans)})
		}
	}
	if out.Verdict == replay.Replace {
		j.after = bytes.Clone(out.Bytes)
	}
	if len(out.Replies) > 0 {
		j.reply = bytes.Clone(out.Replies[0])
	}
}

// store hands a frame to the renderer, whose its memory is from then on, and
// returns its number among those shown.
func (p *page) store(j renderJob) int {
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
func htmlString(b []byte, s string) []byte {
	if word(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	return appendJSON(b, safeLines(s))
}

// word reports a text, perhaps none, of letters, digits and what joins them in
// names: it is the same however it is written.
func word(s string) bool {
	for i := range len(s) {
		if !inWord[s[i]] {
			return false
		}
	}
	return true
}

var inWord = func() (in [256]bool) {
	for _, c := range "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-./" {
		in[c] = true
	}
	return in
}()

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
