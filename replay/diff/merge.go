package diff

import (
	"errors"
	"io"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// merge is the ordered end of the pipeline: two machines for each session, fed
// the same events.
type merge struct {
	o     Options
	cfgs  [2]*replay.Config
	edits []*Edit
	sum   *Summary

	cur      *trace
	sessions [2]*replay.Sessions
	left     [2][]analyze.Finding // of sessions that have ended
	stitch   formats.Stitcher
	prints   [2]offline.Fingerprinter
	examine  [2]*replay.Examiner // for records that the stitcher makes
	bad      int
	err      error
}

func newMerge(o Options, cfgs [2]*replay.Config) *merge {
	m := &merge{o: o, cfgs: cfgs, edits: Edits(o.Base.Rules, o.Head.Rules)}
	m.sum = newSummary(o, m.edits)
	for i, cfg := range cfgs {
		m.examine[i] = replay.NewExaminer(cfg.Catalog, cfg.Coverage)
	}
	return m
}

func (m *merge) job(j *job) error {
	switch j.kind {
	case jobProblem:
		m.sum.Fatal = true
		return m.o.Problem(&report.Problem{Trace: j.trace.name, Message: j.err.Error(), Fatal: true})
	case jobBegin:
		m.begin(j.trace)
	case jobChunk:
		if m.stitch == nil {
			for i := range j.recs {
				m.record(&j.recs[i], [2]*replay.Frame{&j.frames[0][i], &j.frames[1][i]})
			}
			break
		}
		keep := func(i int) {
			m.record(&j.recs[i], [2]*replay.Frame{&j.frames[0][i], &j.frames[1][i]})
		}
		m.stitch.Chunk(&j.chunk, j.recs, keep, m.visit)
	case jobEnd:
		m.end(j.err)
	}
	return m.err
}

func (m *merge) begin(t *trace) {
	m.cur, m.bad = t, 0
	m.stitch = t.source.NewStitcher()
	for i, cfg := range m.cfgs {
		m.prints[i] = offline.Fingerprinter{}
		m.sessions[i] = replay.NewSessions(cfg)
		m.sessions[i].Closed = func(s *replay.Session) {
			fs := s.Machine.Close().Findings
			m.place(fs, s.Name, 0, i)
			m.left[i] = append(m.left[i], fs...)
		}
	}
}

// visit takes a record that the stitcher made.
func (m *merge) visit(r *formats.Record, msg *jsonrpc.Message) {
	var f [2]replay.Frame
	for i := range f {
		offline.Examine(m.examine[i], r, msg, &f[i], nil)
	}
	m.record(r, [2]*replay.Frame{&f[0], &f[1]})
}

// record feeds one record to its session's two machines.
func (m *merge) record(r *formats.Record, frames [2]*replay.Frame) {
	if m.err != nil {
		return
	}
	switch r.Kind {
	case formats.KindBad:
		m.sum.ParseErrors++
		if m.bad++; m.bad <= 20 {
			m.problem(report.Problem{Line: r.Line, Offset: r.Offset, Message: r.Err, Parse: true, Fatal: true})
		}
		return
	case formats.KindMeta, formats.KindStderr:
		return
	}
	m.sum.Frames++
	var found [2][]analyze.Finding
	for i, f := range frames {
		s := m.sessions[i].For(r.Session, r.Dir, f)
		var ev replay.Event
		offline.Feed(&ev, r, f, s.Frames)
		found[i] = s.Machine.Step(&ev).Findings
		s.Frames++
		if len(found[i]) > 0 {
			m.place(found[i], s.Name, r.TS, i)
		}
	}
	m.flush()
	m.compare(found[0], found[1])
}

// place says where findings stand.
func (m *merge) place(fs []analyze.Finding, session string, ts int64, side int) {
	for i := range fs {
		f := &fs[i]
		f.Trace, f.Session = m.cur.input.File(f.Direction), session
		if f.TS.IsZero() && ts != 0 {
			f.TS = time.Unix(0, ts).UTC()
		}
		if m.o.Fingerprints {
			f.Fingerprint = m.prints[side].Of(f)
		}
		m.sum.count(f, side)
	}
}

// flush compares what sessions that ended had left to say.
func (m *merge) flush() {
	if len(m.left[0])+len(m.left[1]) > 0 {
		m.compare(m.left[0], m.left[1])
		m.left[0], m.left[1] = m.left[0][:0], m.left[1][:0]
	}
}

func (m *merge) compare(base, head []analyze.Finding) {
	if len(base)+len(head) == 0 || m.err != nil {
		return
	}
	changes := pair(base, head)
	if changes == nil {
		return
	}
	causes(m.edits, changes)
	for _, c := range changes {
		m.sum.change(c)
		if m.o.Change != nil && m.err == nil {
			m.err = m.o.Change(c)
		}
	}
}

func (m *merge) problem(p report.Problem) {
	p.Trace = m.cur.name
	m.sum.Fatal = m.sum.Fatal || p.Fatal && !p.Parse
	if m.err == nil {
		m.err = m.o.Problem(&p)
	}
}

func (m *merge) end(err error) {
	if m.stitch != nil {
		m.stitch.Close(m.visit)
	}
	for _, s := range m.sessions {
		s.Close()
	}
	m.flush()
	if n := m.bad - 20; n > 0 {
		m.problem(report.MoreLines(n))
	}
	if err != nil && !errors.Is(err, errInterrupted) {
		m.problem(report.Problem{Fatal: true, Message: "damaged: " + err.Error() + "; what came before is compared"})
	}
	m.sum.Traces++
	m.sum.Sessions += int64(m.sessions[0].Count())
}
