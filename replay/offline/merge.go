package offline

import (
	"errors"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/where"
)

// trace is one input while it is read.
type trace struct {
	name     string
	explicit bool
	source   formats.Source
	input    *formats.Input
}

// merge is the ordered end of the pipeline: it feeds the session machines and
// the reports, one goroutine for everything that needs order.
type merge struct {
	o   Options
	sum report.Summary

	// of the trace in hand
	cur      *trace
	t        report.Trace
	sessions *replay.Sessions
	stitch   formats.Stitcher
	prints   prints
	bad      int
	cols     formats.Columns
	made     bool // the record in hand is not in the chunk: the stitcher made it
	known    bool // a frame was a message, or its line said which way it went
	ev       replay.Event
	env      where.Env
	matching []analyze.Finding
	observed Observation
	examine  *replay.Examiner // for records that the stitcher makes
	err      error            // the first error of a report
}

// namedBadLines is how many unreadable lines of a file are named; the rest are
// counted (formats.md).
const namedBadLines = 20

func newMerge(o Options) *merge {
	m := &merge{o: o, examine: o.Config.Examiner()}
	m.sum.Counts.Rules = make(map[string]int64)
	return m
}

func (m *merge) job(j *job) error {
	switch j.kind {
	case jobProblem:
		if errors.Is(j.err, errPassedOver) {
			m.sum.Unrecognised++
			return nil
		}
		return m.o.Handler.Problem(&report.Problem{Trace: j.trace.name, Message: j.err.Error(), Fatal: true})
	case jobBegin:
		m.begin(j.trace)
	case jobChunk:
		m.chunk(j)
	case jobEnd:
		m.end(j)
	}
	return m.err
}

func (m *merge) begin(t *trace) {
	m.cur = t
	m.t = report.Trace{Name: t.name, Format: t.source.Format(), Fidelity: t.source.Fidelity().String()}
	m.t.Counts.Rules = make(map[string]int64)
	m.sessions = replay.NewSessions(m.o.Config)
	m.sessions.Closed = m.closed
	m.stitch = t.source.NewStitcher()
	m.prints = prints{}
	m.bad, m.known = 0, false
}

func (m *merge) chunk(j *job) {
	m.t.Bytes = j.chunk.Offset + int64(len(j.chunk.Buf))
	m.cols.Reset(&j.chunk)
	if m.o.Progress != nil {
		m.o.Progress.Inspected(int64(len(j.chunk.Buf)))
	}
	if m.stitch == nil {
		for i := range j.recs {
			m.record(&j.recs[i], &j.frames[i])
		}
	} else {
		m.stitch.Chunk(&j.chunk, j.recs, func(i int) { m.record(&j.recs[i], &j.frames[i]) }, m.visit)
	}
}

// visit takes a record that the stitcher made.
func (m *merge) visit(r *formats.Record, msg *jsonrpc.Message) {
	var f replay.Frame
	Examine(m.examine, r, msg, &f, nil)
	m.made = true
	m.record(r, &f)
	m.made = false
}

// record feeds one record to its session.
func (m *merge) record(r *formats.Record, f *replay.Frame) {
	if m.err != nil {
		return
	}
	switch r.Kind {
	case formats.KindBad:
		m.badLine(r)
		return
	case formats.KindMeta:
		if m.o.Meta != nil {
			m.o.Meta(m.cur.name, r.Frame)
		}
		return
	case formats.KindStderr:
		return
	}
	s := m.sessions.For(r.Session, r.Dir, f)
	if s.Data == nil {
		s.Data = &tally{counts: report.Counts{Rules: make(map[string]int64)}}
	}
	ev := &m.ev
	Feed(ev, r, f, s.Frames)
	out := s.Machine.Step(ev)
	s.Frames++
	m.known = m.known || out.Message || r.Dir != analyze.Unknown
	t := s.Data.(*tally)
	m.complete(s, r.TS, out.Findings)
	m.columns(r, out.Findings)
	o := Observation{Trace: m.cur.name, Format: m.t.Format, Fidelity: m.cur.source.Fidelity(), Session: s, Record: r, Event: ev, Outcome: out, Lasting: !m.made}
	m.choose(&o)
	if o.Matched {
		t.frame(r, out)
		m.t.Frames++
		if out.Inspected {
			m.t.Inspected++
		}
	}
	if m.o.Observe != nil {
		m.observed = o // a copy that outlives the call costs nothing where nobody looks
		m.o.Observe(&m.observed)
	}
	t.counts.LeftOut += int64(len(out.Findings) - len(o.Matching))
	m.findings(t, o.Matching)
}

