package report

import (
	"cmp"
	"slices"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
)

// Bounds on what the HTML report shows of a frame.
const (
	clipTail   = 60
	clipAround = 400     // bytes shown around what matched
	clipSlack  = 40      // fewer bytes are not left out
	scanString = 1 << 20 // a longer string is not looked at
	bodyDepth  = 200     // below, pointers are not followed and lines not indented
	bodyMarks  = 200
)

// extent is how much is shown of a frame.
type extent struct {
	limit int // bytes of text in all
	clip  int // a string over so many bytes is shown in parts
	head  int // bytes of it that are shown first
}

var (
	forFinding = extent{16 << 10, 3000, 1200}
	forNote    = extent{6 << 10, 3000, 1200} // notes alone
	beside     = extent{2 << 10, 900, 600}   // a neighbour of a frame with findings
)

// body is a frame made readable: JSON over several lines, secrets redacted,
// everything invisible shown, long strings in parts, with what matched marked.
// One is used for frame after frame.
type body struct {
	m     *Masker
	text  []byte
	units int      // UTF-16 code units of text so far
	at    int      // bytes of text counted in units
	marks [][3]int // start and end in UTF-16 code units, and the tier
	full  bool     // the limit was met; what follows is left out
	extent
	cut bool // the frame goes on behind what is here of it

	// The findings that are still to be marked, by pointer, and the way to the
	// value at hand, which is followed only while there are any.
	want map[string][]*analyze.Finding
	path path

	// The secrets of the frame in hand, and that what is rendered is what is delivered
	// in its place.
	secrets map[string]bool
	edits   bool // something is delivered in its place
	edited  bool
	// A finding says that the frame holds control characters.
	controls bool

	outside []secret.Match // secrets of the frame's bytes as they stand, once asked for
	asked   bool

	decoded, safe []byte // memory of quoted
	pieces, kept  []piece
}

// pretty renders raw, which is the frame or, cut, its beginning. spots are the
// findings on it.
func (b *body) pretty(raw []byte, spots []analyze.Finding, shown extent, cut bool) {
	b.text, b.marks, b.units, b.at, b.full = b.text[:0], b.marks[:0], 0, 0, false
	b.extent, b.cut, b.asked = shown, cut, false
	if b.secrets == nil {
		b.secrets = map[string]bool{}
	}
	if !b.edited {
		clear(b.secrets)
	}
	b.path.steps, b.want = b.path.steps[:0], nil
	for i := range spots {
		if len(spots[i].Spans) > 0 {
			if b.want == nil {
				b.want = map[string][]*analyze.Finding{}
			}
			b.want[spots[i].Pointer] = append(b.want[spots[i].Pointer], &spots[i])
		}
	}
	if i := skipSpace(raw, 0); i < len(raw) && raw[i] != '{' && raw[i] != '[' && raw[i] != '"' {
		b.junk(raw)
	} else {
		b.walk(raw)
	}
	if b.full || cut {
		b.full = false
		b.limit += 64
		b.put("\n… the rest is left out")
	}
	if len(b.marks) > 1 {
		slices.SortStableFunc(b.marks, func(x, y [3]int) int { return cmp.Compare(x[0], y[0]) })
	}
}

// walk goes through the document, which need not be JSON.
func (b *body) walk(raw []byte) {
	deep := 0 // containers below the path
	keyNext := false
	for i := 0; i < len(raw); {
		if b.full {
			return
		}
		c := raw[i]
		switch {
		case c == '"':
			content, plain := b.short(raw[i+1:])
			if !plain {
				end := closing(raw[i:]) + i
				content = raw[i+1 : min(end, len(raw))]
			}
			if b.cut && i+1+len(content) == len(raw) {
				b.begun(content)
				return
			}
			var hits []*analyze.Finding
			if keyNext && deep == 0 && b.path.key(content) {
				keyNext = false
			} else {
				hits = b.hits(deep)
			}
			if !plain || hits != nil || !b.verbatim(content) {
				b.quoted(content, hits)
			}
			i = min(i+1+len(content)+1, len(raw))
			continue
		case c == '{' || c == '[':
			b.put(string(c))
			keyNext = c == '{'
			if len(b.path.steps) >= bodyDepth {
				deep++
				break
			}
			b.path.steps = append(b.path.steps, step{array: c == '['})
			if j := skipSpace(raw, i+1); j < len(raw) && raw[j] == c+2 {
				break // empty
			}
			b.indent()
		case c == '}' || c == ']':
			keyNext = false
			empty := i > 0 && (raw[i-1] == '{' || raw[i-1] == '[')
			if n := len(b.path.steps); deep > 0 {
				deep--
			} else if n > 0 {
				b.path.steps = b.path.steps[:n-1]
				if !empty {
					b.indent()
				}
			}
			b.put(string(c))
		case c == ',':
			b.put(",")
			if deep > 0 {
				break
			}
			if n := len(b.path.steps); n > 0 {
				top := &b.path.steps[n-1]
				top.index++
				keyNext = !top.array
			}
			b.indent()
		case c == ':':
			b.put(": ")
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		default:
			j := i
			for j < len(raw) && !ends[raw[j]] {
				j++
			}
			if b.cut && j == len(raw) {
				return // it may be half a secret
			}
			from := len(b.text)
			b.text = safe.Append(b.text, b.token(raw, i, j))
			b.bound(from)
			i = j
			continue
		}
		i++
	}
}

// junk appends what is no JSON as the text that it is.
func (b *body) junk(raw []byte) {
	if b.cut {
		raw = upToSpace(raw)
	}
	if len(raw) > scanString {
		b.put(safe.Omitted(len(raw)))
		return
	}
	b.shown([]byte(utf8Only(string(raw))), nil)
}

// token is what stands outside of a string, masked. A longer one is no number, and
// is judged with what is around it: a bracket may be part of an escape sequence.
func (b *body) token(raw []byte, i, j int) []byte {
	if j-i < 8 {
		return raw[i:j]
	}
	if !b.asked {
		b.asked = true
		b.outside = slices.Clone(b.m.Find(raw[:min(len(raw), scanString)]))
	}
	if m, ok := meets(b.outside, i, j); ok {
		return []byte(secret.Redact(string(raw[m.Start:m.End])))
	}
	return b.m.mask(raw[i:j])
}

// ends are the bytes that end a number, a literal, or whatever stands in the
// place of one.
var ends = func() (in [256]bool) {
	for _, c := range "\"{}[],: \t\r\n" {
		in[c] = true
	}
	return in
}()

// hits are the findings on the string at hand, deep containers below the path.
func (b *body) hits(deep int) []*analyze.Finding {
	if len(b.want) == 0 || deep > 0 {
		return nil
	}
	p := b.path.pointer()
	hits := b.want[string(p)]
	if hits != nil {
		delete(b.want, string(p))
	}
	return hits
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\n' || raw[i] == '\r') {
		i++
	}
	return i
}

// newLine is a line feed and the deepest indentation.
const newLine = "\n                                        "

func (b *body) indent() { b.put(newLine[:1+2*min(len(b.path.steps), 20)]) }
