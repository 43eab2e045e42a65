package tape

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

// Step is one frame as the session machine judged it, with what the machine
// knew before and after. All of it is the reader's own.
type Step struct {
	Frame    int // number in the trace, from 0
	InOrder  int // number in its session, from 0
	Session  string
	Record   *formats.Record
	Outcome  replay.Outcome
	Before   replay.State
	After    replay.State
	Findings []Finding // those of the session's end too, on its last frame
}

// Finding is a finding with its place in the index.
type Finding struct {
	analyze.Finding
	Decided uint8
	AtEnd   bool // shown by the end of the session, not by the frame
}

// walker keeps the machines that have been stepped, one a session, so that the
// next frame costs one step.
type walker struct {
	mu      sync.Mutex
	t       *Tape
	examine *replay.Examiner
	live    map[uint32]checkpoint
	recent  []visited // clones of where the reader has been, oldest first
}

type visited struct {
	session uint32
	checkpoint
}

const (
	maxLive   = 64
	maxRecent = 48
)

func (w *walker) init(t *Tape) {
	w.t, w.live = t, map[uint32]checkpoint{}
	w.examine = replay.NewExaminer(t.o.Config.Catalog, t.o.Config.Coverage)
}

// Step brings the session of frame i to just before it and feeds the machine
// that frame: forward that is one step, backward it goes on from the nearest
// checkpoint before. A line that can't be read has a Record alone.
func (t *Tape) Step(ctx context.Context, i int) (*Step, error) {
	return t.stepWith(ctx, &t.walk, i)
}

func (t *Tape) stepWith(ctx context.Context, w *walker, i int) (s *Step, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer func() {
		// A fault of a rule must not take the screen with it.
		if r := recover(); r != nil {
			clear(w.live)
			s, err = nil, fmt.Errorf("frame %d can't be stepped: a fault (%T)", t.Number(i), r)
		}
	}()
	r, err := t.Record(i)
	if err != nil {
		return nil, err
	}
	t.x.mu.RLock()
	e := *t.x.entry(i)
	t.x.mu.RUnlock()
	s = &Step{Frame: i, Record: r}
	if e.Session == NoSession {
		return s, nil
	}
	at, err := w.before(ctx, i, e)
	if err != nil {
		return nil, err
	}
	s.InOrder = at.count
	s.Before = at.m.State()
	out := w.feed(&at, i, r)
	s.Outcome = own(out)
	s.After = at.m.State()
	w.put(e.Session, at)
	w.findings(s, e.Session, at)
	return s, nil
}

// before returns the machine of e's session as it was before frame i.
func (w *walker) before(ctx context.Context, i int, e Entry) (checkpoint, error) {
	want := int(e.prev) - 1
	best := checkpoint{after: -1}
	take := func(c checkpoint, clone bool) {
		if c.after > want || c.after < best.after || c.after == best.after && best.m != nil {
			return
		}
		if clone {
			m, ok := c.m.Clone()
			if !ok {
				return
			}
			c.m = m
		}
		best = c
	}
	if c, ok := w.live[e.Session]; ok {
		take(c, false) // it is replaced by what comes of it
	}
	for _, v := range w.recent {
		if v.session == e.Session && v.after <= want && v.after > best.after {
			take(v.checkpoint, true)
		}
	}
	w.t.x.mu.RLock()
	stops := w.t.x.stops[e.Session]
	at, _ := slices.BinarySearchFunc(stops, want+1, func(c checkpoint, after int) int { return c.after - after })
	if at > 0 && stops[at-1].after > best.after {
		take(stops[at-1], true)
	}
	w.t.x.mu.RUnlock()
	if best.m == nil {
		best = checkpoint{after: -1, m: replay.NewMachine(w.t.o.Config)}
	}
	delete(w.live, e.Session)
	chain := w.t.chain(want, best.after)
	for n, j := range chain {
		if ctx.Err() != nil {
			w.put(e.Session, best)
			return best, ctx.Err()
		}
		runtime.Gosched() // the screen comes first; a record may take milliseconds
		r, err := w.t.Record(j)
		if err != nil {
			return best, err
		}
		w.feed(&best, j, r)
		if left := len(chain) - n; left <= 256 && left%16 == 0 {
			w.remember(e.Session, best)
		}
	}
	return best, nil
}

// chain lists the frames of a session after the frame from, up to to.
func (t *Tape) chain(to, from int) []int {
	t.x.mu.RLock()
	defer t.x.mu.RUnlock()
	var c []int
	for j := to; j > from && j >= 0; j = int(t.x.entry(j).prev) - 1 {
		c = append(c, j)
	}
	slices.Reverse(c)
	return c
}

// feed steps the machine by one frame.
func (w *walker) feed(c *checkpoint, i int, r *formats.Record) *replay.Outcome {
	var f replay.Frame
	switch r.Kind {
	case formats.KindFrame:
		w.examine.Read(r.Frame, &f)
	case formats.KindText:
		f.SetRaw(r.Frame)
	default:
		f.SetRaw(nil)
	}
	var ev replay.Event
	offline.Feed(&ev, r, &f, c.count)
	out := c.m.Step(&ev)
	c.after, c.count = i, c.count+1
	return out
}

