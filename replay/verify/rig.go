package verify

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
)

// rig plays one stream, in one setup, through the real guard loop between two
// scripted peers over operating-system pipes.
type rig struct {
	setup  setup
	o      *Options
	rand   *rand.Rand
	proxy  *guard.Proxy
	client peer
	server peer
	ends   <-chan guard.End
	files  []*os.File // the guard's ends that it does not close itself

	recorder *guard.Recorder
	ts       int64

	// What the guard observed, written under its lock.
	mu      sync.Mutex
	seen    *seen
	closing []string // findings at the end of sessions since the last frame
	lines   []string // recorded since they were last taken
	warned  string   // the recorder gave up
	moved   chan struct{}

	opened [3]bool // by direction: its framing can't be mistaken any more
	diff   *Difference
	at     *expected
}

// seen is what the guard loop made of one frame.
type seen struct {
	body     []byte
	size     int64 // of a frame over the cap
	dir      analyze.Direction
	part     int
	findings []string
	closing  []string
}

func newRig(o *Options, s setup) (*rig, error) {
	r := &rig{setup: s, o: o, moved: make(chan struct{}, 1),
		rand: rand.New(rand.NewPCG(o.Seed, uint64(s.Framing)<<32|uint64(s.Cut)))}
	var pipes [4][2]*os.File
	for i := range pipes {
		in, out, err := os.Pipe()
		if err != nil {
			for _, p := range pipes[:i] {
				p[0].Close()
				p[1].Close()
			}
			return nil, err
		}
		pipes[i] = [2]*os.File{in, out}
	}
	r.client.start(pipes[0][1], pipes[1][0])
	r.server.start(pipes[2][1], pipes[3][0])
	r.files = []*os.File{pipes[0][0], pipes[1][1], pipes[2][0], pipes[3][1]}
	cfg := o.Config
	if f := o.faults.config; f != nil {
		cfg = f(cfg)
	}
	r.recorder = guard.RecordTo(recorderPipe{r}, func(text string) { r.warned = text })
	r.proxy = guard.NewProxy(guard.Options{Config: cfg, Now: r.now, Observe: r.observe})
	e := guard.Ends{ClientIn: pipes[0][0], ClientOut: pipes[1][1], ServerOut: pipes[2][0], ServerIn: pipes[3][1]}
	if f := o.faults.from; f != nil {
		e.ClientIn, e.ServerOut = f(e.ClientIn), f(e.ServerOut)
	}
	if f := o.faults.to; f != nil {
		e.ClientOut, e.ServerIn = f(e.ClientOut), f(e.ServerIn)
	}
	r.ends = r.proxy.Start(e)
	return r, nil
}

// now is the recorded time of the frame in hand. The guard asks while that is
// on its way, never between frames.
func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Unix(0, r.ts)
}

// recorderPipe takes the recorder's lines, under the proxy's lock.
type recorderPipe struct{ r *rig }

func (p recorderPipe) Write(b []byte) (int, error) {
	line := b
	if f := p.r.o.faults.recorded; f != nil {
		line = f(bytes.Clone(b))
	}
	p.r.mu.Lock()
	if len(line) > 0 {
		p.r.lines = append(p.r.lines, string(line))
	}
	p.r.mu.Unlock()
	return len(b), nil
}

func (r *rig) takeLines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}

// observe runs under the proxy's lock.
func (r *rig) observe(s *guard.Seen) {
	findings := describe(s.Outcome.Findings)
	if s.Dir != analyze.Unknown {
		r.recorder.Frame(s)
	}
	r.mu.Lock()
	if s.Dir == analyze.Unknown {
		r.closing = append(r.closing, findings...)
	} else {
		n := &seen{dir: s.Dir, part: s.Session.Number, findings: findings, closing: r.closing}
		if s.OverCap != nil {
			n.size = s.OverCap.Size
		} else {
			n.body = bytes.Clone(s.Body)
		}
		r.seen, r.closing = n, nil
	}
	r.mu.Unlock()
	select {
	case r.moved <- struct{}{}:
	default:
	}
}

// playAll plays frames until one differs.
func (r *rig) playAll(batch []*expected) {
	timer := time.NewTimer(r.o.patience())
	defer timer.Stop()
	for _, e := range batch {
		if r.diff != nil {
			return
		}
		timer.Reset(r.o.patience())
		r.play(e, timer.C)
	}
}

// play has the peer that sent a frame write it, waits until the guard has taken
// it and each side has got what it must, and compares.
func (r *rig) play(e *expected, timeout <-chan time.Time) {
	from, to := &r.client, &r.server
	if e.dir == analyze.ServerToClient {
		from, to = to, from
	}
	raw := r.dress(e)
	var forward, back [][]byte
	switch e.verdict {
	case replay.Forward:
		forward = raw
	case replay.Replace:
		forward = [][]byte{guard.Wrap(e.bytes, r.setup.Framing)}
	}
	for _, b := range e.replies {
		back = append(back, guard.Wrap(b, r.setup.Framing))
	}
	for _, b := range e.client {
		b = guard.Wrap(b, r.setup.Framing)
		if to == &r.client {
			forward = append(forward[:len(forward):len(forward)], b)
		} else {
			back = append(back, b)
		}
	}
	for _, dir := range r.openings(e) {
		if !r.openSide(dir, e, timeout) {
			return
		}
	}
	r.mu.Lock()
	r.seen, r.ts = nil, e.ts
	r.mu.Unlock()
	to.arm(forward)
	from.arm(back)
	if !r.write(raw, from.in, timeout, e) {
		return
	}
	r.check(e, from, to, timeout)
}

