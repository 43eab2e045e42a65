package lock

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// page is what one tools/list answer shows.
type page struct {
	isList bool   // it has a tools array
	next   string // nextCursor; "" on the last page

	added, removed, modified []string
	odd                      []string // entries without a name to show
	err                      error    // the first thing that could not be hashed
}

func (p *page) differs() bool {
	return len(p.added)+len(p.removed)+len(p.modified)+len(p.odd) > 0
}

var errUnreadable = errors.New("the tools/list result is not strict JSON")

// read judges a result token by token: an entry is held alone, never the list.
func (g *Gate) read(result []byte, list *listing) *page {
	p := &page{}
	d := jsontext.NewDecoder(bytes.NewBuffer(result), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '{' {
		if d.PeekKind() == 0 {
			p.unreadable()
		}
		return p
	}
	if err := g.members(d, p, list); err != nil {
		p.unreadable()
	}
	return p
}

func (p *page) unreadable() {
	p.err = cmpErr(p.err, errUnreadable)
	p.odd = append(p.odd, "a result that can't be read")
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (g *Gate) members(d *jsontext.Decoder, p *page, list *listing) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	times := 0
	for d.PeekKind() != '}' {
		tok, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := tok.String()
		switch {
		case key == "tools":
			if times++; times == 2 {
				p.odd = append(p.odd, "two lists of tools in one result")
			}
			if d.PeekKind() != '[' {
				err = d.SkipValue()
				break
			}
			p.isList = true
			err = g.entries(d, p, list)
		case key == "nextCursor" && d.PeekKind() == '"':
			if tok, err = d.ReadToken(); err == nil {
				p.next = tok.String()
			}
		case key == "nextCursor":
			p.next, err = "", d.SkipValue()
		default:
			if g.full && strings.EqualFold(key, "tools") {
				p.odd = append(p.odd, "a list of tools under a key in another case")
			}
			err = d.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return errUnreadable
	}
	return nil
}

func (g *Gate) entries(d *jsontext.Decoder, p *page, list *listing) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for i := 0; d.PeekKind() != ']'; i++ {
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		g.entry(i, raw, p, list)
	}
	_, err := d.ReadToken()
	return err
}

// entry judges one entry of a page.
func (g *Gate) entry(i int, raw []byte, p *page, list *listing) {
	fail := func(err error) {
		p.err = cmpErr(p.err, fmt.Errorf("tools/list: entry %d can't be hashed: %w", i, err))
	}
	if raw[0] != '{' {
		p.odd = append(p.odd, fmt.Sprintf("entry %d is no object", i))
		return
	}
	if err := canonicalEntry(raw); err != nil {
		fail(err)
		p.odd = append(p.odd, fmt.Sprintf("entry %d can't be hashed", i))
		return
	}
	v, err := jsonrpc.Decode(raw, jsonrpc.DecodeOptions{MaxDepth: maxDepth + 2, MaxNodes: maxNodes})
	if err != nil {
		fail(err)
		p.odd = append(p.odd, fmt.Sprintf("entry %d can't be hashed", i))
		return
	}
	name, ok := v.Get("name").IsString()
	if !ok {
		p.odd = append(p.odd, fmt.Sprintf("entry %d has no name", i))
		return
	}
	t, pinned := g.lock.Tool(name)
	if !pinned {
		p.added = append(p.added, plain(name))
		return
	}
	if list.listed[name] {
		p.odd = append(p.odd, plain(name)+" is there twice")
		return
	}
	list.listed[name], list.shown[name] = true, true
	h, err := hashTool(v, g.lock.Level)
	if err != nil {
		fail(err)
		p.modified = append(p.modified, plain(name)+" (can't be hashed)")
		return
	}
	if parts := changed(t, h, g.lock.Level); g.full && variant(v, entryKeys["tools"]) {
		p.modified = append(p.modified, plain(name)+" (a key in another case)")
	} else if parts != "" {
		p.modified = append(p.modified, plain(name)+" ("+parts+")")
	}
}

func changed(t *Tool, h toolHashes, level int) string {
	var parts []string
	add := func(what, pinned, now string) {
		if pinned != now {
			parts = append(parts, what)
		}
	}
	add("description", t.DescriptionHash, h.description)
	add("input schema", t.InputSchemaHash, h.input)
	if level >= 4 {
		add("annotations", t.AnnotationsHash, h.annotations)
		add("output schema", t.OutputSchemaHash, h.output)
	}
	return strings.Join(parts, ", ")
}

// entryKeys are the members of an entry that the lock speaks of, list by list.
var entryKeys = map[string][]string{
	"tools":     {"name", "description", "inputSchema", "annotations", "outputSchema"},
	"resources": {"uri", "name", "description", "mimeType"},
	"prompts":   {"name", "description", "arguments"},
}

// variant reports a key that a client which ignores case would read as one of
// the pinned ones, behind the back of the hashes.
func variant(v *jsonrpc.Value, pinnedKeys []string) bool {
	return slices.ContainsFunc(v.Members, func(m jsonrpc.Pair) bool {
		return !slices.Contains(pinnedKeys, m.Key) &&
			slices.ContainsFunc(pinnedKeys, func(k string) bool { return strings.EqualFold(k, m.Key) })
	})
}

// finding tells the difference. What is said first matters most.
func (p *page) finding() []analyze.Finding {
	var parts, matched []string
	say := func(what string, names []string) {
		if len(names) == 0 {
			return
		}
		slices.Sort(names)
		parts = append(parts, what+some(names))
		for _, n := range names[:min(maxNamed, len(names))] {
			matched = append(matched, what+n)
		}
	}
	say("added ", p.added)
	say("removed ", p.removed)
	say("modified ", p.modified)
	say("", p.odd)
	return []analyze.Finding{{
		Rule:      "MCP-DRIFT",
		Tier:      analyze.Block,
		Severity:  analyze.High,
		Direction: analyze.ServerToClient,
		Method:    "tools/list",
		Block:     -1,
		Pointer:   "/result/tools",
		Message:   "tool surface differs from the lock: " + strings.Join(parts, "; "),
		Matched:   matched,
	}}
}

// maxNamed is how many names a message tells of each kind.
const maxNamed = 8

func some(names []string) string {
	shown := names[:min(maxNamed, len(names))]
	s := strings.Join(shown, ", ")
	if n := len(names) - len(shown); n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}
