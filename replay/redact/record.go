package redact

import (
	"bytes"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
)

// Record returns a copy of a record with its secrets replaced, marked redacted
// where there were any. The record itself and its bytes stay as they are.
func (r *Redactor) Record(rec *formats.Record) formats.Record {
	out := *rec
	changed := false
	take := func(dst *[]byte, v []byte) {
		if !bytes.Equal(*dst, v) {
			changed = true
		}
		*dst = v
	}
	if rec.Frame != nil {
		switch rec.Kind {
		case formats.KindBinary:
			take(&out.Frame, r.Text(rec.Frame))
		case formats.KindFrame, formats.KindText, formats.KindMeta:
			if strict(rec.Frame) {
				take(&out.Frame, r.JSON(rec.Frame))
			} else {
				take(&out.Frame, r.Junk(rec.Frame))
			}
		default:
			take(&out.Frame, r.Junk(rec.Frame))
		}
	}
	if rec.Session != nil {
		take(&out.Session, r.Text(rec.Session))
	}
	if rec.Candidate != nil {
		take(&out.Candidate, r.JSON(rec.Candidate))
	}
	if rec.HTTP != nil {
		take(&out.HTTP, r.JSON(rec.HTTP))
	}
	if s := rec.Skim; s != nil {
		skim := *s
		take(&skim.ID, r.JSON(s.ID))
		take(&skim.Method, r.Text(s.Method))
		take(&skim.Name, r.Text(s.Name))
		out.Skim = &skim
	}
	if changed && rec.Kind != formats.KindMeta {
		out.Flags |= formats.Redacted
	}
	return out
}

// strict reports JSON by the letter, whose strings are where its quotes say.
func strict(raw []byte) bool {
	var p jsonrpc.Parser
	if cap(raw)-len(raw) < jsonrpc.Pad {
		raw = append(make([]byte, 0, len(raw)+jsonrpc.Pad), raw...)
	}
	p.Load(raw)
	var m jsonrpc.Message
	end, ok := p.Message(0, len(raw), &m)
	return ok && len(bytes.TrimSpace(raw[end:])) == 0
}
