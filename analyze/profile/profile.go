// Package profile judges sessions against a named contract: the MCP profile
// `ocu-mcp-2025-06-18` (rules OCU-*) and the exec channel `ocu-exec` (rules
// EXEC-*), both of policy.md sections 3 and 4.
//
// Everything here is pure. A Profile is compiled once and shared; a Session
// keeps what one recorded or live session has shown so far, in bounded memory.
// The session machine correlates requests and answers and fills direction, id,
// action and place of the findings.
package profile

import (
	"fmt"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Names of the profiles, as `--profile` takes them.
const (
	MCP  = "ocu-mcp-2025-06-18"
	Exec = "ocu-exec"
)

// Names lists the profiles.
func Names() []string { return []string{MCP, Exec} }

// Options steer all profiles of a run; each takes what concerns it.
type Options struct {
	// Limits are the `--limit NAME=N` settings without a family prefix, by the
	// names of LimitNames. A missing name keeps its default.
	Limits map[string]int64
	// Audience is `--audience`; "" turns OCU-HTTP-AUDIENCE off.
	Audience string
	// Secrets finds credentials in a text (EXEC-SECRET); nil takes the
	// built-in vendor patterns and entropy.
	Secrets func(text []byte) []Secret
	// Catalog runs the result catalog, charset binary-ok, over a piece of an
	// exec session's stdout or stderr; nil turns that off. Spans of what it
	// returns count code points of the piece.
	Catalog func(text []byte) []analyze.Finding
}

// Secret is one credential in a text, as byte offsets.
type Secret struct {
	Sub        string // WRD-SEC-* id
	Start, End int
}

// Profile is one compiled profile, safe for use by several goroutines.
type Profile interface {
	Name() string
	// RecordingsOnly reports that guard must refuse the profile.
	RecordingsOnly() bool
	NewSession() Session
	// Facts says of a message what needs no session, for its Frame. flat is a
	// request laid flat, nil where nobody has done so.
	Facts(m *jsonrpc.Message, flat *jsonrpc.Flat) Facts
}

// Session is the state of one session. It is not safe for use by several
// goroutines.
type Session interface {
	// Frame judges one frame, in the order of the recording. The findings have
	// no place, direction, id or action yet; the slice is valid until the next
	// call.
	Frame(f *Frame) []analyze.Finding
	// Close judges what the end of the session shows.
	Close() []analyze.Finding
}

// Frame is one frame as a profile needs it. Slices are only read during the
// call.
type Frame struct {
	Dir analyze.Direction
	TS  int64  // Unix nanoseconds, 0 where unknown
	Raw []byte // the whole frame as observed; nil for a record without a message
	// Msg is nil when the frame is no single message.
	Msg *jsonrpc.Message
	// Flat is a request laid flat, where somebody has done so: it saves reading
	// its params again. nil elsewhere.
	Flat *jsonrpc.Flat
	// Facts are what the profile has said of Msg; nothing where it was not asked.
	// They make the judging cheaper and never another.
	Facts Facts
	// Batch marks the frame of a whole array. Its elements may follow as
	// frames of their own, without Batch and HTTP.
	Batch bool
	// Request is, for a response, the request that it answers; nil if unknown.
	Request *Request
	// InFlight counts the tools/call requests in flight before this frame.
	InFlight int
	HTTP     []byte // raw JSON of the record's `http` member, nil if none

	// Text and Binary mark records of the exec channel. Raw is a text frame's
	// JSON value; Bytes are a binary frame's, where HasBytes says that they
	// were recorded; Size is its length in any case.
	Text, Binary bool
	Bytes        []byte
	Size         int64
	HasBytes     bool
}

// Request is what a response answers.
type Request struct {
	Method string
	Tool   string // params.name of a tools/call
	Params []byte // raw JSON; nil where there were none
}

// New compiles a profile. An unknown name or limit is an error that lists the
// known ones.
func New(name string, o Options) (Profile, error) {
	l, err := limitsFrom(o.Limits)
	if err != nil {
		return nil, err
	}
	if o.Secrets == nil {
		o.Secrets = builtinSecrets()
	}
	switch name {
	case MCP:
		return newMCP(l, o), nil
	case Exec:
		return newExec(o), nil
	}
	return nil, fmt.Errorf("unknown profile %q: known are %s", name, strings.Join(Names(), ", "))
}
