// Package streamtext runs text rules over a stream that comes in pieces, as
// over one text: in overlapping windows, each match reported once.
package streamtext

import (
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
)

// Bounds in bytes.
const (
	// overlap is how much of what was inspected is shown again with what
	// follows. A match that is cut by a window's edge is found whole when it
	// is no longer than this.
	overlap = 8 << 10
	// flood is how much may wait when a stream comes in tiny pieces.
	flood = 4 << 10
	// window bounds one inspected piece.
	window = 256 << 10
)

// Windows inspects one stream.
type Windows struct {
	inspect func(text []byte) []analyze.Finding

	tail  []byte // inspected already, at most overlap
	fresh []byte // not yet inspected
	// base counts the code points before tail.
	base int
	// credit is how many bytes may be inspected again for the sake of telling
	// at once: each new byte earns some, so the work stays linear.
	credit int64

	seen map[match]bool
	out  []analyze.Finding
}

// match tells one match from another: a secret by where it is, any other by
// what it matched.
type match struct {
	rule, sub, what string
	at              int
}

// maxSeen bounds what is remembered of a stream's matches.
const maxSeen = 65_536

// New makes the windows of one stream. The spans of inspect's findings count
// code points of the text that it is given.
func New(inspect func(text []byte) []analyze.Finding) *Windows {
	return &Windows{inspect: inspect, credit: 1 << 20, seen: map[match]bool{}}
}

// Write takes the next piece.
func (w *Windows) Write(b []byte) {
	w.credit += 8 * int64(len(b))
	for len(b) > 0 {
		n := min(len(b), window-overlap-len(w.fresh))
		w.fresh = append(w.fresh, b[:n]...)
		b = b[n:]
		cost := int64(len(w.tail) + len(w.fresh))
		if len(w.fresh) >= flood || cost <= w.credit {
			w.run(false)
		}
	}
}

// Flush inspects what waits.
func (w *Windows) Flush() { w.run(true) }

// Take returns the new findings.
func (w *Windows) Take() []analyze.Finding {
	out := w.out
	w.out = nil
	return out
}

// run inspects tail and fresh as one text. A character that is cut at the end
// waits for the rest of it.
func (w *Windows) run(last bool) {
	whole := len(w.fresh)
	if !last {
		whole -= cutRune(w.fresh)
	}
	if whole == 0 {
		return
	}
	w.credit -= int64(len(w.tail) + whole)
	text := append(w.tail[:len(w.tail):len(w.tail)], w.fresh[:whole]...)
	for _, f := range w.inspect(valid(text)) {
		w.take(f)
	}
	w.fresh = append(w.fresh[:0], w.fresh[whole:]...)
	keep := max(0, len(text)-overlap)
	for keep < len(text) && keep > 0 && text[keep]&0xc0 == 0x80 {
		keep++
	}
	w.base += utf8.RuneCount(text[:keep])
	w.tail = append(w.tail[:0:0], text[keep:]...)
}

// valid is b with each byte that is no part of a character as U+FFFD: one code
// point each, as they are counted.
func valid(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return out
}

// take keeps a finding that the overlap has not shown before, with its spans
// moved to the stream's own count.
func (w *Windows) take(f analyze.Finding) {
	spans := make([]analyze.Span, 0, len(f.Spans))
	for _, s := range f.Spans {
		spans = append(spans, analyze.Span{Start: s.Start + w.base, End: s.End + w.base})
	}
	f.Spans = spans
	fresh := false
	for _, m := range matches(&f) {
		if !w.seen[m] {
			fresh = true
			if len(w.seen) < maxSeen {
				w.seen[m] = true
			}
		}
	}
	if fresh {
		w.out = append(w.out, f)
	}
}

// matches are what a finding reports. A rule that lists entries speaks of
// those; one that does not speaks of its spans; one with neither speaks once a
// stream.
func matches(f *analyze.Finding) []match {
	var out []match
	switch {
	case f.SubRule != "" && len(f.Spans) > 0:
		for _, s := range f.Spans {
			// The start alone: a match at a window's edge may grow.
			out = append(out, match{f.Rule, f.SubRule, "", s.Start})
		}
	case len(f.Matched) > 0:
		for _, m := range f.Matched {
			out = append(out, match{f.Rule, f.SubRule, m, -1})
		}
	default:
		out = append(out, match{f.Rule, f.SubRule, "", -1})
	}
	return out
}

// cutRune is the length of an unfinished character at the end of b.
func cutRune(b []byte) int {
	for i := 1; i <= 3 && i <= len(b); i++ {
		c := b[len(b)-i]
		if c < 0x80 {
			return 0
		}
		if c >= 0xc0 {
			if utf8.FullRune(b[len(b)-i:]) {
				return 0
			}
			return i
		}
	}
	return 0
}
