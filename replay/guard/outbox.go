package guard

import (
	"io"
	"sync"
)

// outbox is the bytes that wait to be written to one peer: a bounded queue and
// the goroutine that empties it. Putting never blocks, so it can be done under
// the proxy's lock; a reader that feeds it waits outside of the lock until
// there is room again. So a peer that stops reading holds up its own direction
// only (replay.md, "Live guard").
type outbox struct {
	w     io.Writer
	limit int

	mu     sync.Mutex
	cond   sync.Cond
	queue  [][]byte
	size   int
	held   bool // a frame is being streamed: what else comes waits in later
	later  [][]byte
	closed bool  // no more will be put
	err    error // the first failed write: everything after it is dropped
	done   chan struct{}
}

func newOutbox(w io.Writer, limit int) *outbox {
	o := &outbox{w: w, limit: limit, done: make(chan struct{})}
	o.cond.L = &o.mu
	go o.run()
	return o
}

// put queues bytes, which are the outbox's from now on.
func (o *outbox) put(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held {
		o.later = append(o.later, b)
		return
	}
	o.add(b)
}

// add appends to the queue. The lock is held.
func (o *outbox) add(b []byte) {
	if o.err != nil || o.closed || len(b) == 0 {
		return
	}
	o.queue = append(o.queue, b)
	o.size += len(b)
	if len(o.queue) == 1 {
		o.cond.Broadcast()
	}
}

// hold begins the streaming of one frame in pieces; nothing else gets between
// them until release.
func (o *outbox) hold() {
	o.mu.Lock()
	o.held = true
	o.mu.Unlock()
}

// piece queues the next bytes of the streamed frame.
func (o *outbox) piece(b []byte) {
	o.mu.Lock()
	o.add(b)
	o.mu.Unlock()
}

func (o *outbox) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = false
	for _, b := range o.later {
		o.add(b)
	}
	o.later = nil
}

// room waits until the queue is below its limit, and returns the error that
// broke the pipe, if one did.
func (o *outbox) room() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size > o.limit && o.err == nil && !o.closed {
		o.cond.Wait()
	}
	return o.err
}

// full reports that what feeds the queue has to wait.
func (o *outbox) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size > o.limit && o.err == nil && !o.closed
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
	o.closed, o.queue, o.size = true, nil, 0
	o.cond.Broadcast()
	o.mu.Unlock()
}

func (o *outbox) run() {
	defer close(o.done)
	var batch []byte
	for {
		o.mu.Lock()
		for len(o.queue) == 0 && !o.closed {
			o.cond.Wait()
		}
		if len(o.queue) == 0 {
			o.mu.Unlock()
			return
		}
		b := o.queue[0]
		n := 1
		if len(b) < readSize {
			// Small frames that wait together go in one write.
			batch = append(batch[:0], b...)
			for n < len(o.queue) && len(batch)+len(o.queue[n]) <= readSize {
				batch = append(batch, o.queue[n]...)
				n++
			}
			b = batch
		}
		o.mu.Unlock()
		_, err := o.w.Write(b)
		o.mu.Lock()
		if n > len(o.queue) {
			n = len(o.queue) // dropped meanwhile
		}
		o.queue = append(o.queue[:0], o.queue[n:]...)
		if len(o.queue) > 0 {
			o.size -= len(b)
		} else {
			o.size = 0
		}
		if err != nil {
			o.err, o.queue, o.size = err, nil, 0
		}
		o.cond.Broadcast()
		o.mu.Unlock()
	}
}
