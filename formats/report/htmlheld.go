package report

import "strconv"

// heldFrame is a frame that is shown only if a finding follows.
type heldFrame struct {
	facts facts
	raw   []byte // begins with the id
	id    int    // bytes of that
}

const (
	holdRaw   = 3 << 10  // bytes of a frame that are held
	holdBytes = 16 << 20 // of all sessions together
)

// facts are what the page says of a frame besides its text, as they came: only
// those of frames that are shown are worth making fit for a report.
type facts struct {
	n                               [7]int64
	kind, id, method, tool, lacking string
}

// longID is the length in bytes from which an id is made fit at once, and not kept.
const longID = 256

// facts returns those of a frame and the raw id, which is only valid as long as
// the frame.
func (p *page) facts(f *Frame, s *htmlSession) (facts, []byte) {
	kind, id := f.kind()
	x := facts{
		n: [...]int64{int64(s.id), int64(f.Event.Place.Frame), f.Event.Place.Line, micros(f.Event.TS), f.Size(),
			int64(f.Outcome.Dir), int64(f.Outcome.Verdict)},
		kind: kind, method: f.Outcome.Method, tool: f.Outcome.Tool, lacking: lacking(f.Record.Flags),
	}
	if len(id) > longID {
		x.id, id = p.lens.readID(id).shown(), nil
	}
	return x, id
}

// append begins the array that the renderer ends.
func (x *facts) append(b []byte, names *lens, id []byte) []byte {
	b = append(b, '[')
	for i, n := range x.n {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	shown := x.id
	if len(id) > 0 {
		shown = names.rpcID(id).shown()
	}
	for _, t := range [...]string{x.kind, shown, names.method.Raw(x.method), names.tool.Raw(x.tool), x.lacking} {
		b = htmlString(append(b, ','), t)
	}
	return b
}

// hold keeps a frame in case one of the next two has a finding.
func (p *page) hold(f *Frame, s *htmlSession) {
	raw := f.Raw()
	var h heldFrame
	raw = raw[:min(len(raw), holdRaw)]
	if len(s.before) == htmlAround { // reuse the oldest one's memory
		h.raw = s.before[0].raw[:0]
		p.held -= len(s.before[0].raw)
		copy(s.before, s.before[1:])
		s.before = s.before[:htmlAround-1]
	} else {
		h.raw = p.render.take(longID + len(raw))
	}
	var id []byte
	h.facts, id = p.facts(f, s)
	h.id = len(id)
	h.raw = append(append(h.raw, id...), raw...)
	p.held += len(h.raw)
	s.before = append(s.before, h)
	if p.held > holdBytes {
		for _, o := range p.running {
			o.before = nil
		}
		p.held = 0
	}
}

// release forgets the frames held of a session.
func (p *page) release(s *htmlSession) {
	for _, h := range s.before {
		p.held -= len(h.raw)
	}
	s.before = s.before[:0]
}
