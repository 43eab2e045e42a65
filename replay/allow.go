package replay

import (
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/allowlist"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// moment is a time of the machine; zero where the recording has none.
func moment(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// control sees progress and cancellation, which always pass.
func (j *judges) control(m *Machine, ev *Event, dir analyze.Direction, p *Part) {
	if j.allow != nil && dir == analyze.ClientToServer && string(p.Msg.Method) == "notifications/cancelled" {
		if k, ok := paramKey(p.Msg.Params, "requestId"); ok {
			j.allow.Cancel(k)
		}
	}
	j.frame(m, ev, dir, p, nil)
}

// allowed judges a client's message by the allow-list and the session's order.
func (j *judges) allowed(m *Machine, ev *Event, p *Part, kind callKind, tool string) {
	if j.allow == nil {
		return
	}
	msg := &p.Msg
	k, hasKey := m.id.key, m.id.ok
	if ev.Frame.Has&jsonrpc.Junk != 0 {
		m.add(allowlist.Unreadable().Finding()) // what stands beside the message can't be read
		return
	}
	switch {
	case kind == kindInitialize && hasKey:
		j.allow.Initialize(k)
		return
	case string(msg.Method) == "notifications/initialized":
		j.allow.Initialized()
		return
	case kind != kindCall:
		return
	}
	c := allowlist.Call{Key: k, HasKey: hasKey, Tool: tool, At: moment(ev.TS), Ref: m.seq}
	if !j.allow.Ready() && msg.Has&(jsonrpc.HasMeta|jsonrpc.Repeated) != 0 {
		c.Version = allowlist.CallVersion(msg.Params)
	}
	d := j.allow.Call(c, func() *allowlist.Violation {
		if ev.Candidate == nil && j.surely(p) {
			return nil
		}
		return j.cfg.Allow.Check(allowlist.Request{Frame: msg.Raw, Candidate: ev.Candidate,
			HasCandidate: ev.Candidate != nil, AllowParams: j.cfg.AllowParams})
	})
	m.addAll(d.Findings)
}

func (j *judges) surely(p *Part) bool {
	if p.ahead.by == j.cfg {
		return p.ahead.allowed
	}
	return j.cfg.surely(&p.Msg, j.call)
}

// denied takes back a call that another family kept from the server.
func (j *judges) denied(msg *jsonrpc.Message, rule string) {
	if j.allow == nil || hasPrefix(rule, "GWH-") {
		return
	}
	if k, ok := key(msg.ID); ok {
		j.allow.Withdraw(k)
	}
}

// unreadable judges a client's frame that is no message: what an allow-list
// can't read it can't allow.
func (j *judges) unreadable(m *Machine, ev *Event) {
	from := len(m.out.Findings)
	if j.cfg.Allow != nil && ev.Dir == analyze.ClientToServer {
		m.add(allowlist.Unreadable().Finding())
	}
	if !ev.Frame.Batch {
		j.whole(m, ev)
	}
	m.observed(from, ev.Dir)
	for i := from; i < len(m.out.Findings); i++ {
		if m.out.Findings[i].Action == analyze.Blocked && !ev.Frame.Batch {
			m.out.Verdict = Drop
		}
	}
}

// overCap judges a client's request that is too large to read, or that could
// not be read for another reason.
func (j *judges) overCap(m *Machine, ev *Event, dir analyze.Direction) {
	switch {
	case j.cfg.Allow == nil || dir != analyze.ClientToServer:
	case ev.Fault != "":
		m.add(allowlist.Unreadable().Finding())
	default:
		m.add(allowlist.OverCap().Finding())
	}
}

// answered judges whether a server's answer may still be delivered.
func (j *judges) answered(m *Machine, ev *Event, p *Part) (drop bool) {
	if j.allow == nil {
		return false
	}
	if !m.id.ok {
		return false
	}
	d := j.allow.Answer(m.id.key, p.Msg.Result == nil, moment(ev.TS))
	m.addAll(d.Findings)
	return d.Drop && !j.cfg.Posture.AuditOnly && !j.cfg.Posture.optedOut("GWH-")
}

// listedTools notes what a tools/list shows beyond the allow-list.
func (j *judges) listedTools(m *Machine, msg *jsonrpc.Message) {
	if j.allow != nil && msg.Result != nil {
		m.addAll(j.allow.List(msg.Result).Findings)
	}
}

// filter hides the tools that can't be called from a tools/list that is to be
// delivered.
func (j *judges) filter(msg *jsonrpc.Message) (decision, bool) {
	if j.cfg.Allow == nil || !j.cfg.FilterTools || j.cfg.Posture.AuditOnly {
		return decision{}, false
	}
	out, changed := j.cfg.Allow.FilterTools(msg.Raw)
	return decision{verdict: Replace, bytes: out}, changed
}

// tick lets time pass: calls that ran out of it are answered, and the finding
// stands on the request.
func (m *Machine) tick(now int64) {
	if m.judges.allow == nil || now == 0 || m.cfg.RequestTimeout <= 0 {
		return // nothing can run out of time
	}
	for _, e := range m.judges.allow.Clock(moment(now)).Expired {
		f := e.Finding
		c := m.client.get(e.Key)
		if c == nil {
			// Forgotten under --max-inflight: there is no id to answer.
			f.Tool, f.Direction, f.Action = e.Tool, analyze.ClientToServer, m.action(&f)
			m.add(f)
			continue
		}
		f.Direction, f.RPCID, f.Method, f.Tool = analyze.ClientToServer, c.id, c.method, c.tool
		f.Frame, f.Line, f.Offset, f.TS = c.place.Frame, c.place.Line, c.place.Offset, moment(c.ts)
		f.Action = m.action(&f)
		if f.Action == analyze.Blocked {
			r := refusal{code: codeVerdict, stage: "request", rule: f.Rule, tool: c.tool, reason: f.Message,
				message: "warden: no answer within the time allowed", guwah: guwahCode(f.Rule)}
			if c.id != nil {
				m.out.ToClient = append(m.out.ToClient, r.frame(c.id))
			}
			m.client.remove(c)
		}
		m.out.Findings = append(m.out.Findings, f)
	}
}

// addAll adds findings that stand on the frame in hand.
func (m *Machine) addAll(fs []analyze.Finding) {
	from := len(m.out.Findings)
	m.out.Findings = append(m.out.Findings, fs...)
	for i := from; i < len(m.out.Findings); i++ {
		m.here(&m.out.Findings[i])
	}
}
