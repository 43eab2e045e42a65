package report

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
)

// Bounds on what the HTML report shows of a frame.
const (
	bodyLimit  = 16 << 10 // bytes of text of a frame with findings
	noteText   = 6 << 10  // of one with notes alone
	besideText = 2 << 10  // and of its neighbours
	clipString = 3000     // a string over so many bytes is shown in parts
	clipHead   = 1200
	clipAround = 400     // bytes shown around what matched
	scanString = 1 << 20 // a longer string is not looked at
	bodyDepth  = 200     // below, pointers are not followed and lines not indented
	bodyMarks  = 200
)

// body is a frame made readable: JSON over several lines, secrets redacted,
// everything invisible shown, long strings in parts, with what matched marked.
type body struct {
	text  []byte
	units int      // UTF-16 code units of text so far
	at    int      // bytes of text counted in units
	marks [][3]int // start and end in UTF-16 code units, and the tier
	full  bool     // the limit was met; what follows is left out
	limit int
}

// step is where the lexer is in the document.
type step struct {
	array bool
	index int
	key   string
}

// pretty renders raw. spots are the findings on it.
func (m *masker) pretty(raw []byte, spots []analyze.Finding, limit int) *body {
	b := &body{limit: limit}
	var stack []step
	deep := 0 // containers below the stack
	keyNext := false
	var text []byte
	indent := func() {
		b.put("\n" + strings.Repeat("  ", min(len(stack), 20)))
	}
	want := map[string][]*analyze.Finding{}
	for i := range spots {
		if len(spots[i].Spans) > 0 {
			want[spots[i].Pointer] = append(want[spots[i].Pointer], &spots[i])
		}
	}
	for i := 0; i < len(raw); {
		if b.full && len(want) == 0 {
			break
		}
		c := raw[i]
		switch {
		case c == '"':
			end := closing(raw[i:]) + i
			content := raw[i+1 : min(end, len(raw))]
			if keyNext && deep == 0 && len(stack) > 0 && !stack[len(stack)-1].array {
				stack[len(stack)-1].key = ""
				if len(content) < 4096 {
					text, _ = jsonrpc.Unquote(text[:0], content)
					stack[len(stack)-1].key = string(text)
				}
				keyNext = false
				b.quoted(m, content, nil)
			} else {
				var hits []*analyze.Finding
				if len(want) > 0 && deep == 0 {
					p := pointerOf(stack)
					if hits = want[p]; hits != nil {
						delete(want, p)
					}
				}
				b.quoted(m, content, hits)
			}
			i = min(end+1, len(raw))
			continue
		case c == '{' || c == '[':
			b.put(string(c))
			keyNext = c == '{'
			if len(stack) >= bodyDepth {
				deep++
				break
			}
			stack = append(stack, step{array: c == '['})
			if j := skipSpace(raw, i+1); j < len(raw) && raw[j] == c+2 {
				break // empty
			}
			indent()
		case c == '}' || c == ']':
			keyNext = false
			empty := i > 0 && (raw[i-1] == '{' || raw[i-1] == '[')
			if deep > 0 {
				deep--
			} else if len(stack) > 0 {
				stack = stack[:len(stack)-1]
				if !empty {
					indent()
				}
			}
			b.put(string(c))
		case c == ',':
			b.put(",")
			if deep > 0 {
				break
			}
			if len(stack) > 0 {
				top := &stack[len(stack)-1]
				top.index++
				keyNext = !top.array
			}
			indent()
		case c == ':':
			b.put(": ")
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		default:
			j := i
			for j < len(raw) && !strings.ContainsRune("\"{}[],: \t\r\n", rune(raw[j])) {
				j++
			}
			b.put(safe.Bytes(m.mask(raw[i:j])))
			i = j
			continue
		}
		i++
	}
	if b.full {
		b.full = false
		b.limit += 64
		b.put("\n… the rest is left out")
	}
	sort.Slice(b.marks, func(i, j int) bool { return b.marks[i][0] < b.marks[j][0] })
	return b
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\n' || raw[i] == '\r') {
		i++
	}
	return i
}

// pointerOf is the JSON Pointer of the value at hand.
func pointerOf(stack []step) string {
	var b []byte
	for _, p := range stack {
		b = append(b, '/')
		if p.array {
			b = strconv.AppendInt(b, int64(p.index), 10)
			continue
		}
		b = append(b, strings.NewReplacer("~", "~0", "/", "~1").Replace(p.key)...)
	}
	return string(b)
}

// put appends text that is safe already.
func (b *body) put(s string) {
	if b.full {
		return
	}
	if len(b.text)+len(s) > b.limit {
		b.full = true
		return
	}
	b.text = append(b.text, s...)
}

