package tape

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/warden-trace/warden/analyze"
)

// Overview is what is known of the whole trace so far.
type Overview struct {
	Frames   int
	Sessions int
	Findings [3]int // by tier
	Open     int    // block findings that nobody has decided
	Blocks   int
	Bad      int   // lines that can't be read
	From, To int64 // Unix nanoseconds; 0 where the recording has no times
	Read     int64
	Size     int64 // bytes of the input; -1 unknown
	Done     bool
	Err      error // why the pass ended early
	Notices  []string
	Lost     int // findings that there was no room to remember
}

// Overview returns the state of the index.
func (t *Tape) Overview() Overview {
	x := t.x
	x.mu.RLock()
	defer x.mu.RUnlock()
	return Overview{Frames: x.n, Sessions: len(x.sessions), Findings: x.findings, Open: x.open, Blocks: x.blocks, Bad: x.bad,
		From: x.from, To: x.to, Read: x.read, Size: x.size, Done: x.done, Err: x.err, Notices: x.notices, Lost: x.lost}
}

// Row is an entry with its label.
type Row struct {
	Entry
	Label
	Frame  int // number in the trace, from 0
	Number int // within its session, from 0; -1: a line that can't be read
}

// Rows copies the rows of the given frames.
func (t *Tape) Rows(frames []int) []Row {
	out := make([]Row, 0, len(frames))
	t.x.mu.RLock()
	defer t.x.mu.RUnlock()
	for _, i := range frames {
		if i >= 0 && i < t.x.n {
			e := t.x.entry(i)
			out = append(out, Row{*e, t.x.labels[e.label], i, t.x.number(i)})
		}
	}
	return out
}

// Number is the number of frame i within its session, from 0, as findings and
// expressions have it; -1 for a line that can't be read, or is not there.
func (t *Tape) Number(i int) int {
	t.x.mu.RLock()
	defer t.x.mu.RUnlock()
	if i < 0 || i >= t.x.n {
		return -1
	}
	return t.x.number(i)
}

// SessionOf is the session of frame i, or for a line that can't be read that of
// the nearest frame before it, else of the first one.
func (t *Tape) SessionOf(i int) (s Session, ok bool) {
	t.x.mu.RLock()
	defer t.x.mu.RUnlock()
	for i = min(i, t.x.n-1); i >= 0; i-- {
		if e := t.x.entry(i); e.Session != NoSession {
			return *t.x.sessions[e.Session], true
		}
	}
	if len(t.x.sessions) == 0 {
		return s, false
	}
	return *t.x.sessions[0], true
}

// Numbered is the frame with that number in a session; -1: there is none (yet).
func (t *Tape) Numbered(s *Session, number int) int {
	t.x.mu.RLock()
	defer t.x.mu.RUnlock()
	if number < 0 || number >= s.Frames {
		return -1
	}
	for i := s.First + number; i < t.x.n; i++ { // it can't stand before that
		if t.x.number(i) == number && t.x.sessions[t.x.entry(i).Session].First == s.First {
			return i
		}
	}
	return -1
}

// Rules are the rules that found something, the gravest first.
func (t *Tape) Rules() []RuleCount {
	t.x.mu.RLock()
	out := slices.Clone(t.x.rules)
	t.x.mu.RUnlock()
	sort.SliceStable(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		if a.Tier != b.Tier {
			return a.Tier > b.Tier
		}
		if (a.Open > 0) != (b.Open > 0) {
			return a.Open > 0
		}
		return a.Count > b.Count
	})
	return out
}

// Sessions are the n sessions that need a reader most.
func (t *Tape) Sessions(n int) []Session {
	t.x.mu.RLock()
	all := make([]Session, len(t.x.sessions))
	for i, s := range t.x.sessions {
		all[i] = *s
	}
	t.x.mu.RUnlock()
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].Blocked != all[j].Blocked {
			return all[i].Blocked > all[j].Blocked
		}
		return all[i].Findings[1] > all[j].Findings[1]
	})
	return all[:min(n, len(all))]
}

// SessionFrames are the frames of frame i's session up to and with it.
func (t *Tape) SessionFrames(i int) []int { return t.chain(i, -1) }

// What Next can look for.
type What uint8

// Kinds of frames to look for.
const (
	Blocked   What = iota // blocked calls
	Found                 // frames with a finding
	Undecided             // frames with a block finding that nobody has decided
)

