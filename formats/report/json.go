package report

import (
	"io"
	"sort"
	"strconv"
	"time"

	"github.com/warden-trace/warden/analyze"
)

// NewJSON returns the JSONL handler (product.md): one object a line, written as
// the run goes. Its kinds are "result-finding", "problem", "trace-summary" and,
// last, one "run-summary". The names of a finding's members up to
// matched_phrases are kept from the original tool; its users' filters depend on
// them, and on their order as little as anybody's should.
//
// The lines are written by hand: this handler sees every finding of a large
// run, and reflection would be most of its cost.
func NewJSON(w io.Writer, run *Run) Handler {
	return &jsonl{out: newOut(w), run: run, lens: newLens(run)}
}

// NewLiveJSON is NewJSON for a session that is under way: each line is handed on
// at once, and flushed where w has a Flush, as files of package target do.
func NewLiveJSON(w io.Writer, run *Run) Handler {
	h := &jsonl{out: newOut(w), run: run, lens: newLens(run)}
	h.live = true
	return h
}

type jsonl struct {
	out
	run  *Run
	lens *lens
}

func (h *jsonl) Finding(f *analyze.Finding) error {
	v := h.lens.view(f)
	b := append(h.buf, `{"kind":"result-finding"`...)
	b = str(b, "rule_id", f.Rule)
	b = str(b, "sub_rule", f.SubRule)
	b = str(b, "severity", f.Severity.String())
	b = str(b, "level", f.Level())
	b = str(b, "tier", f.Tier.String())
	b = str(b, "action", f.Action.String())
	b = str(b, "direction", f.Direction.String())
	b = appendID(append(b, `,"rpc_id":`...), v.id)
	b = str(b, "tool", v.tool)
	b = num(b, "block_index", int64(f.Block))
	b = str(b, "message", v.message)
	b = str(b, "snippet", v.snippet)
	b = append(b, `,"matched_phrases":`...)
	b = h.matched(b, f.Matched)
	b = str(b, "trace", v.trace)
	b = str(b, "session", v.session)
	b = num(b, "frame", int64(f.Frame))
	b = num(b, "line", f.Line)
	b = num(b, "offset", f.Offset)
	b = appendTime(append(b, `,"ts":`...), f.TS)
	b = str(b, "pointer", v.pointer)
	b = spans(append(b, `,"spans":`...), f.Spans)
	b = str(b, "fingerprint", f.Fingerprint)
	b = str(b, "method", v.method)
	b = append(b, `,"is_error":`...)
	b = strconv.AppendBool(b, f.IsError)
	if f.Suppressed != nil {
		b = h.baseline(b, f)
	}
	h.buf = append(b, "}\n"...)
	return h.spill()
}

// baseline appends what the baseline says of a finding.
func (h *jsonl) baseline(b []byte, f *analyze.Finding) []byte {
	s := f.Suppressed
	b = strconv.AppendBool(append(b, `,"baseline":{"accepted":`...), f.Accepted())
	b = str(b, "state", s.State)
	b = str(b, "reason", h.lens.message.Raw(s.Reason))
	b = str(b, "owner", h.lens.tool.Raw(s.Owner))
	b = str(b, "expires", s.Expires)
	b = strconv.AppendBool(append(b, `,"expired":`...), s.Expired)
	return append(b, '}')
}

func (h *jsonl) matched(b []byte, m []string) []byte {
	b = append(b, '[')
	for i, s := range m {
		if i == maxMatched {
			break
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, h.lens.matched.Raw(s))
	}
	return append(b, ']')
}

func (h *jsonl) Problem(p *Problem) error {
	b := append(h.buf, `{"kind":"problem"`...)
	b = str(b, "trace", h.lens.trace.Raw(p.Trace))
	b = num(b, "line", p.Line)
	b = num(b, "offset", p.Offset)
	b = str(b, "message", h.lens.message.Raw(p.Message))
	b = strconv.AppendBool(append(b, `,"fatal":`...), p.Fatal)
	b = strconv.AppendBool(append(b, `,"parse_error":`...), p.Parse)
	h.buf = append(b, "}\n"...)
	return h.spill()
}

