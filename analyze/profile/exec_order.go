package profile

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// stream is one of a process's standard streams.
type stream uint8

const (
	noStream stream = iota
	stdIn
	stdOut
	stdErr
)

func (s stream) String() string { return [...]string{"none", "stdin", "stdout", "stderr"}[s] }

// announces are the tags that say what the next binary frame is.
var announces = map[string]stream{"ExpectStdIn": stdIn, "ExpectStdOut": stdOut, "ExpectStdErr": stdErr}

// ends are the tags after which a stream has no more bytes.
var ends = map[string]stream{"StdInEOF": stdIn, "StdOutEOF": stdOut, "StdErrEOF": stdErr}

// exits are the tags that say that the process is gone.
var exits = map[string]bool{"ProcessExited": true, "ProcessTimedOut": true, "ProcessCpuTimedOut": true,
	"ProcessOutOfMemory": true, "ContainerOutOfMemory": true}

// afterExit are the server's tags that may still come then.
var afterExit = map[string]bool{"StdOutEOF": true, "StdErrEOF": true, "StdInEOF": true, "TraceEvent": true,
	"InfraError": true, "ShuttingDown": true}

// order moves the machine by one text frame.
func (s *execSession) order(d analyze.Direction, x execFrame, v *verdicts) {
	side := s.side(d)
	side.frames++
	s.announced(side, x, v)
	if d == analyze.ServerToClient {
		s.serverFrame(x, v)
	} else {
		s.clientFrame(x, v)
	}
	if x.tag == "TraceEvent" {
		s.traceEvent(v)
	}
	if st, ok := ends[x.tag]; ok {
		s.endOf(st, v)
	}
}

// announced judges a text frame where announced bytes are due, and takes a new
// announce.
func (s *execSession) announced(side *side, x execFrame, v *verdicts) {
	if side.due != noStream && !side.dueSaid {
		v.add("EXEC-ANNOUNCE", "", "a text frame stands where the announced bytes of "+side.due.String()+" are due")
		side.dueSaid = true
	}
	if st, ok := announces[x.tag]; ok {
		side.due, side.dueSaid = st, false
	}
}

// clientFrame judges the place of the handshake and what depends on it.
func (s *execSession) clientFrame(x execFrame, v *verdicts) {
	h := &s.handshake
	switch {
	case x.handshake && h.seen:
		v.add("EXEC-HANDSHAKE", "", "a second handshake: a session has exactly one")
		return
	case x.handshake:
		if s.client.frames > 2 {
			s.lateHandshake("the handshake comes as client frame "+itoa(s.client.frames)+": it must be one of the first two", v)
		}
		s.takeHandshake(x.body)
		return
	case !h.seen && x.tag != "KeepAlive":
		s.lateHandshake("a client frame other than KeepAlive comes before the handshake", v)
	case !h.seen && s.client.frames >= 2:
		s.lateHandshake("the handshake is none of the first two client frames", v)
	}
	switch x.tag {
	case "Detach":
		if h.seen && h.create && !h.reattachable {
			v.add("EXEC-DETACH", "/Detach", "Detach, where reattachable was not asked for")
		}
	case "ConnectionCapabilities":
		v.add("EXEC-CAPABILITIES", "/ConnectionCapabilities", "ConnectionCapabilities from the client: it is the server's first frame")
	}
}

// lateHandshake says once that the handshake is not where it must be.
func (s *execSession) lateHandshake(msg string, v *verdicts) {
	if !s.handshake.said {
		s.handshake.said = true
		v.add("EXEC-HANDSHAKE", "", msg)
	}
}

func (s *execSession) takeHandshake(doc *jsonrpc.Value) {
	isTrue := func(v *jsonrpc.Value) bool { return v != nil && v.Kind == jsonrpc.Bool && v.True }
	create := doc.Get("create_req")
	h := &s.handshake
	h.seen = true
	h.create = create != nil
	h.timeout = create.Get("timeout") != nil
	h.cpuTimeout = create.Get("cpu_timeout") != nil
	h.reattachable = isTrue(create.Get("reattachable"))
	h.reuse = isTrue(create.Get("allow_process_id_reuse"))
	h.wantTraces = isTrue(doc.Get("want_trace_events"))
	h.compression = isTrue(doc.Get("accept_compression"))
}

