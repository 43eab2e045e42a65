package guard

import (
	"bytes"
	"fmt"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/replay"
)

// pass judges one frame, queues what comes of it, and has that written.
func (p *Proxy) pass(l *lane, u unit) {
	if p.stopped.Load() {
		return
	}
	body := trim(u.body)
	l.event = replay.Event{Dir: l.dir}
	if len(body) > 0 {
		l.read(body, &l.event) // outside of the lock: it depends on no session
	}
	replies := p.judge(l, u.raw, body, &l.event)
	p.toClient.flush()
	p.toServer.flush()
	if replies > 0 {
		// Whoever has many requests refused and does not read the answers
		// waits: the queue stays bounded.
		_ = l.back.room(queueLimit)
	}
}

// read fills in what a frame says. A fault in the scanner leaves what a plain
// reading can tell of it, so that the machine stays in step.
func (l *lane) read(body []byte, ev *replay.Event) {
	defer func() {
		if r := recover(); r != nil {
			ev.Frame, ev.OverCap, ev.Fault = nil, new(jsonrpc.Skimmer), fmt.Sprintf("%T", r)
			ev.OverCap.Write(body)
		}
	}()
	l.examine.Read(body, &l.frame)
	ev.Frame = &l.frame
}

// judge is what happens under the lock. It returns how many answers went back.
func (p *Proxy) judge(l *lane, raw, body []byte, ev *replay.Event) (replies int) {
	early := false
	if !p.mu.TryLock() {
		if ev.Frame != nil && ev.Frame.Control() && !p.stopped.Load() {
			// Its verdict is known, and a verdict on a large frame of the
			// other side may take a while.
			early = true
			if l.out.put(raw) {
				l.framer.take()
			}
			l.out.flush()
		}
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	if p.stopped.Load() {
		return 0
	}
	p.reread()
	if len(body) == 0 { // a blank line is nothing to anybody
		l.forward(raw)
		return 0
	}
	now := p.o.Now()
	s := p.begin(l, ev, now)
	o := s.Machine.Step(ev)
	s.Frames++
	p.seen = Seen{Dir: l.dir, TS: now, Body: body, Framing: l.framer.framing, Session: s, Event: ev, Outcome: o}
	p.observe()
	if o.Abort != nil {
		p.end(o.Abort)
		return 0
	}
	switch {
	case early:
	case o.Verdict == replay.Forward && p.gone != "" && l.dir == analyze.ClientToServer:
		// There is nobody to forward to.
	case o.Verdict == replay.Forward:
		l.forward(raw)
	case o.Verdict == replay.Replace:
		l.out.put(Wrap(o.Bytes, p.clientFraming()))
	}
	return p.answers(l, o)
}

func (l *lane) forward(raw []byte) {
	if l.out.put(raw) {
		l.framer.take()
	}
}

// begin completes an event and finds the session that it belongs to. The lock
// is held.
func (p *Proxy) begin(l *lane, ev *replay.Event, now time.Time) *replay.Session {
	s := p.sessions.For(nil, l.dir, ev.Frame)
	p.session = s
	ev.TS = now.UnixNano()
	ev.Place = replay.Place{Frame: s.Frames}
	if p.o.Place != nil {
		p.o.Place(&ev.Place, now, ev.OverCap != nil && ev.Fault == "")
	}
	return s
}

// answers queues the frames that go back to the sender and to the client. The
// lock is held.
func (p *Proxy) answers(l *lane, o *replay.Outcome) int {
	n := len(o.Replies) + len(o.ToClient)
	for _, r := range o.Replies {
		l.back.put(Wrap(r, p.clientFraming()))
	}
	for _, r := range o.ToClient {
		p.toClient.put(Wrap(r, p.clientFraming()))
	}
	if p.gone != "" && l.dir == analyze.ClientToServer {
		n += p.refuseAll()
	}
	p.arm()
	return n
}

// reread takes up an allow-list that has changed. The lock is held.
func (p *Proxy) reread() {
	if p.o.Allow != nil && p.o.Allow.Changed() {
		p.sessions.SetAllow(p.o.Allow.Load())
	}
}

func (p *Proxy) observe() {
	if p.o.Observe != nil {
		p.o.Observe(&p.seen)
	}
}

// stream passes a frame over the cap through piece by piece, never holding it,
// and keeps the machine in step with what was noted of it on the way.
func (p *Proxy) stream(l *lane, big *over) error {
	if l.dir == analyze.ServerToClient && p.o.StrictCap != CapPass {
		// Nothing of it is waited for: a server need never finish it.
		skim := new(jsonrpc.Skimmer)
		for f, last := l.framer, false; f.pos < len(f.buf) && !last; {
			var b []byte
			b, last, _ = big.piece()
			skim.Write(b)
		}
		skim.Size += max(0, big.left) // as declared
		p.overCapAbort(l, skim, "frame-cap-s2c")
		return nil
	}
	strict := l.dir == analyze.ClientToServer && p.o.StrictCap == CapBoth
	refuse := strict || l.dir == analyze.ClientToServer && p.o.Config.RefusesOverCap()
	skim := new(jsonrpc.Skimmer)
	send := !refuse && !p.stopped.Load()
	if send {
		l.out.hold()
		l.out.piece(big.head)
	}
	// The machine knows of a request before its last bytes are on their way: an
	// answer can't come before what it answers.
	holdBack := l.dir == analyze.ClientToServer
	var b []byte
	for last := false; !last; {
		var end bool
		var err error
		b, end, err = big.piece()
		if err != nil {
			if send {
				l.out.tear(l.framer.framing)
			}
			return err
		}
		last = end
		text := b
		if last && big.left < 0 {
			text = bytes.TrimSuffix(b[:len(b)-1], []byte{'\r'}) // the line's end is no part of the message
		}
		skim.Write(text)
		if send && !(last && holdBack) && l.out.room(0) == nil {
			l.out.piece(b)
		}
	}
	if strict {
		p.overCapAbort(l, skim, "frame-cap-c2s")
		return nil
	}
	if send && !holdBack {
		l.out.release()
	}
	p.skimmed(l, skim, refuse)
	if send && holdBack {
		if l.out.room(0) == nil {
			l.out.piece(b)
		}
		l.out.release()
	}
	p.toClient.flush()
	p.toServer.flush()
	return nil
}

// skimmed takes the machine past an over-cap frame.
func (p *Proxy) skimmed(l *lane, skim *jsonrpc.Skimmer, refused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped.Load() {
		return
	}
	p.reread()
	now := p.o.Now()
	ev := replay.Event{Dir: l.dir, OverCap: skim, Refused: refused}
	s := p.begin(l, &ev, now)
	o := s.Machine.Step(&ev)
	s.Frames++
	p.seen = Seen{Dir: l.dir, TS: now, OverCap: skim, Framing: l.framer.framing, Session: s, Event: &ev, Outcome: o}
	p.observe()
	p.answers(l, o)
}

// overCapAbort ends a session because of --strict-frame-cap. The frame is
// recorded as far as it was seen; the machine is not told of it, so that its id
// is still in flight and gets its answer.
func (p *Proxy) overCapAbort(l *lane, skim *jsonrpc.Skimmer, site string) {
	p.mu.Lock()
	if !p.stopped.Load() {
		now := p.o.Now()
		ev := replay.Event{Dir: l.dir, OverCap: skim, Refused: true}
		s := p.begin(l, &ev, now)
		s.Frames++
		a := &replay.Abort{Site: site, Type: "FrameOverCap", Size: skim.Size}
		p.seen = Seen{Dir: l.dir, TS: now, OverCap: skim, Framing: l.framer.framing, Session: s, Event: &ev,
			Outcome: &replay.Outcome{Dir: l.dir, Verdict: replay.Drop, Abort: a}}
		p.observe()
		if l.dir == analyze.ClientToServer && skim.Has&jsonrpc.HasMethod != 0 {
			a.RPCID = skim.ID
		}
		p.end(a)
	}
	p.mu.Unlock()
	p.toClient.flush()
}

// trim cuts outer white space (a CR before the line feed among it), keeping
// the memory behind for padding.
func trim(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
