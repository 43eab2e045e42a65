package catalog

import (
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Hit is one text, content block or frame that has something to say. It copies
// what Findings needs of the message, whose own lists the parser reuses; its
// offsets are those of Message.Raw.
type Hit struct {
	kind  hitKind
	why   jsonrpc.Why
	found found
	text  jsonrpc.Text
}

type hitKind uint8

const (
	hitText hitKind = iota
	hitNote
	hitAmbiguous
)

// Scanner scans messages. It holds buffers only; one a goroutine.
type Scanner struct {
	c    *Catalog
	scan textScan
	buf  []byte
}

// NewScanner returns a scanner of the catalog.
func (c *Catalog) NewScanner() *Scanner {
	s := &Scanner{c: c}
	s.scan.c = c
	s.scan.secrets = c.patterns.NewMatcher()
	return s
}

// Message appends the hits of a message to dst. It does not ask whether the
// message is one that the rules are about, nor what a lock says: the session
// knows that later, and Findings is then told. Nothing is allocated when there is
// no hit.
func (s *Scanner) Message(m *jsonrpc.Message, dst []Hit) []Hit {
	wide := s.c.wide
	for i := range m.Notes {
		n := &m.Notes[i]
		if wide && n.Why == jsonrpc.WhyLink || !wide && (n.Shadowed || n.Nested) {
			continue
		}
		dst = append(dst, Hit{kind: hitNote, why: n.Why, text: jsonrpc.Text{Block: n.Block, Nested: n.Nested}})
	}
	for i := range m.Texts {
		t := &m.Texts[i]
		if t.End <= t.Start || !wide && !original(t) {
			continue
		}
		if f := s.text(m, t); f != 0 {
			dst = append(dst, Hit{kind: hitText, found: f, text: *t})
		}
	}
	if wide && ambiguous(m) {
		dst = append(dst, Hit{kind: hitAmbiguous, text: jsonrpc.Text{Block: -1}})
	}
	return dst
}

// original reports a text that the original catalog inspects (catalog.md, "What
// is inspected").
func original(t *jsonrpc.Text) bool {
	switch t.Role {
	case jsonrpc.RoleText, jsonrpc.RoleResourceText, jsonrpc.RoleResourceURI:
		return !t.Nested && !t.Error && !t.Input && !t.Shadowed
	}
	return false
}

// ambiguous reports a frame that two parsers can read differently.
func ambiguous(m *jsonrpc.Message) bool {
	const answer = jsonrpc.HasResult | jsonrpc.HasError
	return m.Has&jsonrpc.Ambiguous != 0 || m.Has&jsonrpc.HasMethod != 0 && m.Has&answer != 0
}

// text scans one text of a message, decoded.
func (s *Scanner) text(m *jsonrpc.Message, t *jsonrpc.Text) found {
	return s.scan.scan(s.decoded(m, t), nil)
}

// decoded returns the text with room behind it: where it stands when it needs no
// decoding, else in the scanner's buffer.
func (s *Scanner) decoded(m *jsonrpc.Message, t *jsonrpc.Text) []byte {
	raw := m.Raw[t.Start:t.End]
	const odd = jsonrpc.BadUTF8 | jsonrpc.LoneSurrogate
	switch {
	case m.Has&odd != 0:
		s.buf = plain(s.buf[:0], raw)
		return s.buf
	case t.Escaped:
		s.buf = unescape(s.buf, raw)
		return s.buf
	case cap(raw)-len(raw) < 64+ahead:
		s.buf = append(append(s.buf[:0], raw...), room[:]...)[:len(raw)]
		return s.buf
	}
	return raw
}

var room [jsonrpc.Pad]byte

// plain decodes any string content, with room behind it.
func plain(dst, raw []byte) []byte {
	dst, _ = jsonrpc.Unquote(dst, raw)
	return append(dst, room[:]...)[:len(dst)]
}
