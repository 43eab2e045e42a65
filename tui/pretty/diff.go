package pretty

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Bounds of a comparison.
const (
	maxCompared = 4000 // lines of a side that are compared one by one
	context     = 3    // lines alike that are shown around a change
	longSame    = 160  // bytes alike within a line that are shown whole
	edge        = 56   // of a longer stretch, at both ends
)

// Diff lays out what became of a frame: lines of before that are gone, lines of
// after that are new, with what changed within a line marked. A secret that a
// block has redacted reads alike on both sides, and is marked as a change.
func Diff(before, after *Frame) []Line {
	a, b := before.plain(), after.plain()
	bareA, bareB := before.barePlain(a), after.barePlain(b)
	var out []Line
	var held []string
	flush := func(last bool) {
		n := len(held)
		head, tail := context, context
		if len(out) == 0 {
			head = 0
		}
		if last {
			tail = 0
		}
		if n <= head+tail+1 {
			head, tail = n, 0
		}
		for i, s := range held {
			switch {
			case i < head || i >= n-tail:
				out = append(out, Line{Pieces: []Piece{{Punct, "  "}, {Same, short(s)}}})
			case i == head:
				out = append(out, Line{Pieces: []Piece{{Elided, fmt.Sprintf("  ⋯ %d lines alike", n-head-tail)}}})
			}
		}
		held = held[:0]
	}
	for _, h := range hunks(bareA, bareB) {
		if h.same {
			held = append(held, a[h.a:h.a+h.n]...)
			continue
		}
		flush(false)
		gone, fresh := a[h.a:h.a+h.n], b[h.b:h.b+h.m]
		for i, s := range gone {
			if i < len(fresh) && len(gone) == len(fresh) {
				g, f := within(s, fresh[i])
				out = append(out, Line{Pieces: append([]Piece{{GoneMark, "-"}, {Gone, " "}}, g...), Mark: true},
					Line{Pieces: append([]Piece{{NewMark, "+"}, {New, " "}}, f...), Mark: true})
				continue
			}
			out = append(out, Line{Pieces: []Piece{{GoneMark, "-"}, {Gone, " " + short(s)}}, Mark: true})
		}
		if len(gone) != len(fresh) {
			for _, s := range fresh {
				out = append(out, Line{Pieces: []Piece{{NewMark, "+"}, {New, " " + short(s)}}, Mark: true})
			}
		}
	}
	flush(true)
	return out
}

// plain lays raw out without bounds on its strings, a line each.
func (f *Frame) plain() []string {
	raw := f.raw
	if len(raw) == 0 {
		return nil
	}
	l := &layout{f: f, raw: raw, o: Options{}}
	for i := 0; i < len(raw) && len(l.out) < maxLines; {
		i = l.plainToken(i)
	}
	lines := make([]string, len(l.out))
	for i := range l.out {
		var s strings.Builder
		s.WriteString(strings.Repeat("  ", min(l.out[i].Depth, 24)))
		for _, p := range l.out[i].Pieces {
			s.WriteString(p.Text)
		}
		lines[i] = s.String()
	}
	return lines
}

// barePlain are the lines as they came, to be compared and not to be shown;
// shown are those of plain.
func (f *Frame) barePlain(shown []string) []string {
	if !f.holds {
		return shown
	}
	if bare := (&Frame{bare: f.bare, raw: f.bare}).plain(); len(bare) == len(shown) {
		return bare
	}
	return shown
}

func (l *layout) plainToken(i int) int {
	if l.raw[i] == '"' {
		end := stringEnd(l.raw, i)
		isKey := false
		if n := len(l.stack); n > 0 && !l.stack[n-1].array && len(l.key) == 0 {
			j := end
			for j < len(l.raw) && (l.raw[j] == ' ' || l.raw[j] == '\n' || l.raw[j] == '\r' || l.raw[j] == '\t') {
				j++
			}
			isKey = j < len(l.raw) && l.raw[j] == ':'
		}
		if !isKey {
			l.emit(Piece{String, string(l.f.token(nil, i, end))})
			return end
		}
	}
	return l.token(i)
}

type hunk struct {
	a, n, b, m int
	same       bool
}