func (h *jsonl) Trace(t *Trace) error {
	b := append(h.buf, `{"kind":"trace-summary"`...)
	b = str(b, "trace", h.lens.trace.Raw(t.Name))
	b = str(b, "format", t.Format)
	b = str(b, "fidelity", t.Fidelity)
	b = strconv.AppendBool(append(b, `,"incomplete":`...), t.Incomplete)
	b = num(b, "bytes", t.Bytes)
	b = num(b, "frames", t.Frames)
	b = num(b, "frames_inspected", t.Inspected)
	b = num(b, "parse_errors", t.ParseErrors)
	b = counts(b, &t.Counts)
	b = num(b, "sessions", max(t.SessionsAll, int64(len(t.Sessions))))
	b = append(b, `,"busiest_sessions":[`...)
	for i := range t.Sessions {
		if i > 0 {
			b = append(b, ',')
		}
		b = h.session(b, &t.Sessions[i])
	}
	h.buf = append(b, "]}\n"...)
	return h.spill()
}

func (h *jsonl) session(b []byte, s *Session) []byte {
	b = appendJSON(append(b, `{"session":`...), h.lens.session.Raw(s.Name))
	b = num(b, "number", int64(s.Number))
	b = str(b, "fidelity", s.Fidelity)
	b = num(b, "frames", s.Frames)
	b = num(b, "calls", s.Calls)
	b = appendTime(append(b, `,"start":`...), s.Start)
	b = appendTime(append(b, `,"end":`...), s.End)
	b = str(b, "protocol", h.lens.method.Raw(s.Protocol))
	b = str(b, "server", h.lens.tool.Raw(s.Server))
	return append(counts(b, &s.Counts), '}')
}

// counts appends findings by tier and by rule.
func counts(b []byte, c *Counts) []byte {
	b = append(b, `,"tiers":{"block":`...)
	b = strconv.AppendInt(b, c.Block, 10)
	b = num(b, "monitor", c.Monitor)
	b = num(b, "note", c.Note)
	b = append(b, '}')
	if c.Accepted > 0 {
		b = num(b, "accepted", c.Accepted)
	}
	return rules(b, c.Rules)
}

// rules appends the member "findings": counts by rule, sorted by its id.
func rules(b []byte, m map[string]int64) []byte {
	b = append(b, `,"findings":{`...)
	for i, id := range sortedRules(m) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSON(b, id), ':')
		b = strconv.AppendInt(b, m[id], 10)
	}
	return append(b, '}')
}

// sortedRules are the rules with findings, by id.
func sortedRules(m map[string]int64) []string {
	ids := make([]string, 0, len(m))
	for id, n := range m {
		if n > 0 {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids)
	return ids
}

func (h *jsonl) Close(s *Summary) error {
	b := append(h.buf, `{"kind":"run-summary"`...)
	b = num(b, "frames", s.Frames)
	b = num(b, "frames_inspected", s.Inspected)
	b = num(b, "sessions", s.Sessions)
	b = num(b, "traces", s.Traces)
	b = num(b, "bytes", s.Bytes)
	b = num(b, "inject_phrase_findings", s.InjectPhraseFindings)
	b = rules(b, s.Counts.Rules)
	if s.Counts.Accepted > 0 {
		b = num(b, "accepted", s.Counts.Accepted)
	}
	b = num(b, "parse_errors", s.ParseErrors)
	b = num(b, "exit_code", int64(s.ExitCode))
	b = str(b, "version", h.run.Version)
	b = str(b, "ruleset", h.run.Ruleset)
	b = str(b, "coverage", h.run.Coverage.String())
	b = num(b, "unrecognised_files", s.Unrecognised)
	b = strconv.AppendBool(append(b, `,"interrupted":`...), s.Interrupted)
	h.buf = append(b, "}\n"...)
	return h.close()
}

func (h *jsonl) Abort() { h.abort() }

// str appends the member key with a string.
func str(b []byte, key, s string) []byte {
	b = append(append(append(b, ',', '"'), key...), '"', ':')
	return appendJSON(b, s)
}

// num appends the member key with an integer.
func num(b []byte, key string, n int64) []byte {
	b = append(append(append(b, ',', '"'), key...), '"', ':')
	return strconv.AppendInt(b, n, 10)
}

// appendID appends an id: a number as it was written, a string, or null.
func appendID(b []byte, id rpcID) []byte {
	switch id.kind {
	case idNumber:
		return append(b, id.text...)
	case idString, idHuge:
		return appendJSON(b, id.text)
	}
	return append(b, "null"...)
}

// appendTime appends a time in RFC 3339, UTC, or null for the zero time.
func appendTime(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

// spans appends [[start,end],...].
func spans(b []byte, s []analyze.Span) []byte {
	b = append(b, '[')
	for i, p := range s {
		if i == maxMatched {
			break
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), int64(p.Start), 10)
		b = strconv.AppendInt(append(b, ','), int64(p.End), 10)
		b = append(b, ']')
	}
	return append(b, ']')
}
