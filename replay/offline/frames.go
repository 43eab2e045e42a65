package offline

import "github.com/warden-trace/warden/formats/report"

// Frames returns an Observe that hands every event to a report. A report that
// fails says so when it is closed; that a run goes on until then costs time
// alone.
func Frames(sink report.FrameSink) func(*Observation) {
	var failed bool
	var f report.Frame
	return func(o *Observation) {
		if failed {
			return
		}
		f = report.Frame{Trace: o.Trace, Session: o.Session, Record: o.Record, Event: o.Event, Outcome: o.Outcome,
			Fidelity: o.Fidelity, Matched: o.Matched, Findings: o.Matching, Lasting: o.Lasting}
		failed = sink.Frame(&f) != nil
	}
}