// hunks pairs the lines of a and b.
func hunks(a, b []string) []hunk {
	var out []hunk
	if len(a) > maxCompared || len(b) > maxCompared {
		p := 0
		for p < len(a) && p < len(b) && a[p] == b[p] {
			p++
		}
		s := 0
		for s < len(a)-p && s < len(b)-p && a[len(a)-1-s] == b[len(b)-1-s] {
			s++
		}
		return []hunk{{0, p, 0, p, true}, {p, len(a) - p - s, p, len(b) - p - s, false}, {len(a) - s, s, len(b) - s, s, true}}
	}
	ids := map[string]rune{}
	x, y := numbered(a, ids), numbered(b, ids)
	na, nb := 0, 0
	for _, d := range lcs.DiffRunes(x, y) {
		if d.Start > na {
			out = append(out, hunk{na, d.Start - na, nb, d.ReplStart - nb, true})
		}
		out = append(out, hunk{d.Start, d.End - d.Start, d.ReplStart, d.ReplEnd - d.ReplStart, false})
		na, nb = d.End, d.ReplEnd
	}
	if na < len(a) {
		out = append(out, hunk{na, len(a) - na, nb, len(b) - nb, true})
	}
	return out
}

// numbered gives each line the number of its text.
func numbered(lines []string, ids map[string]rune) []rune {
	out := make([]rune, len(lines))
	for i, s := range lines {
		n, ok := ids[s]
		if !ok {
			n = rune(len(ids))
			ids[s] = n
		}
		out[i] = n
	}
	return out
}

// within marks what changed between two lines. Where the new line is the old
// one less some characters, just these are marked; else what lies between the
// common beginning and end.
func within(old, fresh string) (gone, added []Piece) {
	if old == fresh {
		return redactions(old, Gone, GoneMark), redactions(fresh, New, NewMark)
	}
	if g, ok := less(old, fresh); ok {
		return g, []Piece{{New, short(fresh)}}
	}
	p := 0
	for p < len(old) && p < len(fresh) && old[p] == fresh[p] {
		p++
	}
	for p > 0 && p < len(old) && !utf8.RuneStart(old[p]) {
		p--
	}
	s := 0
	for s < len(old)-p && s < len(fresh)-p && old[len(old)-1-s] == fresh[len(fresh)-1-s] {
		s++
	}
	for s > 0 && !utf8.RuneStart(old[len(old)-s]) {
		s--
	}
	mk := func(x string, same, mark Kind) []Piece {
		return []Piece{{same, short(x[:p])}, {mark, middle(x[p : len(x)-s])}, {same, short(x[len(x)-s:])}}
	}
	return mk(old, Gone, GoneMark), mk(fresh, New, NewMark)
}

var redaction = regexp.MustCompile(`[^"\s]{0,4}…\(len(=\d+|<=3)\)`)

// redactions marks the secrets of a line.
func redactions(s string, same, mark Kind) (out []Piece) {
	at := 0
	for _, m := range redaction.FindAllStringIndex(s, -1) {
		out = append(out, Piece{same, short(s[at:m[0]])}, Piece{mark, s[m[0]:m[1]]})
		at = m[1]
	}
	return append(out, Piece{same, short(s[at:])})
}

// less marks the characters of old that fresh lacks, if it lacks nothing else.
func less(old, fresh string) ([]Piece, bool) {
	var out []Piece
	i, j, from := 0, 0, 0
	for i < len(old) {
		n := charLen(old[i:])
		if j+n <= len(fresh) && old[i:i+n] == fresh[j:j+n] {
			i += n
			j += n
			continue
		}
		if i > from {
			out = append(out, Piece{Gone, short(old[from:i])})
		}
		if k := len(out); k > 0 && out[k-1].Kind == GoneMark && i == from {
			out[k-1].Text += old[i : i+n]
		} else {
			out = append(out, Piece{GoneMark, old[i : i+n]})
		}
		i += n
		from = i
	}
	if j < len(fresh) {
		return nil, false
	}
	if i > from {
		out = append(out, Piece{Gone, short(old[from:i])})
	}
	return out, true
}

// charLen is the length of a character or of a JSON escape.
func charLen(s string) int {
	if s[0] == '\\' && len(s) > 1 {
		return escapeLen([]byte(s[:min(len(s), 12)]))
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// short leaves out the middle of a long stretch.
func short(s string) string {
	if len(s) <= longSame {
		return s
	}
	a, z := edge, len(s)-edge
	for a > 0 && !utf8.RuneStart(s[a]) {
		a--
	}
	for z < len(s) && !utf8.RuneStart(s[z]) {
		z++
	}
	return s[:a] + fmt.Sprintf(" … %d bytes … ", z-a) + s[z:]
}

// middle is short with more room: it is what changed.
func middle(s string) string {
	if len(s) <= 4*longSame {
		return s
	}
	return short(s)
}
