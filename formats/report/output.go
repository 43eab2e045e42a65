package report

import "io"

// Output is a target that a report is put in its place at, as a whole
// (package target has the one for files). A handler made with an Output closes
// it at the end of Close and aborts it in Abort; with a plain io.Writer it does
// neither.
type Output interface {
	io.Writer
	// Close completes the report. Where it fails nothing half-written is left.
	Close() error
	// Abort throws away what was written.
	Abort()
}

// out is the writing half of a handler: a buffer, the first error, and the end.
type out struct {
	w    io.Writer
	buf  []byte
	err  error
	done bool
	live bool // each record is handed on as it comes
}

// flushAt is when out hands its buffer on.
const flushAt = 64 << 10

func newOut(w io.Writer) out { return out{w: w, buf: make([]byte, 0, 4<<10)} }

// spill writes the buffer when it is full enough, or, live, at once.
func (o *out) spill() error {
	if o.live {
		o.flush()
		if f, ok := o.w.(interface{ Flush() error }); ok && o.err == nil {
			o.err = f.Flush()
		}
		return o.err
	}
	if len(o.buf) < flushAt {
		return o.err
	}
	return o.flush()
}

func (o *out) flush() error {
	if len(o.buf) > 0 && o.err == nil {
		_, o.err = o.w.Write(o.buf)
	}
	o.buf = o.buf[:0]
	return o.err
}

// close ends the report: it is put in its place, or, after an error, removed.
func (o *out) close() error {
	if o.done {
		return o.err
	}
	o.flush()
	o.done = true
	target, ok := o.w.(Output)
	if !ok {
		return o.err
	}
	if o.err != nil {
		target.Abort()
		return o.err
	}
	o.err = target.Close()
	return o.err
}

// apart reports that nobody sees the report before it is complete.
func (o *out) apart() bool {
	a, ok := o.w.(interface{ Apart() bool })
	return ok && a.Apart()
}

func (o *out) abort() {
	if o.done {
		return
	}
	o.done = true
	if target, ok := o.w.(Output); ok {
		target.Abort()
	}
}
