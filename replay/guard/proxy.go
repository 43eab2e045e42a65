// Package guard drives the session machine from two live streams: a real
// client and a real server on pipes. It is a replay whose frames come from
// elsewhere; no verdict is made here (replay.md, "Live guard").
package guard

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
)

// StrictCap says what an over-cap frame does (--strict-frame-cap).
type StrictCap uint8

// Settings of --strict-frame-cap.
const (
	CapPass   StrictCap = iota // it is streamed through, with a note
	CapServer                  // one from the server ends the session
	CapBoth                    // one from the client is refused as well
)

// Ends are the four half-streams between which a proxy stands.
type Ends struct {
	ClientIn  io.Reader // what the client writes
	ClientOut io.Writer // what the client reads
	ServerIn  io.Writer // what the server reads
	ServerOut io.Reader // what the server writes
}

// Options configure a proxy.
type Options struct {
	Config    *replay.Config
	StrictCap StrictCap
	Now       func() time.Time
	// Observe is told of every frame in the machine's order, under the
	// proxy's lock: it must not block. It records and counts.
	Observe func(*Seen)
}

// Seen is one frame as observed, before any verdict, with what became of it.
// It is valid during the call.
type Seen struct {
	Dir     analyze.Direction
	TS      time.Time
	Body    []byte // nil for a frame over the cap
	OverCap *jsonrpc.Skimmer
	Framing Framing
	Session *replay.Session
	Outcome *replay.Outcome
}

// Record is the frame as a recording has it, with the given number.
func (s *Seen) Record(seq int64) formats.Record {
	rec := formats.Record{Dir: s.Dir, TS: s.TS.UnixNano(), Seq: seq, Frame: s.Body, Size: int64(len(s.Body))}
	if s.OverCap != nil {
		rec.Kind, rec.Skim, rec.Size = formats.KindOverCap, s.OverCap, s.OverCap.Size
	}
	if s.Framing == ContentLength {
		rec.Flags |= formats.ContentLength
	}
	return rec
}

// Proxy stands between a client and a server.
type Proxy struct {
	o        Options
	max      int
	toClient *outbox
	toServer *outbox

	framed  chan struct{} // closed when the client's framing is known
	framing Framing       // the client's; guarded by framed

	// mu covers Step, the record line and the queueing of what goes out, so
	// that the record's order is the machine's.
	mu       sync.Mutex
	sessions *replay.Sessions
	session  *replay.Session
	abort    *replay.Abort
	aborted  chan struct{}
	brokenTo [3]chan struct{}
}

// queueLimit is how much may wait for a peer before the direction that feeds it
// stops reading.
const queueLimit = 1 << 20

// NewProxy returns a proxy; Run starts it.
func NewProxy(o Options) *Proxy {
	if o.Now == nil {
		o.Now = time.Now
	}
	max := o.Config.MaxFrame
	if max <= 0 {
		max = replay.DefaultMaxFrame
	}
	p := &Proxy{o: o, max: max, framed: make(chan struct{}), aborted: make(chan struct{}), sessions: replay.NewSessions(o.Config)}
	for i := range p.brokenTo {
		p.brokenTo[i] = make(chan struct{})
	}
	return p
}

// End says how one direction ended.
type End struct {
	Dir analyze.Direction
	// Err is nil at a clean end of the stream, else the reader's error.
	Err error
	// Partial says that the stream ended inside a frame, which was discarded.
	Partial bool
}

// Start begins to forward in both directions. Each end is told once, when its
// stream has ended and everything read from it has been dealt with.
func (p *Proxy) Start(e Ends) (ends <-chan End) {
	p.toClient, p.toServer = newOutbox(e.ClientOut, queueLimit), newOutbox(e.ServerIn, queueLimit)
	ch := make(chan End, 2)
	go func() {
		ch <- p.pump(analyze.ClientToServer, newFramer(e.ClientIn, Undecided, p.max), p.toServer)
	}()
	go func() {
		<-p.framed
		framing := Undecided
		if p.o.Config.Coverage == analyze.Full {
			// Wider: a server can't choose a framing that its client does
			// not read.
			framing = p.framing
		}
		ch <- p.pump(analyze.ServerToClient, newFramer(e.ServerOut, framing, p.max), p.toClient)
	}()
	return ch
}

// pump is one direction: one reader, one framer, whole frames, in order.
func (p *Proxy) pump(dir analyze.Direction, f *framer, out *outbox) End {
	examine := replay.NewExaminer(p.o.Config.Catalog, p.o.Config.Coverage)
	client := dir == analyze.ClientToServer
	for {
		u, big, err := f.next()
		if client {
			p.decided(f.framing, err)
		}
		if err != nil {
			return ended(dir, err)
		}
		if big == nil {
			p.frame(dir, f.framing, u, examine, out)
		} else if err := p.stream(dir, big, out); err != nil {
			return ended(dir, err)
		}
		if out.room() != nil {
			// The peer went away. What this side still writes is read and
			// judged, so that it can end in its own time.
			p.broke(dir)
		}
	}
}

func ended(dir analyze.Direction, err error) End {
	e := End{Dir: dir, Partial: errors.Is(err, errPartial)}
	if !e.Partial && !errors.Is(err, io.EOF) {
		e.Err = err
	}
	return e
}

// Broken is closed when a write to that side has failed: to the client for
// ServerToClient, to the server for ClientToServer.
func (p *Proxy) Broken(dir analyze.Direction) <-chan struct{} { return p.brokenTo[dir] }

func (p *Proxy) broke(dir analyze.Direction) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.brokenTo[dir]:
	default:
		close(p.brokenTo[dir])
	}
}