// complete says of findings where they stand and what the baseline knows of
// them.
func (m *merge) complete(s *replay.Session, ts int64, fs []analyze.Finding) {
	for i := range fs {
		f := &fs[i]
		f.Trace, f.Session = m.cur.input.File(f.Direction), s.Name
		if f.TS.IsZero() && ts != 0 {
			f.TS = time.Unix(0, ts).UTC()
		}
		if m.o.Fingerprints {
			f.Fingerprint = m.prints.of(f)
		}
		if m.o.Accept != nil {
			m.o.Accept(f)
		}
	}
}

// columns says where in its line the frame of findings stands.
func (m *merge) columns(r *formats.Record, fs []analyze.Finding) {
	if len(fs) == 0 || m.made || m.o.NoColumns {
		return
	}
	start, end := m.cols.Of(r)
	for i := range fs {
		if f := &fs[i]; f.Line == r.Line && f.Offset == r.Offset {
			f.Column, f.EndColumn = start, end
		}
	}
}

// findings counts them for their session, whose end hands them to the trace's
// count, and reports them.
func (m *merge) findings(t *tally, fs []analyze.Finding) {
	for i := range fs {
		f := &fs[i]
		t.count(f)
		if f.Rule == "WRD-RES-INJECT-PHRASE" {
			m.sum.InjectPhraseFindings++
		}
		if m.err == nil {
			m.err = m.o.Handler.Finding(f)
		}
	}
}

func (m *merge) badLine(r *formats.Record) {
	m.t.ParseErrors++
	m.bad++
	if m.bad > namedBadLines {
		return
	}
	m.problem(report.Problem{Line: r.Line, Offset: r.Offset, Message: r.Err, Parse: true, Fatal: true})
}

func (m *merge) problem(p report.Problem) {
	p.Trace = m.cur.name
	if m.err == nil {
		m.err = m.o.Handler.Problem(&p)
	}
}

func (m *merge) end(j *job) {
	if m.stitch != nil {
		m.stitch.Close(m.visit)
	}
	m.sessions.Close()
	if n := m.bad - namedBadLines; n > 0 {
		m.problem(report.MoreLines(n))
	}
	if m.t.Frames > 0 && !m.known {
		// JSON lines that say nothing: reading them as clean would be a lie
		// (formats.md, "Fidelity").
		m.problem(report.Problem{Fatal: true, Message: "no recording of a known form: its lines are JSON, but none is a message or holds one " +
			"where a recorder is known to put it (frame, message, payload, raw, data, body, msg, json, in exact case)"})
	}
	for _, n := range m.cur.source.Notices() {
		m.problem(report.Problem{Message: n})
	}
	if j.err != nil {
		m.t.Incomplete = true
		if errors.Is(j.err, errInterrupted) {
			m.t.Interrupted = true
		} else {
			m.problem(report.Problem{Offset: m.t.Bytes, Fatal: true,
				Message: "damaged: " + j.err.Error() + "; what came before is reported"})
		}
	}
	m.t.SessionsAll = int64(m.sessions.Count())
	order(m.t.Sessions)
	m.sum.Traces++
	m.sum.Sessions += m.t.SessionsAll
	m.sum.Frames += m.t.Frames
	m.sum.Inspected += m.t.Inspected
	m.sum.Bytes += m.t.Bytes
	m.sum.ParseErrors += m.t.ParseErrors
	m.sum.Counts.Join(&m.t.Counts)
	if m.err == nil {
		m.err = m.o.Handler.Trace(&m.t)
	}
	if m.err == nil && m.o.Where != nil {
		m.err = m.o.Where.Err()
	}
	m.cur, m.sessions, m.stitch = nil, nil, nil
}