// openSide has one side write an empty message, which the other gets.
func (r *rig) openSide(dir analyze.Direction, e *expected, timeout <-chan time.Time) bool {
	from, to := &r.client, &r.server
	if dir == analyze.ServerToClient {
		from, to = to, from
	}
	to.arm([][]byte{r.empty()})
	if !r.write([][]byte{r.empty()}, from.in, timeout, e) {
		return false
	}
	for {
		if all, wrong := to.state(); wrong {
			want, have := to.sides()
			r.differ(e, "empty message to the "+r.side(to), want, have)
			return false
		} else if all {
			return true
		}
		select {
		case <-to.moved:
		case <-r.o.Interrupt:
			r.differ(e, "empty message", "it is forwarded", "interrupted")
			return false
		case <-timeout:
			r.differ(e, "empty message to the "+r.side(to), "it is forwarded", "nothing came")
			return false
		}
	}
}

// write writes a message in cuts, and watches that it gets on.
func (r *rig) write(raw [][]byte, w *os.File, timeout <-chan time.Time, e *expected) bool {
	written := make(chan error, 1)
	go func() { written <- r.cut(w, raw) }()
	select {
	case err := <-written:
		if err != nil {
			r.differ(e, "written", "the frame", "an error: "+bareText(err))
			return false
		}
		return true
	case <-timeout:
		r.differ(e, "taken", "the frame", "nothing: the guard did not read it")
	case <-r.o.Interrupt:
		r.differ(e, "taken", "the frame", "interrupted")
	}
	return false
}

// check waits for everything that a frame must lead to, and compares.
func (r *rig) check(e *expected, from, to *peer, timeout <-chan time.Time) {
	for {
		r.mu.Lock()
		got := r.seen
		r.mu.Unlock()
		there, wrong := to.state()
		back, wrong2 := from.state()
		if got != nil && !r.same(e, got) {
			return
		}
		switch {
		case wrong:
			want, have := to.sides()
			r.differ(e, "bytes to the "+r.side(to), want, have)
			return
		case wrong2:
			want, have := from.sides()
			r.differ(e, "bytes to the "+r.side(from), want, have)
			return
		case got != nil && there && back:
			return
		}
		select {
		case <-r.moved:
		case <-to.moved:
		case <-from.moved:
		case <-r.o.Interrupt:
			r.differ(e, "taken", "the frame", "interrupted")
			return
		case <-timeout:
			r.hung(e, got, to, from)
			return
		}
	}
}

// same compares what the guard observed and found.
func (r *rig) same(e *expected, got *seen) bool {
	switch {
	case e.body != nil && !bytes.Equal(trim(e.body), got.body):
		r.differ(e, "observed bytes", show(trim(e.body)), show(got.body))
	case e.body == nil && e.size != got.size:
		r.differ(e, "observed size", size(e.size), size(got.size))
	case e.dir != got.dir:
		r.differ(e, "direction", e.dir.String(), got.dir.String())
	case e.part != got.part:
		r.differ(e, "session", "session "+number(e.part)+" of the stream", "session "+number(got.part))
	default:
		if a, b, same := compare(flat(e.closes), got.closing); !same {
			r.differ(e, "findings at the end of the session before", a, b)
			return false
		}
		if a, b, same := compare(e.findings, got.findings); !same {
			r.differ(e, "findings", a, b)
			return false
		}
		return true
	}
	return false
}

// hung says what did not come.
func (r *rig) hung(e *expected, got *seen, peers ...*peer) {
	if got == nil {
		r.differ(e, "taken", "the frame", "nothing: the guard did not take it")
		return
	}
	for _, p := range peers {
		if all, _ := p.state(); !all {
			want, _ := p.sides()
			r.differ(e, "bytes to the "+r.side(p), want, "nothing more")
			return
		}
	}
}

func (r *rig) side(p *peer) string {
	if p == &r.client {
		return "client"
	}
	return "server"
}

func (r *rig) differ(e *expected, stage, plain, guarded string) {
	if r.diff == nil {
		r.at, r.diff = e, &Difference{Stage: stage, Setup: r.setup.String(), Offline: plain, Live: guarded}
	}
}

// close ends both streams, and compares what is left: nothing more must come,
// and the sessions that end now have the same to say.
func (r *rig) close(closes [][]string) {
	r.client.in.Close()
	r.server.in.Close()
	timeout := time.After(r.o.patience())
	hung := false
	for range 2 {
		select {
		case end := <-r.ends:
			if end.Fault != "" || end.Err != nil || end.Partial {
				r.differ(nil, "end", "both directions end cleanly", "a fault, an error or a cut frame")
			}
		case <-timeout:
			hung = true
		}
	}
	if hung {
		r.differ(nil, "end", "both directions end with their streams", "the guard did not end")
		for _, f := range r.files {
			f.Close() // nothing waits for ever
		}
	}
	r.proxy.Close()
	r.proxy.Shut()
	for _, f := range r.files {
		f.Close()
	}
	for _, p := range []*peer{&r.client, &r.server} {
		<-p.end
		if _, wrong := p.state(); wrong {
			_, have := p.sides()
			r.differ(nil, "bytes to the "+r.side(p), "nothing more", have)
		}
		p.out.Close()
	}
	if a, b, same := compare(flat(closes), r.closing); !same && closes != nil {
		r.differ(nil, "findings at the end of the session", a, b)
	}
	if r.warned != "" {
		r.differ(nil, "recording", "no warning", r.warned)
	}
}

var _ io.Writer = recorderPipe{}