// pos is the end of the text in UTF-16 code units.
func (b *body) pos() int {
	for b.at < len(b.text) {
		r, n := utf8.DecodeRune(b.text[b.at:])
		b.units++
		if r > 0xffff {
			b.units++
		}
		b.at += n
	}
	return b.units
}

// piece is a stretch of a decoded string that is shown in a way of its own.
type piece struct {
	start, end int // bytes
	tier       int // of a finding; -1: none
	masked     bool
}

// quoted appends a string's content, decoded, with what findings hit marked.
func (b *body) quoted(m *masker, raw []byte, hits []*analyze.Finding) {
	if len(raw) > scanString {
		b.put(`"` + safe.Omitted(len(raw)) + `"`)
		return
	}
	text, _ := jsonrpc.Unquote(nil, raw)
	pieces := findingPieces(text, hits)
	for _, f := range m.find(text) {
		pieces = append(pieces, piece{start: f.Start, end: f.End, tier: tierAt(pieces, f.Start, f.End), masked: true})
	}
	// Masked stretches win over those that overlap with them.
	sort.SliceStable(pieces, func(i, j int) bool {
		if pieces[i].masked != pieces[j].masked {
			return pieces[i].masked
		}
		return pieces[i].start < pieces[j].start
	})
	kept := pieces[:0:0]
	for _, p := range pieces {
		if !overlaps(kept, p) {
			kept = append(kept, p)
		}
		if len(kept) >= bodyMarks {
			break
		}
	}
	sort.Slice(kept, func(i, j int) bool { return kept[i].start < kept[j].start })
	b.put(`"`)
	clip := len(text) > clipString
	at := 0
	for _, p := range kept {
		b.plain(text[at:p.start], clip, at == 0, false)
		from := b.pos()
		if p.masked {
			b.put(safe.String(secret.Redact(string(text[p.start:p.end]))))
		} else {
			b.put(breakLines(safe.Bytes(text[p.start:min(p.end, p.start+clipString)])))
		}
		if to := b.pos(); p.tier >= 0 && to > from && len(b.marks) < bodyMarks {
			b.marks = append(b.marks, [3]int{from, to, p.tier})
		}
		at = p.end
	}
	b.plain(text[at:], clip, at == 0, true)
	b.put(`"`)
}

func overlaps(kept []piece, p piece) bool {
	for _, k := range kept {
		if p.start < k.end && k.start < p.end {
			return true
		}
	}
	return false
}

func tierAt(pieces []piece, start, end int) int {
	tier := -1
	for _, p := range pieces {
		if !p.masked && p.start < end && start < p.end {
			tier = max(tier, p.tier)
		}
	}
	return tier
}

// findingPieces turns code points into bytes.
func findingPieces(text []byte, hits []*analyze.Finding) (out []piece) {
	if len(hits) == 0 {
		return nil
	}
	type edge struct{ cp, hit, span int }
	var edges []edge
	for h, f := range hits {
		for s, sp := range f.Spans[:min(len(f.Spans), bodyMarks)] {
			edges = append(edges, edge{sp.Start, h, 2 * s}, edge{sp.End, h, 2*s + 1})
		}
	}
	sort.Slice(edges, func(i, j int) bool { return edges[i].cp < edges[j].cp })
	found := map[[2]int]*piece{}
	cp, at := 0, 0
	for _, e := range edges {
		for cp < e.cp && at < len(text) {
			_, n := utf8.DecodeRune(text[at:])
			at += n
			cp++
		}
		key := [2]int{e.hit, e.span / 2}
		if e.span%2 == 0 {
			found[key] = &piece{start: at, tier: int(hits[e.hit].Tier)}
		} else if p := found[key]; p != nil {
			p.end = at
			if p.end > p.start {
				out = append(out, *p)
			}
		}
	}
	return out
}

// plain appends text that nothing hit; a long one is shown by its ends.
func (b *body) plain(text []byte, clip, first, last bool) {
	head, tail := clipAround, clipAround
	if first {
		head = clipHead
	}
	if last {
		tail = 60
	}
	if !clip || len(text) <= head+tail+40 {
		b.put(breakLines(safe.Bytes(text)))
		return
	}
	i, j := head, len(text)-tail
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	for j < len(text) && !utf8.RuneStart(text[j]) {
		j++
	}
	b.put(breakLines(safe.Bytes(text[:i])))
	b.put(" ⟨… " + strconv.Itoa(j-i) + " bytes …⟩ ")
	b.put(breakLines(safe.Bytes(text[j:])))
}

// breakLines begins a new line after each escaped line feed, so that texts of
// many lines can be read, and escapes quotes again.
func breakLines(s string) string {
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, '"') < 0 {
		return s
	}
	return unquoter.Replace(s)
}

var unquoter = strings.NewReplacer(`\n`, "\\n\n", `"`, `\"`)
