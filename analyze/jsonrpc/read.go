package jsonrpc

import (
	"bytes"

	"github.com/warden-trace/warden/analyze"
)

// Frame is what the lenient reading found in one frame.
type Frame struct {
	// Msgs are the messages: one, or one for each element of a batch, or for
	// each piece of junk that is a message. Their slices point into the frame.
	Msgs []Message
	// Pieces are the bytes that each of Msgs stands in: the message, or the
	// batch element. They point into the frame, so that one can be replaced.
	Pieces [][]byte
	// Errs says for each of Msgs why a batch element is no message (a
	// WRD-RES-FRAME-ERROR), "" for messages. Of its Message only Raw counts.
	Errs []string
	// Batch says that the frame, or one of its pieces, is an array.
	Batch bool
	// Has holds the ambiguities of the frame and of its messages, and HadBOM.
	Has Has
	// Err says why the frame as a whole is no message, without any of its
	// bytes; "" when it is one or holds some. Then Msgs is empty.
	Err string

	p    Parser
	rest [][]byte // elements of batches that are not kept: More reads them
}

// More visits the elements of a batch beyond the first few thousand, which are
// checked but not kept: a batch of millions would cost many times its size.
// Each is to be read on its own. It reports whether there are any.
func (f *Frame) More(visit func(element []byte) bool) bool {
	for _, r := range f.rest {
		for i := 0; i < len(r); {
			end := valueEnd(r, i)
			if !visit(r[i:end:end]) {
				return true
			}
			i = skipSpace(r, end)
			if i < len(r) && r[i] == ',' {
				i = skipSpace(r, i+1)
			}
		}
	}
	return len(f.rest) > 0
}

// Why a frame or an element is no message.
const (
	errEmpty    = "empty frame"
	errNotJSON  = "not JSON"
	errBatch    = "empty batch"
	errScalar   = "a JSON value that is no object"
	errTooLarge = "frame over 2 GiB"
)

// manyElements is how many elements of a batch are kept. The others are left to
// Frame.More.
const manyElements = 4096

var utf8BOM = []byte("\xef\xbb\xbf")

// Read is the lenient reading of a whole frame, of what any known client would
// read (catalog.md, "Reading JSON safely"): a byte-order mark, NaN and
// Infinity, bad UTF-8, batches, any depth. In coverage full a frame that is not
// JSON even so is cut at CR and LF and each piece that is a message is taken.
// It is the cold path. What Parser.Message takes, Read takes the same way.
//
// f is reset, its memory reused. Everything in it is valid as long as frame and
// until the next Read into f.
func Read(frame []byte, cov analyze.Coverage, f *Frame) {
	f.Msgs, f.Pieces, f.Errs = f.Msgs[:0], f.Pieces[:0], f.Errs[:0]
	f.Batch, f.Has, f.Err, f.rest = false, 0, "", nil
	if len(frame) > 1<<31-1 {
		f.Err = errTooLarge
		return
	}
	f.p.Load(frame)
	f.p.soft = true
	a, b := f.trim(0, len(frame))
	if a == b {
		f.Err = errEmpty
		return
	}
	if f.Err = f.whole(a, b); f.Err == "" {
		return
	}
	if f.Err != errNotJSON || cov != analyze.Full {
		return
	}
	f.pieces(a, b)
}

// trim cuts a byte-order mark and outer white space from [a, b).
func (f *Frame) trim(a, b int) (int, int) {
	buf := f.p.buf
	if bytes.HasPrefix(buf[a:b], utf8BOM) {
		a += len(utf8BOM)
		f.Has |= HadBOM
	}
	f.p.lim = b
	a = f.p.space(a)
	for b > a && (buf[b-1] == ' ' || buf[b-1] == '\t' || buf[b-1] == '\r' || buf[b-1] == '\n') {
		b--
	}
	return a, b
}

// grow adds a message, reusing the memory of an earlier one.
func (f *Frame) grow() *Message {
	n := len(f.Msgs)
	if n < cap(f.Msgs) {
		f.Msgs = f.Msgs[:n+1]
	} else {
		f.Msgs = append(f.Msgs, Message{})
	}
	return &f.Msgs[n]
}

