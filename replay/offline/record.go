package offline

import (
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
)

// Examine fills f from a record, strictly where the decoder already has: m is
// what it read, or nil. hits is where the strict reading's findings go; they are
// returned. Whatever feeds a machine from records does so through Examine and
// Feed, so that all of them judge the same.
func Examine(x *replay.Examiner, r *formats.Record, m *jsonrpc.Message, f *replay.Frame, hits []catalog.Hit) []catalog.Hit {
	switch {
	case r.Kind == formats.KindText:
		f.SetRaw(r.Frame)
	case r.Kind != formats.KindFrame:
		f.SetRaw(nil)
	case m != nil:
		return x.Strict(m, f, hits)
	default:
		x.Lenient(r.Frame, f)
	}
	return hits
}

// Feed fills ev with what the machine is told of a record: f is what Examine has
// filled, frame how many frames of its session came before.
func Feed(ev *replay.Event, r *formats.Record, f *replay.Frame, frame int) {
	*ev = replay.Event{Dir: r.Dir, TS: r.TS, Frame: f, Candidate: r.Candidate, HTTP: r.HTTP,
		Elided: r.Flags&(formats.Elided|formats.Truncated) != 0,
		Place:  replay.Place{Frame: frame, Line: r.Line, Offset: r.Offset}}
	switch r.Kind {
	case formats.KindOverCap:
		ev.OverCap = r.Skim
	case formats.KindText:
		ev.Exec = true
	case formats.KindBinary:
		ev.Exec, ev.Binary, ev.Bytes, ev.Size, ev.HasBytes = true, true, r.Frame, r.Size, r.Frame != nil
	case formats.KindHTTP:
		ev.Frame = nil
	}
}
