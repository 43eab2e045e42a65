// Package offline drives the session machine from recorded traces: a reader
// cuts the streams into chunks, workers decode and scan them, and a merge in
// stream order feeds the machine, so that output never depends on the number
// of workers (architecture.md, "The hot path"). No verdict is made here.
package offline

import (
	"errors"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/where"
)

// Options steer a run.
type Options struct {
	Config  *replay.Config
	Formats formats.Options
	Jobs    int // workers; 0: one
	Handler report.Handler
	// Interrupt, when closed, ends the run early; what was found is kept.
	Interrupt <-chan struct{}
	// Fingerprints asks for the findings' fingerprints; without a report that
	// shows them they are not worth their cost.
	Fingerprints bool
	// NoColumns says that nobody shows in which columns findings stand: they are
	// not counted then.
	NoColumns bool
	// Progress, if set, is told how far the run is.
	Progress Progress
	// Observe, if set, sees every event with its outcome, in order; its findings
	// are complete.
	Observe func(*Observation)
	// Settle, if set, is called before the bytes of lasting observations are
	// overwritten.
	Settle func()
	// Where, if set, chooses the findings and frames that count and are
	// reported. The session machines and Observe still see all.
	Where *where.Filter
	// Accept, if set, is shown each finding, complete with its fingerprint,
	// before it counts: a baseline marks those that it accepts. Needs
	// Fingerprints.
	Accept func(*analyze.Finding)
	// Meta, if set, sees what a recording says of itself: the raw meta object.
	Meta func(trace string, raw []byte)
}

// Progress is told of bytes to read and read, as they lie on disk, and of
// uncompressed bytes inspected.
type Progress interface {
	Expect(n int64)
	Read(n int64)
	Inspected(n int64)
}

// Observation is one event and what the machine made of it; at the end of a
// session Record and Event are nil. It is valid during the call.
type Observation struct {
	Trace  string
	Format string
	// Fidelity is the trace's; what a frame lacks is in the record's flags.
	Fidelity formats.Fidelity
	Session  *replay.Session
	Record   *formats.Record
	Event    *replay.Event
	Outcome  *replay.Outcome
	// Matched says that the frame counts (Options.Where), and Matching holds
	// those of the outcome's findings that do.
	Matched  bool
	Matching []analyze.Finding
	// Lasting says that the bytes of the record and the event stay as they are
	// until Options.Settle is called.
	Lasting bool
}

// Run reads all inputs and reports on them. The summary lacks only the exit
// code. An error is one of the run itself (a report that can't be written);
// what is wrong with a trace goes to the handler.
func Run(inputs iter.Seq2[*formats.Input, error], o Options) (*report.Summary, error) {
	p := &pipeline{o: o, stop: make(chan struct{})}
	if p.o.Jobs <= 0 {
		p.o.Jobs = 1
	}
	n := p.o.Jobs + 3
	if o.Settle != nil {
		n += settleJobs
	}
	p.free, p.order, p.work = make(chan *job, n), make(chan *job, n), make(chan *job, n)
	for range n {
		p.free <- &job{done: make(chan struct{}, 1)}
	}
	var wg sync.WaitGroup
	wg.Go(func() { p.read(inputs) })
	for range p.o.Jobs {
		wg.Go(func() {
			w := newWorker(o.Config)
			for j := range p.work {
				w.run(j)
				j.done <- struct{}{}
			}
		})
	}
	m := newMerge(o)
	var failed error
	for {
		j, left := p.following()
		if j == nil && left {
			// The reader waits for something that can't be called off.
			if m.cur != nil && failed == nil {
				failed = m.job(&job{kind: jobEnd, trace: m.cur, err: errInterrupted})
			}
			m.sum.Interrupted = true
			return &m.sum, failed
		}
		if j == nil {
			break
		}
		if j.kind == jobChunk {
			<-j.done
		}
		if failed == nil {
			if failed = m.job(j); failed != nil {
				p.halt()
			}
		}
		p.merged(j)
	}
	p.settle()
	wg.Wait()
	m.sum.Interrupted = p.interrupted
	return &m.sum, failed
}

// Frames that an observer keeps for a while are mostly let go of soon: so that few
// must be copied, chunks are overwritten some at a time.
const (
	settleJobs  = 8
	settleBytes = 2 << 20
)

// merged takes back a job whose records have been observed.
func (p *pipeline) merged(j *job) {
	if p.o.Settle == nil {
		p.recycle(j)
		return
	}
	p.held = append(p.held, j)
	if p.heldBytes += cap(j.chunk.Buf); len(p.held) == settleJobs || p.heldBytes > settleBytes {
		p.settle()
	}
}

// settle has all lasting observations copied, and their jobs used again.
func (p *pipeline) settle() {
	if len(p.held) == 0 {
		return
	}
	p.o.Settle()
	for _, j := range p.held {
		p.recycle(j)
	}
	clear(p.held)
	p.held, p.heldBytes = p.held[:0], 0
}

