package report

import (
	"errors"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
)

// Frame is one event of a session with what the machine made of it, before the
// findings on it are handed over one by one. At the end of a session Record and
// Event are nil, and the outcome's findings are those that only show then. It is
// valid during the call.
type Frame struct {
	Trace    string
	Fidelity formats.Fidelity // of the trace
	Session  *replay.Session
	Record   *formats.Record
	Event    *replay.Event
	Outcome  *replay.Outcome
	// Matched says that the frame counts (--where), and Findings holds those of
	// the outcome's findings that do.
	Matched  bool
	Findings []analyze.Finding
	// Lasting says that the bytes of the record and the event stay as they are
	// until the next Settle, and not during the call alone.
	Lasting bool
}

// FrameSink is a Handler that wants every frame too. Within a trace the calls
// come in stream order, each before the findings on the frame.
type FrameSink interface {
	Handler
	Frame(*Frame) error
}

// Settler is a FrameSink that keeps bytes of lasting frames for a while. Settle is
// called before their memory is used for something else.
type Settler interface{ Settle() }

// Size is the frame's length in bytes, also where the recording lacks it.
func (f *Frame) Size() int64 {
	switch {
	case f.Event != nil && f.Event.OverCap != nil:
		return f.Event.OverCap.Size
	case f.Record == nil:
		return 0
	}
	return max(f.Record.Size, int64(len(f.Record.Frame)))
}

// Raw is the frame's own bytes; nil where they are not known.
func (f *Frame) Raw() []byte {
	switch {
	case f.Record == nil || f.Event == nil || f.Event.OverCap != nil:
		return nil
	case f.Event.Frame != nil && f.Event.Frame.Raw != nil:
		return f.Event.Frame.Raw
	}
	return f.Record.Frame
}

// kind names what a frame is, and its id: that of the only message.
func (f *Frame) kind() (name string, id []byte) {
	ev := f.Event
	switch {
	case ev.OverCap != nil:
		return "over-cap", ev.OverCap.ID
	case ev.Exec && ev.Binary:
		return "binary", nil
	case ev.Exec:
		return "text", nil
	case ev.Frame == nil:
		return "http", nil
	case ev.Frame.Batch:
		return "batch", nil
	}
	parts := ev.Frame.Parts()
	if len(parts) == 0 || parts[0].Err != "" {
		return "invalid", nil
	}
	m := &parts[0].Msg
	switch {
	case m.Has&jsonrpc.HasError != 0 && m.Has&jsonrpc.HasResult == 0:
		return "error", m.ID
	case m.IsResponse():
		return "response", m.ID
	case m.IsRequest():
		return "request", m.ID
	case m.IsNotification():
		return "notification", m.ID
	}
	return "invalid", m.ID
}

// isError reports a result that says isError.
func (f *Frame) isError() bool {
	if f.Event == nil || f.Event.Frame == nil {
		return false
	}
	for i := range f.Event.Frame.Parts() {
		if f.Event.Frame.Parts()[i].Msg.Has&(jsonrpc.HasIsError|jsonrpc.HasNestedIsError) != 0 {
			return true
		}
	}
	return false
}

// WantsFrames reports whether h, or a handler within a Tee, is a FrameSink.
func WantsFrames(h Handler) bool {
	if t, ok := h.(*tee); ok {
		for _, h := range t.handlers {
			if WantsFrames(h) {
				return true
			}
		}
		return false
	}
	_, ok := h.(FrameSink)
	return ok
}

// Frame implements FrameSink: the handlers that want frames get it.
func (t *tee) Frame(f *Frame) error {
	for _, h := range t.handlers {
		sink, ok := h.(FrameSink)
		if !ok {
			continue
		}
		if err := sink.Frame(f); err != nil {
			return t.drop(h, err)
		}
	}
	return nil
}

// Settle implements Settler for those of the handlers that are one.
func (t *tee) Settle() {
	for _, h := range t.handlers {
		if s, ok := h.(Settler); ok {
			s.Settle()
		}
	}
}

// drop leaves out a handler that has failed.
func (t *tee) drop(bad Handler, err error) error {
	bad.Abort()
	t.errs = append(t.errs, err)
	for i, h := range t.handlers {
		if h == bad {
			t.handlers = append(t.handlers[:i:i], t.handlers[i+1:]...)
			break
		}
	}
	if len(t.handlers) == 0 {
		return errors.Join(t.errs...)
	}
	return nil
}
