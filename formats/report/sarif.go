package report

import (
	"io"

	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
)

// SARIFLimit is how many results a run holds unless --sarif-limit says other:
// GitHub code scanning refuses a run with more.
const SARIFLimit = 25000

// noteLimit bounds the notifications of a run.
const noteLimit = 1000

// FingerprintKey names the fingerprint in partialFingerprints.
const FingerprintKey = "wardenFingerprint/v1"

// SARIFOptions steer the SARIF report.
type SARIFOptions struct {
	// Limit is the most results that are kept; 0 is SARIFLimit. Beyond it
	// results of a weaker tier give way to stronger ones, the later first, and
	// a notification says how many are missing.
	Limit int
	// Root is the absolute folder, slash separated, that URIs are relative to
	// where a trace lies below it (the root of the checkout); "" for none.
	Root string
	// Program is the name of the tool; "" is "warden-inspect".
	Program string
	// BaselineState, if set, says of a finding whether it is new, absent,
	// updated or unchanged against another run; "" leaves it out.
	BaselineState func(*analyze.Finding) string
}

// NewSARIF returns the SARIF 2.1.0 handler. Results are held, marshalled, until
// Close, since only then it is known which of them fit the limit.
func NewSARIF(w io.Writer, o SARIFOptions, run *Run) Handler {
	if o.Limit <= 0 {
		o.Limit = SARIFLimit
	}
	if o.Program == "" {
		o.Program = "warden-inspect"
	}
	s := &sarifLog{out: newOut(w), o: o, run: run, lens: newLens(run), index: map[string]uint{}}
	for i := range run.Rules {
		s.index[run.Rules[i].ID] = uint(i)
	}
	return s
}

type sarifLog struct {
	out
	o     SARIFOptions
	run   *Run
	lens  *lens
	index map[string]uint // rule id -> its place in the driver's rules

	kept    [3][]sarifResult // by tier, each in order of arrival
	held    int
	seq     int64
	dropped [3]int64 // by tier

	scratch, block []byte
	uriOf, lastURI string // see uri

	notes     []*sarif.Notification
	notesLeft int64 // beyond noteLimit
}

// sarifResult is one marshalled result and its place in the stream.
type sarifResult struct {
	seq  int64
	json []byte
}

func (s *sarifLog) Finding(f *analyze.Finding) error {
	s.seq++
	if s.held >= s.o.Limit && !s.evict(f.Tier) {
		s.dropped[f.Tier]++
		return nil
	}
	s.scratch = s.appendResult(s.scratch[:0], f)
	s.kept[f.Tier] = append(s.kept[f.Tier], sarifResult{s.seq, s.store(s.scratch)})
	s.held++
	return nil
}

// store returns a copy of b in memory that many share. What is dropped from it
// stays: a result gives way twice at most.
func (s *sarifLog) store(b []byte) []byte {
	if cap(s.block)-len(s.block) < len(b) {
		s.block = make([]byte, 0, max(sarifBlock, len(b)))
	}
	from := len(s.block)
	s.block = append(s.block, b...)
	return s.block[from:len(s.block):len(s.block)]
}

const sarifBlock = 128 << 10

// evict drops the last result of the weakest tier below t, if there is one.
func (s *sarifLog) evict(t analyze.Tier) bool {
	for weak := analyze.Note; weak < t; weak++ {
		if n := len(s.kept[weak]); n > 0 {
			s.kept[weak][n-1].json = nil
			s.kept[weak] = s.kept[weak][:n-1]
			s.held--
			s.dropped[weak]++
			return true
		}
	}
	return false
}

// physical is a place in a trace file. What has no line stands at line 1, since
// a result without a region, or with line 0, is refused by readers.
func (s *sarifLog) physical(trace string, line, offset, column, end int64) *sarif.PhysicalLocation {
	uri := s.uri(trace)
	region := &sarif.Region{StartLine: ptr(int(max(line, 1)))}
	if line >= 1 {
		if offset >= 0 {
			region.ByteOffset = ptr(int(offset))
		}
		if column >= 1 {
			region.StartColumn = ptr(int(column))
			if end > column {
				region.EndColumn = ptr(int(end))
			}
		}
	}
	return &sarif.PhysicalLocation{
		ArtifactLocation: &sarif.ArtifactLocation{URI: &uri},
		Region:           region,
	}
}

func (s *sarifLog) Problem(p *Problem) error {
	if len(s.notes) >= noteLimit {
		s.notesLeft++
		return nil
	}
	level, id := "note", "notice"
	switch {
	case p.Parse:
		level, id = "warning", "parse-error"
	case p.Fatal:
		id = "unreadable"
	}
	if p.Fatal {
		level = "error"
	}
	n := notification(level, id, safe.String(s.lens.message.Raw(p.Message)))
	if p.Trace != "" {
		n.Locations = []*sarif.Location{{PhysicalLocation: s.physical(p.Trace, p.Line, p.Offset, 0, 0)}}
	}
	s.notes = append(s.notes, n)
	return nil
}

func (s *sarifLog) Trace(t *Trace) error {
	if t.Incomplete {
		s.say(t.Name, "warning", "incomplete", "the trace is "+t.Lacks())
	}
	if t.Fidelity != "" && t.Fidelity != wire {
		s.say(t.Name, "note", "fidelity", "the trace is "+t.Fidelity+": "+lacks(t.Fidelity))
	}
	return nil
}

// say adds a notification about a whole trace.
func (s *sarifLog) say(trace, level, id, text string) {
	if len(s.notes) >= noteLimit {
		s.notesLeft++
		return
	}
	n := notification(level, id, text)
	n.Locations = []*sarif.Location{{PhysicalLocation: s.physical(trace, 0, 0, 0, 0)}}
	s.notes = append(s.notes, n)
}

func notification(level, id, text string) *sarif.Notification {
	return &sarif.Notification{
		Level:      level,
		Descriptor: &sarif.ReportingDescriptorReference{Id: &id},
		Message:    &sarif.Message{Text: &text},
	}
}

func (s *sarifLog) Abort() { s.abort() }

func ptr[T any](v T) *T { return &v }
