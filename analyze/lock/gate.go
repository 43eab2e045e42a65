package lock

import (
	"slices"

	"github.com/warden-trace/warden/analyze"
)

// Bounds of what a gate remembers.
const (
	maxAsked = 1024 // lists in flight
	maxOpen  = 64   // lists whose next page was not yet asked for
)

// Gate watches the tool surface of one session against a lock (lock.md, "The
// runtime gate"). It is fed with what the session shows and says which
// tools/list answers differ. The same gate serves live and offline. A nil Gate
// is inactive.
//
// With spec coverage only lists that were asked for after a list_changed
// notification are compared, until one was complete and clean. With full
// coverage every list is.
type Gate struct {
	lock  *Lock
	full  bool
	armed bool
	since uint64 // notification that armed the gate
	last  uint64 // latest notification; 0 before the first

	asked map[string]ask
	order []string // keys of asked, oldest first
	open  []*listing

	said [1]analyze.Finding // by Called
}

// ask is one tools/list request in flight.
type ask struct {
	after  uint64 // the latest notification before it
	begins bool   // it has no cursor
	cursor string // its cursor; "" where that was not told
}

// listing is one list over its pages.
type listing struct {
	after  uint64
	whole  bool            // all its pages so far were compared, from the first
	next   string          // the cursor that its last page gave
	listed map[string]bool // pinned tools on its pages
	shown  map[string]bool // these, and those of a list that it took up
}

// NewGate makes a gate for one session; nil, and so inactive, without a lock.
func NewGate(l *Lock, cov analyze.Coverage) *Gate {
	if l == nil {
		return nil
	}
	return &Gate{lock: l, full: cov == analyze.Full, asked: map[string]ask{}}
}

// Armed reports that the next tools/list asked for is compared.
func (g *Gate) Armed() bool { return g != nil && (g.full || g.armed) }

// ListChanged notes a notifications/tools/list_changed from the server.
func (g *Gate) ListChanged() {
	if g == nil {
		return
	}
	g.last++
	if !g.armed {
		g.armed, g.since = true, g.last
	}
}

// Asked notes a tools/list request. key stands for its id; cursor says whether
// it asks for a further page. Where the cursor itself is known, AskedAt joins
// pages of several lists in flight better.
func (g *Gate) Asked(key string, cursor bool) { g.note(key, ask{begins: !cursor}) }

// AskedAt is Asked with the text of the request's cursor; "" begins a list.
func (g *Gate) AskedAt(key, cursor string) {
	g.note(key, ask{begins: cursor == "", cursor: cursor})
}

func (g *Gate) note(key string, a ask) {
	if g == nil {
		return
	}
	a.after = g.last
	if _, again := g.asked[key]; !again {
		g.order = append(g.order, key)
	}
	g.asked[key] = a
	if len(g.order) > maxAsked {
		delete(g.asked, g.order[0])
		g.order = slices.Delete(g.order, 0, 1)
	}
}

// take removes and returns the request that an answer belongs to. One that the
// bounds have pushed out counts as a further page asked for just now: it is
// compared wherever a list would be.
func (g *Gate) take(key string) ask {
	a, ok := g.asked[key]
	if !ok {
		return ask{after: g.last}
	}
	delete(g.asked, key)
	if i := slices.Index(g.order, key); i >= 0 {
		g.order = slices.Delete(g.order, i, i+1)
	}
	return a
}

// Answered judges the answer to a tools/list request: result is its raw JSON,
// nil for an error answer. diverged says that the answer must not reach the
// client (stage "list_changed"); the findings then hold one MCP-DRIFT. err is
// set where something in the list could not be hashed: such a list has
// diverged too, and with --strict it ends the session (site "list-gate").
func (g *Gate) Answered(key string, result []byte) (findings []analyze.Finding, diverged bool, err error) {
	if g == nil {
		return nil, false, nil
	}
	a := g.take(key)
	after := g.armed && a.after >= g.since
	if result == nil || !g.full && !after {
		return nil, false, nil
	}
	at, list := g.listing(a)
	p := g.read(result, list)
	if !p.isList {
		if !p.differs() {
			return nil, false, nil // no list at all: whatever was open stays so
		}
		return p.finding(), true, p.err
	}
	if at >= 0 {
		g.open = slices.Delete(g.open, at, at+1)
	}
	if p.next == "" && list.whole {
		for i := range g.lock.Tools {
			if name := g.lock.Tools[i].Name; !list.shown[name] {
				p.removed = append(p.removed, plain(name))
			}
		}
	}
	if p.differs() {
		return p.finding(), true, p.err
	}
	if p.next != "" {
		list.next = p.next
		g.open = append(g.open, list)
		if len(g.open) > maxOpen {
			g.open = slices.Delete(g.open, 0, 1)
		}
	} else if list.whole && list.after == g.last {
		g.armed = false // a complete clean list since the latest notification
	}
	return nil, false, nil
}

// listing finds the list that an answer continues, with its place in g.open,
// or begins one (-1).
func (g *Gate) listing(a ask) (int, *listing) {
	fresh := &listing{after: a.after, listed: map[string]bool{}, shown: map[string]bool{}}
	newest := len(g.open) - 1
	if a.begins {
		fresh.whole = true
		// Recordings exist whose further pages lost their cursor. With spec
		// coverage what the unfinished list has shown counts as shown; with full
		// coverage the client's new list must be complete in itself.
		if !g.full && newest >= 0 {
			fresh.shown = g.open[newest].shown
			return newest, fresh
		}
		return -1, fresh
	}
	at := newest
	if a.cursor != "" {
		at = slices.IndexFunc(g.open, func(l *listing) bool { return l.next == a.cursor })
	}
	if at < 0 {
		return -1, fresh // pages of it are unknown: judged entry by entry
	}
	list := g.open[at]
	list.after = min(list.after, a.after)
	return at, list
}

// Unlisted is Called where it is known that the lock does not list the tool. The
// result is valid until the next call.
func (g *Gate) Unlisted(tool string) []analyze.Finding {
	if g == nil || !g.full {
		return nil
	}
	if g.said[0].Rule == "" { // one call is like the other but for the tool
		g.said[0] = analyze.Finding{
			Rule:      "MCP-DRIFT-UNLISTED",
			Tier:      analyze.Note,
			Severity:  analyze.Low,
			Direction: analyze.ClientToServer,
			Method:    "tools/call",
			Block:     -1,
			Message:   "a call to a tool that the lock does not list",
		}
	}
	g.said[0].Tool = tool
	return g.said[:]
}

// Called notes a tools/call request. With full coverage a tool that the lock
// does not list gives a note.
func (g *Gate) Called(tool string) []analyze.Finding {
	if g == nil || !g.full {
		return nil
	}
	if _, ok := g.lock.Tool(tool); ok {
		return nil
	}
	return g.Unlisted(tool)
}
