// Package analyze says what a frame means and what is wrong with it. It and
// everything below it are pure: bytes in, findings out; no I/O, no clock, no
// goroutine, no global state that changes.
//
// This package holds the vocabulary that all rules, drivers and reports share;
// the rules themselves live in the packages below it.
package analyze

import (
	"encoding/json"
	"time"
)

// Direction says which way a frame travels.
type Direction uint8

// Directions. A record without a direction is Unknown until the session
// machine has inferred one (protocol.md, "Direction of a bare frame").
const (
	Unknown        Direction = iota
	ClientToServer           // "c2s"
	ServerToClient           // "s2c"
)

// String returns "c2s", "s2c" or "".
func (d Direction) String() string {
	switch d {
	case ClientToServer:
		return "c2s"
	case ServerToClient:
		return "s2c"
	}
	return ""
}

// Opposite returns the other direction; Unknown stays Unknown.
func (d Direction) Opposite() Direction {
	switch d {
	case ClientToServer:
		return ServerToClient
	case ServerToClient:
		return ClientToServer
	}
	return Unknown
}

// Coverage chooses between the original catalog and the project's wider one
// (catalog.md).
type Coverage uint8

// Coverages. Full is the default everywhere.
const (
	Full Coverage = iota
	Spec
)

// String returns "full" or "spec".
func (c Coverage) String() string {
	if c == Spec {
		return "spec"
	}
	return "full"
}

// Tier is what a rule may do: block (a fact about bytes), monitor (an
// inference), note (never blocks). Higher is stronger.
type Tier uint8

// Tiers, weakest first.
const (
	Note Tier = iota
	Monitor
	Block
)

// String returns "note", "monitor" or "block".
func (t Tier) String() string { return [...]string{"note", "monitor", "block"}[t] }

// Severity orders findings for a reader. Higher is worse.
type Severity uint8

// Severities, mildest first.
const (
	Low Severity = iota
	Medium
	High
	Critical
)

// String returns "low", "medium", "high" or "critical".
func (s Severity) String() string { return [...]string{"low", "medium", "high", "critical"}[s] }

// Level is the SARIF level of a severity (catalog.md, "Tiers").
func (s Severity) Level() string {
	switch s {
	case Critical, High:
		return "error"
	case Medium:
		return "warning"
	}
	return "note"
}

// Action is what guard did, or offline would have done, about a finding
// (replay.md, "Posture").
type Action uint8

// Actions.
const (
	Passed   Action = iota // a note, or a monitor rule that was not asked to block
	Shadowed               // would block, but the posture forbids it
	Modified               // redacted in place
	Blocked                // replaced by an error, or not forwarded
)

// String returns "passed", "shadowed", "modified" or "blocked".
func (a Action) String() string { return [...]string{"passed", "shadowed", "modified", "blocked"}[a] }

// Span is a half-open range [Start, End) of code points of a decoded string.
type Span struct{ Start, End int }

// MarshalJSON writes a span as [start, end].
func (s Span) MarshalJSON() ([]byte, error) { return json.Marshal([2]int{s.Start, s.End}) }

// Finding is one thing that a rule has to say about one frame, surface or
// session. No field ever holds more of a matched secret than its redaction
// form (catalog.md), and none is escaped for a terminal: that is the reports'
// work.
type Finding struct {
	Rule     string // the rule id, e.g. "WRD-RES-ANSI"
	SubRule  string // for SECRET-ECHO the WRD-SEC-* id; else mostly empty
	Tier     Tier
	Severity Severity
	Action   Action

	Direction Direction
	RPCID     []byte // raw JSON token of the frame's id; nil where there is none
	Method    string // method of the call that the frame belongs to
	Tool      string // tool of that call, as the request named it
	Block     int    // content block index; -1 where there is none
	Pointer   string // JSON Pointer into the frame; "" is the whole frame
	Spans     []Span // what matched, in code points of the string at Pointer
	Message   string // one sentence: what was found
	Snippet   string // redacted evidence
	Matched   []string
	IsError   bool // the result said isError true

	// Suppressed is what a baseline says of the finding; nil where none does.
	// Only reports ask: no verdict depends on it.
	Suppressed *Suppression

	Place // where in the recording
}

// Place says where in a recording a finding stands.
type Place struct {
	Trace   string
	Session string
	Frame   int   // number of the frame within its session, from 0; -1 for a finding on no frame
	Line    int64 // 1-based line of the trace file; 0 where unknown
	Offset  int64 // byte offset of the frame in the uncompressed stream
	Column  int64 // 1-based, in code points: where the frame begins in its line; 0 where unknown
	// EndColumn is that behind the frame's last character, where the frame ends in
	// the line that it begins in; else 0.
	EndColumn int64
	TS        time.Time // zero where the recording has no time
	// Fingerprint is 128 bits of SHA-256 in hex, stable over re-recording
	// (product.md). Set by the driver that knows the whole file.
	Fingerprint string
}

// Level is the SARIF level of the finding.
func (f *Finding) Level() string { return f.Severity.Level() }

// Suppression is the entry of a baseline that a finding has met.
type Suppression struct {
	State   string // "accepted", "false-positive" or "true-positive"
	Reason  string
	Owner   string
	Expires string // YYYY-MM-DD, the last day on which it holds; "" for ever
	Expired bool
}

// Accepted reports a finding that a baseline takes out of what counts: its entry
// has not expired and does not confirm the finding instead.
func (f *Finding) Accepted() bool {
	s := f.Suppressed
	return s != nil && !s.Expired && s.State != "true-positive"
}
