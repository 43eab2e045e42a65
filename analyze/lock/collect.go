package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Bounds of a collected surface.
const (
	maxSurface = 64 << 20 // bytes of all entries that are held
	maxEntries = 100_000  // entries of one list
)

// ErrSurface says that a recorded surface is larger than what is held.
var ErrSurface = errors.New("the recorded surface is too large to pin")

// Why a list that a recording shows says nothing that could be pinned.
var (
	ErrAmbiguous  = errors.New("has no one meaning: a key is repeated or stands in another case, and readers differ about which counts")
	ErrUnread     = errors.New("is larger than the frame cap and was not read")
	ErrUnrecorded = errors.New("is not recorded whole: the recording marks it as elided, truncated or redacted")
)

// SurfaceCollector gathers the surface that a recorded session shows: the last
// complete tools/list, resources/list and prompts/list, all pages of each, and
// the protocol revision. It is fed in trace order; its zero value is ready.
type SurfaceCollector struct {
	Server   *Launch // set by the driver where the recording tells it
	protocol string
	lists    [3]collected
	lacks    [3]bool // the server's capabilities say that it has none of these
	held     int
	err      error
}

type collected struct {
	done, pages [][]byte // the last complete list; the pages so far of one being read
	next        string
	reading     bool
	bad         error // why the latest list says nothing; nil again after a good one
}

// listKeys are the methods and the keys of the three lists; a key is also the
// name of the capability.
var listKeys = [3]struct{ method, key string }{
	{"tools/list", "tools"}, {"resources/list", "resources"}, {"prompts/list", "prompts"},
}

// Protocol notes a protocol revision that a request's _meta tells.
func (c *SurfaceCollector) Protocol(revision string) { c.protocol = revision }

// Feed notes an answered request: its method, its params.cursor ("" where it has
// none) and the result of its answer (raw JSON, nil for an error). Methods that
// show nothing of the surface are passed over. result is not kept.
func (c *SurfaceCollector) Feed(method, cursor string, result []byte) {
	if result == nil || c.err != nil {
		return
	}
	if method == "initialize" {
		c.initialized(result)
		return
	}
	for i, l := range listKeys {
		if l.method == method {
			c.page(&c.lists[i], l.key, cursor, result)
		}
	}
}

// initialized reads what the handshake tells: the revision, and which lists
// the server has.
func (c *SurfaceCollector) initialized(result []byte) {
	if v, ok := textMember(result, "protocolVersion"); ok {
		c.protocol = v
	}
	var r struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	if json.Unmarshal(result, &r) != nil || r.Capabilities == nil {
		return
	}
	for i, l := range listKeys {
		v, has := r.Capabilities[l.key]
		c.lacks[i] = !has || string(v) == "null"
	}
}

// Refuse notes an answered list request whose answer can't be read in one way,
// or was not recorded as it was: nothing is known of that list any more until
// another one is complete. why is ErrAmbiguous, ErrUnread or ErrUnrecorded.
func (c *SurfaceCollector) Refuse(method string, why error) {
	for i, l := range listKeys {
		if l.method == method {
			c.refuse(&c.lists[i], why)
		}
	}
}

func (c *SurfaceCollector) refuse(l *collected, why error) {
	c.drop(l.pages)
	l.pages, l.reading, l.bad = nil, false, why
}

func (c *SurfaceCollector) page(l *collected, key, cursor string, result []byte) {
	entries, next, ok, one := pageOf(result, key)
	if !one {
		c.refuse(l, ErrAmbiguous)
		return
	}
	if !ok {
		return
	}
	switch {
	case cursor == "":
		c.drop(l.pages)
		l.pages, l.reading = [][]byte{}, true
	case !l.reading || cursor != l.next:
		return // a page of a list whose beginning was not seen
	}
	for _, e := range entries {
		c.held += len(e)
		l.pages = append(l.pages, e)
	}
	if c.held > maxSurface || len(l.pages) > maxEntries {
		c.err = ErrSurface
		return
	}
	if l.next = next; next == "" {
		c.drop(l.done)
		l.done, l.pages, l.reading, l.bad = l.pages, nil, false, nil
	}
}

func (c *SurfaceCollector) drop(entries [][]byte) {
	for _, e := range entries {
		c.held -= len(e)
	}
}

// Surface returns what was seen. A list that was not seen whole is nil, or
// empty where the handshake says that the server has no such thing. A
// recording that does not tell its tools is ErrNoTools.
func (c *SurfaceCollector) Surface() (*Surface, error) {
	if c.err != nil {
		return nil, c.err
	}
	for i := range c.lists {
		if err := c.lists[i].bad; err != nil {
			return nil, fmt.Errorf("the latest %s %w", listKeys[i].method, err)
		}
		if l := &c.lists[i]; l.done == nil && !l.reading && c.lacks[i] {
			l.done = [][]byte{}
		}
	}
	s := &Surface{
		Server: c.Server, Protocol: c.protocol,
		Tools: c.lists[0].done, Resources: c.lists[1].done, Prompts: c.lists[2].done,
	}
	if s.Tools == nil {
		return nil, ErrNoTools
	}
	return s, nil
}

// pageOf copies the entries of a list result; ok is false where it has no such
// list or can't be read. one says that the keys which make a page stand there
// once, and in no other case.
func pageOf(result []byte, key string) (entries [][]byte, next string, ok, one bool) {
	lists, cursors := 0, 0
	jsonrpc.Each(result, func(k string, _ []byte, _ int) bool {
		switch {
		case strings.EqualFold(k, key):
			if lists++; k != key {
				lists++
			}
		case strings.EqualFold(k, "nextCursor"):
			if cursors++; k != "nextCursor" {
				cursors++
			}
		}
		return true
	})
	if lists > 1 || cursors > 1 {
		return nil, "", false, false
	}
	entries, next, ok = readPage(result, key)
	return entries, next, ok, true
}

func readPage(result []byte, key string) (entries [][]byte, next string, ok bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(result), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '{' {
		return nil, "", false
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, "", false
	}
	for d.PeekKind() != '}' {
		tok, err := d.ReadToken()
		if err != nil {
			return nil, "", false
		}
		switch name := tok.String(); {
		case name == key && d.PeekKind() == '[':
			entries, ok = [][]byte{}, true
			if _, err = d.ReadToken(); err != nil {
				return nil, "", false
			}
			for d.PeekKind() != ']' {
				raw, err := d.ReadValue()
				if err != nil || len(entries) > maxEntries {
					return nil, "", false
				}
				entries = append(entries, bytes.Clone(raw))
			}
			_, err = d.ReadToken()
		case name == "nextCursor" && d.PeekKind() == '"':
			if tok, err = d.ReadToken(); err == nil {
				next = tok.String()
			}
		default:
			err = d.SkipValue()
		}
		if err != nil {
			return nil, "", false
		}
	}
	return entries, next, ok
}

// textMember is a non-empty string member of a small object.
func textMember(raw []byte, key string) (string, bool) {
	if len(raw) == 0 {
		return "", false
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return "", false
	}
	v, err := jsonrpc.Decode(m[key], jsonrpc.DecodeOptions{MaxNodes: 1, Lenient: true})
	if err != nil {
		return "", false
	}
	s, ok := v.IsString()
	return s, ok && s != ""
}
