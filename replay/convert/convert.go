// Package convert writes what a run reads in the canonical form (formats.md):
// frames byte for byte, in order, whatever form they came in.
package convert

import (
	"io"
	"strconv"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay/offline"
	"github.com/warden-trace/warden/replay/redact"
)

// Writer writes canonical lines, one Write a line. Its Observe and Meta are
// those of offline.Options.
type Writer struct {
	W io.Writer
	// Source adds to each frame the file, line and form that it came from.
	Source bool
	// Redact, if set, replaces secrets on the way.
	Redact *redact.Redactor

	// Frames counts the lines of frames, OverCap those whose content the reader
	// has not kept, Redacted those with a secret replaced.
	Frames, OverCap, Redacted int64

	traces int
	trace  string
	meta   bool
	buf    []byte
	err    error
}

// Err is the first error of a write.
func (c *Writer) Err() error { return c.err }

// Meta takes what a recording says of itself.
func (c *Writer) Meta(trace string, raw []byte) {
	c.enter(trace)
	rec := formats.Record{Kind: formats.KindMeta, Frame: raw, Seq: -1}
	if c.Redact != nil {
		rec = c.Redact.Record(&rec)
	}
	c.meta = true
	c.line(&rec, nil)
}

func (c *Writer) enter(trace string) {
	if c.traces == 0 || c.trace != trace {
		c.traces++
		c.trace = trace
	}
}

// Observe takes one step of a run; frames that do not match Options.Where are
// left out.
func (c *Writer) Observe(o *offline.Observation) {
	if o.Record == nil || !o.Matched || c.err != nil {
		return
	}
	c.enter(o.Trace)
	if !c.meta && c.Redact == nil { // a redacted copy keeps its lines
		c.meta = true
		c.line(&formats.Record{Kind: formats.KindMeta, Frame: []byte(`{"warden_trace":1}`), Seq: -1}, nil)
	}
	rec := *o.Record
	if rec.Dir == analyze.Unknown && o.Event.Frame != nil && len(o.Event.Frame.Parts()) == 1 && !o.Event.Frame.Batch {
		rec.Dir = o.Outcome.Dir // as the machine inferred it; of a batch each part has its own
	}
	if c.traces > 1 {
		// Sessions of different files must not meet under one name.
		name := []byte(o.Trace)
		if len(rec.Session) > 0 {
			name = append(append(name, ':'), rec.Session...)
		}
		rec.Session = name
	}
	if c.Redact != nil {
		was := rec.Flags
		rec = c.Redact.Record(&rec)
		if rec.Flags != was {
			c.Redacted++
		}
	}
	c.Frames++
	if rec.Kind == formats.KindOverCap {
		c.OverCap++
	}
	c.line(&rec, o)
}

func (c *Writer) line(rec *formats.Record, o *offline.Observation) {
	b := formats.AppendCanonical(c.buf[:0], rec)
	if c.Source && o != nil && len(b) > 2 {
		b = append(b[:len(b)-2], `,"source":{"file":`...)
		b = jsonrpc.AppendQuoted(b, o.Trace)
		b = strconv.AppendInt(append(b, `,"line":`...), rec.Line, 10)
		b = jsonrpc.AppendQuoted(append(b, `,"format":`...), o.Format)
		b = append(b, "}}\n"...)
	}
	if cap(b) <= 1<<20 {
		c.buf = b
	} else {
		c.buf = nil // one huge frame must not be held on to
	}
	if c.err == nil {
		_, c.err = c.W.Write(b)
	}
}
