package report

import (
	"io"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/warden-trace/warden/analyze"
)

// renderer makes frames readable in a goroutine of its own and writes the page in
// the order in which its parts are sent: a block of frames is written with the frame
// that fills it, so that what the page is does not depend on when it was made.
type renderer struct {
	w      io.Writer
	failed atomic.Pointer[error] // the first of w
	shown  body
	names  *lens
	jobs   chan renderJob
	spare  [2]chan []byte // memory of jobs that are done, of small and of large ones
	wg     sync.WaitGroup
	once   sync.Once

	frames []byte // JSON of the block in hand, without
	texts  []byte // the texts of its bodies
	page   []byte // memory of pack
	count  int    // frames so far
	spent  int64  // bytes of text
	read   int64  // bytes of frames read
}

// renderJob is one frame to be shown, or a part of the page that is ready to be
// written. Its memory is the renderer's.
type renderJob struct {
	page              []byte
	facts             facts
	raw, after, reply []byte // raw begins with the id
	id                int    // bytes of that
	spots             []analyze.Finding
	extent
	cut      bool // raw is the frame's beginning
	controls bool // a finding says that it holds control characters
}

func newRenderer(w io.Writer, run *Run) *renderer {
	r := &renderer{w: w, shown: body{m: NewMasker(run.Set)}, names: newLens(run), jobs: make(chan renderJob, 64),
		spare: [2]chan []byte{make(chan []byte, 128), make(chan []byte, 32)}}
	r.wg.Go(func() {
		for j := range r.jobs {
			if j.page != nil {
				r.write(j.page)
				continue
			}
			r.frame(&j)
			r.give(j.raw)
		}
		r.pack()
	})
	return r
}

// Memory of a job that is used again has room for a frame that is held, or for a
// large one, and not for a huge one.
const (
	smallJob = longID + holdRaw
	largeJob = 64 << 10
)

// take returns memory for n bytes of a job, give has it used again.
func (r *renderer) take(n int) []byte {
	size, spare := smallJob, r.spare[0]
	if n > smallJob {
		size, spare = max(n, largeJob/2), r.spare[1]
	}
	select {
	case b := <-spare:
		return slices.Grow(b[:0], n)
	default:
		return make([]byte, 0, size)
	}
}

func (r *renderer) give(b []byte) {
	spare := r.spare[0]
	switch c := cap(b); {
	case c < smallJob || c > largeJob:
		return
	case c >= largeJob/2:
		spare = r.spare[1]
	}
	select {
	case spare <- b:
	default:
	}
}

// write is called by the renderer's goroutine, and by nobody before it has stopped.
func (r *renderer) write(page []byte) {
	if r.failed.Load() != nil {
		return
	}
	if _, err := r.w.Write(page); err != nil {
		r.failed.Store(&err)
	}
}

// err is what went wrong with what was written so far.
func (r *renderer) err() error {
	if e := r.failed.Load(); e != nil {
		return *e
	}
	return nil
}

func (r *renderer) send(j renderJob) { r.jobs <- j }

// stop waits until everything is made.
func (r *renderer) stop() {
	r.once.Do(func() { close(r.jobs) })
	r.wg.Wait()
}

func (r *renderer) frame(j *renderJob) {
	b := r.frames
	if len(b) == 0 {
		b = append(b, '[')
	} else {
		b = append(b, ',')
	}
	from := len(b) + len(r.texts)
	b = append(j.facts.append(b, r.names, j.raw[:j.id]), ',')
	r.shown.edits, r.shown.controls = len(j.after) > 0, j.controls
	b = append(r.body(b, j.raw[j.id:], j.spots, j.extent, j.cut), ',')
	r.shown.edited = true
	b = append(r.body(b, j.after, nil, j.extent, false), ',')
	b = append(r.body(b, j.reply, nil, j.extent, false), ']')
	r.shown.edited = false
	r.frames = b
	r.spent += int64(len(b) + len(r.texts) - from)
	r.count++
	if len(r.frames)+len(r.texts) > htmlBlock {
		r.pack()
	}
}

// body takes a body's text and appends its marks, or null where there is nothing
// to show any more.
func (r *renderer) body(b, raw []byte, spots []analyze.Finding, shown extent, cut bool) []byte {
	if len(raw) == 0 || r.spent > htmlText || r.read > htmlRead {
		return append(b, "null"...)
	}
	r.read += int64(len(raw))
	x := &r.shown
	x.pretty(raw, spots, shown, cut)
	r.texts = appendBlockText(append(r.texts, blockBreak...), x.text)
	b = append(b, '[')
	for i, m := range x.marks {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), int64(m[0]), 10)
		b = strconv.AppendInt(append(b, ','), int64(m[1]), 10)
		b = strconv.AppendInt(append(b, ','), int64(m[2]), 10)
		b = append(b, ']')
	}
	return append(b, ']')
}

// pack ends the block in hand. It holds JSON, and the bodies' texts in the order
// in which it has bodies: as JSON strings they would be a third longer. Packed they
// would take the disk half as much, and whoever sends the page zipped more. last is
// the number of the block's last frame.
func (r *renderer) pack() {
	if len(r.frames) == 0 {
		return
	}
	b := append(r.page[:0], `<script type="text/plain" class="w-frames" data-last="`...)
	b = strconv.AppendInt(b, int64(r.count-1), 10)
	b = appendBlockText(append(b, `">`...), append(r.frames, ']'))
	b = append(append(b, r.texts...), "</script>\n"...)
	r.write(b)
	r.page, r.frames, r.texts = b, r.frames[:0], r.texts[:0]
}
