package verify

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
)

// setup is one way of playing a session: how the peers frame their messages
// and where their writes are cut.
type setup struct {
	Framing guard.Framing
	Cut     int // bytes a write; 0: at random places
}

func (s setup) String() string {
	if s.Cut == 0 {
		return s.Framing.String() + "/random"
	}
	return fmt.Sprintf("%s/%d", s.Framing, s.Cut)
}

// setups are all combinations that verify plays (replay.md, "Proof of
// agreement").
func setups() []setup {
	var all []setup
	for _, f := range []guard.Framing{guard.Newline, guard.ContentLength} {
		for _, c := range []int{1, 7, 4096, 0} {
			all = append(all, setup{f, c})
		}
	}
	return all
}

// finelyCut is how much of a frame is written in cuts of 1 and 7 bytes; the
// rest follows in large writes.
const finelyCut = 64 << 10

// patience is how long a step of a rig may take before the guard counts as
// hung. It is generous: a loaded machine is not a difference.
const patience = 2 * time.Minute

// rig plays one session, in one setup, through the real guard loop between two
// scripted peers over operating-system pipes.
type rig struct {
	setup setup
	cfg   *replay.Config
	rand  *rand.Rand
	seed  maphash.Seed

	plain   *replay.Machine // the same frames without a guard
	examine *replay.Examiner

	proxy  *guard.Proxy
	client peer
	server peer
	taken  chan seen // what the guard observed of the frame in hand
	ends   <-chan guard.End

	record  *recording
	played  int
	skipped int
	diff    *Difference
}

// seen is what the guard loop made of one frame.
type seen struct {
	body     []byte
	findings []string
}

// peer is one side: what it writes, and a reader of what it gets.
type peer struct {
	in  *os.File // written by the peer
	out *os.File // read by the peer
	mu  sync.Mutex
	got []byte
	new chan struct{}
	end chan struct{}
}

func newRig(cfg *replay.Config, s setup, seed uint64, hash maphash.Seed) (*rig, error) {
	r := &rig{setup: s, cfg: cfg, rand: rand.New(rand.NewPCG(seed, uint64(s.Framing)<<32|uint64(s.Cut))), seed: hash,
		plain: replay.NewMachine(cfg), examine: replay.NewExaminer(cfg.Catalog, cfg.Coverage), taken: make(chan seen, 1)}
	clientIn, toGuard, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromGuard, clientOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	serverOut, toGuard2, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromGuard2, serverIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	r.client.start(toGuard, fromGuard)
	r.server.start(toGuard2, fromGuard2)
	r.record = newRecording(cfg, hash)
	r.proxy = guard.NewProxy(guard.Options{Config: cfg, Now: r.now, Observe: r.observe})
	r.ends = r.proxy.Start(guard.Ends{ClientIn: clientIn, ClientOut: clientOut, ServerIn: serverIn, ServerOut: serverOut})
	return r, nil
}

