package replay

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/allowlist"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Scopes of an inspection.
const (
	whole  = catalog.SelectResult
	nested = catalog.SelectNested
)

// response judges a result or an error against the request that it answers.
func (m *Machine) response(ev *Event, dir analyze.Direction, p *Part, c *call) decision {
	msg := &p.Msg
	from := len(m.out.Findings)
	if dir != analyze.ServerToClient {
		// The client's answers are never inspected.
		m.judges.frame(m, ev, dir, p, c)
		m.settle(from, dir, msg, m.out.Method, "")
		for i := from; i < len(m.out.Findings); i++ {
			m.out.Findings[i].Action = m.action(&m.out.Findings[i])
			if m.out.Findings[i].Action == analyze.Blocked {
				m.out.Findings[i].Action = analyze.Shadowed // there is nobody to answer with an error
			}
		}
		return m.eitherWay(ev, p)
	}
	full := m.cfg.Coverage == analyze.Full
	r := answer{sel: whole, from: from}
	if c != nil {
		r.tool, r.method, r.strict = c.tool, c.method, c.strict
		r.untouchable = c.kind == kindInitialize
		if m.out.Method == "" {
			m.out.Method = c.method
		}
		m.out.Tool = c.tool
	}
	m.judges.frame(m, ev, dir, p, c)
	switch {
	case c == nil:
		// Wider: no request in flight has this id, yet some client may take
		// it for an answer: strictest settings, unknown tool.
		r.inspect, r.strict = full, true
		if full && m.judges.gate != nil && jsonrpc.Lookup(msg.Result, "tools") != nil {
			r.stage = m.judges.list(m, ev, p, nil) // it could pass for a tool list as well
		}
	case c.kind == kindCall:
		r.inspect = true
		m.toolResult(msg, c)
	case c.kind == kindTaskResult:
		r.inspect = full
	case c.kind == kindTaskGet:
		r.inspect, r.sel = full, nested
	case c.kind == kindInitialize || c.kind == kindDiscover:
		m.welcome(msg)
	case c.kind == kindList:
		r.stage = m.judges.list(m, ev, p, c)
	}
	if c != nil && c.listing() {
		m.out.Listed = &Listed{Method: c.method, Cursor: c.cursor, Result: msg.Result}
	}
	late := m.judges.answered(m, ev, p)
	if m.out.Abort != nil {
		return decision{verdict: Drop}
	}
	d := m.conclude(p, &r)
	switch {
	case late:
		return m.tooLate(&r)
	case d.verdict == Forward && c != nil && c.kind == kindList:
		if filtered, changed := m.judges.filter(msg); changed {
			return filtered
		}
	}
	return d
}

// tooLate drops an answer that must not be delivered any more: the client has
// had an error for its id, or has cancelled it.
func (m *Machine) tooLate(r *answer) decision {
	for i := r.from; i < len(m.out.Findings); i++ {
		if f := &m.out.Findings[i]; f.Rule == allowlist.RuleLateResult {
			f.Action = analyze.Blocked
		}
	}
	return decision{verdict: Drop}
}

// eitherWay looks again at an answer that a bare recording gives no direction,
// and that was taken for the client's because a server's request with the same
// id was the nearer one: it may be the result of the call that waits as well,
// and a server that asks with a chosen id must not get its result past the
// rules.
func (m *Machine) eitherWay(ev *Event, p *Part) decision {
	if ev.Dir != analyze.Unknown || m.cfg.Coverage != analyze.Full {
		return decision{}
	}
	if !m.id.ok {
		return decision{}
	}
	c := m.client.get(m.id.key)
	if c == nil || c.kind != kindCall {
		return decision{}
	}
	return m.conclude(p, &answer{from: len(m.out.Findings), inspect: true, sel: whole, strict: true, tool: c.tool, method: c.method})
}

// answer is what the machine has made out about a response before it concludes.
type answer struct {
	from    int // first of the findings that belong to it
	inspect bool
	sel     catalog.Select
	strict  bool // strictest settings: the request can be read in several ways, or is unknown
	tool    string
	method  string
	stage   string // of the error that replaces it; "" is "response"
	// untouchable answers (to initialize) are never changed by a profile.
	untouchable bool
}

// toolResult notes what the answer to a tools/call begins: a task, or a retry.
func (m *Machine) toolResult(msg *jsonrpc.Message, c *call) {
	if msg.Has&jsonrpc.HasResultTask != 0 {
		m.tasks.add(taskOf(msg.Result), c.tool)
	}
	if msg.Has&jsonrpc.HasInputRequests != 0 && len(m.awaiting) < m.client.max {
		if m.awaiting == nil {
			m.awaiting = make(map[string]int)
		}
		m.awaiting[c.tool]++
	}
}

// welcome reads what initialize (or server/discover) settled.
func (m *Machine) welcome(msg *jsonrpc.Message) {
	if s, ok := jsonrpc.LookupString(msg.Result, "protocolVersion"); ok && len(s) <= 64 {
		m.protocol = s
	}
	name, _ := jsonrpc.LookupString(msg.Result, "serverInfo", "name")
	version, _ := jsonrpc.LookupString(msg.Result, "serverInfo", "version")
	if len(name) <= 256 && len(version) <= 64 {
		m.serverName = name
		if version != "" {
			m.serverName += " " + version
		}
	}
}

