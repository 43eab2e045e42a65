package calls

import (
	"slices"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/replay"
)

// Bounds on what one session can make a Tracker hold.
const (
	maxID    = 4096 // bytes of an id that are kept
	maxState = 4096 // bytes of a requestState or task id; longer ones match nothing
	maxKeys  = 64   // requests in flight of one call
)

// Tracker follows the calls of one session.
type Tracker struct {
	// Done is told of each call when it ends, in order of ends. The call is valid
	// during that: its memory becomes the next one's.
	Done func(*Call)
	// Keep asks for payloads.
	Keep bool
	// Max bounds the calls that are open; the oldest ends unanswered. 0: the
	// machine's own bound.
	Max int

	byKey  map[jsonrpc.Key]*Call
	byTask map[string]*Call
	open   list
	number int64
	last   string // name of the tool of the call before
	spare  []*Call
}

// frame is what a part of a frame needs to know of the whole.
type frame struct {
	ev    *replay.Event
	out   *replay.Outcome
	size  int64
	alone bool // the frame is this one message
}

// Step takes one event and what the machine made of it. size is the frame's
// length in bytes.
func (t *Tracker) Step(ev *replay.Event, out *replay.Outcome, size int64) {
	f := frame{ev: ev, out: out, size: size}
	switch {
	case ev.Exec:
	case ev.OverCap != nil:
		s := ev.OverCap
		f.alone = true
		t.message(&f, &jsonrpc.Message{Has: s.Has, ID: s.ID, Method: s.Method, Name: s.Name})
	case ev.Frame != nil:
		parts := ev.Frame.Parts()
		f.alone = len(parts) == 1
		for i := range parts {
			if parts[i].Err == "" {
				t.message(&f, &parts[i].Msg)
			}
		}
	}
}

// Close ends what is still open, oldest first.
func (t *Tracker) Close() {
	for c := t.open.oldest(); c != nil; c = t.open.oldest() {
		t.end(c)
	}
}

func (t *Tracker) message(f *frame, m *jsonrpc.Message) {
	toServer := f.out.Dir == analyze.ClientToServer
	if m.Has&jsonrpc.HasMethod != 0 {
		switch method := string(m.Method); {
		case toServer && m.Has&jsonrpc.HasID != 0 && method == "tools/call":
			t.request(f, m)
		case toServer && m.Has&jsonrpc.HasID != 0 && (method == "tasks/result" || method == "tasks/get"):
			t.ask(m)
		case toServer && method == "notifications/cancelled":
			t.cancelled(f, m)
		case !toServer && method == "notifications/tasks" || !toServer && method == "notifications/tasks/status":
			t.notified(f, m)
		}
	}
	if m.IsResponse() && !toServer {
		t.response(f, m)
	}
}

// request begins a call, or continues the one that it retries.
func (t *Tracker) request(f *frame, m *jsonrpc.Message) {
	k, ok := jsonrpc.IDKey(m.ID)
	if !ok {
		return
	}
	c := t.retried(m)
	if c == nil {
		tool := t.name(f, m.Name)
		c = t.fresh()
		c.Number, c.Tool, c.tool = t.number, tool, tool
		c.Start, c.Request, c.RequestSize = f.ev.TS, f.ev.Place, f.size
		t.number++
		if len(m.ID) <= maxID {
			c.ID = append(c.ID, m.ID...)
		}
		if t.Keep {
			c.Params = slices.Clone(m.Params)
		}
		t.open.add(c)
	}
	c.RoundTrips++
	c.state = ""
	c.add(f.out.Findings, m.ID, f.alone)
	t.register(k, c)
	limit := t.Max
	if limit <= 0 {
		limit = replay.DefaultMaxInflight
	}
	for t.open.n > limit {
		t.end(t.open.oldest())
	}
}

// name is a tool's name, which is mostly what the machine made of it, or that of
// the call before.
func (t *Tracker) name(f *frame, b []byte) string {
	if f.out.Tool == string(b) {
		return f.out.Tool
	}
	if t.last != string(b) {
		t.last = string(b)
	}
	return t.last
}

// retried is the call that a request with answers to a request for input goes on
// with: the one whose state it returns, else the oldest that waits with this
// tool's name.
func (t *Tracker) retried(m *jsonrpc.Message) *Call {
	if m.Has&(jsonrpc.HasInputResponses|jsonrpc.HasRequestState) == 0 {
		return nil
	}
	state, _ := jsonrpc.LookupString(m.Params, "requestState")
	var first *Call
	for c := range t.open.each {
		if len(c.keys) > 0 || len(c.tasks) > 0 || c.tool != string(m.Name) {
			continue
		}
		if state != "" && c.state == state {
			return c
		}
		if first == nil {
			first = c
		}
	}
	return first
}

func (t *Tracker) register(k jsonrpc.Key, c *Call) {
	if old := t.byKey[k]; old != nil && old != c {
		old.keys = slices.DeleteFunc(old.keys, func(o jsonrpc.Key) bool { return o == k })
		if len(old.keys) == 0 && len(old.tasks) == 0 {
			t.end(old) // its id is used again: nothing can answer it any more
		}
	}
	if t.byKey == nil {
		t.byKey = make(map[jsonrpc.Key]*Call)
	}
	if len(c.keys) >= maxKeys {
		delete(t.byKey, c.keys[0])
		c.keys = slices.Delete(c.keys, 0, 1)
	}
	if !slices.Contains(c.keys, k) {
		c.keys = append(c.keys, k)
	}
	t.byKey[k] = c
}

// ask notes a client's question after a task: its answer may bring the result.
func (t *Tracker) ask(m *jsonrpc.Message) {
	id, _ := jsonrpc.LookupString(m.Params, "taskId")
	c := t.byTask[id]
	if k, ok := jsonrpc.IDKey(m.ID); ok && c != nil {
		t.register(k, c)
	}
}

// end takes a call out and hands it on.
func (t *Tracker) end(c *Call) {
	for _, k := range c.keys {
		delete(t.byKey, k)
	}
	for _, id := range c.tasks {
		delete(t.byTask, id)
	}
	t.open.remove(c)
	if t.Done != nil {
		t.Done(c)
	}
	if len(t.spare) < maxSpare {
		t.spare = append(t.spare, c)
	}
}

// maxSpare is how many calls' memory a Tracker keeps: most sessions have one or
// two open at once.
const maxSpare = 4

// fresh returns a call in which nothing is set.
func (t *Tracker) fresh() *Call {
	n := len(t.spare)
	if n == 0 {
		c := new(Call)
		c.keys = c.key[:0]
		return c
	}
	c := t.spare[n-1]
	t.spare = t.spare[:n-1]
	id := c.ID
	if cap(id) > 64 {
		id = nil
	}
	*c = Call{ID: id[:0]}
	c.keys = c.key[:0]
	return c
}
