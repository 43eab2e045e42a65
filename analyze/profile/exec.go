package profile

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// execProfile judges recordings of the exec channel: each text frame against
// the schema of seed 002, and the order that the seed's comments fix
// (policy.md, sections 3 and 4).
type execProfile struct {
	o      Options
	redact *redactor
}

func newExec(o Options) *execProfile { return &execProfile{o: o, redact: &redactor{o.Secrets}} }

// Name is the profile's name.
func (p *execProfile) Name() string { return Exec }

// RecordingsOnly is true: no live peer of guard speaks the exec channel.
func (p *execProfile) RecordingsOnly() bool { return true }

// Facts says nothing: this channel has no messages.
func (p *execProfile) Facts(*jsonrpc.Message, *jsonrpc.Flat) Facts { return Facts{} }

// NewSession starts a session.
func (p *execProfile) NewSession() Session { return &execSession{p: p} }

// maxBinary is the largest binary frame, the negotiated WebSocket buffer
// (seed 002, NFR-SEC-46).
const maxBinary = 32768

// execSession is the order machine. What a frame means for the order is told
// by its tag alone: a frame that the schema refuses still stands where it does.
type execSession struct {
	p    *execProfile
	kind sessionKind

	client side
	server side

	handshake handshakeState
	caps      capsState
	answered  bool // the first answer, right or wrong, or what came in its place
	blamed    bool // EXEC-ANSWER has been said of what came before the answer
	exited    string

	streams [3]execStream
	// compressedSaid: the one note of EXEC-COMPRESSED has been given.
	compressedSaid bool
}

// sessionKind tells the exec channel from MCP sessions in the same run: the
// profile has nothing to say of the latter.
type sessionKind uint8

const (
	kindUnknown sessionKind = iota
	kindExec
	kindMCP
)

// side is one direction's state.
type side struct {
	frames int
	// due is the stream whose bytes the next frame of this direction must be;
	// noStream when none was announced.
	due     stream
	dueSaid bool // EXEC-ANNOUNCE has been said of the announce that is due
}

// handshakeState is what the client's handshake asked for.
type handshakeState struct {
	seen, said   bool // said: EXEC-HANDSHAKE about its place
	create       bool // create_req was there: a spawn, else a reattach
	timeout      bool
	cpuTimeout   bool
	reattachable bool
	reuse        bool
	wantTraces   bool
	compression  bool
}

// capsState is what the server's first frame offered.
type capsState struct {
	seen        bool
	traces      bool
	compression bool
}

// Close reads what is left of the streams.
func (s *execSession) Close() []analyze.Finding {
	var v verdicts
	s.drain(&v)
	return v.out
}

// Frame judges one frame.
func (s *execSession) Frame(f *Frame) []analyze.Finding {
	var v verdicts
	switch {
	case f.Binary:
		s.kind = kindExec
		s.binary(f, &v)
	case f.Text:
		s.kind = kindExec
		s.text(f, &v)
	case s.foreign(f):
	default:
		// Bytes in a text frame's place that are no JSON value, or one with
		// raw line breaks, are recorded apart from it.
		s.text(f, &v)
	}
	return v.out
}

// foreign reports a record that is none of the exec channel's.
func (s *execSession) foreign(f *Frame) bool {
	if f.Msg != nil && f.Msg.Has&(jsonrpc.HasMethod|jsonrpc.HasResult|jsonrpc.HasError|jsonrpc.HasJSONRPC) != 0 || f.Batch {
		if s.kind == kindUnknown {
			s.kind = kindMCP
		}
		return true
	}
	return s.kind == kindMCP || len(f.Raw) == 0 || f.HTTP != nil
}

func (s *execSession) side(d analyze.Direction) *side {
	if d == analyze.ServerToClient {
		return &s.server
	}
	return &s.client
}
