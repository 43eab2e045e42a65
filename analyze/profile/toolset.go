package profile

import (
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
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

// toolSet is what a session's tools/list answers have shown. The first
// complete listing fixes the set; pages are joined by their cursors.
type toolSet struct {
	first  map[string]*toolEntry // as the session first defined each name
	latest map[string]*toolEntry // for structuredContent: as the last list has it
	// complete says that one listing has been read to its end, so that a new
	// name is an addition.
	complete bool
	// The listing in progress.
	open    bool
	cursor  string // what the next page's request must ask for
	listing map[string]bool
	whole   bool // it began at the beginning and no page is missing
}

// maxTools bounds the names that a session remembers.
const maxTools = 20_000

func (t *toolSet) get(name string) *toolEntry { return t.latest[name] }

// page takes one page of a listing.
func (t *toolSet) page(entries []*toolEntry, cursor, next string, more bool, v *verdicts) {
	if t.first == nil {
		t.first, t.latest = map[string]*toolEntry{}, map[string]*toolEntry{}
	}
	switch {
	case cursor == "":
		t.listing, t.whole = map[string]bool{}, true
	case !t.open || cursor != t.cursor:
		t.listing, t.whole = map[string]bool{}, false
	}
	t.open, t.cursor = more, next
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
		if len(t.listing) < maxTools {
			t.listing[e.name] = true
		}
	}
	if !more && t.whole && len(t.listing) < maxTools {
		if t.complete {
			for name := range t.first {
				if !t.listing[name] {
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
