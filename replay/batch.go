package replay

import (
	"github.com/warden-trace/warden/analyze"
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
	var elems [][]byte
	changed := false
	dir := ev.Dir
	for i := range parts {
		p := &parts[i]
		if p.Err != "" {
			m.frameError(ev, p.Err)
			elems = append(elems, p.Msg.Raw)
			continue
		}
		d := m.part(ev, p)
		if dir == analyze.Unknown {
			dir = m.out.Dir
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
