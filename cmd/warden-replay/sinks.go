package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
)

// sinks is where a guarded session leaves its traces: the recording, the
// reports, and lines on standard error.
type sinks struct {
	w       *program.World
	c       *guardCmd
	record  *guard.Recorder
	handler report.Handler
	failed  bool
	sum     report.Summary
	trace   report.Trace
	start   time.Time

	mu sync.Mutex // notes come from another goroutine
}

func (c *guardCmd) open(w *program.World, cfg *replay.Config) (*sinks, error) {
	s := &sinks{w: w, c: c, start: w.Now()}
	s.sum.Counts.Rules, s.trace.Counts.Rules = map[string]int64{}, map[string]int64{}
	run := &report.Run{Version: program.Version, Ruleset: cfg.Catalog.Hash(), Coverage: cfg.Coverage, Rules: cfg.Rules.Rules, Start: s.start}
	s.trace.Name, s.trace.Format, s.trace.Fidelity = "live", "live", "wire"
	if c.Record != "" {
		s.trace.Name = c.Record
		var err error
		if s.record, err = guard.Record(c.Record, c.Force, s.start, s.note); err != nil {
			return nil, err
		}
	}
	var handlers []report.Handler
	for _, r := range []struct {
		file string
		make func(io.Writer) report.Handler
	}{
		{c.JSON, func(o io.Writer) report.Handler { return report.NewJSON(o, run) }},
		{c.Sarif, func(o io.Writer) report.Handler {
			return report.NewSARIF(o, report.SARIFOptions{Program: name}, run)
		}},
	} {
		if r.file == "" {
			continue
		}
		if r.file == "-" {
			return nil, program.Fail("give a file name", "standard output belongs to the protocol: no report can go there")
		}
		out, err := target.Create(r.file, w.Stdout)
		if err != nil {
			return nil, err
		}
		handlers = append(handlers, r.make(out))
	}
	s.handler = report.Tee(handlers...)
	return s, nil
}

// observe runs under the proxy's lock, in the machine's order.
func (s *sinks) observe(seen *guard.Seen) {
	if s.record != nil {
		s.record.Frame(seen)
	}
	if seen.Dir != analyze.Unknown {
		s.trace.Frames++
		s.sum.Frames++
	}
	if seen.Outcome.Inspected {
		s.trace.Inspected++
		s.sum.Inspected++
	}
	for i := range seen.Outcome.Findings {
		f := seen.Outcome.Findings[i]
		f.Trace, f.Session, f.TS = s.trace.Name, seen.Session.Name, seen.TS
		for _, c := range []*report.Counts{&s.trace.Counts, &s.sum.Counts} {
			c.Add(&f)
		}
		if f.Rule == "WRD-RES-INJECT-PHRASE" {
			s.sum.InjectPhraseFindings++
		}
		s.finding(&f)
	}
}

// finding tells of one finding: in the reports, and on standard error where
// nobody else is told.
func (s *sinks) finding(f *analyze.Finding) {
	if !s.failed {
		if err := s.handler.Finding(f); err != nil {
			s.failed = true
			s.note("a report stopped: " + err.Error() + "; the session goes on")
		}
	}
	if s.c.JSON != "" || s.c.Sarif != "" || s.c.NoFindings || s.c.Quiet || f.Tier == analyze.Note && !s.c.Verbose {
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
func (s *sinks) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.w.Stderr, "%s: %s\n", name, safe.String(safe.Limit(text, 1024)))
}

func (s *sinks) close(code int) {
	if s.record != nil {
		s.record.Close()
	}
	s.sum.Traces, s.sum.Sessions, s.sum.ExitCode = 1, 1, code
	s.sum.Elapsed = s.w.Now().Sub(s.start)
	err := s.handler.Trace(&s.trace)
	if err == nil {
		err = s.handler.Close(&s.sum)
	}
	if err != nil && !s.failed {
		s.note("a report could not be written: " + err.Error())
	}
}