// Aborted is closed when a strict session has ended; Abort says why.
func (p *Proxy) Aborted() <-chan struct{} { return p.aborted }

// Abort is why a strict session ended, nil if it did not.
func (p *Proxy) Abort() *replay.Abort {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.abort
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

// Close ends the session: what only shows at its end is found, and told to
// Observe.
func (p *Proxy) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions.Closed = func(s *replay.Session) {
		if o := s.Machine.Close(); len(o.Findings) > 0 {
			p.observe(&Seen{TS: p.o.Now(), Session: s, Outcome: o})
		}
	}
	p.sessions.Close()
}

func (p *Proxy) decided(f Framing, err error) {
	select {
	case <-p.framed:
	default:
		if f == Undecided && err == nil {
			return
		}
		p.framing = f
		close(p.framed)
	}
}

// clientFraming is the framing that guard writes its own frames in.
func (p *Proxy) clientFraming() Framing {
	select {
	case <-p.framed:
		return p.framing
	default:
		return Newline
	}
}

// frame judges one frame and queues what comes of it.
func (p *Proxy) frame(dir analyze.Direction, framing Framing, u unit, x *replay.Examiner, out *outbox) {
	body := trim(u.body)
	if len(body) == 0 {
		out.put(u.raw) // a blank line is nothing to anybody
		return
	}
	var f replay.Frame
	x.Read(body, &f) // outside of the lock: it depends on no session

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.abort != nil {
		return
	}
	now := p.o.Now()
	s := p.sessions.For(nil, dir, &f)
	p.session = s
	ev := replay.Event{Dir: dir, TS: now.UnixNano(), Frame: &f, Place: replay.Place{Frame: s.Frames}}
	o := s.Machine.Step(&ev)
	s.Frames++
	p.observe(&Seen{Dir: dir, TS: now, Body: body, Framing: framing, Session: s, Outcome: o})
	if o.Abort != nil {
		p.end(o.Abort)
		return
	}
	switch o.Verdict {
	case replay.Forward:
		out.put(u.raw)
	case replay.Replace:
		out.put(Wrap(o.Bytes, p.clientFraming()))
	}
	p.answers(dir, o)
}

// answers queues the frames that go back to the sender and to the client.
func (p *Proxy) answers(dir analyze.Direction, o *replay.Outcome) {
	back := p.toClient
	if dir == analyze.ServerToClient {
		back = p.toServer
	}
	for _, r := range o.Replies {
		back.put(Wrap(r, p.clientFraming()))
	}
	for _, r := range o.ToClient {
		p.toClient.put(Wrap(r, p.clientFraming()))
	}
}

// stream passes a frame over the cap through piece by piece, never holding it,
// and keeps the machine in step with what was noted of it on the way.
func (p *Proxy) stream(dir analyze.Direction, big *over, out *outbox) error {
	if dir == analyze.ServerToClient && p.o.StrictCap != CapPass {
		p.mu.Lock()
		p.end(&replay.Abort{Site: "frame-cap-s2c", Type: "FrameOverCap", Size: big.left})
		p.mu.Unlock()
		return nil
	}
	refuse := dir == analyze.ClientToServer && (p.o.StrictCap == CapBoth || p.o.Config.RefusesOverCap())
	var skim jsonrpc.Skimmer
	if !refuse {
		out.hold()
		out.piece(big.head)
	}
	var broken error
	for {
		b, last, err := big.piece()
		if err != nil {
			if !refuse {
				out.release()
			}
			return err
		}
		for len(b) > 0 {
			part := b[:min(len(b), readSize)]
			b = b[len(part):]
			skim.Write(part)
			if !refuse && broken == nil {
				out.piece(append([]byte(nil), part...))
				broken = out.room()
			}
		}
		if last {
			break
		}
	}
	if !refuse {
		out.release()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.abort != nil {
		return nil
	}
	now := p.o.Now()
	s := p.sessions.For(nil, dir, nil)
	p.session = s
	ev := replay.Event{Dir: dir, TS: now.UnixNano(), OverCap: &skim, Refused: refuse, Place: replay.Place{Frame: s.Frames}}
	o := s.Machine.Step(&ev)
	s.Frames++
	p.observe(&Seen{Dir: dir, TS: now, OverCap: &skim, Session: s, Outcome: o})
	p.answers(dir, o)
	return nil
}

// end aborts a strict session: what waits for an answer gets an error, nothing
// more is forwarded. The lock is held.
func (p *Proxy) end(a *replay.Abort) {
	if p.abort != nil {
		return
	}
	p.abort = a
	if p.session != nil {
		for _, r := range p.session.Machine.AbortAnswers(a) {
			p.toClient.put(Wrap(r, p.clientFraming()))
		}
	}
	close(p.aborted)
}

func (p *Proxy) observe(s *Seen) {
	if p.o.Observe != nil {
		p.o.Observe(s)
	}
}

// Tick lets time pass for the session: calls that ran out of it are answered.
func (p *Proxy) Tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == nil || p.abort != nil {
		return
	}
	now := p.o.Now()
	o := p.session.Machine.Tick(now.UnixNano())
	if len(o.Findings)+len(o.ToClient) == 0 {
		return
	}
	p.observe(&Seen{TS: now, Session: p.session, Outcome: o})
	p.answers(analyze.ClientToServer, o)
}

// Gone answers every request that still waits, because the server has left
// (replay.md: code -32002), and reports how many there were.
func (p *Proxy) Gone(reason string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == nil || p.abort != nil {
		return 0
	}
	answers := p.session.Machine.ServerGone(reason)
	for _, r := range answers {
		p.toClient.put(Wrap(r, p.clientFraming()))
	}
	return len(answers)
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
