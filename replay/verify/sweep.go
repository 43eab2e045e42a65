package verify

import (
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

// sweep is one pass over the inputs in which streams are played, as many as
// there is room for.
type sweep struct {
	o        *Options
	known    *survey
	tell     func(*Session) error
	trace    int
	open     map[streamID]*stream
	order    []*stream // of the trace in hand
	bySess   map[*replay.Session]*stream
	deferred map[streamID]bool // no room for them when they began
	playing  int
	err      error
}

func newSweep(o *Options, known *survey, tell func(*Session) error) *sweep {
	return &sweep{o: o, known: known, tell: tell, open: map[streamID]*stream{},
		bySess: map[*replay.Session]*stream{}, deferred: map[streamID]bool{}}
}

func (v *sweep) observe(o *offline.Observation) {
	if v.err != nil {
		return
	}
	if o.Record == nil {
		if s := v.bySess[o.Session]; s != nil {
			delete(v.bySess, o.Session)
			s.pipelineClosed(describe(o.Outcome.Findings))
		}
		return
	}
	id := streamID{v.trace, string(o.Record.Session)}
	s := v.open[id]
	if s == nil {
		k := v.known.streams[id]
		if k == nil || k.done || v.deferred[id] {
			return
		}
		if v.playing >= streamsAtOnce {
			v.deferred[id] = true
			return
		}
		s = newStream(v.o, k, v.say)
		v.open[id] = s
		v.order = append(v.order, s)
		v.playing++
	}
	v.bySess[o.Session] = s
	s.observe(o)
	if s.read == s.known.records && !s.ended {
		s.end()
		v.playing--
	}
}

func (v *sweep) say(s *Session) {
	if v.err == nil && (v.o.OnlySession == nil || *v.o.OnlySession == s.Session) {
		v.err = v.tell(s)
	}
}

// ended is told at the end of a trace: its streams have said everything.
func (v *sweep) ended(*report.Trace) {
	for _, s := range v.order {
		if !s.ended { // cut short by an interrupt
			v.playing--
		}
		s.finish()
		s.known.done = true
		v.known.open--
		if s.err != nil && v.err == nil {
			v.err = s.err
		}
	}
	v.order = v.order[:0]
	clear(v.open)
	clear(v.bySess)
	v.trace++
}

// close ends what an error left open.
func (v *sweep) close() {
	for _, s := range v.order {
		s.abandon()
	}
	v.order = nil
}
