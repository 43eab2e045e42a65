package replay

import (
	"container/list"
	"slices"
	"strconv"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Session is one session of a stream with its machine.
type Session struct {
	Name    string // as reports show it; "" for the only one of a stream
	Number  int    // from 0, in order of first frames
	Machine *Machine
	Frames  int // frames so far
	Data    any // the driver's own

	key    string
	splits int
	elem   *list.Element
	opened bool // a client's initialize was seen in it
}

// Sessions splits a stream into sessions (protocol.md, "Sessions"): by the
// records' session key, and where a client's initialize request begins another
// one while nothing is in flight. The number of sessions kept open is bounded;
// the one longest unused is closed first.
type Sessions struct {
	cfg    *Config
	open   map[string]*Session
	order  list.List // front: most recently used
	last   *Session
	number int
	max    int
	call   flatCall // of all machines here: they take turns
	// Closed, if set, is told of every session when it ends.
	Closed func(*Session)
}

// MaxOpenSessions bounds the sessions of one stream that are kept open.
const MaxOpenSessions = 4096

// NewSessions returns the sessions of a stream.
func NewSessions(cfg *Config) *Sessions {
	return &Sessions{cfg: cfg, open: make(map[string]*Session), max: MaxOpenSessions}
}

// For returns the session that a frame with that key belongs to. f may be nil.
func (s *Sessions) For(key []byte, dir analyze.Direction, f *Frame) *Session {
	cur := s.last
	if cur == nil || cur.key != string(key) {
		cur = s.open[string(key)]
		if cur == nil {
			cur = s.start(string(key), 0)
		} else {
			s.order.MoveToFront(cur.elem)
		}
		s.last = cur
	}
	if f != nil && dir != analyze.ServerToClient && initializes(f) {
		if cur.opened && cur.Machine.InFlight() == 0 {
			key, splits := cur.key, cur.splits+1
			s.end(cur)
			cur = s.start(key, splits)
			s.last = cur
		}
		cur.opened = true
	}
	return cur
}

// initializes reports a client's initialize request. A server's begins
// nothing; of a bare frame with that method the direction is the client's.
func initializes(f *Frame) bool {
	if !f.single {
		return false
	}
	m := &f.one[0].Msg
	return m.Has&jsonrpc.HasMethod != 0 && m.Has&jsonrpc.HasID != 0 && string(m.Method) == "initialize" && !m.IsResponse()
}

func (s *Sessions) start(key string, splits int) *Session {
	for len(s.open) >= s.max {
		s.end(s.order.Back().Value.(*Session))
	}
	name := key
	if splits > 0 {
		name += "#" + strconv.Itoa(splits+1)
	}
	n := &Session{Name: name, Number: s.number, Machine: NewMachine(s.cfg), key: key, splits: splits}
	n.Machine.judges.call = &s.call
	s.number++
	n.elem = s.order.PushFront(n)
	s.open[key] = n
	return n
}

func (s *Sessions) end(c *Session) {
	s.order.Remove(c.elem)
	delete(s.open, c.key)
	if s.last == c {
		s.last = nil
	}
	if s.Closed != nil {
		s.Closed(c)
	}
}

// Close ends all sessions, oldest first.
func (s *Sessions) Close() {
	var left []*Session
	for e := s.order.Back(); e != nil; e = e.Prev() {
		left = append(left, e.Value.(*Session))
	}
	// By number: the order must not depend on use.
	slices.SortFunc(left, func(a, b *Session) int { return a.Number - b.Number })
	for _, c := range left {
		s.end(c)
	}
}

// Count is the number of sessions begun.
func (s *Sessions) Count() int { return s.number }
