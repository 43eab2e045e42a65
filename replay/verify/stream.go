package verify

import (
	"sync"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay/guard"
	"github.com/warden-trace/warden/replay/offline"
)

// stream is one stream being played: its sessions one after the other through
// the same guards, as they came.
type stream struct {
	o     *Options
	known *known
	say   func(*Session)

	sessions []*Session
	current  int   // session in hand; -1 before the first
	first    int   // number of the stream's first session within its trace
	read     int64 // records
	ended    bool
	failed   bool // a difference was found
	err      error

	framings []*framing
	pending  int // bytes that wait to be played

	// comparable is off where the file pipeline saw more of the session than a
	// guard can: then the plain machine stands for it alone.
	comparable bool
	pipeClosed [][]string // closing findings that the pipeline has told and
	ownClosed  [][]string // that the plain machine has
}

// framing is everything that plays in one framing: the plain machine, the
// guards in their cuts, and the analysis of what they record.
type framing struct {
	kind   guard.Framing
	plain  *plain
	rigs   []*rig
	record *recording
	batch  []*expected
}

// Frames are played in batches: all setups side by side, then the next batch.
const (
	batchFrames = 64
	batchBytes  = 1 << 20
)

func newStream(o *Options, k *known, say func(*Session)) *stream {
	return &stream{o: o, known: k, say: say, current: -1}
}

func (s *stream) observe(o *offline.Observation) {
	s.read++
	if n := s.known.numbers[o.Session.Number]; n != s.current {
		s.begin(n, o)
	}
	cur := s.sessions[s.current]
	if cur.Verdict != "" || s.failed || s.framings == nil {
		return
	}
	r := o.Record
	out := o.Outcome
	switch {
	case r.Kind == formats.KindHTTP:
		s.leave(cur, leftHTTP)
		return
	case out.Dir == analyze.Unknown:
		s.leave(cur, leftNowhere)
		return
	case r.Kind == formats.KindFrame && len(trim(r.Frame)) == 0:
		s.leave(cur, leftBlank)
		return
	}
	if r.HTTP != nil {
		s.leave(cur, leftHTTP)
	}
	if r.Candidate != nil && s.o.Config.Allow != nil {
		s.leave(cur, leftAgent)
	}
	if r.Dir == analyze.Unknown && o.Event.Frame != nil && len(o.Event.Frame.Parts()) > 1 {
		s.comparable = false // its parts may have gone both ways
	}
	cur.Frames++
	s.play(o, cur)
}

// leave counts something that is not compared. From here on the file pipeline
// has seen more of the session than the guard.
func (s *stream) leave(cur *Session, what string) {
	s.comparable = false
	for i := range cur.LeftOut {
		if cur.LeftOut[i].What == what {
			cur.LeftOut[i].N++
			return
		}
	}
	cur.LeftOut = append(cur.LeftOut, LeftOut{what, 1})
}

// begin turns to the next session of the stream.
func (s *stream) begin(n int, o *offline.Observation) {
	if s.current >= 0 && s.known.sessions[s.current] != "" {
		s.first, s.comparable = n, true
	}
	s.current = n
	for len(s.sessions) <= n {
		s.sessions = append(s.sessions, &Session{Trace: o.Trace, Session: o.Session.Name})
	}
	cur := s.sessions[n]
	if cur.Why = s.known.sessions[n]; cur.Why != "" {
		cur.Verdict = NotVerified
		s.flush()
		s.closeRigs()
		return
	}
	if s.framings == nil {
		s.openRigs(n)
	}
	for _, f := range s.framings {
		cur.Setups += len(f.rigs)
	}
}

// openRigs starts the guards, from session n on.
func (s *stream) openRigs(n int) {
	s.first, s.comparable = n, true
	s.pipeClosed, s.ownClosed = nil, nil
	for _, kind := range []guard.Framing{guard.Newline, guard.ContentLength} {
		f := &framing{kind: kind, plain: newPlain(s.o.Config)}
		for _, set := range setups() {
			if set.Framing != kind || s.o.OnlySetup != "" && s.o.OnlySetup != set.String() && s.o.OnlySetup != setupOffline {
				continue
			}
			if s.o.OnlySetup == setupOffline {
				continue
			}
			g, err := newRig(s.o, set)
			if err != nil {
				s.err = err
				s.abandon()
				return
			}
			f.rigs = append(f.rigs, g)
		}
		if len(f.rigs) > 0 {
			f.record = newRecording(s.o)
		}
		s.framings = append(s.framings, f)
	}
}

