// Package convert writes what a run reads in the canonical form (formats.md):
// frames byte for byte, in order, whatever form they came in.
package convert

import (
	"bytes"
	"io"
	"strconv"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay/offline"
	"github.com/warden-trace/warden/replay/redact"
)

// Writer writes canonical lines, one Write a line. Its Observe and Meta are
// those of offline.Options; Flush comes after the run.
type Writer struct {
	W io.Writer
	// Source adds to each frame the file, line and form that it came from.
	Source bool
	// Redact, if set, replaces secrets on the way.
	Redact *redact.Redactor

	// Frames counts the lines of frames, OverCap those whose content the reader
	// has not kept, Redacted those with a secret replaced.
	Frames, OverCap, Redacted int64
	// Late counts secrets over several frames whose first part was written before
	// the rest came.
	Late int64

	join joiner

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
	if o.Record == nil || c.err != nil {
		return
	}
	var joined *stream
	if c.Redact != nil {
		if c.join.trace != o.Trace {
			_ = c.Flush() // the error is kept
			c.join.trace = o.Trace
		}
		joined = c.join.stream(o.Record)
	}
	if !o.Matched {
		if joined != nil { // the others' secrets may begin or end in it
			c.hold(joined, o.Record, o, true)
		}
		return
	}
	c.enter(o.Trace)
	rec := *o.Record
	if rec.Dir == analyze.Unknown && o.Event.Frame != nil && len(o.Event.Frame.Parts()) == 1 && !o.Event.Frame.Batch {
		rec.Dir = o.Outcome.Dir // as the machine inferred it; of a batch each part has its own
	}
	if !c.meta {
		c.meta = true
		// A redacted copy keeps its lines, but where the first has no direction
		// nothing else would tell what the copy is.
		if c.Redact == nil || rec.Dir == analyze.Unknown {
			c.line(&formats.Record{Kind: formats.KindMeta, Frame: []byte(`{"warden_trace":1}`), Seq: -1}, nil)
		}
	}
	if c.traces > 1 {
		// Sessions of different files must not meet under one name.
		name := []byte(o.Trace)
		if len(rec.Session) > 0 {
			name = append(append(name, ':'), rec.Session...)
		}
		rec.Session = name
	}
	if joined != nil {
		c.Frames++
		c.hold(joined, &rec, o, false)
		return
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
	var trace, format string
	if o != nil {
		trace, format = o.Trace, o.Format
	}
	b := c.form(rec, trace, format)
	if len(c.join.queue) == 0 {
		c.put(b)
		return
	}
	c.join.queue = append(c.join.queue, &held{line: bytes.Clone(b), ready: true})
	c.join.size += len(b)
	c.bound()
}

// form is a record's line, valid until the next one. A line without a trace has
// no source.
func (c *Writer) form(rec *formats.Record, trace, format string) []byte {
	b := formats.AppendCanonical(c.buf[:0], rec)
	if c.Source && trace != "" && len(b) > 2 {
		b = append(b[:len(b)-2], `,"source":{"file":`...)
		b = jsonrpc.AppendQuoted(b, trace)
		b = strconv.AppendInt(append(b, `,"line":`...), rec.Line, 10)
		b = jsonrpc.AppendQuoted(append(b, `,"format":`...), format)
		b = append(b, "}}\n"...)
	}
	if cap(b) <= 1<<20 {
		c.buf = b
	} else {
		c.buf = nil // one huge frame must not be held on to
	}
	return b
}

func (c *Writer) put(line []byte) {
	if c.err == nil && len(line) > 0 {
		_, c.err = c.W.Write(line)
	}
}
