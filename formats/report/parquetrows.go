package report

// ParquetSchema is the version of the columns below; it grows when one is
// removed or changes its meaning, not when one is added. Each file carries it as
// the key "warden.schema".
const ParquetSchema = "1"

// The four tables. A column is nullable where its tag says optional, and then
// null wherever a recording has nothing to say; the schema never depends on the
// rows. Times are UTC in microseconds. Strings are UTF-8: bytes that are none
// became U+FFFD, and what looks like a secret is redacted. (trace, session_number)
// joins all four tables, with frame also frames and findings.
//
// Whole numbers are written as differences: most are small or grow slowly, so what
// is left to compress is a fraction of the plain form.
//
// The README documents the same columns; a test holds the two together.

// sessionRow is one session.
type sessionRow struct {
	Trace    string `parquet:"trace,dict"`                               // file name of the recording
	Session  string `parquet:"session,dict"`                             // name within the recording, "" for its only one
	Number   int32  `parquet:"session_number"`                           // from 0, in order of first frames
	Fidelity string `parquet:"fidelity,dict"`                            // wire, wire-elided, host-synthesised, metadata-only
	Protocol string `parquet:"protocol,optional,dict"`                   // revision that the session settled on
	Server   string `parquet:"server,optional,dict"`                     // name and version from initialize
	Start    int64  `parquet:"start_ts,optional,timestamp(microsecond)"` // of the earliest frame
	End      int64  `parquet:"end_ts,optional,timestamp(microsecond)"`   // of the latest
	Frames   int64  `parquet:"frames"`
	Bytes    int64  `parquet:"bytes"` // of all frames
	Calls    int64  `parquet:"calls"` // tool calls: rows of calls
	Block    int64  `parquet:"block_findings"`
	Monitor  int64  `parquet:"monitor_findings"`
	Note     int64  `parquet:"note_findings"`
}

// frameRow is one frame: a message, a batch, or what stands in for one.
type frameRow struct {
	Trace     string `parquet:"trace,dict"`
	Session   string `parquet:"session,dict"`
	Number    int32  `parquet:"session_number"`
	Frame     int64  `parquet:"frame"` // within the session, from 0
	TS        int64  `parquet:"ts,optional,timestamp(microsecond)"`
	Line      int64  `parquet:"line"`                    // of the recording, from 1; 0 where unknown
	Offset    int64  `parquet:"offset"`                  // of the frame in the uncompressed recording
	Direction string `parquet:"direction,optional,dict"` // c2s, s2c
	Kind      string `parquet:"kind,dict"`               // request, notification, response, error, batch, invalid, over-cap, http, text, binary
	Method    string `parquet:"method,optional,dict"`    // of the call that it belongs to
	Tool      string `parquet:"tool,optional,dict"`
	RPCID     string `parquet:"rpc_id,optional"` // as a JSON token: 7, "7"
	Bytes     int64  `parquet:"bytes"`
	IsError   bool   `parquet:"is_error"`              // the result says isError
	Inspected bool   `parquet:"inspected"`             // a rule family looked at it
	Lacking   string `parquet:"lacking,optional,dict"` // truncated, elided, redacted, synthetic, joined by commas
	Verdict   string `parquet:"verdict,dict"`          // forward, replace, drop
	Action    string `parquet:"action,dict"`           // strongest of its findings: passed, shadowed, modified, blocked
	Block     int32  `parquet:"block_findings"`
	Monitor   int32  `parquet:"monitor_findings"`
	Note      int32  `parquet:"note_findings"`
	Text      string `parquet:"text,optional"` // the frame itself; only with --include-text
}

// callRow is one tool call with all its round trips.
type callRow struct {
	Trace         string `parquet:"trace,dict"`
	Session       string `parquet:"session,dict"`
	Number        int32  `parquet:"session_number"`
	Call          int64  `parquet:"call"` // within the session, from 0, in order of requests
	Tool          string `parquet:"tool,dict"`
	RPCID         string `parquet:"rpc_id,optional"` // of the first request
	Status        string `parquet:"status,dict"`     // ok, tool-error, rpc-error, cancelled, unanswered
	Start         int64  `parquet:"start_ts,optional,timestamp(microsecond)"`
	End           int64  `parquet:"end_ts,optional,timestamp(microsecond)"`
	Latency       *int64 `parquet:"latency_us,optional"` // from the first request to the result
	RoundTrips    int32  `parquet:"round_trips"`         // requests: 1, and one for each retry
	Task          bool   `parquet:"task"`                // answered by a task
	RequestFrame  int64  `parquet:"request_frame"`
	RequestLine   int64  `parquet:"request_line"`
	RequestBytes  int64  `parquet:"request_bytes"`
	ResponseFrame *int64 `parquet:"response_frame,optional"`
	ResponseLine  *int64 `parquet:"response_line,optional"`
	ResponseBytes *int64 `parquet:"response_bytes,optional"`
	Action        string `parquet:"action,dict"` // strongest on any of its frames
	Block         int32  `parquet:"block_findings"`
	Monitor       int32  `parquet:"monitor_findings"`
	Note          int32  `parquet:"note_findings"`
	Arguments     string `parquet:"arguments,optional"` // JSON; only with --include-text
	Result        string `parquet:"result,optional"`    // JSON of the result or error; only with --include-text
}

// findingRow is one finding; the names are those of the JSONL report.
type findingRow struct {
	Rule        string    `parquet:"rule_id,dict"`
	SubRule     string    `parquet:"sub_rule,optional,dict"`
	Severity    string    `parquet:"severity,dict"`
	Level       string    `parquet:"level,dict"`
	Tier        string    `parquet:"tier,dict"`
	Action      string    `parquet:"action,dict"`
	Direction   string    `parquet:"direction,optional,dict"`
	RPCID       string    `parquet:"rpc_id,optional"`
	Method      string    `parquet:"method,optional,dict"`
	Tool        string    `parquet:"tool,optional,dict"`
	Block       int32     `parquet:"block_index"` // content block, -1 for none
	Message     string    `parquet:"message"`
	Snippet     string    `parquet:"snippet,optional"`
	Matched     []string  `parquet:"matched_phrases,list"`
	Trace       string    `parquet:"trace,dict"`
	Session     string    `parquet:"session,dict"`
	Number      int32     `parquet:"session_number"`
	Frame       int64     `parquet:"frame"` // -1 for a finding on no frame
	Line        int64     `parquet:"line"`
	Offset      int64     `parquet:"offset"`
	TS          int64     `parquet:"ts,optional,timestamp(microsecond)"`
	Pointer     string    `parquet:"pointer,optional,dict"` // JSON Pointer into the frame
	Spans       []spanRow `parquet:"spans,list"`            // what matched, in code points of the string there
	Fingerprint string    `parquet:"fingerprint"`
	IsError     bool      `parquet:"is_error"`
	Accepted    bool      `parquet:"accepted"` // by the baseline
}

type spanRow struct {
	Start int64 `parquet:"start"`
	End   int64 `parquet:"end"`
}

// micros is Unix nanoseconds in microseconds.
func micros(ns int64) int64 {
	if ns < 0 {
		return (ns - 999) / 1000
	}
	return ns / 1000
}