// play judges a frame by the plain machine of each framing, compares that with
// the file pipeline, and queues it for the guards.
func (s *stream) play(o *offline.Observation, cur *Session) {
	found := describe(o.Outcome.Findings)
	cur.Findings += int64(len(found))
	for _, f := range s.framings {
		if f.kind == guard.Newline && unfitForLines(o.Record) {
			cur.Skipped += int64(len(f.rigs)) // a line can't carry a raw line break
			continue
		}
		e := f.plain.step(o, s.current-s.first)
		e.session, e.frame, e.line = s.current, o.Event.Place.Frame, o.Record.Line
		f.batch = append(f.batch, e)
		if f.kind == guard.ContentLength {
			s.ownClosed = append(s.ownClosed, e.closes...)
			s.pair(e)
			if s.comparable {
				if a, b, same := compare(found, e.findings); !same {
					s.differ(e, &Difference{Stage: "findings of the file pipeline and of a plain reading", Setup: setupOffline, Offline: a, Live: b})
				}
			}
		}
		s.pending += len(e.body) + 64
	}
	if s.pending >= batchBytes || len(s.framings[1].batch) >= batchFrames {
		s.flush()
	}
}

// pipelineClosed takes what the file pipeline found at the end of a session.
func (s *stream) pipelineClosed(findings []string) {
	if s.framings != nil || s.ended {
		s.pipeClosed = append(s.pipeClosed, findings)
		s.pair(nil)
	}
}

// pair compares the closing findings of sessions, as far as both sides have
// told them.
func (s *stream) pair(e *expected) {
	for len(s.pipeClosed) > 0 && len(s.ownClosed) > 0 {
		a, b, same := compare(s.pipeClosed[0], s.ownClosed[0])
		s.pipeClosed, s.ownClosed = s.pipeClosed[1:], s.ownClosed[1:]
		if !same && s.comparable {
			s.differ(e, &Difference{Stage: "findings at the end of the session", Setup: setupOffline, Offline: a, Live: b})
		}
	}
}

// flush plays what waits: every setup for itself, all at once.
func (s *stream) flush() {
	if s.framings == nil || s.pending == 0 {
		return
	}
	s.pending = 0
	var wg sync.WaitGroup
	for _, f := range s.framings {
		for _, g := range f.rigs {
			wg.Go(func() { g.playAll(f.batch) })
		}
	}
	wg.Wait()
	var first *Difference
	var at *expected
	for _, f := range s.framings {
		for _, g := range f.rigs {
			if g.diff != nil && (at == nil || g.at.before(at)) {
				first, at = g.diff, g.at
			}
		}
	}
	for _, f := range s.framings {
		if first == nil && len(f.rigs) > 0 {
			first, at = f.recorded()
		}
		f.batch = nil
	}
	if first != nil {
		s.differ(at, first)
	}
}

// recorded compares what the guards of a framing have recorded of the batch,
// and hands it on to be analyzed again.
func (f *framing) recorded() (*Difference, *expected) {
	lines := f.rigs[0].takeLines()
	for _, g := range f.rigs[1:] {
		other := g.takeLines()
		for i := range max(len(lines), len(other)) {
			a, b := "no line", "no line"
			if i < len(lines) {
				a = lines[i]
			}
			if i < len(other) {
				b = other[i]
			}
			if a != b {
				at := f.batch[min(i, len(f.batch)-1)]
				return &Difference{Stage: "recorded line", Setup: g.setup.String(), Offline: show([]byte(a)), Live: show([]byte(b))}, at
			}
		}
	}
	return f.record.feed(f.rigs[0].setup, f.batch, lines)
}

// differ keeps the first difference of the stream, and ends the play: what
// follows a difference says nothing.
func (s *stream) differ(at *expected, d *Difference) {
	n := s.current
	if at != nil {
		n, d.Frame, d.Line = at.session, at.frame, at.line
	} else {
		d.Frame = -1
	}
	if s.interrupted() {
		return
	}
	if s.failed {
		return
	}
	s.failed = true
	s.sessions[n].Diff, s.sessions[n].Verdict = d, Differ
}

func (s *stream) interrupted() bool {
	select {
	case <-s.o.Interrupt:
		return true
	default:
		return false
	}
}
