package report

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strconv"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/warden-trace/warden/analyze"
)

// renderer makes frames readable in a goroutine of its own, in the order in
// which they are sent, and keeps them compressed until the page is complete: what
// it has made must not depend on when.
type renderer struct {
	shown body
	names *lens
	jobs  chan renderJob
	spare chan []byte // memory of jobs that are done
	wg    sync.WaitGroup
	once  sync.Once

	frames []byte // JSON of the block in hand, without
	texts  []byte // the texts of its bodies, each behind a NUL
	z      bytes.Buffer
	packer *flate.Writer
	count  int      // frames so far
	blocks []packed // complete ones
	spent  int64    // bytes of text
	read   int64    // bytes of frames read
	err    error
}

// packed is a block of frames: JSON, and the bodies' texts in the order in which
// it has bodies, each behind a NUL, which no text that is fit to be shown holds.
// As JSON strings they would be a third longer, to pack and to open. last is the
// number of the block's last frame.
type packed struct {
	data []byte
	last int
}

// renderJob is one frame to be shown. Its memory is the renderer's.
type renderJob struct {
	facts             facts
	raw, after, reply []byte // raw begins with the id
	id                int    // bytes of that
	spots             []analyze.Finding
	limit             int
}

func newRenderer(run *Run) *renderer {
	r := &renderer{shown: body{m: newMasker(run.Set)}, names: newLens(run), jobs: make(chan renderJob, 64), spare: make(chan []byte, 128)}
	r.wg.Go(func() {
		for j := range r.jobs {
			r.frame(&j)
			r.give(j.raw)
		}
		r.pack()
	})
	return r
}

// largeJob is the most memory of a job that is used again.
const largeJob = 16 << 10

// take returns memory for n bytes of a job, give has it used again.
func (r *renderer) take(n int) []byte {
	select {
	case b := <-r.spare:
		return slices.Grow(b[:0], n)
	default:
		return make([]byte, 0, n)
	}
}

func (r *renderer) give(b []byte) {
	if cap(b) == 0 || cap(b) > largeJob {
		return
	}
	select {
	case r.spare <- b:
	default:
	}
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
	b = append(r.body(b, j.raw[j.id:], j.spots, j.limit), ',')
	b = append(r.body(b, j.after, nil, j.limit), ',')
	b = append(r.body(b, j.reply, nil, j.limit), ']')
	r.frames = b
	r.spent += int64(len(b) + len(r.texts) - from)
	r.count++
	if len(r.frames)+len(r.texts) > htmlBlock {
		r.pack()
	}
}

// body takes a body's text and appends its marks, or null where there is nothing
// to show any more.
func (r *renderer) body(b, raw []byte, spots []analyze.Finding, limit int) []byte {
	if len(raw) == 0 || r.spent > htmlText || r.read > htmlRead {
		return append(b, "null"...)
	}
	r.read += int64(len(raw))
	x := &r.shown
	x.pretty(raw, spots, limit)
	r.texts = append(append(r.texts, 0), x.text...)
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

// pack compresses the frames in hand.
func (r *renderer) pack() {
	if len(r.frames) == 0 || r.err != nil {
		return
	}
	r.z.Reset()
	if r.packer == nil {
		if r.packer, r.err = flate.NewWriter(&r.z, flate.BestSpeed); r.err != nil {
			return
		}
	} else {
		r.packer.Reset(&r.z)
	}
	_, r.err = r.packer.Write(append(append(r.frames, ']'), r.texts...))
	if r.err == nil {
		r.err = r.packer.Close()
	}
	r.frames, r.texts = r.frames[:0], r.texts[:0]
	r.blocks = append(r.blocks, packed{bytes.Clone(r.z.Bytes()), r.count - 1})
}

// appendTo appends the block as the page holds it.
func (k *packed) appendTo(b []byte) []byte {
	b = append(b, `<script type="text/plain" class="w-frames" data-last="`...)
	b = strconv.AppendInt(b, int64(k.last), 10)
	b = base64.StdEncoding.AppendEncode(append(b, `">`...), k.data)
	return append(b, "</script>\n"...)
}
