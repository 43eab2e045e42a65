package tape

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay/where"
)

// Sieve tries an expression on frame after frame. What the index knows costs
// nothing; where the expression asks for more, the record is read, or the
// machine stepped.
type Sieve struct {
	t         *Tape
	f         *where.Filter
	undecided bool
	need      need
	walk      walker
	counts    map[uint32]int
	ctx       context.Context
	stop      context.CancelFunc
}

type need uint8

const (
	needIndex need = iota
	needRecord
	needStep
)

// byRecord and byStep are the fields that the index lacks.
var (
	byRecord = []string{"offset", "type", "id", "raw", "truncated", "elided", "redacted", "synthetic"}
	byStep   = []string{"severity", "action", "block", "pointer", "message", "snippet", "matched", "server", "protocol"}
)

// Sieve makes a sieve for a filter (nil: everything) and for frames with an
// undecided block finding alone.
func (t *Tape) Sieve(f *where.Filter, undecided bool) *Sieve {
	s := &Sieve{t: t, f: f, undecided: undecided, counts: map[uint32]int{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.walk.init(t)
	if f != nil {
		for _, n := range byRecord {
			if f.Uses(n) {
				s.need = needRecord
			}
		}
		for _, n := range byStep {
			if f.Uses(n) {
				s.need = needStep
			}
		}
	}
	return s
}

// Stop ends a run that is under way.
func (s *Sieve) Stop() { s.stop() }

// Run tries the frames from the given one for about that long. It returns those
// that are kept and the frame to go on with. Frames must come in order.
func (s *Sieve) Run(from int, d time.Duration) (kept []uint32, next int, err error) {
	end := time.Now().Add(d)
	for i := from; ; i++ {
		if i%32 == 0 && (time.Now().After(end) || s.ctx.Err() != nil) {
			return kept, i, nil
		}
		s.t.x.mu.RLock()
		if i >= s.t.x.n {
			s.t.x.mu.RUnlock()
			return kept, i, nil
		}
		e := *s.t.x.entry(i)
		label := s.t.x.labels[e.label]
		ok := !s.undecided || e.flags>>tierShift&3 == uint16(analyze.Block)+1 && s.t.x.undecided(i)
		var session *Session
		if e.Session != NoSession {
			x := *s.t.x.sessions[e.Session]
			session = &x
		}
		var marks []Mark
		var rules []RuleCount
		for _, m := range s.t.x.on(i) {
			marks = append(marks, *m)
			rules = append(rules, s.t.x.rules[m.rule])
		}
		s.t.x.mu.RUnlock()
		in := 0
		if session != nil {
			in = s.counts[e.Session]
			s.counts[e.Session]++
		}
		if ok && s.f != nil {
			if ok, err = s.match(i, in, &e, label, session, marks, rules); err != nil {
				return kept, i, err
			}
		}
		if ok {
			kept = append(kept, uint32(i))
		}
	}
}

func (s *Sieve) match(i, in int, e *Entry, label Label, session *Session, marks []Mark, rules []RuleCount) (bool, error) {
	env := where.Env{Trace: s.t.Name, Frame: in, Line: int(e.Line), Direction: e.Dir().String(), Method: label.Method, Tool: label.Tool,
		Size: int(e.Size()), Error: e.Failed(), Verdict: e.Verdict().String(), Findings: len(marks)}
	if session != nil {
		env.Session, env.Server, env.Protocol = session.Name, session.Server, session.Protocol
	}
	if e.TS != 0 {
		env.TS = time.Unix(0, e.TS).UTC()
	}
	for _, r := range rules {
		env.Rules = append(env.Rules, r.Rule)
	}
	if s.need >= needRecord {
		r, err := s.t.Record(i)
		if err != nil {
			return false, err
		}
		fill(&env, e, r)
	}
	if s.need == needStep && session != nil {
		return s.stepped(i, e, &env)
	}
	env.SetFinding(nil)
	if len(marks) == 0 {
		return s.f.Match(&env), s.f.Err()
	}
	for k, m := range marks {
		env.Rule, env.SubRule, env.Tier, env.TierRank = rules[k].Rule, rules[k].Sub, m.Tier().String(), int(m.Tier())
		env.Fingerprint, env.Accepted = hex.EncodeToString(m.Print[:]), m.Decided == 1
		if s.f.Match(&env) {
			return true, s.f.Err()
		}
	}
	return false, s.f.Err()
}

// stepped tries a frame whose findings must be made again, or whose session's
// state is asked for.
func (s *Sieve) stepped(i int, e *Entry, env *where.Env) (bool, error) {
	st, err := s.t.stepWith(s.ctx, &s.walk, i)
	if err != nil {
		return false, err
	}
	env.Server, env.Protocol = st.After.Server, st.After.Protocol
	env.SetFinding(nil)
	if len(st.Findings) == 0 {
		return s.f.Match(env), s.f.Err()
	}
	for k := range st.Findings {
		env.SetFinding(&st.Findings[k].Finding)
		env.Accepted = st.Findings[k].Decided == 1
		if s.f.Match(env) {
			return true, s.f.Err()
		}
	}
	return false, s.f.Err()
}

// fill adds what the record says.
func fill(env *where.Env, e *Entry, r *formats.Record) {
	env.Offset, env.Size = int(r.Offset), int(r.Size)
	env.Truncated, env.Elided = r.Flags&formats.Truncated != 0, r.Flags&formats.Elided != 0
	env.Redacted, env.Synthetic = r.Flags&formats.Redacted != 0, r.Flags&formats.Synthetic != 0
	env.Type = "junk"
	switch r.Kind {
	case formats.KindOverCap:
		env.Type = "over-cap"
	case formats.KindText:
		env.Type, env.Raw = "text", string(r.Frame)
	case formats.KindBinary:
		env.Type = "binary"
	case formats.KindHTTP:
		env.Type = "http"
	case formats.KindFrame:
		env.Raw = string(r.Frame)
		var l jsonrpc.Frame
		raw := append(make([]byte, 0, len(r.Frame)+jsonrpc.Pad), r.Frame...)
		jsonrpc.Read(raw, analyze.Full, &l)
		switch {
		case l.Batch:
			env.Type = "batch"
		case len(l.Msgs) > 0 && l.Errs[0] == "":
			m := &l.Msgs[0]
			env.ID = where.ID(m.ID)
			switch {
			case m.IsResponse():
				env.Type = "response"
			case m.IsRequest():
				env.Type = "request"
			case m.IsNotification():
				env.Type = "notification"
			}
		}
	}
}
