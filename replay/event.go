package replay

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Place is where a frame stands in its recording. The machine only carries it,
// so that a finding made later (a deadline) can stand on the frame it is about.
type Place struct {
	Frame  int
	Line   int64
	Offset int64
}

// Event is one step of a session: a framed message with its direction and
// time, as observed and before any verdict.
type Event struct {
	Dir   analyze.Direction // Unknown: the machine infers it
	TS    int64             // Unix nanoseconds; 0: unknown
	Frame *Frame            // nil for an over-cap frame and for exec-channel binaries
	Place Place

	OverCap *jsonrpc.Skimmer // what is known of a frame over the cap, in place of Frame
	// Fault, with OverCap, is the kind of fault that kept the driver from
	// reading a frame that is not over the cap.
	Fault string

	Candidate []byte // raw JSON of the arguments the agent produced; nil: none recorded
	HTTP      []byte // raw JSON of the HTTP exchange; nil: none
	Elided    bool   // the recording lacks content of this frame
	Refused   bool   // an over-cap frame of the client that the driver does not forward

	Exec     bool   // an exec-channel record: Frame.Raw is the text frame's JSON value, or
	Binary   bool   // a binary frame
	Bytes    []byte // of the binary frame, where recorded
	Size     int64  // its length
	HasBytes bool
}

// Frame is a frame that has been read and scanned: everything about it that
// does not depend on the session. It is made off the machine's thread.
type Frame struct {
	Raw   []byte // the frame's own bytes
	Batch bool
	Err   string // why it is no message at all; it has no parts then
	Has   jsonrpc.Has

	// One message is kept in place, so that a frame can be moved and reused.
	single bool
	one    [1]Part
	many   []Part
	// rest is the elements of a huge batch that were checked but are read only
	// when the machine comes to them.
	rest func(visit func(element []byte) bool) bool
}

// Parts are the messages of the frame.
func (f *Frame) Parts() []Part {
	if f.single {
		return f.one[:]
	}
	return f.many
}

// Part is one message of a frame: the only one, an element of a batch, or a
// piece of a frame with junk in it.
type Part struct {
	Msg  jsonrpc.Message
	Hits []catalog.Hit
	Err  string // a batch element that is no message

	ahead ahead
}

// Examiner reads and scans frames. It holds buffers only; one a goroutine.
type Examiner struct {
	cov    analyze.Coverage
	scan   *catalog.Scanner
	parser jsonrpc.Parser

	// of one that looks ahead
	cfg  *Config // nil: it does not
	call flatCall
}

// NewExaminer returns an examiner over the catalog.
func NewExaminer(c *catalog.Catalog, cov analyze.Coverage) *Examiner {
	return &Examiner{cov: cov, scan: c.NewScanner()}
}

// Strict fills f from a message that a strict parser has just read; hits are
// appended to dst, which is returned. f points into the message's buffers.
func (x *Examiner) Strict(m *jsonrpc.Message, f *Frame, dst []catalog.Hit) []catalog.Hit {
	n := len(dst)
	dst = x.scan.Message(m, dst)
	f.Raw, f.Batch, f.Err, f.Has = m.Raw, false, "", m.Has
	p := &f.one[0]
	p.Msg, p.Err, p.Hits = *m, "", dst[n:len(dst):len(dst)]
	p.Msg.Texts, p.Msg.Notes = nil, nil // reused by the parser; the hits carry what is needed
	f.single, f.many, f.rest = true, nil, nil
	p.ahead.by = nil // so that the rest of it, which is another message's, says nothing
	if x.cfg != nil {
		x.ahead(p)
	}
	return dst
}

// Read fills f from the bytes of any frame: strictly where that works, else
// leniently (catalog.md, "Reading JSON safely").
func (x *Examiner) Read(raw []byte, f *Frame) {
	raw = padded(raw)
	x.parser.Load(raw)
	var m jsonrpc.Message
	if end, ok := x.parser.Message(0, len(raw), &m); ok && onlySpace(raw[end:]) {
		x.Strict(&m, f, nil)
		f.Raw = raw
		return
	}
	x.Lenient(raw, f)
}

// padded returns raw in memory that vector code may read past its end.
func padded(raw []byte) []byte {
	if cap(raw)-len(raw) >= jsonrpc.Pad {
		return raw
	}
	return append(make([]byte, 0, len(raw)+jsonrpc.Pad), raw...)
}

// Lenient fills f from a frame that the strict reading refused.
func (x *Examiner) Lenient(raw []byte, f *Frame) {
	raw = padded(raw)
	var l jsonrpc.Frame
	jsonrpc.Read(raw, x.cov, &l)
	f.Raw, f.Batch, f.Err, f.Has = raw, l.Batch, l.Err, l.Has
	f.single, f.many, f.rest = false, make([]Part, 0, len(l.Msgs)), nil
	if l.More(func([]byte) bool { return false }) {
		f.rest = l.More
	}
	for i := range l.Msgs {
		m := &l.Msgs[i]
		p := Part{Msg: *m, Err: l.Errs[i]}
		if p.Err == "" {
			p.Hits = x.scan.Message(m, nil)
		}
		p.Msg.Texts, p.Msg.Notes = nil, nil
		f.many = append(f.many, p)
	}
}

func onlySpace(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// SetRaw makes f a frame that is not read as a message: an exec-channel text
// frame, or nothing.
func (f *Frame) SetRaw(raw []byte) {
	f.Raw, f.Batch, f.Err, f.Has = raw, false, "", 0
	f.single, f.many, f.rest = false, nil, nil
}