func (w *walker) put(session uint32, c checkpoint) {
	if len(w.live) >= maxLive {
		clear(w.live)
	}
	w.live[session] = c
}

// remember keeps a clone near where the reader is: stepping back comes there
// next.
func (w *walker) remember(session uint32, c checkpoint) {
	m, ok := c.m.Clone()
	if !ok {
		return
	}
	c.m = m
	if len(w.recent) >= maxRecent {
		w.recent = slices.Delete(w.recent, 0, 1)
	}
	w.recent = append(w.recent, visited{session, c})
}

// findings joins what the machine found with what the index keeps of it.
func (w *walker) findings(s *Step, session uint32, at checkpoint) {
	fs := slices.Clone(s.Outcome.Findings)
	inFrame := len(fs)
	w.t.x.mu.RLock()
	info := w.t.x.sessions[session]
	last, name, late := info.Closed && info.Last == s.Frame, info.Name, len(w.t.x.late[uint32(s.Frame)]) > 0
	marks := w.t.x.on(s.Frame)
	prints := make([]Mark, len(marks))
	for i, m := range marks {
		prints[i] = *m
	}
	w.t.x.mu.RUnlock()
	s.Session = name
	if last && late {
		delete(w.live, session) // Close ends the machine
		fs = append(fs, at.m.Close().Findings...)
	}
	for i := range fs {
		f := Finding{Finding: fs[i], AtEnd: i >= inFrame}
		f.Trace, f.Session = w.t.fileOf(&fs[i]), name
		if f.TS.IsZero() && s.Record.TS != 0 {
			f.TS = time.Unix(0, s.Record.TS).UTC()
		}
		if i < len(prints) {
			f.Fingerprint = hex.EncodeToString(prints[i].Print[:])
			f.Decided = prints[i].Decided
		}
		s.Findings = append(s.Findings, f)
	}
}

func (t *Tape) fileOf(f *analyze.Finding) string {
	if t.input != nil {
		return t.input.File(f.Direction)
	}
	return t.Name
}

// own copies an outcome out of the machine's memory.
func own(o *replay.Outcome) replay.Outcome {
	c := *o
	c.Bytes = bytes.Clone(o.Bytes)
	c.Findings = slices.Clone(o.Findings)
	c.Replies, c.ToClient = nil, nil
	for _, r := range o.Replies {
		c.Replies = append(c.Replies, bytes.Clone(r))
	}
	for _, r := range o.ToClient {
		c.ToClient = append(c.ToClient, bytes.Clone(r))
	}
	return c
}

// Decide sets what has been decided about the nth finding on a frame.
func (t *Tape) Decide(frame, nth int, d uint8) error {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	marks := t.x.on(frame)
	if nth >= len(marks) {
		return fmt.Errorf("frame %d has no such finding in the index", t.x.number(frame))
	}
	m := marks[nth]
	if m.Tier() == analyze.Block && (m.Decided == 0) != (d == 0) {
		n := 1
		if d != 0 {
			n = -1
		}
		t.x.open += n
		t.x.rules[m.rule].Open += n
	}
	m.Decided = d
	return nil
}

// Call lists the frames of the call that a stepped frame belongs to: itself,
// the request that it answers, or the answer to it where the next thousands of
// frames have it.
func (t *Tape) Call(s *Step) []int {
	out := []int{s.Frame}
	before, after := map[string]int{}, map[string]bool{}
	for _, f := range append(s.Before.Client, s.Before.ServerOwn...) {
		before[string(f.ID)+"\x00"+f.Method] = f.Place.Frame
	}
	for _, f := range append(s.After.Client, s.After.ServerOwn...) {
		after[string(f.ID)+"\x00"+f.Method] = true
	}
	frames := t.SessionFrames(s.Frame)
	for k, n := range before {
		if !after[k] && n < len(frames) {
			out = append(out, frames[n]) // answered by this frame
		}
	}
	var asked []string
	for k := range after {
		if _, had := before[k]; !had {
			asked = append(asked, k)
		}
	}
	if len(asked) == 0 {
		return out
	}
	t.x.mu.RLock()
	session, n := t.x.entry(s.Frame).Session, t.x.n
	t.x.mu.RUnlock()
	const far = 20000 // frames to look through for the answer
	seen := 0
	for i := s.Frame + 1; i < min(n, s.Frame+far) && seen < 512; i++ {
		t.x.mu.RLock()
		e := *t.x.entry(i)
		t.x.mu.RUnlock()
		if e.Session != session {
			continue
		}
		seen++
		next, err := t.Step(context.Background(), i)
		if err != nil {
			return out
		}
		left := map[string]bool{}
		for _, f := range append(next.After.Client, next.After.ServerOwn...) {
			left[string(f.ID)+"\x00"+f.Method] = true
		}
		for _, k := range asked {
			if !left[k] {
				return append(out, i)
			}
		}
	}
	return out
}