// Next is the first frame after from (before it with back) that is of the kind;
// -1: there is none (yet).
func (t *Tape) Next(from int, back bool, what What) int {
	t.x.mu.RLock()
	defer t.x.mu.RUnlock()
	x := t.x
	step := 1
	if back {
		step = -1
	}
	for i := from + step; i >= 0 && i < x.n; i += step {
		p := x.pages[i/pageLen]
		if p.tiers[0] >= pageLen && what == Found || p.blocked == 0 && what == Blocked {
			// Nothing in the whole page: on to its edge.
			if back {
				i = i / pageLen * pageLen
			} else {
				i = i/pageLen*pageLen + pageLen - 1
			}
			continue
		}
		e := &p.e[i%pageLen]
		switch {
		case what == Blocked && e.Blocked():
			return i
		case what == Found && e.flags>>tierShift&3 != 0:
			return i
		case what == Undecided && e.flags>>tierShift&3 == uint16(analyze.Block)+1 && x.undecided(i):
			return i
		}
	}
	return -1
}

// Undecided reports a block finding on frame i that nobody has decided.
func (t *Tape) Undecided(i int) bool {
	t.x.mu.RLock()
	defer t.x.mu.RUnlock()
	return i < t.x.n && t.x.undecided(i)
}

func (x *index) undecided(i int) bool {
	for _, m := range x.on(i) {
		if m.Tier() == analyze.Block && m.Decided == 0 {
			return true
		}
	}
	return false
}

// At is the last frame at or before the time ts (Unix nanoseconds), or the
// first frame. Recordings are in order of time but for a few frames.
func (t *Tape) At(ts int64) int {
	t.x.mu.RLock()
	defer t.x.mu.RUnlock()
	best := 0
	for pi := len(t.x.pages) - 1; pi >= 0; pi-- {
		p := t.x.pages[pi]
		if p.from == 0 || p.from > ts {
			continue
		}
		for j := min(pageLen, t.x.n-pi*pageLen) - 1; j >= 0; j-- {
			if e := &p.e[j]; e.TS != 0 && e.TS <= ts {
				return pi*pageLen + j
			}
		}
	}
	return best
}

// Search looks for a text in the labels and bytes of the frames after from
// (before it with back), as it stands there or as JSON escapes it. A needle
// without capitals finds capitals too. The frame is -1 when there is none.
func (t *Tape) Search(ctx context.Context, from int, back bool, needle string, progress func(int)) (int, error) {
	fold := strings.ToLower(needle) == needle
	needles := [][]byte{[]byte(needle)}
	if q := jsonEscaped(needle); q != needle {
		needles = append(needles, []byte(q))
	}
	hit := func(b []byte) bool {
		for _, n := range needles {
			if fold && containsFold(b, n) || !fold && bytes.Contains(b, n) {
				return true
			}
		}
		return false
	}
	labels := map[uint16]bool{}
	read := blocks{r: t.at}
	step := 1
	if back {
		step = -1
	}
	for i := from + step; i >= 0; i += step {
		t.x.mu.RLock()
		if i >= t.x.n {
			t.x.mu.RUnlock()
			break
		}
		e := *t.x.entry(i)
		in, known := labels[e.label]
		if !known {
			l := t.x.labels[e.label]
			in = hit([]byte(l.Method)) || hit([]byte(l.Tool))
			labels[e.label] = in
		}
		t.x.mu.RUnlock()
		if in {
			return i, nil
		}
		if i%1024 == 0 {
			if ctx.Err() != nil {
				return -1, ctx.Err()
			}
			if progress != nil {
				progress(i)
			}
		}
		var b []byte
		if e.flags&flagSpooled == 0 {
			var err error
			if b, err = read.bytes(e.off(), e.Size(), back); err != nil {
				continue // cut since: there is nothing to find
			}
		} else if r, err := t.Record(i); err == nil {
			b = r.Frame
		}
		if hit(b) {
			return i, nil
		}
	}
	return -1, nil
}

func jsonEscaped(s string) string {
	r := strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n", "\t", "\\t", "\r", "\\r", "\x1b", "\\u001b")
	return r.Replace(s)
}

// containsFold is bytes.Contains for ASCII letters of either case; n is in
// lower case.
func containsFold(b, n []byte) bool {
	if len(n) == 0 {
		return true
	}
	lo, hi := n[0], n[0]
	if lo >= 'a' && lo <= 'z' {
		hi = lo - 'a' + 'A'
	}
	for len(b) >= len(n) {
		i := bytes.IndexByte(b, lo)
		if hi != lo {
			if j := indexTo(b, hi, i); j >= 0 {
				i = j
			}
		}
		if i < 0 || len(b)-i < len(n) {
			return false
		}
		k := 1
		for k < len(n) {
			c := b[i+k]
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != n[k] {
				break
			}
			k++
		}
		if k == len(n) {
			return true
		}
		b = b[i+1:]
	}
	return false
}

// indexTo looks for c in b before limit (-1: anywhere).
func indexTo(b []byte, c byte, limit int) int {
	if limit >= 0 {
		b = b[:limit]
	}
	return bytes.IndexByte(b, c)
}
