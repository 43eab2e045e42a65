// Package guard drives the session machine from two live streams: a real
// client and a real server on pipes. It is a replay whose frames come from
// elsewhere; no verdict is made here (replay.md, "Live guard").
//
// Framer cuts a stream into messages, Proxy stands between two peers, Run
// starts a server behind one and takes it down again, Recorder keeps what was
// seen.
package guard

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/allowlist"
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
	CapBoth                    // and so does one from the client
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
	// Place completes where the next frame stands in its recording; nil where
	// there is none. It is called under the lock, before Observe.
	Place func(p *replay.Place, ts time.Time, overCap bool)
	// Allow is the allow-list's file, read again when it changes; nil: the
	// list in Config stays.
	Allow AllowSource
	// Deadlines says that calls which run out of time are answered by the
	// clock. Without it only Tick and frames move time on.
	Deadlines bool
}

// AllowSource is where a changed allow-list comes from.
type AllowSource interface {
	// Changed reports that Load has something new to give. It is asked before
	// every frame, so it must be quick.
	Changed() bool
	// Load returns the list as it is now, never nil: a bad one denies.
	Load() *allowlist.Policy
}

// Seen is one frame as observed, before any verdict, with what became of it.
// It is valid during the call.
type Seen struct {
	Dir     analyze.Direction // Unknown where there was no frame: the clock, the session's end
	TS      time.Time
	Body    []byte // nil for a frame over the cap
	OverCap *jsonrpc.Skimmer
	Framing Framing
	Session *replay.Session
	Event   *replay.Event // nil where there was no frame
	Outcome *replay.Outcome
	Closed  bool // the session has ended; the outcome is what only shows then
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

	framedOnce sync.Once
	framed     chan struct{} // closed when the client's framing is known
	framing    Framing       // the client's; guarded by framed
	alone      chan struct{} // closed when the server won't hear from the client any more
	aloneOnce  sync.Once
	broken     [3]onceChan // by the direction that can't be written to
	aborted    onceChan
	stopped    atomic.Bool // aborted or closed: nothing more is forwarded

	// mu covers Step, the record line and the queueing of what goes out, so
	// that the record's order is the machine's.
	mu       sync.Mutex
	sessions *replay.Sessions
	session  *replay.Session
	abort    *replay.Abort
	gone     string // why the server can't answer any more
	closed   bool
	seen     Seen
	timer    *time.Timer
	deadline int64 // what timer is set to; 0: nothing
}

// onceChan is a channel that is closed at most once.
type onceChan struct {
	once sync.Once
	c    chan struct{}
}

func (o *onceChan) close() { o.once.Do(func() { close(o.c) }) }

// queueLimit is how much may wait for a peer before the direction that feeds it
// stops reading.
const queueLimit = 1 << 20

// NewProxy returns a proxy; Start starts it.
func NewProxy(o Options) *Proxy {
	if o.Now == nil {
		o.Now = time.Now
	}
	max := o.Config.MaxFrame
	if max <= 0 {
		max = replay.DefaultMaxFrame
	}
	p := &Proxy{o: o, max: max, framed: make(chan struct{}), alone: make(chan struct{}), sessions: replay.NewSessions(o.Config)}
	p.sessions.Closed = p.sessionEnded
	p.aborted.c = make(chan struct{})
	for i := range p.broken {
		p.broken[i].c = make(chan struct{})
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
	// Fault is set where the proxy itself failed: the kind of the fault.
	Fault string
}

// lane is one direction: one reader, one framer, whole frames, in order.
type lane struct {
	dir     analyze.Direction
	framer  *framer
	out     *outbox // where its frames go
	back    *outbox // where answers to its sender go
	examine *replay.Examiner
	frame   replay.Frame
	event   replay.Event
}

// Start begins to forward in both directions. Each end is told once, when its
// stream has ended and everything read from it has been dealt with.
func (p *Proxy) Start(e Ends) (ends <-chan End) {
	p.toClient = newOutbox(e.ClientOut, queueLimit, p.broken[analyze.ServerToClient].close)
	p.toServer = newOutbox(e.ServerIn, queueLimit, p.broken[analyze.ClientToServer].close)
	ch := make(chan End, 2)
	c := p.o.Config
	client := &lane{dir: analyze.ClientToServer, out: p.toServer, back: p.toClient,
		framer: newFramer(eager(e.ClientIn), Undecided, p.max), examine: replay.NewExaminer(c.Catalog, c.Coverage)}
	server := &lane{dir: analyze.ServerToClient, out: p.toClient, back: p.toServer,
		framer: newFramer(eager(e.ServerOut), Undecided, p.max), examine: replay.NewExaminer(c.Catalog, c.Coverage)}
	go func() { ch <- p.pump(client) }()
	go func() {
		if c.Coverage == analyze.Full {
			// Wider: a server can't choose a framing that its client does not
			// read. So nothing of it is read before the client has spoken.
			select {
			case <-p.framed:
				server.framer.framing = p.framing
			case <-p.alone:
			}
		}
		ch <- p.pump(server)
	}()
	return ch
}

// Alone tells the proxy that the server's stream must be read even if the
// client has not spoken yet: the server has ended.
func (p *Proxy) Alone() { p.aloneOnce.Do(func() { close(p.alone) }) }

func (p *Proxy) pump(l *lane) (end End) {
	end.Dir = l.dir
	defer func() {
		if r := recover(); r != nil {
			end.Fault = fmt.Sprintf("%T", r)
		}
	}()
	for {
		u, big, err := l.framer.next()
		if l.dir == analyze.ClientToServer {
			p.decided(l.framer.framing, err)
		}
		if err == nil && big != nil {
			err = p.stream(l, big)
		} else if err == nil {
			p.pass(l, u)
		}
		if err != nil {
			end.Partial = errors.Is(err, errPartial)
			if !end.Partial && !errors.Is(err, io.EOF) {
				end.Err = err
			}
			return end
		}
		// A peer that has gone away is read and judged on, so that it can end
		// in its own time; what can't be delivered is dropped by the outbox.
		_ = l.out.room(0)
	}
}

// Broken is closed when a write to that side has failed: to the client for
// ServerToClient, to the server for ClientToServer.
func (p *Proxy) Broken(dir analyze.Direction) <-chan struct{} { return p.broken[dir].c }

// Aborted is closed when a strict session has ended; Abort says why.
func (p *Proxy) Aborted() <-chan struct{} { return p.aborted.c }

// Abort is why a strict session ended, nil if it did not.
func (p *Proxy) Abort() *replay.Abort {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.abort
}

func (p *Proxy) decided(f Framing, err error) {
	if f == Undecided && err == nil {
		return
	}
	p.framedOnce.Do(func() {
		p.framing = f
		close(p.framed)
	})
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
