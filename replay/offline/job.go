package offline

import (
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
)

// job is one step of the pipeline, in stream order: the beginning of a trace,
// a chunk of it, or its end. Jobs and their memory are reused.
type job struct {
	kind   jobKind
	trace  *trace
	err    error // jobEnd: why the stream ended early; nil at its end
	chunk  formats.Chunk
	recs   []formats.Record
	frames []replay.Frame
	hits   []catalog.Hit
	done   chan struct{}
}

type jobKind uint8

const (
	jobBegin jobKind = iota
	jobChunk
	jobEnd
	jobProblem // an input that could not be opened: err says why
)

// worker decodes and scans chunks: everything that needs no session.
type worker struct {
	cfg     *replay.Config
	examine *replay.Examiner
	trace   *trace
	decoder formats.Decoder
}

func newWorker(cfg *replay.Config) *worker {
	return &worker{cfg: cfg, examine: cfg.Examiner()}
}

func (w *worker) run(j *job) {
	j.recs, j.frames, j.hits = j.recs[:0], j.frames[:0], j.hits[:0]
	if w.trace != j.trace {
		w.trace, w.decoder = j.trace, j.trace.source.NewDecoder()
	}
	w.decoder.Decode(&j.chunk, func(r *formats.Record, m *jsonrpc.Message) {
		j.recs = append(j.recs, *r)
		if len(j.frames) < cap(j.frames) {
			j.frames = j.frames[:len(j.frames)+1]
		} else {
			j.frames = append(j.frames, replay.Frame{})
		}
		j.hits = Examine(w.examine, r, m, &j.frames[len(j.frames)-1], j.hits)
	})
}
