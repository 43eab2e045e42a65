package replay

import "github.com/warden-trace/warden/analyze"

// Verdict is what becomes of a frame.
type Verdict uint8

// Verdicts.
const (
	Forward Verdict = iota // the original bytes, untouched
	Replace                // Outcome.Bytes instead
	Drop                   // nothing goes on
)

// String returns "forward", "replace" or "drop".
func (v Verdict) String() string { return [...]string{"forward", "replace", "drop"}[v] }

// Outcome is the machine's answer to one event. Its slices are valid until the
// next Step.
type Outcome struct {
	Dir     analyze.Direction // as given or inferred
	Verdict Verdict
	Bytes   []byte   // for Replace: the frame to deliver, without framing
	Replies [][]byte // frames that go back to the sender: errors for denied requests
	// ToClient are frames for the client that answer no frame in hand: calls
	// that ran out of time.
	ToClient [][]byte
	Findings []analyze.Finding
	// Abort ends a strict session (replay.md, "--strict").
	Abort *Abort

	// Listed is set when the frame answers a list of tools, resources or
	// prompts: what a lock can be pinned from.
	Listed *Listed

	Message   bool // the frame is, or holds, a message of its protocol
	Inspected bool // a rule family looked at it
	Calls     int  // tool calls that this frame begins (a retry is no new call)
	Method    string
	Tool      string
}

// Abort is why a strict session ends: made of fixed words, sizes and the tool's
// name alone.
type Abort struct {
	Site  string // "request-policy", "result-inspect", "list-gate", "frame-cap-s2c", "frame-cap-c2s"
	Tool  string
	Type  string // the kind of fault
	RPCID []byte
	Size  int64

	ofServer bool // RPCID is of a request of the server's own
}

// Listed is the answer to a list request; Result is nil for an error.
type Listed struct {
	Method string
	Cursor string // of the request; "" begins a list
	Result []byte
}
