package replay

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// batch judges a JSON-RPC array element by element. A blocked answer is
// replaced in its place; a denied request leaves the array and its error goes
// to the client alone; the rest goes on, nothing if none is left (replay.md,
// "What a block sends"). The whole takes its direction from its first element
// that has one.
func (m *Machine) batch(ev *Event) {
	parts := ev.Frame.Parts()
	if ev.Frame.Err != "" {
		m.frameError(ev, ev.Frame.Err)
	}
	from := len(m.out.Findings)
	m.judges.whole(m, ev)
	m.observed(from, ev.Dir)
	forbidden := worst(m.out.Findings[from:], func(f *analyze.Finding) bool { return f.Action == analyze.Blocked })
	if forbidden != nil {
		copied := *forbidden // the list that it stands in may move
		forbidden = &copied
	}
	var elems [][]byte
	changed := false
	dir := ev.Dir
	element := func(p *Part) {
		if p.Err != "" {
			m.frameError(ev, p.Err)
			elems = append(elems, p.Msg.Raw)
			return
		}
		d := m.part(ev, p)
		if dir == analyze.Unknown {
			dir = m.out.Dir
		}
		if forbidden != nil && d.verdict == Forward {
			d = m.forbid(p, forbidden)
		}
		if d.reply != nil {
			m.out.Replies = append(m.out.Replies, d.reply)
		}
		switch d.verdict {
		case Forward:
			elems = append(elems, p.Msg.Raw)
		case Replace:
			elems = append(elems, d.bytes)
			changed = true
		case Drop:
			changed = true
		}
	}
	for i := range parts {
		element(&parts[i])
	}
	if ev.Frame.rest != nil {
		m.examiner()
		ev.Frame.rest(func(raw []byte) bool {
			var f Frame
			m.examine.Read(raw, &f)
			if ps := f.Parts(); len(ps) == 1 && !f.Batch {
				ps[0].Msg.Raw = raw
				element(&ps[0])
			} else {
				element(&Part{Msg: jsonrpc.Message{Raw: raw}, Err: "a batch element that is no object"})
			}
			return true
		})
	}
	m.out.Dir = dir
	if !changed || m.out.Verdict == Drop { // a strict abort has dropped it already
		return
	}
	if len(elems) == 0 {
		m.out.Verdict = Drop
		return
	}
	b := []byte{'['}
	for i, e := range elems {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, e...)
	}
	m.out.Verdict, m.out.Bytes = Replace, append(b, ']')
}

// forbid keeps an element of a batch that a profile does not admit from being
// delivered: a request and a result get an error each, the rest is dropped.
func (m *Machine) forbid(p *Part, f *analyze.Finding) decision {
	msg := &p.Msg
	r := refusal{code: codeVerdict, stage: "request", rule: f.Rule, tool: m.out.Tool, reason: f.Message, message: requestMessage(f.Rule)}
	switch {
	case msg.IsRequest() && m.out.Dir == analyze.ClientToServer:
		if k, ok := key(msg.ID); ok {
			m.client.take(k)
		}
		return decision{verdict: Drop, reply: r.frame(msg.ID)}
	case msg.IsRequest():
		if k, ok := key(msg.ID); ok {
			m.server.take(k)
		}
		return decision{verdict: Drop, reply: r.frame(msg.ID)}
	case msg.IsResponse():
		r.stage = "response"
		return decision{verdict: Replace, bytes: r.frame(msg.ID)}
	}
	return decision{verdict: Drop}
}
