package replay

import "github.com/warden-trace/warden/analyze/jsonrpc"

// callKind is what the machine must know of a request when its answer comes.
type callKind uint8

const (
	kindOther      callKind = iota
	kindCall                // tools/call
	kindTaskResult          // tasks/result of a tool's task
	kindTaskGet             // tasks/get, tasks/update... of a tool's task
	kindList                // tools/list
	kindResources           // resources/list
	kindPrompts             // prompts/list
	kindInitialize
	kindDiscover // server/discover
)

// call is a request in flight.
type call struct {
	key    jsonrpc.Key
	kind   callKind
	method string
	tool   string
	strict bool   // more than one reading of the request: strictest settings
	cursor string // of a list request; "" begins a list
	seq    int64
	ts     int64
	place  Place
	id     []byte // raw JSON token as sent; nil if too long to keep
	token  jsonrpc.Key
	params []byte // kept only for requests that a profile wants to see again

	prev, next *call // order of arrival; next is reused by the free list
}

// listing reports a request for a list that a lock can be pinned from.
func (c *call) listing() bool {
	return c.kind == kindList || c.kind == kindResources || c.kind == kindPrompts
}

// pending is the requests of one direction that wait for an answer: a map and
// a ring in order of arrival, bounded; the oldest goes first (replay.md, "The
// machine").
type pending struct {
	max  int
	m    map[jsonrpc.Key]*call
	ring call // sentinel
	free *call

	calls int // of them tools/call
}

func (p *pending) init(max int) {
	p.max = max
	p.ring.prev, p.ring.next = &p.ring, &p.ring
}

// add puts a request in flight. An older one with the same id is replaced; the
// oldest is dropped when the bound is met.
func (p *pending) add(c call) *call {
	if p.m == nil {
		p.m = make(map[jsonrpc.Key]*call)
	}
	if old := p.m[c.key]; old != nil {
		p.remove(old)
	}
	for len(p.m) >= p.max {
		p.remove(p.ring.next)
	}
	n := p.free
	if n != nil {
		p.free = n.next
	} else {
		n = new(call)
	}
	*n = c
	n.prev, n.next = p.ring.prev, &p.ring
	n.prev.next, p.ring.prev = n, n
	p.m[n.key] = n
	if n.kind == kindCall {
		p.calls++
	}
	return n
}

func (p *pending) get(k jsonrpc.Key) *call { return p.m[k] }

// take removes and returns the request with that id. The result is valid until
// the next add.
func (p *pending) take(k jsonrpc.Key) *call {
	c := p.m[k]
	if c != nil {
		p.remove(c)
	}
	return c
}

func (p *pending) remove(c *call) {
	delete(p.m, c.key)
	if c.kind == kindCall {
		p.calls--
	}
	c.prev.next, c.next.prev = c.next, c.prev
	c.prev, c.next = nil, p.free
	p.free = c
}

func (p *pending) len() int { return len(p.m) }

// each visits the requests in order of arrival.
func (p *pending) each(f func(*call)) {
	for c := p.ring.next; c != nil && c != &p.ring; c = c.next {
		f(c)
	}
}
