package diff

import (
	"errors"
	"iter"
	"sync"

	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

// Options steer a comparison.
type Options struct {
	// Base and Head are alike but for their rules.
	Base, Head *replay.Config
	// Both, if set, is alike too, with rules that find something in every text
	// that either finds something in (Union). Most texts hold nothing, and are
	// scanned once then.
	Both      *replay.Config
	Formats   formats.Options
	Jobs      int // workers; 0: one
	Interrupt <-chan struct{}
	// Change is told of each change, in stream order; what it is given is valid
	// during the call.
	Change func(*Change) error
	// Problem is told what is wrong with a trace.
	Problem func(*report.Problem) error
	// Fingerprints asks for those of the findings that changed.
	Fingerprints bool
}

// Run reads all inputs once and compares what the two rule sets find. An error
// is one of the run itself; what is wrong with a trace goes to Problem.
func Run(inputs iter.Seq2[*formats.Input, error], o Options) (*Summary, error) {
	p := &pipeline{o: o, stop: make(chan struct{}), heads: [2]*replay.Config{o.Base, o.Head}}
	for i := range p.heads {
		cfg := *p.heads[i]
		cfg.Dry = true
		p.heads[i] = &cfg
	}
	jobs := max(1, o.Jobs)
	n := jobs + 3
	p.free, p.order, p.work = make(chan *job, n), make(chan *job, n), make(chan *job, n)
	for range n {
		p.free <- &job{done: make(chan struct{}, 1)}
	}
	var wg sync.WaitGroup
	wg.Go(func() { p.read(inputs) })
	for range jobs {
		wg.Go(func() {
			w := newWorker(p.heads, o.Both)
			for j := range p.work {
				w.run(j)
				j.done <- struct{}{}
			}
		})
	}
	m := newMerge(o, p.heads)
	var failed error
	for j := range p.order {
		if j.kind == jobChunk {
			<-j.done
		}
		if failed == nil {
			if failed = m.job(j); failed != nil {
				p.once.Do(func() { close(p.stop) })
			}
		}
		if cap(j.chunk.Buf) > 2<<20 {
			j.chunk.Buf = nil
		}
		j.trace, j.err = nil, nil
		select {
		case p.free <- j:
		default:
		}
	}
	wg.Wait()
	m.sum.Interrupted = p.interrupted
	return m.sum, failed
}

// job is one step of the pipeline in stream order.
type job struct {
	kind   jobKind
	trace  *trace
	err    error
	chunk  formats.Chunk
	recs   []formats.Record
	frames [2][]replay.Frame
	hits   [2][]catalog.Hit
	done   chan struct{}
}

type jobKind uint8

const (
	jobBegin jobKind = iota
	jobChunk
	jobEnd
	jobProblem
)

type trace struct {
	name   string
	source formats.Source
	input  *formats.Input
}

var errInterrupted = errors.New("interrupted")

type pipeline struct {
	o           Options
	heads       [2]*replay.Config
	free        chan *job
	order, work chan *job
	stop        chan struct{}
	once        sync.Once
	interrupted bool
}

// next takes a free job; false: the run is to end.
func (p *pipeline) next() (*job, bool) {
	select {
	case <-p.stop:
		return nil, false
	case <-p.o.Interrupt:
		p.interrupted = true
		return nil, false
	case j := <-p.free:
		return j, true
	}
}

func (p *pipeline) read(inputs iter.Seq2[*formats.Input, error]) {
	defer close(p.order)
	defer close(p.work)
	for in, err := range inputs {
		if !p.input(in, err) {
			return
		}
	}
}

func (p *pipeline) input(in *formats.Input, err error) bool {
	if err != nil {
		return p.send(jobProblem, &trace{}, err)
	}
	source := in.Source
	if source == nil {
		source, err = formats.Open(in.Name, in.R, p.o.Formats)
	}
	if err != nil {
		var unknown *formats.UnrecognisedError
		if errors.As(err, &unknown) && !in.Explicit {
			return true
		}
		return p.send(jobProblem, &trace{name: in.Name}, err)
	}
	t := &trace{in.Name, source, in}
	if !p.send(jobBegin, t, nil) {
		return false
	}
	for {
		j, ok := p.next()
		if !ok {
			p.order <- &job{kind: jobEnd, trace: t, err: errInterrupted}
			return false
		}
		j.trace = t
		if err := source.Next(&j.chunk); err != nil {
			j.kind, j.err = jobEnd, ended(err)
			p.order <- j
			return true
		}
		j.kind = jobChunk
		p.order <- j
		p.work <- j
	}
}

func (p *pipeline) send(kind jobKind, t *trace, err error) bool {
	j, ok := p.next()
	if ok {
		j.kind, j.trace, j.err = kind, t, err
		p.order <- j
	}
	return ok
}

// worker decodes chunks and scans what is in them, once for each rule set.
type worker struct {
	examine [2]*replay.Examiner
	both    *replay.Examiner // nil: none
	trace   *trace
	decoder formats.Decoder
}

func newWorker(cfgs [2]*replay.Config, both *replay.Config) *worker {
	w := &worker{}
	if both != nil {
		w.both = replay.NewExaminer(both.Catalog, both.Coverage)
	}
	for i, cfg := range cfgs {
		w.examine[i] = replay.NewExaminer(cfg.Catalog, cfg.Coverage)
	}
	return w
}

func (w *worker) run(j *job) {
	j.recs = j.recs[:0]
	for i := range j.frames {
		j.frames[i], j.hits[i] = j.frames[i][:0], j.hits[i][:0]
	}
	if w.trace != j.trace {
		w.trace, w.decoder = j.trace, j.trace.source.NewDecoder()
	}
	w.decoder.Decode(&j.chunk, func(r *formats.Record, m *jsonrpc.Message) {
		j.recs = append(j.recs, *r)
		for i := range j.frames {
			if n := len(j.frames[i]); n < cap(j.frames[i]) {
				j.frames[i] = j.frames[i][:n+1]
			} else {
				j.frames[i] = append(j.frames[i], replay.Frame{})
			}
		}
		a, b := &j.frames[0][len(j.frames[0])-1], &j.frames[1][len(j.frames[1])-1]
		if w.both != nil && m != nil && r.Kind == formats.KindFrame {
			if n := len(j.hits[0]); len(w.both.Strict(m, a, j.hits[0])) == n {
				*b = *a
				return
			}
		}
		j.hits[0] = offline.Examine(w.examine[0], r, m, a, j.hits[0])
		j.hits[1] = offline.Examine(w.examine[1], r, m, b, j.hits[1])
	})
}