// conclude runs the result catalog where it applies and decides what the client
// gets (replay.md, "What a block sends").
func (m *Machine) conclude(p *Part, r *answer) decision {
	msg := &p.Msg
	var ins analyze.Inspection
	if r.inspect {
		m.out.Inspected = true
		if !r.strict {
			ins = m.judges.inspection(r.tool)
		}
		if len(p.Hits) > 0 || len(ins.Invalid) > 0 {
			for _, f := range m.cfg.Catalog.Findings(msg, p.Hits, r.sel, ins) {
				m.add(f)
			}
		}
	}
	if len(m.out.Findings) == r.from {
		return decision{}
	}
	m.settle(r.from, analyze.ServerToClient, msg, r.method, r.tool)
	fs := m.out.Findings[r.from:]
	var what catalog.RedactWhat
	failing := false
	var rules []string
	for i := range fs {
		f := &fs[i]
		switch m.cfg.Posture.mode(f) {
		case modePass:
			f.Action = analyze.Passed
		case modeShadow:
			f.Action = analyze.Shadowed
		case modeError:
			if hasPrefix(f.Rule, "OCU-") && (r.untouchable || msg.Result == nil) {
				f.Action = analyze.Shadowed // initialize's answer and errors are never changed by a profile
				continue
			}
			f.Action = analyze.Blocked
			failing = true
		case modeRedact:
			f.Action = analyze.Modified
			what.ANSI = what.ANSI || f.Rule == ruleANSI
			what.Secrets = what.Secrets || f.Rule == ruleSecret
			if len(rules) == 0 || rules[len(rules)-1] != f.Rule && !contains(rules, f.Rule) {
				rules = append(rules, f.Rule)
			}
		}
	}
	if !failing && rules == nil {
		return decision{}
	}
	w := worst(fs, func(f *analyze.Finding) bool { return f.Action == analyze.Blocked })
	if !failing {
		edited, second := m.redact(p, r.sel, ins, what, rules)
		if second == nil {
			return decision{verdict: Replace, bytes: edited, edited: true, fallback: m.refuse(msg, worst(fs, acts), r)}
		}
		w = second
	}
	// Error mode wins over redaction: nothing of the frame is delivered.
	for i := range fs {
		if fs[i].Action == analyze.Modified {
			fs[i].Action = analyze.Blocked
		}
	}
	return decision{verdict: Replace, bytes: m.refuse(msg, w, r)}
}

func acts(f *analyze.Finding) bool { return f.Action >= analyze.Modified }

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// refuse is the error that replaces an answer.
func (m *Machine) refuse(msg *jsonrpc.Message, w *analyze.Finding, a *answer) []byte {
	if m.cfg.Dry {
		return nil
	}
	r := refusal{code: codeVerdict, stage: "response", rule: w.Rule, tool: a.tool, reason: w.Message,
		message: "warden: the tool's result was withheld", guwah: guwahCode(w.Rule)}
	switch {
	case a.stage != "":
		r.stage, r.message = a.stage, "warden: the tool list differs from the lock"
	case hasPrefix(w.Rule, "OCU-"):
		r.message = "warden: the answer breaks the conformance profile"
	}
	return r.frame(msg.ID)
}

// redact edits a message in place and looks at it again. It returns the edited
// bytes, or the finding that makes the block an error after all.
func (m *Machine) redact(p *Part, sel catalog.Select, ins analyze.Inspection, what catalog.RedactWhat, rules []string) ([]byte, *analyze.Finding) {
	msg := &p.Msg
	none := &analyze.Finding{Rule: rules[0], Severity: analyze.High, Message: "the result can't be edited safely"}
	edited, ok := m.cfg.Catalog.Redact(msg, p.Hits, sel, ins, what)
	if !ok {
		return nil, none
	}
	path := []string{"result"}
	if msg.Result == nil && msg.Has&jsonrpc.HasMethod != 0 {
		path = []string{"params", "result"}
	}
	edited, ok = mark(edited, rules, path...)
	if !ok {
		return nil, none
	}
	m.examiner()
	var again Frame
	m.examine.Read(edited, &again)
	for _, part := range again.Parts() {
		found := m.cfg.Catalog.Findings(&part.Msg, part.Hits, sel, ins)
		w := worst(found, func(f *analyze.Finding) bool {
			md := m.cfg.Posture.mode(f)
			return md == modeError || md == modeRedact
		})
		if w != nil {
			return nil, w
		}
	}
	if again.Err != "" {
		return nil, none
	}
	return edited, nil
}

// examiner makes the machine's own examiner when it is first needed.
func (m *Machine) examiner() {
	if m.examine == nil {
		m.examine = NewExaminer(m.cfg.Catalog, m.cfg.Coverage)
	}
}

// settle completes the findings made since from: which frame and call they
// belong to.
func (m *Machine) settle(from int, dir analyze.Direction, msg *jsonrpc.Message, method, tool string) {
	for i := from; i < len(m.out.Findings); i++ {
		f := &m.out.Findings[i]
		if f.Direction == analyze.Unknown {
			f.Direction = dir
		}
		if f.RPCID == nil {
			f.RPCID = msg.ID
		}
		if f.Method == "" {
			f.Method = method
		}
		if f.Tool == "" {
			f.Tool = tool
		}
		f.IsError = f.IsError || msg.Has&jsonrpc.HasIsError != 0
	}
}
