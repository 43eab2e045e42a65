package offline

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay/where"
)

// choose decides whether the frame and which of its findings count.
func (m *merge) choose(o *Observation) {
	o.Matched, o.Matching = true, o.Outcome.Findings
	w := m.o.Where
	if w == nil {
		return
	}
	e := &m.env
	o.Env(e, w.Uses("raw"))
	o.Matched, m.matching = o.Choose(w, e, m.matching[:0])
	o.Matching = m.matching
}

// Choose tries an expression on an observation whose frame Env has put into e.
// It appends the findings that match to dst and reports whether the frame does.
func (o *Observation) Choose(w *where.Filter, e *where.Env, dst []analyze.Finding) (bool, []analyze.Finding) {
	fs := o.Outcome.Findings
	if len(fs) == 0 {
		e.SetFinding(nil)
		return o.Record != nil && w.Match(e), dst
	}
	from := len(dst)
	for i := range fs {
		e.SetFinding(&fs[i])
		if w.Match(e) {
			dst = append(dst, fs[i])
		}
	}
	return len(dst) > from, dst
}

// Env puts the frame into e, its bytes only with raw.
func (o *Observation) Env(e *where.Env, raw bool) {
	*e = where.Env{Trace: o.Trace, Session: o.Session.Name, Frame: -1, Rules: e.Rules[:0], Verdict: o.Outcome.Verdict.String(),
		Direction: o.Outcome.Dir.String(), Method: o.Outcome.Method, Tool: o.Outcome.Tool, Findings: len(o.Outcome.Findings),
		Server: o.Session.Machine.ServerName(), Protocol: o.Session.Machine.Protocol()}
	for i := range o.Outcome.Findings {
		e.Rules = append(e.Rules, o.Outcome.Findings[i].Rule)
	}
	r := o.Record
	if r == nil {
		return // the end of a session
	}
	e.Frame, e.Line, e.Offset, e.Size = o.Event.Place.Frame, int(r.Line), int(r.Offset), int(r.Size)
	if e.Size == 0 {
		e.Size = len(r.Frame)
	}
	e.TS = at(r.TS)
	e.Truncated, e.Elided, e.Redacted, e.Synthetic = r.Flags&formats.Truncated != 0, r.Flags&formats.Elided != 0,
		r.Flags&formats.Redacted != 0, r.Flags&formats.Synthetic != 0
	if raw {
		e.Raw = string(r.Frame)
	}
	var id []byte
	e.Type, id, e.Error = o.Kind()
	e.ID = where.ID(id)
}

// Kind says what the frame is ("request", "notification", "response", "batch",
// "over-cap", "text", "binary", "http" or "junk"), its raw id, and whether it
// is an answer that tells of an error.
func (o *Observation) Kind() (kind string, id []byte, failed bool) {
	r := o.Record
	switch r.Kind {
	case formats.KindOverCap:
		if s := r.Skim; s != nil {
			return "over-cap", s.ID, s.Has&jsonrpc.HasError != 0
		}
		return "over-cap", nil, false
	case formats.KindText:
		return "text", nil, false
	case formats.KindBinary:
		return "binary", nil, false
	case formats.KindHTTP:
		return "http", nil, false
	}
	f := o.Event.Frame
	parts := f.Parts()
	switch {
	case f.Batch:
		for i := range parts {
			failed = failed || parts[i].Msg.Has&(jsonrpc.HasError|jsonrpc.HasIsError) != 0
		}
		return "batch", nil, failed
	case len(parts) == 0 || parts[0].Err != "":
		return "junk", nil, false
	}
	m := &parts[0].Msg
	failed = m.Has&(jsonrpc.HasError|jsonrpc.HasIsError|jsonrpc.HasNestedIsError) != 0
	switch {
	case m.IsRequest():
		return "request", m.ID, failed
	case m.IsNotification():
		return "notification", nil, failed
	case m.IsResponse():
		return "response", m.ID, failed
	}
	return "junk", m.ID, false
}
