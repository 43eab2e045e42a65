package verify

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay/offline"
)

// recording is the trace that a guarded stream records, analyzed by the file
// pipeline while it grows, and compared with what was played. What waits for
// the pipeline is bounded by what that reads ahead.
type recording struct {
	w    *io.PipeWriter
	done chan error

	mu      sync.Mutex
	queue   []entry
	problem string
	diff    *Difference
	at      *expected
}

// entry is what the analysis must see next: the end of a session, or a frame.
type entry struct {
	frame  *expected
	closes []string
}

func newRecording(o *Options) *recording {
	pr, pw := io.Pipe()
	r := &recording{w: pw, done: make(chan error, 1)}
	go func() {
		inputs := func(yield func(*formats.Input, error) bool) {
			yield(&formats.Input{Name: "recorded", R: pr, Size: -1, Explicit: true}, nil)
		}
		fo := o.Formats
		fo.Dir = analyze.Unknown
		_, err := offline.Run(inputs, offline.Options{Config: o.Config, Formats: fo, Jobs: 1, Handler: problems{r: r}, Observe: r.analyzed})
		pr.CloseWithError(io.ErrClosedPipe)
		r.done <- err
	}()
	return r
}

// feed hands on the recorded lines of a batch.
func (r *recording) feed(s setup, batch []*expected, lines []string) (*Difference, *expected) {
	r.mu.Lock()
	for _, e := range batch {
		for _, c := range e.closes {
			r.queue = append(r.queue, entry{closes: c})
		}
		r.queue = append(r.queue, entry{frame: e})
	}
	r.mu.Unlock()
	for _, l := range lines {
		if _, err := io.WriteString(r.w, l); err != nil {
			break // the analysis has ended: verdict says why
		}
	}
	return r.verdict(s)
}

func (r *recording) verdict(s setup) (*Difference, *expected) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.diff != nil {
		r.diff.Setup = s.String()
	}
	return r.diff, r.at
}

// analyzed sees what the file pipeline makes of a recorded line.
func (r *recording) analyzed(o *offline.Observation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.diff != nil {
		return
	}
	var next entry
	if len(r.queue) > 0 {
		next, r.queue = r.queue[0], r.queue[1:]
	}
	found := describe(o.Outcome.Findings)
	switch {
	case o.Record == nil && next.frame == nil:
		if a, b, same := compare(next.closes, found); !same {
			r.differ(nil, "findings at the end of the recorded session", a, b)
		}
	case o.Record == nil:
		r.differ(next.frame, "the recorded trace", "a frame", "the end of a session")
	case next.frame == nil:
		r.differ(nil, "the recorded trace", "no further frame", show(o.Record.Frame))
	default:
		r.compare(next.frame, o, found)
	}
}

// compare is one recorded frame against the one that was played.
func (r *recording) compare(e *expected, o *offline.Observation, found []string) {
	rec := o.Record
	switch {
	case rec.Dir != e.dir:
		r.differ(e, "recorded direction", e.dir.String(), rec.Dir.String())
	case rec.TS != e.ts:
		r.differ(e, "recorded time", number(int(e.ts))+" ns", number(int(rec.TS))+" ns")
	case e.body != nil && !bytes.Equal(trim(e.body), rec.Frame):
		r.differ(e, "recorded bytes", show(trim(e.body)), show(rec.Frame))
	case e.body == nil && (rec.Kind != formats.KindOverCap || rec.Size != e.size):
		r.differ(e, "recorded size", size(e.size), size(rec.Size))
	default:
		if a, b, same := compare(e.findings, found); !same {
			r.differ(e, "findings of the recorded trace", a, b)
		}
	}
}

func (r *recording) differ(e *expected, stage, plain, recorded string) {
	r.at, r.diff = e, &Difference{Stage: stage, Offline: plain, Live: recorded}
}

// close ends the recording and waits for its analysis.
func (r *recording) close(closes [][]string) {
	r.mu.Lock()
	for _, c := range closes {
		r.queue = append(r.queue, entry{closes: c})
	}
	r.mu.Unlock()
	r.w.Close()
	err := <-r.done
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.diff != nil || closes == nil:
	case err != nil:
		r.differ(nil, "the recorded trace", "a trace that reads back", err.Error())
	case r.problem != "":
		r.differ(nil, "the recorded trace", "a trace that reads back", r.problem)
	case len(r.queue) > 0:
		r.differ(r.queue[0].frame, "the recorded trace", "a frame", "nothing: it was not recorded")
	}
}

// problems keeps what is wrong with the recorded trace.
type problems struct {
	silent
	r *recording
}

func (p problems) Problem(x *report.Problem) error {
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	if x.Fatal && p.r.problem == "" {
		p.r.problem = strings.TrimSpace(x.Message)
	}
	return nil
}
