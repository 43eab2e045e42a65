// Package verify proves, on any recorded trace, that the live guard and the
// offline analysis agree (replay.md, "Proof of agreement"). Each session is
// judged four ways, and all must say the same:
//
//   - by the file pipeline, which decodes and scans whole chunks;
//   - by a plain machine that reads the same frames one by one;
//   - by the real guard loop between two scripted peers over pipes, in every
//     framing and cut, whose forwarded bytes are compared too;
//   - by the file pipeline again, over what the guard recorded.
//
// The guard's clock shows the recorded time of the frame in hand, so that rules
// on time judge alike.
package verify

import (
	"iter"

	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

// Options configure a run.
type Options struct {
	Config  *replay.Config
	Formats formats.Options
	Seed    uint64 // of the random cuts
	// OnlyTrace, OnlySession (if not nil) and OnlySetup name what a
	// reproduction command plays again.
	OnlyTrace   string
	OnlySession *string
	OnlySetup   string
	Interrupt   <-chan struct{}

	faults faults // planted by this package's tests alone
}

// Difference is the first thing in which two analyses of a session differ.
type Difference struct {
	Stage   string `json:"stage"`          // what was compared
	Setup   string `json:"setup"`          // framing/cut; "offline" without a guard
	Frame   int    `json:"frame"`          // number of the frame in its session, from 0
	Line    int64  `json:"line,omitempty"` // of the trace
	Offline string `json:"offline"`        // what the offline analysis has
	Live    string `json:"live"`           // what the guard or its recording has
}

// Session is the verdict on one session.
type Session struct {
	Trace    string      `json:"trace"`
	Session  string      `json:"session"`
	Verdict  string      `json:"verdict"` // "agree", "differ", "not verified"
	Frames   int64       `json:"frames"`  // played
	Skipped  int64       `json:"skipped"` // plays in a framing that can't carry the frame
	LeftOut  []LeftOut   `json:"left_out,omitempty"`
	Why      string      `json:"why,omitempty"` // why it was not verified
	Findings int64       `json:"findings"`
	Setups   int         `json:"setups"`
	Diff     *Difference `json:"difference,omitempty"`
}

// LeftOut is something of a session that was not compared.
type LeftOut struct {
	What string `json:"what"`
	N    int64  `json:"count"`
}

// Verdicts on a session.
const (
	Agree       = "agree"
	Differ      = "differ"
	NotVerified = "not verified"
)

// streamsAtOnce bounds the streams that are played in one pass: each holds
// pipes and goroutines for every setup. What finds no room waits for the next
// pass over the inputs.
const streamsAtOnce = 4

// Run verifies all inputs. inputs is called once for each pass and must give
// the same streams every time. handler is told what is wrong with the traces,
// tell receives each session's verdict.
func Run(inputs func() iter.Seq2[*formats.Input, error], o Options, handler report.Handler, tell func(*Session) error) error {
	known := newSurvey(&o)
	run := func(h report.Handler, observe func(*offline.Observation)) error {
		sum, err := offline.Run(inputs(), offline.Options{Config: o.Config, Formats: o.Formats, Jobs: 1, Handler: h,
			Interrupt: o.Interrupt, Observe: observe})
		if err == nil && sum.Interrupted {
			err = errInterrupted
		}
		return err
	}
	err := run(&ends{Handler: handler, ended: known.ended}, known.observe)
	for err == nil && known.left() > 0 {
		s := newSweep(&o, known, tell)
		err = run(&ends{Handler: silent{}, ended: s.ended}, s.observe)
		s.close()
		if err == nil || err == errInterrupted && s.err != nil {
			err = s.err
		}
	}
	if err == errInterrupted {
		return nil // the caller knows; what was told stands
	}
	return err
}
