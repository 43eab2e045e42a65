package verify

import (
	"errors"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay/offline"
)

var errInterrupted = errors.New("interrupted")

// Why a session can't be verified, or a part of it is left out.
const (
	whyExec      = "the exec channel has no guard"
	whyLacking   = "the recording lacks bytes of its frames (not wire fidelity)"
	whyFidelity  = "the recording was not taken from the wire"
	whyOverCap   = "a frame over the cap is too large to make up"
	leftHTTP     = "HTTP exchanges and the rules on them"
	leftAgent    = "parity with what the agent produced (candidate)"
	leftNowhere  = "frames without a direction"
	leftBlank    = "blank frames"
	maxMadeUp    = 256 << 20 // bytes of an over-cap frame that is made up again
	setupOffline = "offline"
)

// streamID is one stream of a trace: the sessions that stand under one key,
// which a guard would see one after the other on one pair of pipes.
type streamID struct {
	trace int
	key   string
}

// survey is the first pass: which streams there are, how long, and which of
// their sessions can't be verified. It costs about a hundred bytes a session.
type survey struct {
	o       *Options
	trace   int
	streams map[streamID]*known
	open    int // streams that are still to be played
}

// known is what the survey knows of a stream.
type known struct {
	records  int64
	sessions []string // why each can't be verified; "" if it can
	numbers  map[int]int
	wanted   bool
	done     bool
}

func newSurvey(o *Options) *survey { return &survey{o: o, streams: map[streamID]*known{}} }

func (v *survey) left() int { return v.open }

func (v *survey) ended(*report.Trace) { v.trace++ }

func (v *survey) observe(o *offline.Observation) {
	if o.Record == nil {
		return
	}
	id := streamID{v.trace, string(o.Record.Session)}
	k := v.streams[id]
	if k == nil {
		k = &known{numbers: map[int]int{}, done: true}
		v.streams[id] = k
	}
	if !k.wanted && v.wants(o) {
		k.wanted, k.done = true, false
		v.open++
	}
	k.records++
	n, ok := k.numbers[o.Session.Number]
	if !ok {
		n = len(k.sessions)
		k.numbers[o.Session.Number] = n
		k.sessions = append(k.sessions, "")
	}
	if k.sessions[n] == "" {
		k.sessions[n] = unfit(o.Record)
	}
}

func (v *survey) wants(o *offline.Observation) bool {
	return (v.o.OnlyTrace == "" || v.o.OnlyTrace == o.Trace) && (v.o.OnlySession == nil || *v.o.OnlySession == o.Session.Name)
}

// unfit says why a record makes its session one that can't be verified.
func unfit(r *formats.Record) string {
	switch {
	case r.Kind == formats.KindText, r.Kind == formats.KindBinary:
		return whyExec
	case r.Flags&formats.Synthetic != 0:
		return whyFidelity
	case r.Kind == formats.KindOverCap && r.Size > maxMadeUp:
		return whyOverCap
	case r.Kind != formats.KindOverCap && r.Flags&(formats.Truncated|formats.Elided) != 0:
		return whyLacking
	}
	return ""
}

// ends is a handler that also says where a trace ends.
type ends struct {
	report.Handler
	ended func(*report.Trace)
}

func (e *ends) Trace(t *report.Trace) error {
	e.ended(t)
	return e.Handler.Trace(t)
}

// silent is a handler for passes after the first: everything has been said.
type silent struct{}

func (silent) Problem(*report.Problem) error  { return nil }
func (silent) Finding(*analyze.Finding) error { return nil }
func (silent) Trace(*report.Trace) error      { return nil }
func (silent) Close(*report.Summary) error    { return nil }
func (silent) Abort()                         {}
