package replay

import (
	"fmt"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// overCap handles a frame that is too large to hold: it passes uninspected
// with a note, and what was noted of it while it streamed keeps the machine's
// requests in step (replay.md, "Live guard").
func (m *Machine) overCap(ev *Event) {
	s := ev.OverCap
	msg := jsonrpc.Message{Has: s.Has, ID: s.ID, Method: s.Method, Name: s.Name}
	dir := ev.Dir
	if dir == analyze.Unknown {
		dir = m.direction(&msg)
	}
	m.out.Dir, m.out.Message = dir, true
	from := len(m.out.Findings)
	c := m.correlate(dir, &msg)
	tool := ""
	if c != nil {
		tool = c.tool
	}
	if ev.Fault == "" {
		m.add(analyze.Finding{
			Rule: ruleFrameError, Tier: analyze.Note, Severity: analyze.Low, Action: analyze.Passed, Block: -1,
			Message: fmt.Sprintf("the frame of %d bytes is over the cap; it passed without inspection", s.Size),
		})
	} else {
		site := "request-policy"
		if msg.IsResponse() {
			site = "result-inspect"
		}
		m.out.Tool = tool
		m.fault(ev, site, ev.Fault, &msg)
	}
	if msg.Has&jsonrpc.HasMethod != 0 && !msg.IsResponse() {
		m.out.Method = m.names.name(msg.Method)
		kind := kindOther
		if dir == analyze.ClientToServer {
			if kind = m.kind(&msg); kind == kindCall {
				m.enforcing = true
				tool = m.names.name(msg.Name)
				m.out.Calls++
			}
		}
		m.judges.overCap(m, ev, dir)
		m.settle(from, dir, &msg, m.out.Method, tool)
		if d, denied := m.deny(from, &msg, tool, false); denied {
			m.out.Verdict = d.verdict
			if d.reply != nil {
				m.out.Replies = append(m.out.Replies, d.reply)
			}
			return
		}
		if msg.Has&jsonrpc.HasID != 0 {
			m.register(ev, dir, &msg, kind, tool)
		}
	}
	m.out.Tool = tool
	m.settle(from, dir, &msg, m.out.Method, tool)
}
