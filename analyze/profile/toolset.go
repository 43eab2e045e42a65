package profile

import (
	linked "container/list"
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/recent"
)

// toolEntry is one definition of a tool: what it is called, what is wrong with
// it, and what its output must look like.
type toolEntry struct {
	digest [sha256.Size]byte // of the definition in canonical form
	name   string
	named  bool
	output *outputDecl
	found  []analyze.Finding // pointers into the tool
	base   []baseFault
}

// toolMemo remembers judged definitions: servers list the same tools over and
// over, and checking a schema costs a thousand times what reading it costs.
// It only saves work; what it says does not depend on what it holds.
type toolMemo struct {
	mu    sync.Mutex
	by    map[[sha256.Size]byte]*toolEntry // by digest of the raw bytes
	bytes int
}

// Bounds of the memory: when one is met it starts anew.
const (
	memoEntries = 4096
	memoBytes   = 16 << 20
)

func newToolMemo() *toolMemo { return &toolMemo{by: map[[sha256.Size]byte]*toolEntry{}} }

func (m *toolMemo) tool(p *mcpProfile, t *jsonrpc.Value) *toolEntry {
	key := sha256.Sum256(t.Raw)
	m.mu.Lock()
	e := m.by[key]
	m.mu.Unlock()
	if e != nil {
		return e
	}
	e = &toolEntry{digest: digest(t)}
	p.judgeTool(t, e)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes += len(t.Raw); len(m.by) >= memoEntries || m.bytes > memoBytes {
		clear(m.by)
		m.bytes = len(t.Raw)
	}
	m.by[key] = e
	return e
}

// toolSet is what a session's tools/list answers have shown. A listing is one
// list over its pages: it begins with an answer to a request without cursor and
// goes on where a request asks for the cursor that its last page gave.
type toolSet struct {
	first  map[string]*toolEntry // as the session first defined each name
	latest map[string]*toolEntry // for structuredContent: as the last list has it
	// lately is what get found last.
	lately [1 << 5]struct {
		name  string
		entry *toolEntry
	}
	// complete says that one listing has been read to its end, so that a new
	// name is an addition.
	complete bool
	open     []*listing // those whose next page is not there yet, oldest first
}

type listing struct {
	next  string          // cursor of the next page, in brief
	names map[string]bool // on the pages so far; nil where there are too many
}

const (
	maxTools    = 20_000 // names that a session remembers
	maxListings = 16     // listings that are open at once
)

// get gives a tool's entry, nil for none.
func (t *toolSet) get(name string) *toolEntry {
	if len(name) == 0 || len(name) > maxLabel {
		return t.latest[name]
	}
	l := &t.lately[recent.Slot(name, 5)]
	if l.entry == nil || l.name != name {
		l.name, l.entry = name, t.latest[name]
	}
	return l.entry
}

// begin gives the listing that a page belongs to, nil for a page of one whose
// beginning was not seen.
func (t *toolSet) begin(cursor string) *listing {
	if cursor == "" {
		return &listing{names: map[string]bool{}}
	}
	for i := len(t.open) - 1; i >= 0; i-- {
		if l := t.open[i]; l.next == cursor {
			t.open = slices.Delete(t.open, i, i+1)
			return l
		}
	}
	return nil
}

// page takes one page: what a request with this cursor (brief; "" for none) was
// answered, next being the answer's own cursor, "" on the last page. A page
// alone contradicts what the session knows where it defines a tool anew or, once
// a whole list was seen, has a new one; that a tool is gone only a whole list
// tells.
func (t *toolSet) page(entries []*toolEntry, cursor, next string, v *verdicts) {
	if t.first == nil {
		t.first, t.latest = map[string]*toolEntry{}, map[string]*toolEntry{}
	}
	clear(t.lately[:])
	l := t.begin(cursor)
	var added, removed, changed []string
	for _, e := range entries {
		known := t.first[e.name]
		switch {
		case known == nil && t.complete:
			added = append(added, e.name)
		case known == nil:
			if len(t.first) < maxTools {
				t.first[e.name] = e
			}
		case known.digest != e.digest:
			changed = append(changed, e.name)
		}
		if len(t.latest) < maxTools || t.latest[e.name] != nil {
			t.latest[e.name] = e
		}
		if l != nil && l.names != nil {
			if l.names[e.name] = true; len(l.names) >= maxTools {
				l.names = nil
			}
		}
	}
	switch {
	case l == nil:
	case next != "":
		l.next = brief(next)
		if len(t.open) >= maxListings {
			t.open = slices.Delete(t.open, 0, 1)
		}
		t.open = append(t.open, l)
	default:
		if l.names != nil {
			for name := range t.first {
				if !l.names[name] {
					removed = append(removed, name)
				}
			}
		}
		t.complete = true
	}
	if len(added)+len(removed)+len(changed) == 0 {
		return
	}
	f := v.add("OCU-TOOLS-CHANGED", "/result/tools", changedMessage(added, removed, changed))
	for _, name := range slices.Concat(added, removed, changed) {
		f.Matched = append(f.Matched, toolName(name))
	}
	slices.Sort(f.Matched)
	f.Matched = slices.Compact(f.Matched)
	f.Matched = f.Matched[:min(len(f.Matched), 32)]
	if len(f.Matched) == 1 {
		f.Tool = f.Matched[0]
	}
}

// cursors remembers the cursors of the tools/list requests in flight: a page
// has its place in a list by what was asked for. The zero value is ready.
type cursors struct {
	by  map[string]*linked.Element // of *asked
	age *linked.List               // oldest first
}

type asked struct {
	key    string
	cursor string
}

// maxAsked bounds the requests that are remembered, the oldest go first.
const maxAsked = 1024

// brief stands for a cursor or an id: long ones by their digest.
func brief(s string) string {
	if len(s) <= sha256.Size {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return string(sum[:]) + "…" // no short one is as long
}

// note remembers a request.
func (c *cursors) note(id []byte, cursor string) {
	c.take(id) // what the id asked for before
	key, ok := idOf(id)
	if !ok || cursor == "" {
		return
	}
	if c.by == nil {
		c.by, c.age = map[string]*linked.Element{}, linked.New()
	}
	if c.age.Len() >= maxAsked {
		delete(c.by, c.age.Remove(c.age.Front()).(asked).key)
	}
	c.by[key] = c.age.PushBack(asked{key, brief(cursor)})
}

func idOf(id []byte) (string, bool) {
	key, ok := jsonrpc.IDKey(id)
	return brief(string(key)), ok
}

// take gives the cursor of the request that an id belongs to, "" where it had
// none, and forgets it.
func (c *cursors) take(id []byte) string {
	key, ok := idOf(id)
	e := c.by[key]
	if !ok || e == nil {
		return ""
	}
	delete(c.by, key)
	return c.age.Remove(e).(asked).cursor
}
