package tui

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/replay/expect"
	"github.com/warden-trace/warden/tui/tape"
)

// shrinkTime bounds the search for the shortest run; what was found by then is
// a case as well.
const shrinkTime = 20 * time.Second

// shrinker looks for the fewest frames that still give a finding, by scanning
// what would be written, so that the case is right by its own expectation.
type shrinker struct {
	o     *Options
	want  *tape.Finding
	lines map[int][]byte // frames in the canonical form
	end   time.Time
}

func writeCase(o *Options, frames []int, want *tape.Finding, name string) (int, error) {
	s := &shrinker{o: o, want: want, lines: map[int][]byte{}, end: time.Now().Add(shrinkTime)}
	kept, err := s.shrink(frames)
	if err != nil {
		return 0, err
	}
	got, err := s.scan(kept)
	if err != nil {
		return 0, err
	}
	var args []string
	if o.CaseArgs != nil {
		args = o.CaseArgs(filepath.Dir(name))
	}
	e := &expect.Expectation{Args: args, Findings: expect.Entries(got.Findings), Exit: &got.Exit}
	var trace []byte
	for _, i := range kept {
		trace = append(trace, s.lines[i]...)
	}
	if err := write(name+".jsonl", trace); err != nil {
		return 0, err
	}
	return len(kept), write(name+expect.Suffix, e.Marshal())
}

func write(path string, data []byte) error {
	out, err := target.Create(path, nil)
	if err != nil {
		return err
	}
	if _, err := out.Write(data); err != nil {
		out.Abort()
		return err
	}
	return out.Close()
}

func (s *shrinker) line(i int) ([]byte, error) {
	if b, ok := s.lines[i]; ok {
		return b, nil
	}
	r, err := s.o.Tape.Record(i)
	if err != nil {
		return nil, err
	}
	r.Session, r.Seq = nil, -1 // one session, and its numbers would have gaps
	b := formats.AppendCanonical(nil, r)
	s.lines[i] = b
	return b, nil
}

func (s *shrinker) scan(frames []int) (*expect.Got, error) {
	var trace bytes.Buffer
	for _, i := range frames {
		b, err := s.line(i)
		if err != nil {
			return nil, err
		}
		trace.Write(b)
	}
	setup := &expect.Setup{Config: s.o.Config, Formats: s.o.Formats, Exit: func(c *report.Counts, fatal bool) int {
		switch {
		case fatal:
			return 2
		case c.Block > 0 && !s.o.Config.Posture.AuditOnly:
			return 1
		}
		return 0
	}}
	return setup.ScanBytes("case", trace.Bytes())
}

// gives reports that the frames give the finding.
func (s *shrinker) gives(frames []int) bool {
	got, err := s.scan(frames)
	if err != nil {
		return false
	}
	for i := range got.Findings {
		if same(&got.Findings[i], &s.want.Finding) {
			return true
		}
	}
	return false
}

// same compares what makes a finding itself; Action too, since a case is about
// what happens.
func same(a, b *analyze.Finding) bool {
	return a.Rule == b.Rule && a.SubRule == b.SubRule && a.Tool == b.Tool && a.Method == b.Method && a.Pointer == b.Pointer &&
		a.Block == b.Block && a.Action == b.Action && bytes.Equal(a.RPCID, b.RPCID)
}

// shrink tries the frame alone, then ever longer runs that end in it, and takes
// away from the first that gives the finding whatever is not needed, in halves,
// quarters and so on to single frames.
func (s *shrinker) shrink(frames []int) ([]int, error) {
	n := len(frames)
	if n == 0 {
		return nil, errors.New("the frame belongs to no session")
	}
	var run []int
	for size := 1; ; size *= 2 {
		size = min(size, n)
		if s.gives(frames[n-size:]) {
			run = frames[n-size:]
			break
		}
		if size == n {
			return nil, errors.New("the finding does not come again from this session's frames alone")
		}
		if time.Now().After(s.end) {
			return nil, fmt.Errorf("no run of the last %d frames gives the finding; save the selection instead", size)
		}
	}
	for part := max(len(run)/2, 1); ; part /= 2 {
		for at := 0; at < len(run); {
			less := append(append([]int(nil), run[:at]...), run[min(at+part, len(run)):]...)
			if len(less) > 0 && len(less) < len(run) && s.gives(less) {
				run = less
				continue
			}
			at += part
			if time.Now().After(s.end) {
				return run, nil
			}
		}
		if part <= 1 {
			return run, nil
		}
	}
}