func (f *Frame) keep(raw []byte, err string) {
	f.Pieces = append(f.Pieces, raw)
	f.Errs = append(f.Errs, err)
	f.Has |= f.Msgs[len(f.Msgs)-1].Has & Ambiguous
}

// whole reads [a, b), without outer white space, as one JSON value. What it
// added is taken back when it is no message.
func (f *Frame) whole(a, b int) (err string) {
	msgs, has, batch, rest := len(f.Msgs), f.Has, f.Batch, len(f.rest)
	defer func() {
		if err != "" {
			f.Msgs, f.Pieces, f.Errs = f.Msgs[:msgs], f.Pieces[:msgs], f.Errs[:msgs]
			f.Has, f.Batch, f.rest = has, batch, f.rest[:rest]
		}
	}()
	p := &f.p
	switch p.buf[a] {
	case '{':
		m := f.grow()
		if end, ok := p.message(a, b, m); !ok || end != b {
			return errNotJSON
		}
		f.keep(m.Raw, "")
		return ""
	case '[':
		return f.batch(a, b)
	}
	p.lim, p.amb = b, 0
	if end, ok := p.value(a, skipAll); !ok || end != b {
		return errNotJSON
	}
	return errScalar
}

// batch reads the array [a, b) element by element.
func (f *Frame) batch(a, b int) string {
	p := &f.p
	p.lim = b
	f.Batch = true
	i := p.space(a + 1)
	if p.is(i, ']') && i+1 == b {
		return errBatch
	}
	first, rest := len(f.Errs), -1
	for {
		if len(f.Errs)-first == manyElements && rest < 0 {
			rest = i
		}
		m := f.grow()
		start, why := i, ""
		var ok bool
		if p.is(i, '{') {
			i, ok = p.message(i, b, m)
		} else {
			*m = Message{Texts: m.Texts[:0], Notes: m.Notes[:0]}
			why = errScalar
			p.amb = 0
			i, ok = p.value(i, skipAll)
			f.Has |= p.amb
		}
		if !ok {
			return errNotJSON
		}
		m.Raw = p.buf[start:i:i]
		if rest < 0 {
			f.keep(m.Raw, why)
		} else {
			f.Has |= m.Has & Ambiguous
			f.Msgs = f.Msgs[:len(f.Msgs)-1]
		}
		i = p.space(i)
		if p.is(i, ']') {
			if i+1 != b {
				return errNotJSON
			}
			if rest >= 0 {
				f.rest = append(f.rest, p.buf[rest:i:i])
			}
			return ""
		}
		if !p.is(i, ',') {
			return errNotJSON
		}
		i = p.space(i + 1)
	}
}

// says reports a message that asks or answers something, in any reading.
func (m *Message) says() bool {
	return m.Has&(HasMethod|HasResult|HasError) != 0 || m.Alt != nil
}

// pieces cuts [a, b) at CR and LF and takes each piece that is a message. A
// server can hide one behind junk only from readers that do not do so.
func (f *Frame) pieces(a, b int) {
	buf := f.p.buf
	for a < b {
		end := b
		if n := bytes.IndexAny(buf[a:b], "\r\n"); n >= 0 {
			end = a + n
		}
		if i, j := f.trim(a, end); i < j && (buf[i] == '{' || buf[i] == '[') {
			first := len(f.Msgs)
			if f.whole(i, j) == "" && !f.anyMessage(first) {
				f.Msgs, f.Pieces, f.Errs = f.Msgs[:first], f.Pieces[:first], f.Errs[:first]
			}
		}
		a = end + 1
	}
	if len(f.Msgs) == 0 {
		f.Has &= HadBOM
		f.Batch = false
		return
	}
	f.Err = ""
	f.Has |= Junk
	for i := range f.Msgs {
		f.Msgs[i].Has |= Junk
	}
}

// anyMessage reports whether one of the messages from the given one on says or
// answers something, in any reading.
func (f *Frame) anyMessage(first int) bool {
	for i := first; i < len(f.Msgs); i++ {
		if f.Errs[i] == "" && f.Msgs[i].says() {
			return true
		}
	}
	return false
}