// following is the next job in order, nil after the last. After an interrupt
// the reader has its grace; left says that it has not come back in that.
func (p *pipeline) following() (j *job, left bool) {
	select {
	case j = <-p.order:
		return j, false
	case <-p.o.Interrupt:
	}
	grace := time.NewTimer(readerGrace)
	defer grace.Stop()
	select {
	case j = <-p.order:
		return j, false
	case <-grace.C:
		select {
		case j = <-p.order:
			return j, false
		default:
			return nil, true
		}
	}
}

// readerGrace is how long the reader may take over its next step after an
// interrupt. The readers of package formats give up waiting at once; this is
// for an input that has none of them under it, or a file system that hangs.
const readerGrace = time.Second

// chunksAfter bounds how much of the trace in hand is still reported after an
// interrupt: what has come of a stream that makes its reader wait, but not the
// rest of a large file.
const chunksAfter = 8

type pipeline struct {
	o           Options
	free        chan *job
	order, work chan *job
	stop        chan struct{}
	once        sync.Once
	interrupted bool
	held        []*job // merged, and not settled
	heldBytes   int
}

func (p *pipeline) halt() { p.once.Do(func() { close(p.stop) }) }

// keepBuffer is the largest chunk buffer that is kept for reuse: a trace with
// one huge line must not leave every job holding one.
const keepBuffer = 2 << 20

func (p *pipeline) recycle(j *job) {
	if cap(j.chunk.Buf) > keepBuffer {
		j.chunk.Buf = nil
	}
	if cap(j.frames) > 16384 {
		j.frames, j.recs, j.hits = nil, nil, nil
	}
	j.trace, j.err = nil, nil
	select {
	case p.free <- j:
	default: // the one extra job that closes an interrupted trace
	}
}

// next takes a free job, or reports that the run is to end.
func (p *pipeline) next() (*job, bool) {
	select {
	case <-p.stop:
		return nil, false
	default:
	}
	select {
	case j := <-p.free:
		return j, true
	case <-p.stop:
		return nil, false
	}
}

// asked reports whether the run was interrupted.
func (p *pipeline) asked() bool {
	select {
	case <-p.o.Interrupt:
		p.interrupted = true
		return true
	default:
		return false
	}
}

// read cuts the inputs into jobs, in order.
func (p *pipeline) read(inputs iter.Seq2[*formats.Input, error]) {
	defer close(p.order)
	defer close(p.work)
	for in, err := range inputs {
		if !p.input(in, err) || p.asked() {
			return
		}
	}
}

func (p *pipeline) input(in *formats.Input, err error) bool {
	if err != nil {
		if p.asked() && errors.Is(err, errInterrupted) {
			return false
		}
		return p.problem(nil, err)
	}
	source := in.Source
	if source == nil {
		r := in.R
		if p.o.Progress != nil {
			p.o.Progress.Expect(in.Size)
			r = &counter{r, p.o.Progress}
		}
		source, err = formats.Open(in.Name, r, p.o.Formats)
	}
	if err != nil {
		if p.asked() && errors.Is(err, errInterrupted) {
			return false
		}
		var unknown *formats.UnrecognisedError
		if errors.As(err, &unknown) && !in.Explicit {
			return p.problem(nil, errPassedOver)
		}
		return p.problem(in, err)
	}
	t := &trace{name: in.Name, explicit: in.Explicit, source: source, input: in}
	if !p.send(jobBegin, t, nil) {
		return false
	}
	for after := 0; ; {
		if p.asked() {
			after++
		}
		j, ok := (*job)(nil), false
		if after <= chunksAfter {
			j, ok = p.next()
		}
		if !ok {
			p.end(t, errInterrupted)
			return false
		}
		err := source.Next(&j.chunk)
		if err != nil {
			j.kind, j.trace = jobEnd, t
			if !errors.Is(err, io.EOF) {
				j.err = err
			}
			p.order <- j
			return true
		}
		j.kind, j.trace = jobChunk, t
		p.order <- j
		p.work <- j
	}
}

var (
	errPassedOver  = errors.New("no trace")
	errInterrupted = formats.ErrInterrupted
)

func (p *pipeline) send(kind jobKind, t *trace, err error) bool {
	j, ok := p.next()
	if !ok {
		return false
	}
	j.kind, j.trace, j.err = kind, t, err
	p.order <- j
	return true
}

// end closes a trace that an interrupt cut short.
func (p *pipeline) end(t *trace, err error) {
	j := &job{kind: jobEnd, trace: t, err: err}
	p.order <- j
}

func (p *pipeline) problem(in *formats.Input, err error) bool {
	t := &trace{}
	if in != nil {
		t.name, t.explicit = in.Name, in.Explicit
	}
	return p.send(jobProblem, t, err)
}

// counter counts what is read through it.
type counter struct {
	r io.Reader
	p Progress
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.p.Read(int64(n))
	return n, err
}
