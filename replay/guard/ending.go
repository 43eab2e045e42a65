package guard

import (
	"bytes"
	"io"
	"time"

	"github.com/warden-trace/warden/replay"
)

// end aborts a strict session: what waits for an answer gets an error, nothing
// more is forwarded. The lock is held.
func (p *Proxy) end(a *replay.Abort) {
	if p.abort != nil {
		return
	}
	kept := *a
	kept.RPCID = bytes.Clone(a.RPCID) // the frame's memory is used again
	p.abort = &kept
	p.stopped.Store(true)
	if p.session != nil {
		for _, r := range p.session.Machine.AbortAnswers(a) {
			p.toClient.put(Wrap(r, p.clientFraming()))
		}
	}
	p.stopTimer()
	p.aborted.close()
}

// Tick lets time pass for the session: calls that ran out of it are answered.
func (p *Proxy) Tick() {
	p.mu.Lock()
	p.tick()
	p.mu.Unlock()
	p.toClient.flush()
}

func (p *Proxy) tick() {
	if p.session == nil || p.stopped.Load() {
		return
	}
	p.deadline = 0
	now := p.o.Now()
	o := p.session.Machine.Tick(now.UnixNano())
	if len(o.Findings) > 0 {
		p.seen = Seen{TS: now, Session: p.session, Outcome: o}
		p.observe()
	}
	for _, r := range o.ToClient {
		p.toClient.put(Wrap(r, p.clientFraming()))
	}
	p.arm()
}

// arm sets the timer to the machine's next deadline. The lock is held.
func (p *Proxy) arm() {
	if !p.o.Deadlines || p.session == nil {
		return
	}
	at, ok := p.session.Machine.NextDeadline()
	switch {
	case !ok:
		p.stopTimer()
	case at == p.deadline:
	default:
		p.deadline = at
		in := max(0, time.Duration(at-p.o.Now().UnixNano()))
		if p.timer == nil {
			p.timer = time.AfterFunc(in, p.Tick)
		} else {
			p.timer.Reset(in)
		}
	}
}

func (p *Proxy) stopTimer() {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.deadline = 0
}

// Gone answers every request that still waits, because the server has left
// (replay.md: code -32002); requests that come later get the same answer at
// once. reason is made of guard's own words and numbers.
func (p *Proxy) Gone(reason string) {
	p.mu.Lock()
	p.gone = reason
	if !p.stopped.Load() {
		p.refuseAll()
		p.stopTimer()
	}
	p.mu.Unlock()
	p.toClient.flush()
}

// refuseAll answers what is in flight although the server can't. The lock is
// held.
func (p *Proxy) refuseAll() int {
	if p.session == nil {
		return 0
	}
	answers := p.session.Machine.ServerGone(p.gone)
	for _, r := range answers {
		p.toClient.put(Wrap(r, p.clientFraming()))
	}
	return len(answers)
}

// Shut lets both writers end once they have written what waits, and waits for
// them; then it closes what is written to, where that can be closed.
func (p *Proxy) Shut() {
	for _, o := range []*outbox{p.toClient, p.toServer} {
		o.close()
		<-o.done
		if c, ok := o.w.(io.Closer); ok {
			c.Close()
		}
	}
}

// Close ends the session: what only shows at its end is found and told to
// Observe, which is not called any more after that.
func (p *Proxy) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	p.stopped.Store(true)
	p.stopTimer()
	p.sessions.Close()
}

// sessionEnded tells of a session that has ended. The lock is held.
func (p *Proxy) sessionEnded(s *replay.Session) {
	p.seen = Seen{TS: p.o.Now(), Session: s, Outcome: s.Machine.Close(), Closed: true}
	p.observe()
}
