package replay

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/allowlist"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/analyze/policy"
	"github.com/warden-trace/warden/analyze/profile"
)

// judges is the verdict families of one session: each is armed by its file or
// flag and nil otherwise. The machine tells them what happened and applies what
// they decide.
type judges struct {
	cfg      *Config
	gate     *lock.Gate
	profiles []profile.Session
	allow    *allowlist.Session
	shapes   map[string][]policy.Shape // of tools seen in a tools/list, where no lock says it
	call     *flatCall
	shown    *shown // with profiles alone
}

// maxShapes bounds the tools whose shapes a session remembers.
const maxShapes = 10000

func (j *judges) init(cfg *Config) {
	j.cfg, j.call = cfg, new(flatCall)
	j.gate = lock.NewGate(cfg.Lock, cfg.Coverage)
	if cfg.Allow != nil {
		j.allow = allowlist.NewSession(cfg.Allow, allowlist.Options{MaxConcurrent: cfg.MaxConcurrent,
			Timeout: cfg.RequestTimeout, MaxInflight: cfg.MaxInflight})
	}
	if len(cfg.Profiles) > 0 {
		j.shown = new(shown)
	}
	for _, p := range cfg.Profiles {
		j.profiles = append(j.profiles, p.NewSession())
	}
}

// readsCalls reports that a family looks at the requests of tool calls.
func (j *judges) readsCalls() bool {
	return j.cfg.Policy != nil || j.cfg.Allow != nil || len(j.profiles) > 0
}

// inspection is what the lock says of a tool's output.
func (j *judges) inspection(tool string) analyze.Inspection {
	if j.cfg.Lock == nil {
		return analyze.Inspection{}
	}
	return j.cfg.Lock.Inspection(tool)
}

// frame shows a message to the profiles.
func (j *judges) frame(m *Machine, ev *Event, dir analyze.Direction, p *Part, c *call) {
	if len(j.profiles) == 0 {
		return
	}
	f := &j.shown.frame
	*f = profile.Frame{Dir: dir, TS: ev.TS, Raw: p.Msg.Raw, Msg: &p.Msg, InFlight: m.client.calls}
	if !ev.Frame.Batch {
		f.HTTP = ev.HTTP
	}
	if j.call.shared {
		f.Flat = j.call.of(&p.Msg)
	}
	ahead := p.ahead.by == j.cfg
	if c != nil {
		j.shown.request = profile.Request{Method: c.method, Tool: c.tool, Params: c.params}
		f.Request = &j.shown.request
	}
	for i, s := range j.profiles {
		if f.Facts = (profile.Facts{}); ahead && i < maxFacts {
			f.Facts = p.ahead.facts[i]
		}
		m.addAll(s.Frame(f))
	}
	*f = profile.Frame{} // a session must not hold on to what it has seen
	j.shown.request.Params = nil
}

// shown is what a profile is shown of a message; a copy of each message would
// be garbage at once.
type shown struct {
	frame   profile.Frame
	request profile.Request
}

func (j *judges) show(m *Machine, f *profile.Frame) {
	for _, s := range j.profiles {
		m.addAll(s.Frame(f))
	}
}

// whole shows the profiles a frame that is no single message: a batch, or
// nothing that can be read.
func (j *judges) whole(m *Machine, ev *Event) {
	if len(j.profiles) > 0 {
		j.show(m, &profile.Frame{Dir: ev.Dir, TS: ev.TS, Raw: ev.Frame.Raw, Batch: ev.Frame.Batch, HTTP: ev.HTTP})
	}
}

// http shows the profiles an HTTP exchange without a message.
func (j *judges) http(m *Machine, ev *Event) {
	m.out.Message = true
	from := len(m.out.Findings)
	if len(j.profiles) > 0 {
		j.show(m, &profile.Frame{Dir: ev.Dir, TS: ev.TS, HTTP: ev.HTTP})
	}
	m.observed(from, ev.Dir)
}

// exec shows the profiles a record of the exec channel.
func (j *judges) exec(m *Machine, ev *Event) {
	m.out.Message = true
	from := len(m.out.Findings)
	f := profile.Frame{Dir: ev.Dir, TS: ev.TS, Text: !ev.Binary, Binary: ev.Binary, Bytes: ev.Bytes, Size: ev.Size, HasBytes: ev.HasBytes}
	if ev.Frame != nil {
		f.Raw = ev.Frame.Raw
	}
	if len(j.profiles) > 0 {
		m.out.Inspected = true
		j.show(m, &f)
	}
	m.observed(from, ev.Dir)
}

// observed settles findings on something that is only ever recorded: nothing
// there can be blocked, so the action says what posture asks for.
func (m *Machine) observed(from int, dir analyze.Direction) {
	for i := from; i < len(m.out.Findings); i++ {
		f := &m.out.Findings[i]
		if f.Direction == analyze.Unknown {
			f.Direction = dir
		}
		f.Action = m.action(f)
	}
}

// request judges a client's request or notification before it goes on.
func (j *judges) request(m *Machine, ev *Event, p *Part, kind callKind, tool string) {
	j.allowed(m, ev, p, kind, tool)
	if kind != kindCall {
		return
	}
	switch {
	case j.gate == nil:
	case p.ahead.by != j.cfg:
		m.addAll(j.gate.Called(tool))
	case !p.ahead.locked:
		m.addAll(j.gate.Unlisted(tool))
	}
	if j.cfg.Policy != nil {
		j.policy(m, p, tool)
	}
}

// forwarded notes a request that goes on to the server.
func (j *judges) forwarded(m *Machine, ev *Event, msg *jsonrpc.Message, kind callKind, tool string) {
	if kind == kindList && j.gate != nil {
		if m.id.ok {
			cursor := ""
			if c := m.client.get(m.id.key); c != nil {
				cursor = c.cursor
			}
			j.gate.AskedAt(string(m.id.key), cursor)
		}
	}
}

// listChanged arms the gate.
func (j *judges) listChanged() {
	if j.gate != nil {
		j.gate.ListChanged()
	}
}

// list judges the answer to a tools/list and returns the stage of the error
// that would replace it.
func (j *judges) list(m *Machine, ev *Event, p *Part, c *call) (stage string) {
	msg := &p.Msg
	j.listedTools(m, msg)
	if j.cfg.Policy != nil && j.cfg.Lock == nil && j.cfg.Coverage == analyze.Full {
		j.learn(msg.Result)
	}
	if j.gate == nil {
		return ""
	}
	if ev.Elided {
		j.gate = nil
		m.add(analyze.Finding{Rule: ruleFrameError, Tier: analyze.Note, Severity: analyze.Low, Block: -1,
			Message: "the recording lacks part of a tools/list: the drift gate is off for this session"})
		return ""
	}
	// Every reading of a repeated result counts; the last, which most readers
	// keep, answers the request.
	all := m.results(msg)
	var diverged bool
	var err error
	for i, result := range all {
		id := ""
		if c != nil && i == len(all)-1 {
			id = string(c.key)
		}
		findings, d, e := j.gate.Answered(id, result)
		if len(findings) > 0 && diverged {
			continue // one finding a frame
		}
		m.addAll(findings)
		diverged = diverged || d
		if e != nil {
			err = e
		}
	}
	if err != nil && j.cfg.Strict {
		m.fault(ev, "list-gate", "ListEntry", msg)
	}
	if diverged {
		return "list_changed"
	}
	return ""
}
