package offline

import (
	"cmp"
	"slices"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
)

// tally sums up one session while it is read.
type tally struct {
	frames, calls int64
	start, end    int64
	flags         formats.Flags
	counts        report.Counts
	// lately is findings that are counted but not in counts yet: most are of a few
	// rules, again and again.
	lately [4]ruleCount
	next   int // of lately to be counted out
}

type ruleCount struct {
	rule string
	tier analyze.Tier
	n    int64
}

// count counts a finding.
func (t *tally) count(f *analyze.Finding) {
	if f.Accepted() {
		t.counts.Add(f)
		return
	}
	for i := range t.lately {
		if l := &t.lately[i]; l.rule == f.Rule && l.tier == f.Tier {
			l.n++
			return
		}
	}
	l := &t.lately[t.next%len(t.lately)]
	t.next++
	t.counts.AddAll(l.rule, l.tier, l.n)
	*l = ruleCount{f.Rule, f.Tier, 1}
}

// settle makes counts complete.
func (t *tally) settle() {
	for _, l := range t.lately {
		t.counts.AddAll(l.rule, l.tier, l.n)
	}
	t.lately = [len(t.lately)]ruleCount{}
}

func (t *tally) frame(r *formats.Record, out *replay.Outcome) {
	t.frames++
	t.calls += int64(out.Calls)
	t.flags |= r.Flags
	if r.TS != 0 {
		if t.start == 0 || r.TS < t.start {
			t.start = r.TS
		}
		t.end = max(t.end, r.TS)
	}
}

// closed takes what a session that ends has to say, and sums it up. Sessions
// without a finding are named only while there is room.
func (m *merge) closed(s *replay.Session) {
	t, ok := s.Data.(*tally)
	if !ok {
		return
	}
	out := s.Machine.Close()
	m.complete(s, 0, out.Findings)
	o := Observation{Trace: m.cur.name, Format: m.t.Format, Fidelity: m.cur.source.Fidelity(), Session: s, Outcome: out}
	m.choose(&o)
	if m.o.Observe != nil {
		m.o.Observe(&o)
	}
	t.counts.LeftOut += int64(len(out.Findings) - len(o.Matching))
	m.findings(t, o.Matching)
	t.settle()
	m.t.Counts.Join(&t.counts)
	fidelity := m.cur.source.Fidelity()
	if fidelity == formats.Wire && t.flags&(formats.Elided|formats.Truncated) != 0 {
		fidelity = formats.WireElided
	}
	sum := report.Session{Name: s.Name, Number: s.Number, Fidelity: fidelity.String(), Frames: t.frames, Calls: t.calls,
		Counts: t.counts, Start: at(t.start), End: at(t.end), Protocol: s.Machine.Protocol(), Server: s.Machine.ServerName()}
	m.t.Sessions = append(m.t.Sessions, sum)
	if len(m.t.Sessions) >= 2*report.MaxSessions {
		order(m.t.Sessions)
		m.t.Sessions = m.t.Sessions[:report.MaxSessions]
	}
}

func at(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// order puts the sessions that need a reader first.
func order(s []report.Session) {
	slices.SortFunc(s, func(a, b report.Session) int {
		return cmp.Or(
			cmp.Compare(b.Counts.Block, a.Counts.Block),
			cmp.Compare(b.Counts.Monitor, a.Counts.Monitor),
			cmp.Compare(a.Number, b.Number))
	})
}
