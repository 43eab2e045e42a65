// Package stats sums up recordings: which methods and tools, how often, how
// large, how slow, how often they fail. Its memory is bounded: percentiles come
// from sketches, and names beyond a bound are counted together.
package stats

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/calls"
	"github.com/warden-trace/warden/replay/offline"
)

// MaxNames is how many methods and how many tools are told apart; the frames of
// others count under Other.
const MaxNames = 4096

// Other is the name of what is counted together.
const Other = "(other)"

// Method is one method in one direction.
type Method struct {
	Name          string
	Direction     analyze.Direction // of the request or notification
	Requests      int64
	Notifications int64
	Errors        int64 // answered with an error
	Unanswered    int64
	Size          Sketch // bytes of requests and notifications
	Answer        Sketch // bytes of answers
	Latency       Sketch // nanoseconds
}

// Tool is one tool. A call that was retried or became a task is one call.
type Tool struct {
	Name       string
	Calls      int64
	ToolErrors int64 // isError, a failed task
	RPCErrors  int64
	Cancelled  int64
	Unanswered int64
	Rounds     int64 // requests, retries included
	Request    Sketch
	Response   Sketch
	Latency    Sketch
}

// Stats sums up. The zero value is not ready: New.
type Stats struct {
	Frames     int64
	Bytes      int64 // of frames
	Calls      int64 // of tools; retries and tasks are no calls of their own
	Sessions   int64
	Directions map[string]int64
	Types      map[string]int64
	Size       Sketch
	First      int64 // Unix nanoseconds; 0 without times
	Last       int64

	methods map[methodKey]*Method
	tools   map[string]*Tool
	open    map[*replay.Session]*session
}

type methodKey struct {
	name string
	dir  analyze.Direction
}

// New returns an empty sum.
func New() *Stats {
	return &Stats{Directions: map[string]int64{}, Types: map[string]int64{}, methods: map[methodKey]*Method{},
		tools: map[string]*Tool{}, open: map[*replay.Session]*session{}}
}

// session is what is open of one session.
type session struct {
	calls   calls.Tracker
	flight  [3]flight
	matched map[int]bool // frames of open calls that count
	now     bool         // the frame in hand counts
	seen    bool         // one did
}

// Observe takes one step of a run (offline.Options.Observe).
func (s *Stats) Observe(o *offline.Observation) {
	c := s.open[o.Session]
	if c == nil {
		c = &session{matched: map[int]bool{}}
		c.calls.Done = func(call *calls.Call) { s.call(c, call) }
		s.open[o.Session] = c
	}
	if o.Record == nil {
		c.now = false
		c.calls.Close()
		for d := range c.flight {
			c.flight[d].close()
		}
		delete(s.open, o.Session)
		return
	}
	c.now = o.Matched
	if o.Matched {
		if !c.seen {
			c.seen = true
			s.Sessions++
		}
		s.frame(o)
		c.matched[o.Event.Place.Frame] = true
	}
	s.messages(c, o)
	c.calls.Step(o.Event, o.Outcome, o.Record.Size)
	if len(c.matched) > 4*replay.DefaultMaxInflight {
		c.forget()
	}
}

// forget drops frames that belong to no open call; a call that is open so long
// counts by its end.
func (c *session) forget() { clear(c.matched) }

func (s *Stats) frame(o *offline.Observation) {
	kind, _, _ := o.Kind()
	dir := o.Outcome.Dir.String()
	if dir == "" {
		dir = "unknown"
	}
	s.Frames++
	s.Directions[dir]++
	s.Types[kind]++
	s.Bytes += o.Record.Size
	s.Size.Add(o.Record.Size)
	if ts := o.Record.TS; ts != 0 {
		if s.First == 0 || ts < s.First {
			s.First = ts
		}
		s.Last = max(s.Last, ts)
	}
}

// messages counts the frame's messages by method.
func (s *Stats) messages(c *session, o *offline.Observation) {
	dir := o.Outcome.Dir
	if dir == analyze.Unknown {
		return
	}
	one := func(m *jsonrpc.Message, size int64) {
		if m.Has&jsonrpc.HasMethod != 0 {
			s.asks(c, dir, m, size, o.Record.TS)
		}
		if m.IsResponse() {
			s.answers(c, dir, m, size, o.Record.TS)
		}
	}
	if k := o.Event.OverCap; k != nil {
		one(&jsonrpc.Message{Has: k.Has, ID: k.ID, Method: k.Method}, o.Record.Size)
		return
	}
	if o.Event.Frame == nil || o.Event.Exec {
		return
	}
	parts := o.Event.Frame.Parts()
	for i := range parts {
		if parts[i].Err == "" {
			size := int64(len(parts[i].Msg.Raw))
			if len(parts) == 1 {
				size = o.Record.Size
			}
			one(&parts[i].Msg, size)
		}
	}
}

func (s *Stats) asks(c *session, dir analyze.Direction, m *jsonrpc.Message, size, ts int64) {
	var of *Method
	if c.now {
		of = s.method(m.Method, dir)
		of.Size.Add(size)
		if m.Has&jsonrpc.HasID == 0 {
			of.Notifications++
			return
		}
		of.Requests++
	}
	if k, ok := jsonrpc.IDKey(m.ID); ok && m.Has&jsonrpc.HasID != 0 {
		c.flight[dir].add(k, asked{method: of, ts: ts, name: string(m.Method[:min(len(m.Method), maxName)])})
	}
}

func (s *Stats) answers(c *session, dir analyze.Direction, m *jsonrpc.Message, size, ts int64) {
	k, ok := jsonrpc.IDKey(m.ID)
	if !ok {
		return
	}
	a, ok := c.flight[dir.Opposite()].take(k)
	if !ok {
		return
	}
	if !c.now {
		if a.method != nil && a.name != toolCall {
			a.method.latency(a.ts, ts) // the request counts, so its answer's time does
		}
		return
	}
	of := a.method
	if of == nil {
		of = s.method([]byte(a.name), dir.Opposite())
	}
	if m.Has&jsonrpc.HasError != 0 {
		of.Errors++
	}
	of.Answer.Add(size)
	if a.name != toolCall {
		of.latency(a.ts, ts)
	}
}

// toolCall is the method whose latency is that of whole calls: see call.
const toolCall = "tools/call"

func (m *Method) latency(from, to int64) {
	if from != 0 && to >= from {
		m.Latency.Add(to - from)
	}
}

// call counts a tool call that has ended. It counts where one of its ends does.
func (s *Stats) call(c *session, call *calls.Call) {
	counts := c.matched[call.Request.Frame] || c.now && call.Answered()
	if !counts {
		return
	}
	t := s.tool(call.Tool)
	s.Calls++
	t.Calls++
	t.Rounds += int64(call.RoundTrips)
	t.Request.Add(call.RequestSize)
	switch call.Status {
	case calls.ToolError:
		t.ToolErrors++
	case calls.RPCError:
		t.RPCErrors++
	case calls.Cancelled:
		t.Cancelled++
	case calls.Unanswered:
		t.Unanswered++
		return
	}
	t.Response.Add(call.ResponseSize)
	if ns, ok := call.Latency(); ok {
		t.Latency.Add(ns)
		s.method([]byte(toolCall), analyze.ClientToServer).Latency.Add(ns)
	}
}
