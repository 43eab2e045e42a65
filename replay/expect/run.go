package expect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

// Setup is how one trace is scanned.
type Setup struct {
	Config  *replay.Config
	Formats formats.Options
	// Exit is the exit code of a scan with such findings and problems.
	Exit func(counts *report.Counts, fatal bool) int
	// Tolerant makes unreadable lines notices.
	Tolerant bool
}

// Loader turns the arguments of an expectation, relative to dir, into a Setup.
type Loader func(dir string, args []string) (*Setup, error)

// Got is what a scan gave.
type Got struct {
	Findings []analyze.Finding
	Problems []string // fatal ones
	Exit     int
	Frames   int64
}

// Scan runs the case's trace.
func (c *Case) Scan(load Loader) (*Got, error) {
	var args []string
	if c.Want != nil {
		args = c.Want.Args
	}
	s, err := load(c.Dir(), args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	f, err := os.Open(c.Trace)
	if err != nil {
		return nil, err
	}
	f.Close()
	return s.scan(c.Trace, nil)
}

// ScanBytes scans a canonical trace in memory.
func (s *Setup) ScanBytes(name string, data []byte) (*Got, error) {
	return s.scan(name, bytes.NewReader(data))
}

func (s *Setup) scan(name string, r io.Reader) (*Got, error) {
	k := &keep{tolerant: s.Tolerant}
	cfg := *s.Config
	cfg.Dry = true
	inputs := formats.Inputs([]string{name}, nil, formats.InputOptions{Options: s.Formats})
	if r != nil {
		inputs = func(yield func(*formats.Input, error) bool) {
			yield(&formats.Input{Name: filepath.ToSlash(name), R: r, Size: -1, Explicit: true}, nil)
		}
	}
	sum, err := offline.Run(inputs, offline.Options{Config: &cfg, Formats: s.Formats, Jobs: 1, Handler: k})
	if err != nil {
		return nil, err
	}
	g := &k.got
	g.Exit, g.Frames = s.Exit(&sum.Counts, len(g.Problems) > 0), sum.Frames
	return g, nil
}

// keep holds on to findings.
type keep struct {
	got      Got
	tolerant bool
}

func (k *keep) Problem(p *report.Problem) error {
	if p.Fatal && !(p.Parse && k.tolerant) {
		text := p.Message
		if p.Line > 0 {
			text = fmt.Sprintf("line %d: %s", p.Line, text)
		}
		k.got.Problems = append(k.got.Problems, text)
	}
	return nil
}

func (k *keep) Finding(f *analyze.Finding) error {
	g := *f
	g.RPCID = bytes.Clone(f.RPCID)
	g.Spans = append([]analyze.Span(nil), f.Spans...)
	g.Matched = append([]string(nil), f.Matched...)
	k.got.Findings = append(k.got.Findings, g)
	return nil
}

func (k *keep) Trace(*report.Trace) error   { return nil }
func (k *keep) Close(*report.Summary) error { return nil }
func (k *keep) Abort()                      {}

// Result is how a case went.
type Result struct {
	Case *Case
	Got  *Got
	Diff *Diff // nil: as expected
	Err  error // it could not be run
}

// ErrNoExpectation is the error of a trace that has none.
var ErrNoExpectation = errors.New("no expectation; write it with --update")

// Run scans the case and compares.
func (c *Case) Run(load Loader) *Result {
	r := &Result{Case: c}
	if r.Got, r.Err = c.Scan(load); r.Err != nil {
		return r
	}
	if c.Want == nil {
		r.Diff = compare(&Expectation{Exit: &r.Got.Exit}, r.Got)
		if r.Diff == nil {
			r.Diff = &Diff{}
		}
		r.Diff.Missing = true
		return r
	}
	r.Diff = compare(c.Want, r.Got)
	return r
}