// traceEvent judges a TraceEvent of either side: both must have agreed to it
// by now. Where the recording has no client frame, nobody knows.
func (s *execSession) traceEvent(v *verdicts) {
	if !s.handshake.seen && s.client.frames == 0 {
		return
	}
	if !s.handshake.wantTraces || !s.caps.traces {
		v.add("EXEC-TRACE", "/TraceEvent", "a TraceEvent that the two sides have not negotiated")
	}
}

// serverFrame judges a text frame of the server.
func (s *execSession) serverFrame(x execFrame, v *verdicts) {
	first := s.server.frames == 1
	if x.tag == "ConnectionCapabilities" {
		if !first {
			v.add("EXEC-CAPABILITIES", "/ConnectionCapabilities", "ConnectionCapabilities again or late: it is the server's first frame and no other")
		}
		s.takeCapabilities(x.body)
	} else if first {
		v.add("EXEC-CAPABILITIES", "", "the server's first frame is not ConnectionCapabilities")
	}
	if x.handshake {
		v.add("EXEC-HANDSHAKE", "", "a handshake from the server: it is the client's")
	}
	s.gone(x.tag, v)
	s.answer(x, first, v)
	switch x.tag {
	case "ProcessTimedOut":
		if s.handshake.create && !s.handshake.timeout {
			v.add("EXEC-TIMEOUT", "/ProcessTimedOut", "ProcessTimedOut, where create_req asked for no timeout")
		}
	case "ProcessCpuTimedOut":
		if s.handshake.create && !s.handshake.cpuTimeout {
			v.add("EXEC-TIMEOUT", "/ProcessCpuTimedOut", "ProcessCpuTimedOut, where create_req asked for no cpu_timeout")
		}
	}
	if exits[x.tag] && s.exited == "" {
		s.exited = x.tag
		s.drain(v)
	}
}

func (s *execSession) takeCapabilities(body *jsonrpc.Value) {
	isTrue := func(v *jsonrpc.Value) bool { return v != nil && v.Kind == jsonrpc.Bool && v.True }
	if s.caps.seen {
		return // the first counts
	}
	s.caps = capsState{seen: true, traces: isTrue(body.Get("supports_traces")), compression: isTrue(body.Get("supports_compression"))}
}

// gone judges a server frame after the process has ended.
func (s *execSession) gone(tag string, v *verdicts) {
	if s.exited == "" || afterExit[tag] {
		return
	}
	what := tag
	if plainTag := execTags()[tag]; !plainTag {
		what = "a frame"
	}
	v.add("EXEC-AFTER-EXIT", "", what+" from the server after "+s.exited)
}

// answer judges what answers the handshake.
func (s *execSession) answer(x execFrame, first bool, v *verdicts) {
	h := &s.handshake
	form := answers[x.tag]
	if form == answerNone {
		// Before the answer nothing but trace events may come. The frame that
		// stands in ConnectionCapabilities' place has been blamed for that.
		if !s.answered && !s.blamed && !first && h.seen && x.tag != "TraceEvent" && x.tag != "ConnectionCapabilities" {
			s.blamed = true
			v.add("EXEC-ANSWER", "", "a server frame before the answer to the handshake")
		}
		return
	}
	if s.answered {
		if form != answerAny {
			v.add("EXEC-ANSWER", "/"+x.tag, x.tag+" after the handshake has been answered")
		}
		return
	}
	s.answered = true
	switch {
	case !h.seen || form == answerAny:
	case h.create && form == answerReattach:
		v.add("EXEC-ANSWER", "/"+x.tag, x.tag+" answers a handshake with create_req: only Created forms and failures do")
	case !h.create && form == answerCreate:
		v.add("EXEC-ANSWER", "/"+x.tag, x.tag+" answers a handshake without create_req: only Attached forms, ProcessNotRunning and ProcessAlreadyAttached do")
	case h.reuse && x.tag == "FailedToStartProcessWithSameIdRunning":
		v.add("EXEC-ANSWER", "/"+x.tag, x.tag+", where create_req allowed the id to be used again")
	}
}

// answerForm is what kind of handshake a tag answers.
type answerForm uint8

const (
	answerNone answerForm = iota
	answerCreate
	answerReattach
	answerAny
)

var answers = map[string]answerForm{
	"ProcessCreated": answerCreate, "ProcessCreatedV2": answerCreate, "FailedToStart": answerCreate,
	"FailedToStartProcessWithSameIdRunning": answerCreate,
	"AttachedToProcess":                     answerReattach, "AttachedToProcessV2": answerReattach,
	"ProcessNotRunning": answerReattach, "ProcessAlreadyAttached": answerReattach,
	"InfraError": answerAny,
}
