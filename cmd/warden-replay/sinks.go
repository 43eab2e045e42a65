package main

import (
	"io"
	"strings"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
	"github.com/warden-trace/warden/replay/offline"
)

// sinks is where a guarded session leaves its traces: the recording, the
// reports, and lines on standard error.
type sinks struct {
	w       *program.World
	c       *guardCmd
	stderr  *notices
	record  *guard.Recorder
	prints  offline.Fingerprinter
	handler report.Handler
	frames  report.FrameSink // nil where no report wants every frame
	frame   report.Frame
	seq     int64
	failed  bool
	sum     report.Summary
	trace   report.Trace
	start   time.Time
}

func (c *guardCmd) open(w *program.World, cfg *replay.Config, command []string) (*sinks, error) {
	for _, file := range []string{c.Record, c.JSON, c.Sarif, c.HTML} {
		if file == "-" || file == "/dev/stdout" || file == "/dev/fd/1" || file == "/proc/self/fd/1" {
			return nil, program.Fail("give a file name", "standard output belongs to the protocol: nothing else can go there")
		}
	}
	s := &sinks{w: w, c: c, start: w.Now(), stderr: newNotices(w.Stderr)}
	s.sum.Counts.Rules, s.trace.Counts.Rules = map[string]int64{}, map[string]int64{}
	run := &report.Run{Version: program.Version, Ruleset: cfg.Catalog.Hash(), Coverage: cfg.Coverage, Rules: cfg.Rules.Rules, Start: s.start}
	s.trace.Name, s.trace.Format, s.trace.Fidelity = "live", "live", "wire"
	var handlers []report.Handler
	abort := func(err error) (*sinks, error) {
		for _, h := range handlers {
			h.Abort()
		}
		s.stderr.close()
		return nil, err
	}
	if c.JSON != "" {
		out, err := target.Stream(c.JSON, w.Stdout)
		if err != nil {
			return abort(err)
		}
		handlers = append(handlers, report.NewLiveJSON(out, run))
	}
	for _, r := range []struct {
		file string
		make func(io.Writer) report.Handler
	}{
		{c.Sarif, func(o io.Writer) report.Handler {
			return report.NewSARIF(o, report.SARIFOptions{Program: name}, run)
		}},
		{c.HTML, func(o io.Writer) report.Handler { return report.NewHTML(o, run) }},
	} {
		if r.file == "" {
			continue
		}
		out, err := target.Create(r.file, w.Stdout)
		if err != nil {
			return abort(err)
		}
		handlers = append(handlers, r.make(out))
	}
	if c.Parquet != "" {
		dir, err := report.CreateParquetDir(c.Parquet)
		if err != nil {
			return abort(err)
		}
		handlers = append(handlers, report.NewParquet(dir, report.ParquetOptions{IncludeText: c.IncludeText}, run))
	}
	if c.Record != "" {
		s.trace.Name = c.Record
		var err error
		if s.record, err = guard.Record(c.Record, c.Force, command, s.start, s.note); err != nil {
			return abort(err)
		}
	}
	s.handler = report.Tee(handlers...)
	if report.WantsFrames(s.handler) {
		s.frames = s.handler.(report.FrameSink)
	}
	return s, nil
}

// observe runs under the proxy's lock, in the machine's order.
func (s *sinks) observe(seen *guard.Seen) {
	if s.record != nil {
		s.record.Frame(seen)
	}
	s.show(seen)
	if seen.Dir != analyze.Unknown {
		s.trace.Frames++
		s.sum.Frames++
	}
	s.sum.Sessions = max(s.sum.Sessions, int64(seen.Session.Number)+1)
	if seen.Outcome.Inspected {
		s.trace.Inspected++
		s.sum.Inspected++
	}
	for i := range seen.Outcome.Findings {
		f := seen.Outcome.Findings[i]
		f.Trace, f.Session = s.trace.Name, seen.Session.Name
		if f.TS.IsZero() {
			f.TS = seen.TS // a deadline's finding has the time of its request
		}
		f.Fingerprint = s.prints.Of(&f)
		for _, c := range []*report.Counts{&s.trace.Counts, &s.sum.Counts} {
			c.Add(&f)
		}
		if f.Rule == "WRD-RES-INJECT-PHRASE" {
			s.sum.InjectPhraseFindings++
		}
		s.finding(&f)
	}
}

// show hands a frame, or a session's end, to the reports that want every one.
func (s *sinks) show(seen *guard.Seen) {
	if s.frames == nil || s.failed || seen.Event == nil && !seen.Closed {
		return
	}
	s.frame = report.Frame{Trace: s.trace.Name, Session: seen.Session, Outcome: seen.Outcome, Matched: true, Findings: seen.Outcome.Findings}
	if seen.Event != nil {
		rec := seen.Record(s.seq)
		rec.Line, rec.Offset = seen.Event.Place.Line, seen.Event.Place.Offset
		s.frame.Record, s.frame.Event = &rec, seen.Event
		s.seq++
	}
	s.fail(s.frames.Frame(&s.frame))
}

// fail notes that a report can't be written any more.
func (s *sinks) fail(err error) {
	if err != nil && !s.failed {
		s.failed = true
		s.note("a report stopped: " + err.Error() + "; the session goes on")
	}
}

// finding tells of one finding: in the reports, and on standard error.
func (s *sinks) finding(f *analyze.Finding) {
	if !s.failed {
		s.fail(s.handler.Finding(f))
	}
	if !s.c.tells(f.Tier) {
		return
	}
	parts := []string{f.Action.String(), f.Rule}
	if f.SubRule != "" {
		parts = append(parts, f.SubRule)
	}
	if f.Tool != "" {
		parts = append(parts, "tool "+safe.Name(f.Tool))
	}
	if f.RPCID != nil {
		parts = append(parts, "id "+safe.Name(string(f.RPCID[:min(len(f.RPCID), 64)])))
	}
	s.note(strings.Join(parts, " ") + ": " + f.Message)
}

// note writes one line to standard error.
func (s *sinks) note(text string) { s.stderr.note(text) }

func (s *sinks) close(code int) {
	if s.record != nil {
		s.record.Close()
	}
	s.sum.Traces, s.sum.ExitCode = 1, code
	s.trace.SessionsAll = s.sum.Sessions
	s.sum.Elapsed = s.w.Now().Sub(s.start)
	err := s.handler.Trace(&s.trace)
	if err == nil {
		err = s.handler.Close(&s.sum)
	}
	if err != nil && !s.failed {
		s.note("a report could not be written: " + err.Error())
	}
	s.stderr.close()
}
