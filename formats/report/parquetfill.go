package report

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay/calls"
)

// Frame implements FrameSink.
func (h *tables) Frame(f *Frame) error {
	h.begin(f.Trace)
	t := h.last
	if t == nil || h.current != f.Session.Number {
		t = h.tally(f)
	}
	if f.Event == nil {
		h.ended(f, t)
		return h.err()
	}
	if f.Matched {
		h.frame(f, t)
	}
	t.tracker.Step(f.Event, f.Outcome, f.Size())
	return h.err()
}

// tally returns the session's, a new one for its first frame.
func (h *tables) tally(f *Frame) *tally {
	n := f.Session.Number
	t := h.running[n]
	if t == nil {
		t = &tally{row: sessionRow{Trace: h.shown, Session: h.text(f.Session.Name), Number: int32(n), Fidelity: f.Fidelity.String()}}
		t.tracker.Keep = h.o.IncludeText
		t.tracker.Done = func(c *calls.Call) { h.call(t, c) }
		h.running[n] = t
	}
	h.last, h.current = t, n
	return t
}

func (h *tables) frame(f *Frame, t *tally) {
	r := h.frames.add()
	ev, out, rec := f.Event, f.Outcome, f.Record
	kind, id := f.kind()
	// One by one: a row made elsewhere would have to be copied here.
	r.Trace, r.Session, r.Number = h.shown, t.row.Session, t.row.Number
	r.Frame, r.Line, r.Offset = int64(ev.Place.Frame), ev.Place.Line, ev.Place.Offset
	r.TS, r.Bytes = micros(ev.TS), f.Size()
	r.Direction, r.Kind, r.Verdict = out.Dir.String(), kind, out.Verdict.String()
	r.Method, r.Tool, r.RPCID = h.names.Raw(out.Method), h.names.Raw(out.Tool), h.id(id)
	r.IsError, r.Inspected, r.Lacking = f.isError(), out.Inspected, lacking(rec.Flags)
	var a analyze.Action
	r.Block, r.Monitor, r.Note, a = strongest(f.Findings)
	r.Action = a.String()
	r.Text = ""
	if h.o.IncludeText {
		r.Text = h.masker.payload(f.Raw())
		h.frames.texts += len(r.Text)
	}

	t.flags |= rec.Flags
	s := &t.row
	s.Frames++
	s.Bytes += r.Bytes
	s.Block, s.Monitor, s.Note = s.Block+int64(r.Block), s.Monitor+int64(r.Monitor), s.Note+int64(r.Note)
	if r.TS != 0 {
		if s.Start == 0 || r.TS < s.Start {
			s.Start = r.TS
		}
		s.End = max(s.End, r.TS)
	}
	if h.frames.full() {
		h.send(h.frames.take(h.partition))
	}
}

// ended writes the session's row.
func (h *tables) ended(f *Frame, t *tally) {
	t.tracker.Close()
	if f.Fidelity == formats.Wire && t.flags&(formats.Elided|formats.Truncated) != 0 {
		t.row.Fidelity = formats.WireElided.String()
	}
	r := h.sessions.add()
	block, monitor, note, _ := strongest(f.Findings)
	*r = t.row
	r.Protocol, r.Server = h.text(f.Session.Machine.Protocol()), h.text(f.Session.Machine.ServerName())
	r.Block, r.Monitor, r.Note = r.Block+int64(block), r.Monitor+int64(monitor), r.Note+int64(note)
	if h.sessions.full() {
		h.send(h.sessions.take(h.partition))
	}
	delete(h.running, f.Session.Number)
	h.last = nil
}

