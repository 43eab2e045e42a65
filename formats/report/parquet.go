package report

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay/calls"
)

// ParquetOptions steer NewParquet.
type ParquetOptions struct {
	// IncludeText adds the frames' and calls' payloads, redacted.
	IncludeText bool
}

// maxPartitions is how many traces get files of their own; the rest share one
// partition, "more". A run over a hundred thousand traces must not leave four
// times as many files.
const maxPartitions = 1000

// NewParquet returns the handler that writes the four tables of parquetrows.go
// below dir: TABLE/file=NNNNN-NAME/part-0.parquet, one partition a trace. Rows are
// in stream order, so that the statistics of row groups prune by time.
func NewParquet(dir *ParquetDir, o ParquetOptions, run *Run) FrameSink {
	meta := []parquet.WriterOption{
		parquet.CreatedBy("warden", run.Version, ""),
		parquet.KeyValueMetadata("warden.schema", ParquetSchema),
		parquet.KeyValueMetadata("warden.version", run.Version),
		parquet.KeyValueMetadata("warden.ruleset", run.Ruleset),
		parquet.KeyValueMetadata("warden.coverage", run.Coverage.String()),
	}
	// One for all files: an encoder holds megabytes, and one page is written at a time.
	codec := newPageCodec()
	h := &tables{dir: dir, o: o, lens: newLens(run),
		sessions: newTable[sessionRow]("sessions", dir, codec, meta),
		frames:   newTable[frameRow]("frames", dir, codec, meta),
		calls:    newTable[callRow]("calls", dir, codec, meta),
		findings: newTable[findingRow]("findings", dir, codec, meta),
		jobs:     make(chan func() error, 8), stopped: make(chan struct{}),
	}
	scrub := run.Scrub
	if scrub == nil {
		scrub = secret.Scrub
	}
	h.name = safe.Namer{Scrub: scrub, Max: maxText}
	h.names = safe.Namer{Scrub: func(s string) string { return utf8Only(scrub(s)) }, Max: maxName}
	if o.IncludeText {
		h.masker = NewMasker(run.Set)
	}
	go h.encode()
	return h
}

// tables is the Parquet handler. Its goroutine encodes the rows that the caller
// has gathered; one is enough, and keeps the order.
type tables struct {
	dir    *ParquetDir
	o      ParquetOptions
	lens   *lens
	masker *Masker
	name   safe.Namer // of sessions and servers
	names  safe.Namer // of methods and tools, as columns hold them

	sessions *table[sessionRow]
	frames   *table[frameRow]
	calls    *table[callRow]
	findings *table[findingRow]

	trace     string // whose partition is open, as it came
	shown     string // as the columns have it
	open      bool
	partition string
	traces    int
	running   map[int]*tally
	last      *tally   // the session of the frame before
	current   int      // number of the session in hand
	answers   []answer // memory of those to come
	ids       strings.Builder
	lastID    string

	jobs    chan func() error
	stopped chan struct{}
	closed  bool
	failed  atomic.Pointer[error]
}

// encode runs the jobs until there are no more; after the first error it only
// drains them.
func (h *tables) encode() {
	defer close(h.stopped)
	for job := range h.jobs {
		if h.failed.Load() != nil {
			continue
		}
		if err := job(); err != nil {
			h.failed.Store(&err)
		}
	}
}

func (h *tables) err() error {
	if e := h.failed.Load(); e != nil {
		return *e
	}
	return nil
}

// send hands the table's rows on, if there are any.
func (h *tables) send(job func() error) {
	if job != nil {
		h.jobs <- job
	}
}

// begin opens a trace's partition, after the one before has ended.
func (h *tables) begin(trace string) {
	if h.open && trace == h.trace {
		return
	}
	h.end()
	h.open, h.trace, h.shown = true, trace, utf8Only(h.lens.trace.Raw(trace))
	h.running, h.last = make(map[int]*tally), nil
	h.traces++
	if h.traces <= maxPartitions {
		h.partition = partition(h.traces, trace)
	} else {
		h.partition = "more"
	}
}

// end hands on what is left of a trace and ends its files, unless the next trace
// goes on with them.
func (h *tables) end() {
	if !h.open {
		return
	}
	h.open = false
	h.flush()
	if h.partition != "more" {
		h.jobs <- h.endAll
	}
}

func (h *tables) flush() {
	h.send(h.sessions.take(h.partition))
	h.send(h.frames.take(h.partition))
	h.send(h.calls.take(h.partition))
	h.send(h.findings.take(h.partition))
}

// endAll completes the files in hand side by side: what is left in their buffers
// is all that a run still has to do when its last trace ends.
func (h *tables) endAll() error {
	var errs [4]error
	var wg sync.WaitGroup
	for i, end := range [...]func() error{h.sessions.end, h.frames.end, h.calls.end, h.findings.end} {
		wg.Go(func() { errs[i] = end() })
	}
	wg.Wait()
	for _, err := range errs { // one is enough: a full disk is full for all
		if err != nil {
			return err
		}
	}
	return nil
}

func (h *tables) Problem(*Problem) error { return h.err() }

func (h *tables) Trace(*Trace) error {
	h.end()
	return h.err()
}

func (h *tables) Close(s *Summary) error {
	if h.closed {
		return h.err()
	}
	if s.Interrupted {
		// No table says that there is more; what was there before stays.
		h.Abort()
		return nil
	}
	h.end()
	h.stop()
	for _, finish := range [...]func() error{h.sessions.finish, h.frames.finish, h.calls.finish, h.findings.finish} {
		if err := h.err(); err != nil {
			h.discard()
			return err
		}
		if err := finish(); err != nil {
			h.failed.Store(&err)
		}
	}
	err := h.dir.settled()
	if e := h.err(); e != nil {
		err = e
	}
	if err != nil {
		h.failed.Store(&err)
		h.discard()
		return err
	}
	return h.dir.commit()
}

// apart is out's: the tables are moved into their place when they are complete.
func (h *tables) apart() bool { return true }

func (h *tables) Abort() {
	if h.closed {
		return
	}
	h.stop()
	h.discard()
}

func (h *tables) stop() {
	h.closed = true
	close(h.jobs)
	<-h.stopped
}

func (h *tables) discard() {
	h.sessions.abandon()
	h.frames.abandon()
	h.calls.abandon()
	h.findings.abandon()
	h.dir.settled()
	h.dir.Abort()
}

// text is a name from the trace as a column holds it.
func (h *tables) text(s string) string { return utf8Only(h.name.Raw(s)) }

// tally is a session while its frames come by.
type tally struct {
	row     sessionRow
	tracker calls.Tracker
	flags   formats.Flags
}

// lacking names what a record lacks.
func lacking(f formats.Flags) string {
	if f&(formats.Truncated|formats.Elided|formats.Redacted|formats.Synthetic) == 0 {
		return ""
	}
	var words []string
	for _, x := range [...]struct {
		flag formats.Flags
		word string
	}{{formats.Truncated, "truncated"}, {formats.Elided, "elided"}, {formats.Redacted, "redacted"}, {formats.Synthetic, "synthetic"}} {
		if f&x.flag != 0 {
			words = append(words, x.word)
		}
	}
	return strings.Join(words, ",")
}

// strongest counts findings by tier and returns their strongest action.
func strongest(fs []analyze.Finding) (block, monitor, note int32, a analyze.Action) {
	for i := range fs {
		switch fs[i].Tier {
		case analyze.Block:
			block++
		case analyze.Monitor:
			monitor++
		default:
			note++
		}
		a = max(a, fs[i].Action)
	}
	return block, monitor, note, a
}
