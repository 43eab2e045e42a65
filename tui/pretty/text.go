package pretty

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// text emits a string value, with its matches marked. A long one is shown at
// its start and around what matched; unfolded, up to a bound, whole.
func (l *layout) text(tok []byte) {
	var marks []Mark
	for _, m := range l.o.Marks {
		if m.Pointer == string(l.ptr) {
			marks = append(marks, m)
		}
	}
	t := texter{tok: tok, marks: marks, whole: len(tok) <= longText}
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
	marks []Mark
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
	var hidden int
	lines := len(tok) > breakText
	cp := -1 // code point of the decoded string; -1: the quote
	for i := 0; i < len(tok); {
		n, kind := 1, String
		quote := i == 0 || i == len(tok)-1 && tok[i] == '"'
		lf := false
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
		if t.whole || i < headText || quote || t.near(cp) {
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

// at says whether code point cp is in a span: 1, or 2 for the finding in hand.
func (t *texter) at(cp int) int {
	in := 0
	for i := range t.marks {
		for _, s := range t.marks[i].Spans {
			if cp >= s.Start && cp < s.End {
				if t.marks[i].Now {
					return 2
				}
				in = 1
			}
		}
	}
	return in
}

func (t *texter) near(cp int) bool {
	for i := range t.marks {
		for _, s := range t.marks[i].Spans {
			if cp >= s.Start-around && cp < s.End+around {
				return true
			}
		}
	}
	return false
}

// escapeLen is the length of the escape that b begins with; half a pair of
// surrogates joins with its other half, which is one code point.
func escapeLen(b []byte) int {
	if len(b) < 6 || b[1] != 'u' {
		return min(2, len(b))
	}
	if hi := b[2:4]; len(b) >= 12 && (hi[0] == 'd' || hi[0] == 'D') && bytes.IndexByte([]byte("89abAB"), hi[1]) >= 0 &&
		b[6] == '\\' && b[7] == 'u' && (b[8] == 'd' || b[8] == 'D') && bytes.IndexByte([]byte("cdefCDEF"), b[9]) >= 0 {
		return 12
	}
	return 6
}

// Raw lays the bytes out as they are, broken at line feeds.
func Raw(raw []byte) []Line {
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
