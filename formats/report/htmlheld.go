package report

import "strconv"

// heldFrame is a frame that is shown only if a finding follows. Few are, so bytes
// that last are not copied before they have to be.
type heldFrame struct {
	facts   facts
	id, raw []byte // as they came, until they are kept
	kept    []byte // the id and then the frame, in memory of the page
	ids     int    // bytes of the id there
	loose   bool   // not kept yet
	cut     bool   // the frame is longer
}

const (
	holdRaw   = 2 << 10  // bytes of a frame that are held
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
	var h heldFrame
	if len(s.before) == htmlAround { // reuse the oldest one's memory
		h.kept = s.before[0].kept[:0]
		p.held -= len(s.before[0].kept)
		copy(s.before, s.before[1:])
		s.before = s.before[:htmlAround-1]
	}
	raw := f.Raw()
	h.facts, h.id = p.facts(f, s)
	h.raw, h.cut = raw[:min(len(raw), holdRaw)], len(raw) > holdRaw
	h.loose = true
	s.before = append(s.before, h)
	if !f.Lasting {
		p.keepFrame(&s.before[len(s.before)-1])
		p.boundHeld()
	} else if !s.loose {
		s.loose = true
		p.loose = append(p.loose, s)
	}
}

// keepFrame copies what a held frame has of somebody else's memory.
func (p *page) keepFrame(h *heldFrame) {
	if !h.loose {
		return
	}
	if h.kept == nil {
		h.kept = p.render.take(longID + len(h.raw))
	}
	h.kept = append(append(h.kept, h.id...), h.raw...)
	h.ids = len(h.id)
	h.id, h.raw, h.loose = nil, nil, false
	p.held += len(h.kept)
}

// Settle implements Settler.
func (p *page) Settle() {
	for _, s := range p.loose {
		s.loose = false
		for i := range s.before {
			p.keepFrame(&s.before[i])
		}
	}
	p.loose = p.loose[:0]
	p.boundHeld()
}

func (p *page) boundHeld() {
	if p.held > holdBytes {
		for _, s := range p.running {
			p.release(s)
		}
	}
}

// release forgets the frames held of a session.
func (p *page) release(s *htmlSession) {
	for i := range s.before {
		p.held -= len(s.before[i].kept)
		p.render.give(s.before[i].kept)
	}
	clear(s.before)
	s.before = s.before[:0]
}