func (p *peer) start(in, out *os.File) {
	p.in, p.out, p.new, p.end = in, out, make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(p.end)
		buf := make([]byte, 64<<10)
		for {
			n, err := p.out.Read(buf)
			p.mu.Lock()
			p.got = append(p.got, buf[:n]...)
			p.mu.Unlock()
			select {
			case p.new <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
}

// expect waits until the peer has received want, and takes it. It returns what
// was received in its place.
func (p *peer) expect(want []byte) (got []byte, ok bool) {
	timeout := time.After(patience)
	for {
		p.mu.Lock()
		n := min(len(p.got), len(want))
		wrong := !bytes.Equal(p.got[:n], want[:n])
		if wrong || n == len(want) {
			got = bytes.Clone(p.got[:n])
			p.got = p.got[n:]
			p.mu.Unlock()
			return got, !wrong
		}
		got = bytes.Clone(p.got)
		p.mu.Unlock()
		select {
		case <-p.new:
		case <-p.end:
			return got, false
		case <-timeout:
			return got, false
		}
	}
}

// clock is the time of the frame in hand: rules on time are left out, but both
// sides must see the same.
func (r *rig) now() time.Time { return time.Unix(0, int64(r.played)*int64(time.Millisecond)).UTC() }

// observe runs under the proxy's lock.
func (r *rig) observe(s *guard.Seen) {
	if s.Dir == analyze.Unknown {
		return
	}
	r.record.frame(s)
	r.taken <- seen{body: bytes.Clone(s.Body), findings: describe(s.Outcome.Findings)}
}

// play gives the next recorded frame to the peer that sent it, waits until the
// guard has taken it, and compares.
func (r *rig) play(dir analyze.Direction, body []byte) *Difference {
	if r.setup.Framing == guard.Newline && bytes.IndexByte(body, '\n') >= 0 {
		r.skipped++ // a line can't carry a raw line break
		return nil
	}
	from, to := &r.client, &r.server
	if dir == analyze.ServerToClient {
		from, to = to, from
	}
	var f replay.Frame
	r.examine.Read(body, &f)
	ev := replay.Event{Dir: dir, TS: r.now().UnixNano(), Frame: &f, Place: replay.Place{Frame: r.played}}
	want := r.plain.Step(&ev)
	findings := describe(want.Findings)
	r.record.expect(body, findings)

	raw := guard.Wrap(body, r.setup.Framing)
	written := make(chan error, 1)
	go func() { written <- r.write(from.in, raw) }()
	var got seen
	select {
	case got = <-r.taken:
	case <-time.After(patience):
		return r.differ("taken", "the frame", "nothing: the guard did not take it")
	}
	if err := <-written; err != nil {
		return r.differ("written", "the frame", "an error: "+err.Error())
	}
	if a, b, same := compare(findings, got.findings); !same {
		return r.differ("findings", a, b)
	}
	if !bytes.Equal(bytes.TrimSpace(body), got.body) {
		return r.differ("observed bytes", show(body), show(got.body))
	}
	var forward []byte
	switch want.Verdict {
	case replay.Forward:
		forward = raw
	case replay.Replace:
		forward = guard.Wrap(want.Bytes, r.setup.Framing)
	}
	if b, ok := to.expect(forward); !ok {
		return r.differ("bytes to the "+side(to == &r.client), show(forward), show(b))
	}
	var back []byte
	for _, reply := range want.Replies {
		back = append(back, guard.Wrap(reply, r.setup.Framing)...)
	}
	if b, ok := from.expect(back); !ok {
		return r.differ("bytes to the "+side(from == &r.client), show(back), show(b))
	}
	r.played++
	return nil
}

func side(client bool) string {
	if client {
		return "client"
	}
	return "server"
}

// write writes one framed message in the setup's cuts.
func (r *rig) write(w io.Writer, raw []byte) error {
	for n := 0; n < len(raw); {
		cut := r.setup.Cut
		switch {
		case cut == 0:
			cut = 1 + r.rand.IntN(1+r.rand.IntN(8192))
		case cut < 4096 && n >= finelyCut:
			cut = 4096
		}
		end := min(len(raw), n+cut)
		if _, err := w.Write(raw[n:end]); err != nil {
			return err
		}
		n = end
	}
	return nil
}

func (r *rig) differ(stage, plain, guarded string) *Difference {
	r.diff = &Difference{Stage: stage, Setup: r.setup.String(), Frame: r.played, Offline: plain, Live: guarded}
	return r.diff
}

// close ends both streams, and compares what is left: nothing more must come.
func (r *rig) close() *Difference {
	r.client.in.Close()
	r.server.in.Close()
	for range 2 {
		select {
		case <-r.ends:
		case <-time.After(patience):
			if r.diff == nil {
				r.differ("end", "both directions end with their streams", "the guard did not end")
			}
		}
	}
	r.proxy.Shut()
	<-r.client.end
	<-r.server.end
	for i, p := range []*peer{&r.client, &r.server} {
		if len(p.got) > 0 && r.diff == nil {
			r.differ("bytes to the "+side(i == 0), "nothing more", show(p.got))
		}
		p.out.Close()
	}
	if d := r.record.close(r.setup.String()); d != nil && r.diff == nil {
		r.diff = d
	}
	return r.diff
}
