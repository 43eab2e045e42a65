package profile

import (
	"bytes"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// revision is the one MCP revision of the profile.
const revision = "2025-06-18"

// mcpProfile judges MCP sessions: the public revision first (OCU-BASE), then
// the overlay of seed 002, each of its rules under its own id.
type mcpProfile struct {
	limits   limits
	audience string
	redact   *redactor
	memo     *toolMemo
}

func newMCP(l limits, o Options) *mcpProfile {
	return &mcpProfile{limits: l, audience: o.Audience, redact: &redactor{o.Secrets}, memo: newToolMemo()}
}

// Name is the profile's name.
func (p *mcpProfile) Name() string { return MCP }

// RecordingsOnly is false: guard runs this profile live.
func (p *mcpProfile) RecordingsOnly() bool { return false }

// NewSession starts a session.
func (p *mcpProfile) NewSession() Session { return &mcpSession{p: p, steps: sessionSteps} }

type mcpSession struct {
	p       *mcpProfile
	tools   toolSet
	cursors cursors
	http    httpLog
	// steps is what is left for checking structuredContent: hostile schemas
	// and results must not make a session cost more than its bytes are worth.
	steps  int64
	labels labels
	out    []analyze.Finding // of the last frame; its memory is used again
}

// keepFindings is how many findings a session keeps room for: a frame has few.
const keepFindings = 4

// The pool of steps that a session begins with, and what each byte adds.
const (
	sessionSteps = 20_000_000
	frameSteps   = 16 // a byte
)

// Close has nothing to add: all rules of this profile stand on frames.
func (s *mcpSession) Close() []analyze.Finding { return nil }

// Frame judges one frame.
func (s *mcpSession) Frame(f *Frame) []analyze.Finding {
	if f.Text || f.Binary {
		return nil // the exec channel is another profile's
	}
	s.steps = min(s.steps+frameSteps*int64(len(f.Raw)), 10*sessionSteps)
	v := verdicts{out: s.out[:0]}
	if f.HTTP != nil {
		s.httpRecord(f, &v)
	}
	switch {
	case f.Msg != nil:
		s.message(f, &v)
	case f.Batch:
		v.add("OCU-BATCH", "", "a JSON-RPC batch: this revision has none, a frame is a single message")
	case len(bytes.TrimSpace(f.Raw)) > 0:
		v.add("OCU-BASE", "", "the frame is no JSON-RPC message")
	}
	if cap(v.out) <= keepFindings {
		s.out = v.out
	}
	return v.out
}

// verdicts gathers what one frame gives. Faults of OCU-BASE come together in
// one finding.
type verdicts struct {
	out  []analyze.Finding
	base []baseFault
}

type baseFault struct{ pointer, what string }

func (v *verdicts) add(rule, pointer, message string) *analyze.Finding {
	v.out = append(v.out, newFinding(rule, pointer, message))
	return &v.out[len(v.out)-1]
}

func (v *verdicts) fault(pointer, what string) {
	if len(v.base) < 6 {
		v.base = append(v.base, baseFault{cutPointer(pointer), what})
	}
}

// close turns the faults into the frame's one OCU-BASE finding, which stands
// first: the revision is judged before the overlay.
func (v *verdicts) close(redact *redactor) {
	if len(v.base) == 0 {
		return
	}
	msg := "not the shape that MCP " + revision + " gives this message: "
	for i, f := range v.base {
		if i == 5 {
			msg += "; and more"
			break
		}
		if i > 0 {
			msg += "; "
		}
		if f.pointer != "" {
			msg += redact.pointer(f.pointer) + " "
		}
		msg += f.what
	}
	f := newFinding("OCU-BASE", redact.pointer(v.base[0].pointer), msg)
	v.out = append([]analyze.Finding{f}, v.out...)
}

// message judges a single message.
func (s *mcpSession) message(f *Frame, v *verdicts) {
	m := f.Msg
	if control(m) {
		return
	}
	if !f.Facts.quiet {
		envelope(m, v)
	}
	if m.Has&jsonrpc.HasMethod != 0 {
		s.request(f, v)
	}
	if m.Has&jsonrpc.HasError != 0 && !f.Facts.quiet {
		s.p.errorObject(m, v)
	}
	if m.Has&jsonrpc.HasResult != 0 && f.Request != nil {
		s.result(f, v)
	}
	v.close(s.p.redact)
}

// control reports the two notifications that nothing ever inspects (replay.md,
// "The machine").
func control(m *jsonrpc.Message) bool {
	if m.Has&jsonrpc.HasMethod == 0 || m.IsResponse() || m.Has&jsonrpc.HasID != 0 {
		return false
	}
	switch string(m.Method) {
	case "notifications/cancelled", "notifications/progress":
		return true
	}
	return false
}

// request judges a request or notification by its method.
func (s *mcpSession) request(f *Frame, v *verdicts) {
	m := f.Msg
	switch string(m.Method) {
	case "initialize":
		s.initializeParams(m, v)
	case "tools/list":
		s.shape("ListToolsParams", "/params", m.Params, v)
		if f.Dir != analyze.ServerToClient {
			cursor, _ := stringOf(member(m.Params, "cursor"))
			s.cursors.note(m.ID, cursor)
		}
	case "tools/call":
		s.call(f, v)
	default:
		if !f.Facts.quiet {
			methodOffered(m, v)
		}
	}
}

// methodOffered judges a message by its method alone.
func methodOffered(m *jsonrpc.Message, v *verdicts) {
	method := string(m.Method)
	if method == "notifications/tools/list_changed" {
		v.add("OCU-LIST-CHANGED", "/method", "notifications/tools/list_changed: the tool set of this profile is fixed and never announces a change")
	} else if feature := notOffered(method); feature != "" {
		v.add("OCU-METHOD", "/method", "a message of the "+feature+" feature, which this profile does not offer")
	}
}

// result judges the answer to a known request.
func (s *mcpSession) result(f *Frame, v *verdicts) {
	if kindOf(f.Msg.Result) != jsonrpc.Object {
		return // the envelope has said so
	}
	switch f.Request.Method {
	case "initialize":
		s.initializeResult(f.Msg, v)
	case "tools/list":
		s.toolList(f, v)
	case "tools/call":
		s.callResult(f, v)
	}
}

// shape judges a small value against a part of the revision. A value that is
// missing is the caller's matter.
func (s *mcpSession) shape(def, at string, raw []byte, v *verdicts) {
	if len(raw) == 0 || kindOf(raw) != jsonrpc.Object {
		return // the envelope has said so
	}
	shapeOf(def, at, raw, v)
}
