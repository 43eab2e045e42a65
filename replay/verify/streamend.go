package verify

import "sync"

// end is told when the last record of the stream has been read.
func (s *stream) end() {
	s.ended = true
	s.flush()
	s.closeRigs()
}

// closeRigs ends the streams of all guards, and compares what only shows then.
func (s *stream) closeRigs() {
	if s.framings == nil {
		return
	}
	var wg sync.WaitGroup
	for _, f := range s.framings {
		closes := f.plain.close()
		if f == s.framings[1] {
			s.ownClosed = append(s.ownClosed, closes...)
			s.pair(nil)
		}
		for _, g := range f.rigs {
			wg.Go(func() { g.close(closes) })
		}
		if f.record != nil {
			wg.Go(func() { f.record.close(closes) })
		}
	}
	wg.Wait()
	for _, f := range s.framings {
		for _, g := range f.rigs {
			if g.diff != nil && !s.failed {
				s.differ(g.at, g.diff)
			}
		}
		if f.record != nil && !s.failed {
			if d, at := f.record.verdict(f.rigs[0].setup); d != nil {
				s.differ(at, d)
			}
		}
	}
	s.framings = nil
}

// abandon ends the guards without a verdict.
func (s *stream) abandon() {
	var wg sync.WaitGroup
	for _, f := range s.framings {
		for _, g := range f.rigs {
			wg.Go(func() { g.close(nil) })
		}
		if f.record != nil {
			wg.Go(func() { f.record.close(nil) })
		}
	}
	wg.Wait()
	s.framings = nil
}

// finish says what became of each session, at the end of the trace.
func (s *stream) finish() {
	if !s.ended {
		s.abandon()
	}
	cut := false // by a difference in an earlier session, or an interrupt
	for _, x := range s.sessions {
		switch {
		case x.Verdict != "":
		case cut:
			x.Verdict, x.Why = NotVerified, "an earlier session of the same stream differs"
		case !s.ended || s.interrupted():
			x.Verdict, x.Why = NotVerified, "interrupted"
		case x.Frames == 0 && len(x.LeftOut) > 0:
			x.Verdict, x.Why = NotVerified, "nothing of it can be played: "+x.LeftOut[0].What
		default:
			x.Verdict = Agree
		}
		cut = cut || x.Verdict == Differ
		s.say(x)
	}
}