// call writes the row of a call that has ended.
func (h *tables) call(t *tally, c *calls.Call) {
	t.row.Calls++
	r := h.calls.add()
	*r = callRow{
		Trace: t.row.Trace, Session: t.row.Session, Number: t.row.Number, Call: c.Number,
		Tool: h.names.Raw(c.Tool), RPCID: h.id(c.ID), Status: c.Status.String(),
		Start: micros(c.Start), RoundTrips: int32(c.RoundTrips), Task: c.Task,
		RequestFrame: int64(c.Request.Frame), RequestLine: c.Request.Line, RequestBytes: c.RequestSize,
		Action: c.Action.String(), Block: int32(c.Block), Monitor: int32(c.Monitor), Note: int32(c.Note),
	}
	if c.Answered() {
		if len(h.answers) == 0 {
			h.answers = make([]answer, 128)
		}
		at := &h.answers[0]
		h.answers = h.answers[1:]
		at.frame, at.line, at.size = int64(c.Response.Frame), c.Response.Line, c.ResponseSize
		r.End, r.ResponseFrame, r.ResponseLine, r.ResponseBytes = micros(c.End), &at.frame, &at.line, &at.size
		if r.Start != 0 && r.End >= r.Start {
			// Of the rounded times, so that the columns agree.
			at.latency = r.End - r.Start
			r.Latency = &at.latency
		}
	}
	if h.o.IncludeText {
		r.Arguments = h.masker.payload(jsonrpc.Lookup(c.Params, "arguments"))
		r.Result = h.masker.payload(c.Result)
		h.calls.texts += len(r.Arguments) + len(r.Result)
	}
	if h.calls.full() {
		h.send(h.calls.take(h.partition))
	}
}

// answer is what only a call that was answered has: the columns are null for
// others, so rows point to it.
type answer struct{ frame, line, size, latency int64 }

// Finding implements Handler.
func (h *tables) Finding(f *analyze.Finding) error {
	if !h.open {
		h.begin(f.Trace) // a caller without frames
	}
	v := h.lens.view(f)
	r := h.findings.add()
	*r = findingRow{
		Rule: f.Rule, SubRule: f.SubRule, Severity: f.Severity.String(), Level: f.Level(), Tier: f.Tier.String(),
		Action: f.Action.String(), Direction: f.Direction.String(), RPCID: v.id.column(), Method: utf8Only(v.method),
		Tool: utf8Only(v.tool), Block: int32(f.Block), Message: utf8Only(v.message), Snippet: utf8Only(v.snippet),
		Trace: utf8Only(v.trace), Session: utf8Only(v.session), Number: int32(h.current), Frame: int64(f.Frame),
		Line: f.Line, Offset: f.Offset, Pointer: utf8Only(v.pointer), Fingerprint: f.Fingerprint, IsError: f.IsError, Accepted: f.Accepted(),
	}
	if !f.TS.IsZero() {
		r.TS = f.TS.UnixMicro()
	}
	for _, m := range f.Matched[:min(len(f.Matched), maxMatched)] {
		r.Matched = append(r.Matched, utf8Only(h.lens.matched.Raw(m)))
	}
	for _, s := range f.Spans[:min(len(f.Spans), maxMatched)] {
		r.Spans = append(r.Spans, spanRow{int64(s.Start), int64(s.End)})
	}
	if h.findings.full() {
		h.send(h.findings.take(h.partition))
	}
	return h.err()
}

// id is a request id as a column holds it: the JSON token. Nearly all are short
// numbers, so a few thousand share their memory, and an answer the request's.
func (h *tables) id(raw []byte) string {
	if len(raw) == 0 || len(raw) > 18 || !plainNumber(raw) {
		return h.lens.rpcID(raw).column()
	}
	if h.lastID == string(raw) {
		return h.lastID
	}
	if h.ids.Cap()-h.ids.Len() < len(raw) {
		h.ids.Reset()
		h.ids.Grow(16 << 10)
	}
	from := h.ids.Len()
	h.ids.Write(raw)
	h.lastID = h.ids.String()[from:]
	return h.lastID
}

// plainNumber reports a whole number without a sign or a leading zero.
func plainNumber(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return b[0] != '0' || len(b) == 1
}

// column is the id as a JSON token, "" for none.
func (id rpcID) column() string {
	switch id.kind {
	case idNone:
		return ""
	case idString:
		return string(jsonrpc.AppendQuoted(nil, utf8Only(id.text)))
	}
	return id.text
}
