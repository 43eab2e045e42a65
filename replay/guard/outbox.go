package guard

import (
	"io"
	"sync"
)

// outbox is the bytes that wait to be written to one peer: a bounded queue and
// the goroutine that empties it. Putting never blocks, so it is done under the
// proxy's lock; whoever has put something calls flush when the lock is free
// again, which writes a small message at once where that can't block, and else
// wakes the goroutine. What feeds the queue waits outside of the lock until
// there is room again, so a peer that stops reading holds up its own direction
// only (replay.md, "Live guard").
type outbox struct {
	w     io.Writer
	ready func() bool // a write of at most atomicWrite bytes will not block; nil: unknown
	limit int
	// broke is told once of a failed write. It is called without locks.
	broke func()

	mu      sync.Mutex
	cond    sync.Cond
	queue   []chunk
	spare   [][]byte // blocks to use again
	size    int      // bytes in queue and in the write in hand
	busy    bool     // a write is in hand
	held    bool     // a frame is being streamed: what else comes waits in later
	torn    bool     // a streamed frame ended early: nothing can follow it
	later   []chunk
	laterN  int
	written int64 // bytes that the peer's pipe has taken
	closed  bool  // no more will be put
	err     error // the first failed write: everything after it is dropped
	done    chan struct{}
}

// chunk is queued bytes: a block that messages are copied into, or one large
// message.
type chunk struct {
	b     []byte
	block bool
}

const (
	blockSize = 2 * readSize
	// copyLimit is the largest message that is copied into a block; a larger
	// one is queued as it is, because a copy would be made under the lock.
	copyLimit = blockSize
	maxSpare  = 8
)

func newOutbox(w io.Writer, limit int, broke func()) *outbox {
	o := &outbox{w: w, limit: limit, broke: broke, ready: readiness(w), done: make(chan struct{})}
	o.cond.L = &o.mu
	go o.run()
	return o
}

// put queues a message. A small one is copied; of a large one the memory is
// the outbox's from now on, and put reports so.
func (o *outbox) put(b []byte) (kept bool) {
	if len(b) == 0 {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.err != nil || o.closed || o.torn:
		return false
	case o.held:
		o.later, kept = o.add(o.later, b)
		o.laterN += len(b)
	default:
		o.queue, kept = o.add(o.queue, b)
		o.size += len(b)
	}
	return kept
}

// add appends a message to a queue. The lock is held.
func (o *outbox) add(q []chunk, b []byte) (_ []chunk, kept bool) {
	if len(b) > copyLimit {
		return append(q, chunk{b: b}), true
	}
	if n := len(q); n > 0 && q[n-1].block && cap(q[n-1].b)-len(q[n-1].b) >= len(b) {
		q[n-1].b = append(q[n-1].b, b...)
		return q, false
	}
	var block []byte
	if n := len(o.spare); n > 0 {
		block, o.spare = o.spare[n-1], o.spare[:n-1]
	} else {
		block = make([]byte, 0, blockSize)
	}
	return append(q, chunk{b: append(block, b...), block: true}), false
}

// hold begins the streaming of one frame in pieces; nothing else gets between
// them until release.
func (o *outbox) hold() {
	o.mu.Lock()
	o.held = true
	o.mu.Unlock()
}

// piece queues a copy of the next bytes of the streamed frame.
func (o *outbox) piece(b []byte) {
	o.mu.Lock()
	if o.err == nil && !o.closed {
		o.queue, _ = o.add(o.queue, b)
		o.size += len(b)
	}
	o.mu.Unlock()
	o.flush()
}

func (o *outbox) release() {
	o.mu.Lock()
	o.held = false
	if o.err == nil && !o.closed {
		o.queue = append(o.queue, o.later...)
		o.size += o.laterN
	}
	o.later, o.laterN = nil, 0
	o.mu.Unlock()
	o.flush()
}

// tear ends a streamed frame that will never be whole. In a stream of lines
// the reader is back in step after end; where a length was declared it never
// is, so nothing more is written.
func (o *outbox) tear(framing Framing) {
	if framing == Newline {
		o.piece([]byte{'\n'})
		o.release()
		return
	}
	o.mu.Lock()
	o.torn, o.held, o.later, o.laterN = true, false, nil, 0
	o.mu.Unlock()
}

// room waits until at most extra bytes over the limit wait, and returns the
// error that broke the pipe, if one did.
func (o *outbox) room(extra int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size+o.laterN > o.limit+extra && o.err == nil && !o.closed {
		o.cond.Wait()
	}
	return o.err
}

// progress is how many bytes wait, and how many the peer's pipe has taken.
func (o *outbox) progress() (waiting int, written int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size, o.written
}

// close lets the goroutine end when the queue is empty.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.cond.Broadcast()
	o.mu.Unlock()
}

// drop throws away what waits and ends the goroutine after the write in hand.
func (o *outbox) drop() {
	o.mu.Lock()
	o.closed = true
	o.forget()
	o.cond.Broadcast()
	o.mu.Unlock()
}

func (o *outbox) forget() {
	o.queue, o.size, o.later, o.laterN = nil, 0, nil, 0
}

// flush sees to it that what waits is written. It never blocks.
func (o *outbox) flush() {
	o.mu.Lock()
	if o.busy || len(o.queue) == 0 {
		o.mu.Unlock()
		return
	}
	if o.ready == nil || o.size > atomicWrite || !o.ready() {
		o.cond.Broadcast()
		o.mu.Unlock()
		return
	}
	broken := o.write()
	more := len(o.queue) > 0 || o.closed
	if more {
		o.cond.Broadcast()
	}
	o.mu.Unlock()
	if broken {
		o.broke()
	}
}

// write writes the first chunk. The lock is held, but not during the write.
func (o *outbox) write() (broken bool) {
	c := o.queue[0]
	o.queue = append(o.queue[:0], o.queue[1:]...)
	o.busy = true
	o.mu.Unlock()
	n, err := o.w.Write(c.b)
	o.mu.Lock()
	o.busy = false
	o.size = max(0, o.size-len(c.b))
	o.written += int64(n)
	if c.block && len(o.spare) < maxSpare {
		o.spare = append(o.spare, c.b[:0])
	}
	if err != nil && o.err == nil {
		o.err = err
		o.forget()
		return true
	}
	return false
}

func (o *outbox) run() {
	defer close(o.done)
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for o.busy || len(o.queue) == 0 {
			if o.closed && !o.busy && len(o.queue) == 0 {
				return
			}
			o.cond.Wait()
		}
		broken := o.write()
		o.cond.Broadcast()
		if broken {
			o.mu.Unlock()
			o.broke()
			o.mu.Lock()
		}
	}
}
