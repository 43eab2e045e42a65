// Package calls follows tool calls through a session: from the request that
// begins one to the frame that delivers its result (protocol.md, "Calls"). A
// retry that answers a request for input continues the call that it retries,
// and a task's call ends when the tool's result is delivered, so latency is what
// the caller waited. The package judges nothing; it reads what the session
// machine has been fed.
package calls

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/replay"
)

// Status is how a call ended.
type Status uint8

// Statuses.
const (
	Unanswered Status = iota // no result in the recording
	OK                       // a result
	ToolError                // a result with isError true, or a failed task
	RPCError                 // a JSON-RPC error
	Cancelled                // the client withdrew it
)

// String returns the name that reports show.
func (s Status) String() string {
	return [...]string{"unanswered", "ok", "tool-error", "rpc-error", "cancelled"}[s]
}

// Call is one tool call. Times are Unix nanoseconds, 0 where unknown.
type Call struct {
	Number int64 // of the call within its session, from 0, in order of requests
	Tool   string
	ID     []byte // raw JSON token of the first request's id
	Status Status
	Start  int64
	End    int64
	// RoundTrips is the number of requests that made up the call: 1, and one
	// more for each retry. Asking after a task is none.
	RoundTrips int
	Task       bool

	Request  replay.Place // the first request
	Response replay.Place // the frame that ended it; its Line is 0 where there is none
	// Sizes in bytes of the frames that carried the first request and the end.
	RequestSize, ResponseSize int64

	// Findings on the call's frames, by tier, and the strongest action on them.
	Block, Monitor, Note int
	Action               analyze.Action

	// Params and Result are set where the Tracker keeps payloads: raw JSON, the
	// last from an error where that ended the call.
	Params, Result []byte

	tool  string        // as Tool; the key of the waiting list
	state string        // requestState of the last answer
	keys  []jsonrpc.Key // in flight; nearly always the one that key has room for
	key   [1]jsonrpc.Key
	tasks []string
	order node
}

// Answered reports that the call has both ends in the recording.
func (c *Call) Answered() bool { return c.Status != Unanswered }

// Latency is the time in nanoseconds from the first request to the end, and
// whether it is known.
func (c *Call) Latency() (int64, bool) {
	if !c.Answered() || c.Start == 0 || c.End == 0 || c.End < c.Start {
		return 0, false
	}
	return c.End - c.Start, true
}

// add counts the findings on one of the call's frames.
func (c *Call) add(fs []analyze.Finding, id []byte, alone bool) {
	for i := range fs {
		f := &fs[i]
		if !alone && string(f.RPCID) != string(id) {
			continue
		}
		switch f.Tier {
		case analyze.Block:
			c.Block++
		case analyze.Monitor:
			c.Monitor++
		default:
			c.Note++
		}
		c.Action = max(c.Action, f.Action)
	}
}
