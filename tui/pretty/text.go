package pretty

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
)

// text emits a string value, with its matches marked. A long one is shown at
// its start and around what matched; unfolded, up to a bound, whole.
func (l *layout) text(i, end int) {
	tok := l.raw[i:end]
	t := texter{tok: tok, gone: l.f.secrets[i], whole: len(tok) <= longText}
	for _, m := range l.o.Marks {
		if m.Pointer == string(l.ptr) {
			t.all.add(m.Spans)
			if m.Now {
				t.now.add(m.Spans)
			}
		}
	}
	t.all.sort()
	t.now.sort()
	t.close.spans = t.all.spans
	node := 0
	if !t.whole {
		l.node++
		node = l.node
		t.whole = l.o.Toggled[node] && len(tok) <= wholeText
	}
	first := len(l.out)
	line := l.emit()
	line.Node, line.Folded = node, node > 0 && !t.whole
	t.run(func(p Piece, brk bool) {
		line := &l.out[len(l.out)-1]
		line.Pieces = append(line.Pieces, p)
		line.Mark = line.Mark || p.Kind == Marked || p.Kind == Current
		line.Now = line.Now || p.Kind == Current
		if brk && len(l.out) < maxLines {
			l.out = append(l.out, Line{Depth: l.out[first].Depth + 1})
		}
	})
}

// texter walks the characters of one string token.
type texter struct {
	tok   []byte
	now   ruler // spans of the finding in hand
	all   ruler // and of all
	close ruler // those again, for what stands near them
	gone  []hidden
	told  bool // the form of the secret in hand has been shown
	whole bool
	buf   []byte
	kind  Kind
	put   func(Piece, bool)
}

func (t *texter) flush(brk bool) {
	if len(t.buf) > 0 {
		t.put(Piece{t.kind, string(t.buf)}, brk)
		t.buf = t.buf[:0]
	}
}

func (t *texter) add(kind Kind, b []byte) {
	if kind != t.kind {
		t.flush(false)
		t.kind = kind
	}
	t.buf = append(t.buf, b...)
}

func (t *texter) run(put func(Piece, bool)) {
	t.put = put
	tok := t.tok
	var hidden, shown int
	lines := len(tok) > breakText
	cp := -1 // code point of the decoded string; -1: the quote
	for i := 0; i < len(tok); {
		n, kind := 1, String
		quote := i == 0 || i == len(tok)-1 && tok[i] == '"'
		lf := false
		if !quote && (shown >= maxShown || !t.whole && i >= headText && !t.near(cp) && t.close.next == len(t.close.spans)) {
			end := 1 + len(inside(tok)) // nothing of the rest is shown
			hidden += end - i
			i = end
			continue
		}
		switch {
		case quote:
		case tok[i] == '\\' && i+1 < len(tok):
			n, kind = escapeLen(tok[i:]), Escape
			lf = tok[i+1] == 'n'
		default:
			_, n = utf8.DecodeRune(tok[i:])
		}
		if !quote {
			switch t.at(cp) {
			case 1:
				kind = Marked
			case 2:
				kind = Current
			}
		}
		if !quote && t.secret(cp) {
			if cp != t.gone[0].from {
				if !t.told {
					hidden += n
				}
				i += n
				cp++
				continue
			}
			if kind == Escape {
				kind = String
			}
			t.told = shown < maxShown && (t.whole || i < headText || t.near(cp))
			if t.told {
				t.flush(false)
				if hidden > 0 {
					t.put(Piece{Elided, fmt.Sprintf(" … %d bytes … ", hidden)}, false)
					hidden = 0
				}
				shown += len(t.gone[0].form)
				t.put(Piece{kind, t.gone[0].form}, false)
			} else {
				hidden += n
			}
		} else if shown < maxShown && (t.whole || i < headText || t.near(cp)) || quote {
			shown += n
			if hidden > 0 {
				t.flush(false)
				t.put(Piece{Elided, fmt.Sprintf(" … %d bytes … ", hidden)}, false)
				hidden = 0
			}
			t.add(kind, tok[i:i+n])
			if lf && lines {
				t.flush(true)
			}
		} else {
			hidden += n
		}
		i += n
		cp++
	}
	t.flush(false)
}

// secret says whether code point cp is one that is not shown. Code points must be
// asked about in order.
func (t *texter) secret(cp int) bool {
	for len(t.gone) > 0 && t.gone[0].to <= cp {
		t.gone = t.gone[1:]
	}
	return len(t.gone) > 0 && t.gone[0].from <= cp
}

// at says whether code point cp is in a span: 1, or 2 for the finding in hand.
// Code points must be asked about in order.
func (t *texter) at(cp int) int {
	switch {
	case t.now.has(cp, 0):
		return 2
	case t.all.has(cp, 0):
		return 1
	}
	return 0
}

func (t *texter) near(cp int) bool { return t.close.has(cp, around) }

// ruler is a list of spans in order, and how far it has been read: a string of
// a million matches must not cost their square.
type ruler struct {
	spans []analyze.Span
	next  int
}

func (r *ruler) add(spans []analyze.Span) { r.spans = append(r.spans, spans...) }

func (r *ruler) sort() {
	slices.SortFunc(r.spans, func(a, b analyze.Span) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	kept := r.spans[:0]
	for _, s := range r.spans {
		if n := len(kept); n > 0 && s.Start <= kept[n-1].End {
			kept[n-1].End = max(kept[n-1].End, s.End)
			continue
		}
		kept = append(kept, s)
	}
	r.spans = kept
}

// has reports that cp is in a span widened by that much.
func (r *ruler) has(cp, wider int) bool {
	for r.next < len(r.spans) && r.spans[r.next].End+wider <= cp {
		r.next++
	}
	return r.next < len(r.spans) && r.spans[r.next].Start-wider <= cp
}

// escapeLen is the length of the escape that b begins with; half a pair of
// surrogates joins with its other half, which is one code point. It counts as
// jsonrpc.Unquote does.
func escapeLen(b []byte) int {
	r := hex4(b)
	if r < 0 {
		return min(2, len(b))
	}
	if r >= 0xd800 && r < 0xdc00 {
		if lo := hex4(b[6:]); lo >= 0xdc00 && lo < 0xe000 {
			return 12
		}
	}
	return 6
}

// hex4 is the value of the escape \uXXXX that b begins with, -1 if it is none.
func hex4(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	r, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	if err != nil {
		return -1
	}
	return int(r)
}

// Raw lays the bytes out as they are but for secrets, broken at line feeds.
func Raw(f *Frame) []Line {
	raw := f.Bytes()
	var out []Line
	rest := 0
	if len(raw) > MaxRaw {
		rest = len(raw) - MaxRaw
		raw = raw[:MaxRaw]
	}
	for len(raw) > 0 {
		n := bytes.IndexByte(raw, '\n') + 1
		if n == 0 {
			n = len(raw)
		}
		if n > 4096 {
			n = 4096
			for n > 4090 && !utf8.RuneStart(raw[n]) {
				n--
			}
		}
		out = append(out, Line{Pieces: []Piece{{String, string(raw[:n])}}})
		raw = raw[n:]
	}
	if rest > 0 {
		out = append(out, Line{Pieces: []Piece{{Elided, fmt.Sprintf("… %d more bytes: w saves the frame whole", rest)}}})
	}
	return out
}
