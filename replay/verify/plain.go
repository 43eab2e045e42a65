package verify

import (
	"bytes"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

// expected is a recorded frame with what must become of it. It never changes,
// and is shared by all that play it.
type expected struct {
	session, frame int   // where it stands in the stream
	line           int64 // and in the trace
	part           int   // number of its session among those that the guard sees

	dir     analyze.Direction
	ts      int64
	body    []byte   // of a frame that fits under the cap
	madeUp  [][]byte // of one over it: pieces of made-up content
	size    int64    // of the made-up frame
	closes  [][]string
	verdict replay.Verdict
	bytes   []byte
	replies [][]byte // to the sender
	client  [][]byte // to the client besides

	findings []string
}

func (e *expected) before(o *expected) bool {
	if e.session != o.session {
		return e.session < o.session
	}
	return e.frame < o.frame
}

// plain is the machine without pipes, chunks or framing: one frame after the
// other, each read by itself.
type plain struct {
	cfg      *replay.Config
	examine  *replay.Examiner
	sessions *replay.Sessions
	closed   [][]string
}

func newPlain(cfg *replay.Config) *plain {
	p := &plain{cfg: cfg, examine: replay.NewExaminer(cfg.Catalog, cfg.Coverage), sessions: replay.NewSessions(cfg)}
	p.sessions.Closed = func(s *replay.Session) { p.closed = append(p.closed, describe(s.Machine.Close().Findings)) }
	return p
}

// step judges the observed frame, without what a guard can't know of it.
func (p *plain) step(o *offline.Observation, part int) *expected {
	r := o.Record
	e := &expected{dir: o.Outcome.Dir, ts: r.TS, part: part}
	ev := replay.Event{Dir: e.dir, TS: r.TS}
	var f replay.Frame
	if r.Kind == formats.KindOverCap {
		e.madeUp, e.size = makeUp(r)
		skim := new(jsonrpc.Skimmer)
		for _, b := range e.madeUp {
			skim.Write(b)
		}
		ev.OverCap = skim
	} else {
		e.body = bytes.Clone(r.Frame)
		p.examine.Read(trim(e.body), &f)
		ev.Frame = &f
	}
	s := p.sessions.For(nil, e.dir, ev.Frame)
	e.closes, p.closed = p.closed, nil
	ev.Place = replay.Place{Frame: s.Frames}
	s.Frames++
	out := s.Machine.Step(&ev)
	e.verdict, e.bytes = out.Verdict, bytes.Clone(out.Bytes)
	if ev.OverCap != nil && e.dir == analyze.ClientToServer && p.cfg.RefusesOverCap() {
		e.verdict = replay.Drop
	}
	e.replies, e.client = cloneAll(out.Replies), cloneAll(out.ToClient)
	e.findings = describe(out.Findings)
	return e
}

// close ends the sessions and returns what was found then.
func (p *plain) close() [][]string {
	p.sessions.Close()
	return p.closed
}

func cloneAll(list [][]byte) (out [][]byte) {
	for _, b := range list {
		out = append(out, bytes.Clone(b))
	}
	return out
}

// padding is what made-up frames are filled with, shared by all of them.
var padding = bytes.Repeat([]byte{'x'}, 64<<10)

// makeUp returns a frame of the size of one over the cap, with all that is
// known of it: a recording, and a reader in bounded memory, hold no more.
func makeUp(r *formats.Record) ([][]byte, int64) {
	head := []byte(`{"jsonrpc":"2.0"`)
	if s := r.Skim; s != nil {
		if s.Has&jsonrpc.HasID != 0 && s.ID != nil {
			head = append(append(head, `,"id":`...), s.ID...)
		}
		if s.Has&jsonrpc.HasMethod != 0 {
			head = jsonrpc.AppendQuoted(append(head, `,"method":`...), string(s.Method))
		}
		if s.Has&jsonrpc.HasName != 0 {
			head = append(jsonrpc.AppendQuoted(append(head, `,"params":{"name":`...), string(s.Name)), '}')
		}
		if s.Has&jsonrpc.HasResult != 0 {
			head = append(head, `,"result":{}`...)
		}
		if s.Has&jsonrpc.HasError != 0 {
			head = append(head, `,"error":{}`...)
		}
	}
	head = append(head, `,"pad":"`...)
	list, left := [][]byte{head}, r.Size-int64(len(head))-2
	for ; left > 0; left -= int64(len(padding)) {
		list = append(list, padding[:min(left, int64(len(padding)))])
	}
	return append(list, []byte(`"}`)), r.Size
}

// unfitForLines reports a frame that one line can't carry.
func unfitForLines(r *formats.Record) bool {
	return r.Kind == formats.KindFrame && bytes.IndexByte(trim(r.Frame), '\n') >= 0
}

func trim(b []byte) []byte { return bytes.Trim(b, " \t\r\n") }

// flat is the findings of sessions that ended, as one list.
func flat(closes [][]string) (all []string) {
	for _, c := range closes {
		all = append(all, c...)
	}
	return all
}
