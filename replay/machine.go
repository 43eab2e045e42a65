// Package replay holds the session state machine: it is fed one framed message
// at a time with its direction and time, and answers with what to do and the
// findings. It does no I/O, knows no clock and starts no goroutine; the file
// pipeline, the live guard, verify and the stepper all drive this one machine
// (replay.md).
package replay

import (
	"fmt"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Machine judges one session.
type Machine struct {
	cfg *Config

	client pending // requests of the client, answered by the server
	server pending // requests of the server, answered by the client
	seq    int64
	now    int64 // time of the newest event

	enforcing  bool // a tools/call was seen
	handshaken bool // a client's initialize was seen
	protocol   string
	serverName string
	tasks      tasks
	awaiting   map[string]int // tool -> results that ask for a retry
	names      names
	judges     judges
	examine    *Examiner // for the second look at an edited frame
	id         id        // of the message in hand: nothing that Clone copies
	out        Outcome
	place      Place
}

// NewMachine returns a machine for a new session.
func NewMachine(cfg *Config) *Machine {
	m := &Machine{cfg: cfg}
	max := cfg.MaxInflight
	if max <= 0 {
		max = DefaultMaxInflight
	}
	m.client.init(max)
	m.server.init(max)
	m.tasks.max = max
	m.judges.init(cfg)
	return m
}

// InFlight is the number of the client's requests that wait for an answer.
func (m *Machine) InFlight() int { return m.client.len() }

// Protocol is the revision that the session settled on, "" while unknown.
func (m *Machine) Protocol() string { return m.protocol }

// ServerName is the server's own name and version from initialize.
func (m *Machine) ServerName() string { return m.serverName }

// Enforcing reports that a tools/call has been seen.
func (m *Machine) Enforcing() bool { return m.enforcing }

// Step judges one event. The outcome is valid until the next call.
func (m *Machine) Step(ev *Event) *Outcome {
	o := &m.out
	*o = Outcome{Dir: ev.Dir, Findings: o.Findings[:0], Replies: o.Replies[:0], ToClient: o.ToClient[:0]}
	m.seq++
	m.place = ev.Place
	if ev.TS > m.now {
		m.now = ev.TS
		m.tick(ev.TS)
	}
	switch {
	case ev.Exec:
		m.judges.exec(m, ev)
	case ev.OverCap != nil:
		m.overCap(ev)
	case ev.Frame == nil:
		m.judges.http(m, ev)
	case ev.Frame.Batch:
		m.batch(ev)
	default:
		m.single(ev)
	}
	return o
}

// Tick tells the machine that time has passed without a frame. The outcome
// holds what expired.
func (m *Machine) Tick(now int64) *Outcome {
	o := &m.out
	*o = Outcome{Findings: o.Findings[:0], Replies: o.Replies[:0], ToClient: o.ToClient[:0]}
	if now > m.now {
		m.now = now
		m.tick(now)
	}
	return o
}

// single judges a frame that is one message, or none. Several parts without a
// batch are the pieces of a frame with junk in it: each is judged, and a block
// of one replaces the whole (catalog.md, "Reading JSON safely").
func (m *Machine) single(ev *Event) {
	parts := ev.Frame.Parts()
	if len(parts) == 0 {
		m.frameError(ev, ev.Frame.Err)
		return
	}
	for i := range parts {
		p := &parts[i]
		if p.Err != "" {
			m.frameError(ev, p.Err)
			continue
		}
		d := m.part(ev, p)
		if d.reply != nil {
			m.out.Replies = append(m.out.Replies, d.reply)
		}
		if d.verdict == Forward || m.out.Verdict != Forward {
			continue
		}
		m.out.Verdict, m.out.Bytes = d.verdict, d.bytes
		if d.edited && ev.Frame.Has&jsonrpc.Junk != 0 {
			// An edit inside junk can't be told from smuggling: an error.
			m.out.Bytes = d.fallback
		}
	}
}

// id is a message's id in the form that requests are looked up by: made once,
// since several tables are.
type id struct {
	key jsonrpc.Key
	ok  bool
}

// decision is what one message comes to.
type decision struct {
	verdict  Verdict
	bytes    []byte // for Replace
	edited   bool   // bytes are the original, edited in place
	fallback []byte // the error to use where an edit can't be
	reply    []byte // error for the sender of a denied request
}

// part judges one message.
func (m *Machine) part(ev *Event, p *Part) (d decision) {
	msg := &p.Msg
	if m.cfg.Coverage == analyze.Full && msg.Alt != nil {
		adopt(msg)
	}
	const says = jsonrpc.HasMethod | jsonrpc.HasResult | jsonrpc.HasError
	if msg.Has&says == 0 {
		m.frameError(ev, "an object without method, result or error")
		m.frameWide(len(m.out.Findings), ev.Dir, p)
		return decision{}
	}
	m.out.Message = true
	dir := ev.Dir
	if dir == analyze.Unknown {
		dir = m.direction(msg)
	}
	m.out.Dir = dir
	from := len(m.out.Findings)
	defer m.rescue(ev, msg, &d, from)

	// The control notifications are recognised before any id is looked up
	// and are never inspected, blocked, held or reordered.
	if m.control(msg) {
		m.out.Method = m.names.name(msg.Method)
		m.judges.control(m, ev, dir, p)
		m.settle(from, dir, msg, m.out.Method, "")
		return decision{}
	}
	c := m.correlate(dir, msg)
	if msg.Has&jsonrpc.HasMethod != 0 {
		d = m.request(ev, dir, p)
	}
	if msg.IsResponse() {
		// With a method as well it is judged as both; the stronger wins.
		if r := m.response(ev, dir, p, c); d.verdict == Forward {
			d = r
		}
	}
	m.frameWide(from, dir, p)
	return d
}

// control reports progress and cancellation: notifications by method, in every
// reading of it, without result or error.
func (m *Machine) control(msg *jsonrpc.Message) bool {
	if msg.Has&jsonrpc.HasMethod == 0 || msg.IsResponse() {
		return false
	}
	return m.allMethods(msg, isControl)
}

// controls is control by the last reading of the method alone, for a driver that
// has no machine at hand.
func controls(msg *jsonrpc.Message) bool {
	return msg.Has&jsonrpc.HasMethod != 0 && !msg.IsResponse() && isControl(msg.Method)
}

// rescue turns a fault in a rule into a note, or with Strict into an abort; the
// frame itself passes (seed 000, 9).
func (m *Machine) rescue(ev *Event, msg *jsonrpc.Message, d *decision, from int) {
	r := recover()
	if r == nil {
		return
	}
	m.out.Findings = m.out.Findings[:from]
	*d = decision{}
	site := "request-policy"
	if msg.IsResponse() {
		site = "result-inspect"
	}
	m.fault(ev, site, fmt.Sprintf("%T", r), msg)
}

// fault notes an inspection that could not complete.
func (m *Machine) fault(ev *Event, site, kind string, msg *jsonrpc.Message) {
	id := msg.ID
	m.add(analyze.Finding{
		Rule: ruleFrameError, Tier: analyze.Note, Severity: analyze.Low, Action: analyze.Passed,
		Direction: m.out.Dir, RPCID: id, Block: -1,
		Message: "the inspection at " + site + " failed (" + kind + "); the frame passed unchanged",
	})
	if m.cfg.Strict {
		m.out.Abort = &Abort{Site: site, Tool: m.out.Tool, Type: kind, RPCID: id,
			ofServer: m.out.Dir == analyze.ServerToClient && !msg.IsResponse()}
		m.out.Verdict = Drop
	}
}

// frameError notes a frame that is no message. It passes unchanged.
func (m *Machine) frameError(ev *Event, why string) {
	m.add(analyze.Finding{
		Rule: ruleFrameError, Tier: analyze.Note, Severity: analyze.Low, Action: analyze.Passed,
		Direction: ev.Dir, Block: -1, Message: "the frame is no JSON-RPC message: " + why,
	})
	m.judges.unreadable(m, ev)
}

// add appends a finding that stands on the frame in hand.
func (m *Machine) add(f analyze.Finding) {
	m.here(&f)
	m.out.Findings = append(m.out.Findings, f)
}

func (m *Machine) here(f *analyze.Finding) {
	f.Place.Frame, f.Place.Line, f.Place.Offset = m.place.Frame, m.place.Line, m.place.Offset
}
