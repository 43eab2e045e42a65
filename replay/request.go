package replay

import (
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// request judges a message with a method: what it asks for, whether it may go
// on, and what the machine must remember of it.
func (m *Machine) request(ev *Event, dir analyze.Direction, p *Part) decision {
	msg := &p.Msg
	m.out.Method = m.names.name(msg.Method)
	if dir == analyze.ServerToClient {
		return m.serverRequest(ev, p)
	}
	kind := m.kind(msg)
	tool := ""
	if kind == kindCall {
		m.enforcing = true
		if tool = p.ahead.tool; p.ahead.by == nil {
			tool = m.names.name(msg.Name)
		}
	} else if kind == kindTaskResult || kind == kindTaskGet {
		tool = m.tasks.tool(taskParam(msg.Params))
	}
	m.out.Tool = tool
	if kind == kindInitialize {
		m.handshaken = true
	}
	if m.protocol == "" && msg.Has&jsonrpc.HasMeta != 0 {
		// From 2026-07-28 on each request names its revision.
		if s, ok := jsonrpc.LookupString(msg.Params, "_meta", "io.modelcontextprotocol/protocolVersion"); ok && len(s) <= 64 {
			m.protocol = s
		}
	}

	from := len(m.out.Findings)
	if kind == kindCall {
		m.judges.call.shared = p.ahead.by != m.cfg && (m.cfg.Policy != nil || m.cfg.Allow != nil)
		defer m.judges.call.done()
	}
	m.judges.frame(m, ev, dir, p, nil)
	m.judges.request(m, ev, p, kind, tool)
	if kind == kindCall {
		m.count(msg, tool)
		m.out.Inspected = m.out.Inspected || m.judges.readsCalls()
	}
	m.settle(from, dir, msg, m.out.Method, tool)
	if d, denied := m.deny(from, msg, tool, kind == kindInitialize); denied {
		return d
	}
	m.register(ev, dir, msg, kind, tool)
	m.judges.forwarded(m, ev, msg, kind, tool)
	return decision{}
}

// kind says what a client's request asks for. With several readings of a
// repeated method, the one that matters most counts.
func (m *Machine) kind(msg *jsonrpc.Message) callKind {
	k := kindOf(msg.Method)
	for _, want := range []callKind{kindCall, kindTaskResult, kindTaskGet, kindList} {
		if m.anyMethod(msg, func(s []byte) bool { return kindOf(s) == want }) {
			return want
		}
		if k == want {
			break
		}
	}
	return k
}

func kindOf(method []byte) callKind {
	switch string(method) {
	case "tools/call":
		return kindCall
	case "tasks/result":
		return kindTaskResult
	case "tasks/get":
		return kindTaskGet
	case "tools/list":
		return kindList
	case "resources/list":
		return kindResources
	case "prompts/list":
		return kindPrompts
	case "initialize":
		return kindInitialize
	case "server/discover":
		return kindDiscover
	}
	return kindOther
}

// count counts a call, unless it is the retry of one that asked for input
// (protocol.md, "Calls").
func (m *Machine) count(msg *jsonrpc.Message, tool string) {
	if msg.Has&(jsonrpc.HasInputResponses|jsonrpc.HasRequestState) != 0 && m.awaiting[tool] > 0 {
		if m.awaiting[tool]--; m.awaiting[tool] == 0 {
			delete(m.awaiting, tool)
		}
		return
	}
	m.out.Calls++
}

// serverRequest handles what the server asks or tells: its requests wait for
// the client's answer, its notifications move the gate and deliver tasks.
func (m *Machine) serverRequest(ev *Event, p *Part) decision {
	msg := &p.Msg
	method := m.out.Method
	from := len(m.out.Findings)
	if m.cfg.Coverage == analyze.Full && m.anyMethod(msg, isTaskNotification) {
		// With an id too: there are readers that take it for a notification.
		return m.taskNotification(ev, p)
	}
	m.judges.frame(m, ev, analyze.ServerToClient, p, nil)
	if m.anyMethod(msg, func(s []byte) bool { return string(s) == "notifications/tools/list_changed" }) {
		m.judges.listChanged()
	}
	m.settle(from, analyze.ServerToClient, msg, method, "")
	if d, denied := m.deny(from, msg, "", false); denied {
		return d
	}
	if msg.Has&jsonrpc.HasID != 0 {
		m.register(ev, analyze.ServerToClient, msg, kindOther, "")
	}
	return decision{}
}

// taskNotification inspects the tool's result that a notification delivers. A
// notification can't be answered with an error: in error mode it is dropped.
func (m *Machine) taskNotification(ev *Event, p *Part) decision {
	if p.Msg.Has&jsonrpc.HasNested == 0 && len(p.Hits) == 0 {
		return decision{}
	}
	tool := m.tasks.tool(taskParam(p.Msg.Params))
	m.out.Tool = tool
	r := answer{from: len(m.out.Findings), inspect: true, sel: nested, tool: tool, method: m.out.Method,
		strict: p.Msg.Has&jsonrpc.Repeated != 0}
	m.judges.frame(m, ev, analyze.ServerToClient, p, nil)
	d := m.conclude(p, &r)
	if d.verdict == Replace && !d.edited {
		return decision{verdict: Drop}
	}
	return d
}

// deny settles the actions of the findings made on a request since from, and
// refuses it where one of them blocks.
func (m *Machine) deny(from int, msg *jsonrpc.Message, tool string, untouchable bool) (decision, bool) {
	fs := m.out.Findings[from:]
	for i := range fs {
		fs[i].Action = m.action(&fs[i])
		if untouchable && fs[i].Action == analyze.Blocked {
			fs[i].Action = analyze.Shadowed // initialize is never changed
		}
	}
	w := worst(fs, func(f *analyze.Finding) bool { return f.Action == analyze.Blocked })
	if w == nil {
		return decision{}, false
	}
	m.judges.denied(msg, w.Rule)
	if m.id.ok {
		m.client.take(m.id.key) // an id is never answered twice
	}
	d := decision{verdict: Drop}
	if msg.Has&jsonrpc.HasID != 0 && !m.cfg.Dry {
		r := refusal{code: codeVerdict, stage: "request", rule: w.Rule, tool: tool, reason: w.Message,
			message: requestMessage(w.Rule), guwah: guwahCode(w.Rule)}
		d.reply = r.frame(msg.ID)
	}
	return d, true
}

// action is what becomes of a finding outside of results: there is no
// redaction of a request.
func (m *Machine) action(f *analyze.Finding) analyze.Action {
	switch m.cfg.Posture.mode(f) {
	case modeShadow:
		return analyze.Shadowed
	case modeRedact, modeError:
		return analyze.Blocked
	}
	return analyze.Passed
}

func requestMessage(rule string) string {
	switch {
	case hasPrefix(rule, "POL-"):
		return "warden: the call was refused by the argument policy"
	case hasPrefix(rule, "GWH-"):
		return "warden: the call was refused by the allow-list"
	case hasPrefix(rule, "OCU-"), hasPrefix(rule, "EXEC-"):
		return "warden: the request breaks the conformance profile"
	}
	return "warden: the request was refused"
}

// guwahCode is the gateway's own code of a denial (replay.md).
func guwahCode(rule string) string {
	if !hasPrefix(rule, "GWH-") {
		return ""
	}
	return strings.ReplaceAll(rule[len("GWH-"):], "-", "_")
}
