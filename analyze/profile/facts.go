package profile

import (
	"math"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/recent"
)

// Facts is what can be said of a message before its session is known, so that it
// can be found out beside the session. The zero value says nothing: the message
// is then judged in full.
type Facts struct {
	// quiet: the message has nothing to find fault with whatever its session.
	quiet bool
	// result: its result, if it is a tool's, has been looked at, and found is all
	// that is wrong with it; nil for nothing.
	result bool
	failed bool // such a result is an error
	// Its structuredContent, which is the session's matter, as offsets in the
	// result; both 0 for none.
	from, to int32
	found    *analyze.Finding
}

// Facts looks at a message. It runs what a session would run, and where that has
// something to say leaves it all to the session.
func (p *mcpProfile) Facts(m *jsonrpc.Message, flat *jsonrpc.Flat) (f Facts) {
	if control(m) {
		return f
	}
	var v verdicts
	envelope(m, &v)
	if m.Has&jsonrpc.HasMethod != 0 {
		switch string(m.Method) {
		case "initialize", "tools/list":
			return f // seldom, and the session looks into them anyway
		case "tools/call":
			p.callForm(m, flat, &v)
		default:
			methodOffered(m, &v)
		}
	}
	if m.Has&jsonrpc.HasError != 0 {
		p.errorObject(m, &v)
	}
	if f.quiet = v.empty(); !f.quiet || m.Has&jsonrpc.HasResult == 0 || m.Has&jsonrpc.Ambiguous != 0 || len(m.Result) > math.MaxInt32 {
		return f
	}
	structured, failed := p.resultForm(m, &v)
	switch {
	case len(v.base) > 0 || len(v.out) > 1:
		return f // more than is worth to be carried along
	case len(v.out) == 1:
		f.found = &v.out[0]
	}
	f.result, f.failed = true, failed
	if len(structured) > 0 {
		// What is left of a slice of the result tells where it begins.
		f.from = int32(cap(m.Result) - cap(structured))
		f.to = f.from + int32(len(structured))
	}
	return f
}

func (v *verdicts) empty() bool { return len(v.out) == 0 && len(v.base) == 0 }

// structured is the result's structuredContent; nil for none.
func (f *Facts) structured(result []byte) []byte {
	if f.to == 0 {
		return nil
	}
	return result[f.from:f.to]
}

// labels keeps the tools' names that were shown last, as reports show them.
type labels [1 << 5]struct{ raw, shown string }

// maxLabel bounds the names that are remembered for quick use.
const maxLabel = 256

// label is toolName, for less where the name was seen lately.
func label[T string | []byte](n *labels, raw T) string {
	if len(raw) == 0 || len(raw) > maxLabel {
		return toolName(string(raw))
	}
	e := &n[recent.Slot(raw, 5)]
	if e.raw != string(raw) {
		e.raw = string(raw)
		e.shown = toolName(e.raw)
	}
	return e.shown
}
