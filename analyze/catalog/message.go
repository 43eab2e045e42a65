package catalog

import (
	"slices"
	"strconv"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Hit is one text, content block or frame that has something to say. It copies
// what Findings needs of the message, whose own lists the parser reuses; its
// offsets are those of Message.Raw.
type Hit struct {
	kind  hitKind
	why   jsonrpc.Why
	found found
	more  int32 // a note: how many blocks are like it
	// Of several strings that a pointer names, which this one is, from 1; of is
	// 0 for the only one.
	nth, of uint16
	text    jsonrpc.Text
	rest    *rest // of hitRest
	// made are the findings of a text under the strictest settings. They are
	// made while the text is at hand: much of real traffic has one, and a
	// second reading would cost as much as the first.
	made []analyze.Finding
}

type hitKind uint8

const (
	hitText hitKind = iota
	hitNote
	hitAmbiguous
	hitRest // the texts beyond the bound of findings
)

// Scanner scans messages. It holds buffers only; one a goroutine.
type Scanner struct {
	c     *Catalog
	scan  textScan
	buf   []byte
	all   detail
	list  listing // of the message in hand
	offs  []int32
	place []int // index in dst of the hits whose pointers are asked for
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
	first := len(dst)
	s.list = listing{}
	for i := range m.Notes {
		n := &m.Notes[i]
		if wide && n.Why == jsonrpc.WhyLink || !wide && (n.Shadowed || n.Nested) {
			continue
		}
		dst = s.list.note(n, dst)
	}
	for i := range m.Texts {
		t := &m.Texts[i]
		if t.End <= t.Start || !wide && !original(t) {
			continue
		}
		text := s.decoded(m, t.Start, t.End, t.Escaped)
		s.all.reset()
		f := s.scan.scan(text, &s.all)
		switch {
		case f == 0:
		case s.list.full(t, f, &s.all):
			s.list.drop(t, f)
		default:
			made := s.findings(m, t, text, analyze.Inspection{})
			s.list.add(t, f, &s.all, len(made))
			dst = append(dst, Hit{kind: hitText, found: f, text: *t, made: made})
		}
	}
	if s.list.rest != nil {
		dst = append(dst, Hit{kind: hitRest, rest: s.list.rest})
	}
	if len(dst) > first {
		s.point(m, dst[first:])
		tellApart(m, dst[first:])
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

// findings says what a scan with a detail has found in a text. Their pointers
// are left to point.
func (s *Scanner) findings(m *jsonrpc.Message, t *jsonrpc.Text, text []byte, ins analyze.Inspection) []analyze.Finding {
	// One secret at least, where there is one.
	r := reader{c: s.c, m: m, ins: ins, secrets: min(s.list.secrets, maxSecrets-1), spans: s.list.spans}
	w := words{reader: &r, t: text, d: &s.all, scan: &s.scan, block: int(t.Block)}
	w.all()
	s.list.spans, s.list.secrets = r.spans, r.secrets
	return r.out
}

// point gives the findings of a message's hits their pointers.
func (s *Scanner) point(m *jsonrpc.Message, hits []Hit) {
	s.offs, s.place = s.offs[:0], s.place[:0]
	for i := range hits {
		h := &hits[i]
		if h.kind != hitText {
			continue
		}
		if p, ok := plainPointer(m, &h.text); ok {
			h.pointTo(p)
			continue
		}
		s.offs = append(s.offs, h.text.Start)
		s.place = append(s.place, i)
	}
	if len(s.offs) == 0 {
		return
	}
	var last, shown string // deep texts share one
	for i, p := range jsonrpc.Pointers(m.Raw, s.offs) {
		if p != last {
			last, shown = p, s.c.pointer(p)
		}
		hits[s.place[i]].pointTo(shown)
	}
}

// mostNumbered is how many strings a message may have for tellApart to compare.
const mostNumbered = 10000

// tellApart numbers the strings that share a pointer because a key is repeated:
// who follows the pointer of one may find another.
func tellApart(m *jsonrpc.Message, hits []Hit) {
	if m.Has&jsonrpc.Repeated == 0 || len(m.Texts) > mostNumbered {
		return
	}
	offs := make([]int32, 0, len(m.Texts))
	for i := range m.Texts {
		if m.Texts[i].Role != jsonrpc.RoleKey { // a key has the pointer of its value
			offs = append(offs, m.Texts[i].Start)
		}
	}
	slices.Sort(offs)
	offs = slices.Compact(offs)
	pointers := jsonrpc.Pointers(m.Raw, offs)
	of := make(map[string]uint16, len(pointers))
	nth := make(map[int32]uint16, len(pointers))
	at := make(map[int32]string, len(pointers))
	for i, p := range pointers {
		of[p]++
		nth[offs[i]], at[offs[i]] = of[p], p
	}
	for i := range hits {
		h := &hits[i]
		if n := of[at[h.text.Start]]; h.kind == hitText && n > 1 && nth[h.text.Start] > 0 {
			h.nth, h.of = nth[h.text.Start], n
		}
	}
}

func (h *Hit) pointTo(p string) {
	for i := range h.made {
		h.made[i].Pointer = p
	}
}

// plainPointer is the pointer of a text block's text, which is where most texts
// are, without a walk through the frame.
func plainPointer(m *jsonrpc.Message, t *jsonrpc.Text) (string, bool) {
	if t.Role != jsonrpc.RoleText || t.Nested || t.Error || t.Block < 0 || m.Has&jsonrpc.Repeated != 0 {
		return "", false
	}
	if int(t.Block) < len(plainPointers) {
		return plainPointers[t.Block], true
	}
	return "/result/content/" + strconv.Itoa(int(t.Block)) + "/text", true
}

var plainPointers = func() (p [16]string) {
	for i := range p {
		p[i] = "/result/content/" + strconv.Itoa(i) + "/text"
	}
	return p
}()

// decoded returns the text with room behind it: where it stands when it needs no
// decoding, else in the scanner's buffer.
func (s *Scanner) decoded(m *jsonrpc.Message, start, end int32, escaped bool) []byte {
	raw := m.Raw[start:end]
	const odd = jsonrpc.BadUTF8 | jsonrpc.LoneSurrogate
	switch {
	case m.Has&odd != 0:
		s.buf = plain(s.buf[:0], raw)
		return s.buf
	case escaped:
		s.buf = unescape(s.buf, raw, &s.c.backend)
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
