// Package verify proves, on any recorded trace, that the live guard and the
// offline analysis agree (replay.md, "Proof of agreement"): it plays each
// session through the real guard loop over pipes, in every framing and cut, and
// compares findings, forwarded bytes and what the guard recorded.
package verify

import (
	"hash/maphash"
	"iter"

	"github.com/warden-trace/warden/analyze"
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
	// Only, if not empty, names the one session and the one setup to play, as a
	// reproduction command gives them.
	OnlySession *string
	OnlySetup   string
	Interrupt   <-chan struct{}
}

// Difference is the first thing in which two analyses of a session differ.
type Difference struct {
	Stage   string `json:"stage"`   // what was compared
	Setup   string `json:"setup"`   // framing/cut
	Frame   int    `json:"frame"`   // of the frames played, from 0
	Offline string `json:"offline"` // what the offline analysis has
	Live    string `json:"live"`    // what the guard or its recording has
}

// Session is the verdict on one session.
type Session struct {
	Trace    string      `json:"trace"`
	Session  string      `json:"session"`
	Frames   int64       `json:"frames"`  // played
	Skipped  int64       `json:"skipped"` // over all setups: a framing can't carry them
	LeftOut  int64       `json:"left_out"`
	Why      string      `json:"why,omitempty"` // why frames, or the session, were left out
	Findings int64       `json:"findings"`
	Setups   int         `json:"setups"`
	Diff     *Difference `json:"difference,omitempty"`
}

// sessionsAtOnce bounds the sessions that are played in one pass: each holds
// pipes and goroutines for every setup. A trace with more is read again.
const sessionsAtOnce = 8

// Run verifies all inputs. inputs is called once for each pass and must give
// the same streams every time. tell receives each session's verdict.
func Run(inputs func() iter.Seq2[*formats.Input, error], o Options, handler report.Handler, tell func(*Session) error) error {
	for pass := 0; ; pass++ {
		v := &sweep{o: o, first: pass * sessionsAtOnce, hash: maphash.MakeSeed(), open: map[*replay.Session]*play{}}
		h := handler
		if pass > 0 {
			h = &problems{} // said already
		}
		_, err := offline.Run(inputs(), offline.Options{Config: o.Config, Formats: o.Formats, Jobs: 1, Handler: h,
			Interrupt: o.Interrupt, Observe: v.observe})
		for _, p := range v.order {
			p.finish()
			if v.err == nil && !p.other {
				v.err = tell(&p.sum)
			}
		}
		if err == nil {
			err = v.err
		}
		if err != nil || !v.more {
			return err
		}
	}
}

// sweep is one pass over the inputs.
type sweep struct {
	o     Options
	first int // number of the first session that this pass plays
	seen  int
	more  bool // sessions are left for another pass
	hash  maphash.Seed
	open  map[*replay.Session]*play
	order []*play
	err   error
}

// play is one session being played in all setups.
type play struct {
	sum   Session
	rigs  []*rig
	other bool // belongs to another pass
}

func (v *sweep) observe(o *offline.Observation) {
	p := v.open[o.Session]
	if p == nil {
		p = v.begin(o)
		v.open[o.Session] = p
	}
	if p.other || o.Record == nil || p.sum.Diff != nil {
		return
	}
	r := o.Record
	if r.Kind != formats.KindFrame || r.Flags&(formats.Truncated|formats.Elided|formats.Redacted) != 0 || r.HTTP != nil ||
		o.Outcome.Dir == analyze.Unknown || r.Size > int64(v.o.Formats.MaxFrame) && v.o.Formats.MaxFrame > 0 {
		p.sum.LeftOut++
		p.sum.Why = "frames that were not recorded whole, have no direction, or came over HTTP"
		return
	}
	p.sum.Frames++
	p.sum.Findings += int64(len(o.Outcome.Findings))
	for _, g := range p.rigs {
		if d := g.play(o.Outcome.Dir, r.Frame); d != nil {
			p.sum.Diff = d
			return
		}
	}
}

func (v *sweep) begin(o *offline.Observation) *play {
	p := &play{sum: Session{Trace: o.Trace, Session: o.Session.Name}}
	n := v.seen
	v.seen++
	if v.o.OnlySession != nil && *v.o.OnlySession != o.Session.Name {
		p.other = true
		return p
	}
	if n < v.first || n >= v.first+sessionsAtOnce {
		p.other = true
		v.more = v.more || n >= v.first+sessionsAtOnce
		return p
	}
	v.order = append(v.order, p)
	for _, s := range setups() {
		if v.o.OnlySetup != "" && v.o.OnlySetup != s.String() {
			continue
		}
		g, err := newRig(v.o.Config, s, v.o.Seed, v.hash)
		if err != nil {
			if v.err == nil {
				v.err = err
			}
			break
		}
		p.rigs = append(p.rigs, g)
	}
	p.sum.Setups = len(p.rigs)
	return p
}

func (p *play) finish() {
	for _, g := range p.rigs {
		d := g.close()
		p.sum.Skipped += int64(g.skipped)
		if p.sum.Diff == nil {
			p.sum.Diff = d
		}
	}
	p.rigs = nil
}

// Setups are the names of all setups, for help and completion.
func Setups() []string {
	var names []string
	for _, s := range setups() {
		names = append(names, s.String())
	}
	return names
}
