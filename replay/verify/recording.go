package verify

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io"
	"strings"
	"sync"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
	"github.com/warden-trace/warden/replay/offline"
)

// recording is the trace that a guarded session records, analyzed offline while
// it grows. What was expected of each frame is kept as two hashes, so that a
// long session costs 16 bytes a frame.
type recording struct {
	hash maphash.Seed
	w    *io.PipeWriter
	line []byte
	seq  int64
	done chan error

	mu   sync.Mutex
	want []sums
	got  []sums
	body sums // of the frame that is being expected
}

type sums struct{ body, findings uint64 }

func newRecording(cfg *replay.Config, hash maphash.Seed) *recording {
	pr, pw := io.Pipe()
	r := &recording{hash: hash, w: pw, done: make(chan error, 1)}
	go func() {
		inputs := func(yield func(*formats.Input, error) bool) {
			yield(&formats.Input{Name: "recorded", R: pr, Size: -1, Explicit: true}, nil)
		}
		p := &problems{}
		_, err := offline.Run(inputs, offline.Options{Config: cfg, Jobs: 1, Handler: p, Observe: r.analyzed})
		if err == nil && len(p.list) > 0 {
			err = fmt.Errorf("%s", strings.Join(p.list, "; "))
		}
		pr.CloseWithError(io.ErrClosedPipe)
		r.done <- err
	}()
	return r
}

func (r *recording) sum(body []byte, findings []string) sums {
	return sums{maphash.Bytes(r.hash, bytes.TrimSpace(body)), maphash.String(r.hash, strings.Join(findings, "\n"))}
}

func (r *recording) expect(body []byte, findings []string) {
	r.mu.Lock()
	r.want = append(r.want, r.sum(body, findings))
	r.mu.Unlock()
}

// frame writes the line that a guard would record.
func (r *recording) frame(s *guard.Seen) {
	rec := s.Record(r.seq)
	r.seq++
	r.line = formats.AppendCanonical(r.line[:0], &rec)
	r.w.Write(r.line)
}

// analyzed sees what the offline analysis makes of a recorded line.
func (r *recording) analyzed(o *offline.Observation) {
	if o.Record == nil {
		return
	}
	s := r.sum(o.Record.Frame, describe(o.Outcome.Findings))
	r.mu.Lock()
	r.got = append(r.got, s)
	r.mu.Unlock()
}

// close ends the recording and names the first frame that reads back otherwise.
func (r *recording) close(setup string) *Difference {
	r.w.Close()
	if err := <-r.done; err != nil {
		return &Difference{Stage: "the recorded trace", Setup: setup, Offline: "a trace that reads back", Live: err.Error()}
	}
	for i := range max(len(r.want), len(r.got)) {
		d := &Difference{Setup: setup, Frame: i}
		switch {
		case i >= len(r.got):
			d.Stage, d.Offline, d.Live = "the recorded trace", "the frame", "no such frame was recorded"
		case i >= len(r.want):
			d.Stage, d.Offline, d.Live = "the recorded trace", "no further frame", "a frame that was never played"
		case r.want[i].body != r.got[i].body:
			d.Stage, d.Offline, d.Live = "recorded bytes", "the bytes of the input", "other bytes"
		case r.want[i].findings != r.got[i].findings:
			d.Stage, d.Offline, d.Live = "findings of the recorded trace", "those of the input", "others"
		default:
			continue
		}
		return d
	}
	return nil
}

// problems is a report handler that keeps what is wrong with a trace.
type problems struct{ list []string }

func (p *problems) Problem(x *report.Problem) error {
	if x.Fatal {
		p.list = append(p.list, x.Message)
	}
	return nil
}
func (p *problems) Finding(*analyze.Finding) error { return nil }
func (p *problems) Trace(*report.Trace) error      { return nil }
func (p *problems) Close(*report.Summary) error    { return nil }
func (p *problems) Abort()                         {}
