package catalog

import (
	"cmp"
	"slices"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
)

// RedactWhat says what Redact takes out.
type RedactWhat struct {
	ANSI    bool // forbidden code points, by the tool's charset
	Secrets bool // secrets, each replaced by its redaction form
}

// Redact returns the bytes of a message with just the offending parts of its
// strings edited in place, in every text that the selection covers; all other
// bytes are as they came (replay.md, "What a block sends"). ok is false when there
// was nothing to edit.
func (c *Catalog) Redact(m *jsonrpc.Message, hits []Hit, sel Select, ins analyze.Inspection, what RedactWhat) (edited []byte, ok bool) {
	var texts []redactable
	for i := range hits {
		h := &hits[i]
		if h.kind == hitText && sel.takes(h) && h.found&(foundANSI|foundSecret) != 0 {
			t := &h.text
			texts = append(texts, redactable{t.Start, t.End, t.Escaped, t.Nested, h.found})
		}
		if h.kind == hitRest {
			for _, t := range h.rest.work {
				if sel != SelectNested || t.nested {
					texts = append(texts, t)
				}
			}
		}
	}
	slices.SortStableFunc(texts, func(a, b redactable) int { return cmp.Compare(a.start, b.start) })
	s := c.cold.Get().(*Scanner)
	defer c.cold.Put(s)
	at := int32(0)
	for _, t := range texts {
		if t.start < at {
			continue // the same string again
		}
		cuts := s.cuts(m, &t, ins, what)
		if len(cuts) == 0 {
			continue
		}
		edited = append(edited, m.Raw[at:t.start]...)
		edited = apply(edited, m.Raw[t.start:t.end], cuts)
		at = t.end
		ok = true
	}
	if !ok {
		return nil, false
	}
	return append(edited, m.Raw[at:]...), true
}

// cut replaces the code points [start, end) of a text.
type cut struct {
	start, end int
	with       []byte // JSON string content
}

// cuts works out what must go from one text.
func (s *Scanner) cuts(m *jsonrpc.Message, in *redactable, ins analyze.Inspection, what RedactWhat) (out []cut) {
	t := s.decoded(m, in.start, in.end, in.escaped)
	var secrets []bytesAt
	if what.Secrets && in.found&foundSecret != 0 {
		s.all.reset()
		s.scan.scan(t, &s.all)
		secrets = union(s.scan.secrets.Matches, s.scan.pieces)
	}
	n := 0
	for i := 0; i < len(t); {
		if len(secrets) > 0 && i == secrets[0].start {
			gone := t[i:secrets[0].end]
			k := codePoints(gone)
			out = append(out, cut{n, n + k, redacted(gone, ins, what)})
			i, n = secrets[0].end, n+k
			secrets = secrets[1:]
			continue
		}
		if c := t[i]; tame[c] {
			if c&0xc0 != 0x80 {
				n++
			}
			i++
			continue
		}
		k, size := 0, 0
		if what.ANSI {
			to := len(t)
			if len(secrets) > 0 && secrets[0].start > i {
				to = secrets[0].start
			}
			k, size = controls(t[i:to], ins.Charset)
		}
		switch last := len(out) - 1; {
		case k == 0:
			_, size = decode(t[i:])
			k = 1
		case last >= 0 && out[last].end == n && out[last].with == nil:
			out[last].end += k
		default:
			out = append(out, cut{n, n + k, nil})
		}
		i += size
		n += k
	}
	return out
}

// redacted is the redaction form of a secret as JSON string content.
func redacted(gone []byte, ins analyze.Inspection, what RedactWhat) []byte {
	form := secret.Redact(string(gone))
	if what.ANSI {
		kept := make([]rune, 0, len(form))
		for _, r := range form {
			if !forbidden(r, ins.Charset) {
				kept = append(kept, r)
			}
		}
		form = string(kept)
	}
	q := jsonrpc.AppendQuoted(nil, form)
	return q[1 : len(q)-1]
}

// apply appends raw, the content of a JSON string, with the cuts made.
func apply(dst, raw []byte, cuts []cut) []byte {
	places := make([]int, 0, 2*len(cuts))
	for _, c := range cuts {
		places = append(places, c.start, c.end)
	}
	offs := jsonrpc.RawOffsets(raw, places)
	at := 0
	for i, c := range cuts {
		dst = append(dst, raw[at:offs[2*i]]...)
		dst = append(dst, c.with...)
		at = offs[2*i+1]
	}
	return append(dst, raw[at:]...)
}
