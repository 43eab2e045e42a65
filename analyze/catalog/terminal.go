package catalog

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/secret"
)

// A terminal swallows escape sequences, and so does a person who reads what it
// shows; a model may, too. The last byte of a sequence stands right before what
// follows it, often a letter, so that `ESC [ 3 4 m https://` begins no URL. Texts
// with such sequences are therefore read twice (catalog.md, coverage full): as
// they stand, and with the sequences blanked. What either reading finds is found:
// `ESC [ sk-...` is a key for those who drop the ESC alone.

// introduces reports a character that begins a sequence: ESC, or one of the C1
// controls CSI and OSC.
func introduces(t []byte, i int) bool {
	return t[i] == 0x1b || t[i] == 0xc2 && i+1 < len(t) && (t[i+1] == 0x9b || t[i+1] == 0x9d)
}

// blanked appends t with a space for each byte of an escape sequence.
func blanked(dst, t []byte) []byte {
	from := len(dst)
	dst = append(dst, t...)
	out := dst[from:]
	for i := 0; i < len(t); {
		if !introduces(t, i) {
			i++
			continue
		}
		end := bareEnd(t, i)
		if end == 0 {
			end = sequenceEnd(t, i)
		}
		for ; i < end; i++ {
			out[i] = ' '
		}
	}
	return dst
}

// bareEnd is sequenceEnd where an introducer stands right before another, the
// short way through rows of them; else 0.
func bareEnd(t []byte, i int) int {
	n := i + 1
	if t[i] == 0xc2 {
		n++
	}
	if n < len(t) && (t[n] == 0x1b || t[n] == 0xc2) {
		return n
	}
	return 0
}

// sequenceEnd returns the end of the sequence that begins at i. A sequence that
// breaks off ends there. The content of an OSC string, which a terminal does not
// show but a model reads, is no part of it; only its number is, and the
// parameters of a link (number 8).
func sequenceEnd(t []byte, i int) int {
	if t[i] == 0xc2 {
		if t[i+1] == 0x9b {
			return controlEnd(t, i+2, 0x40)
		}
		return stringStart(t, i+2)
	}
	j := i + 1
	for j < len(t) && within(t[j]) {
		j++
	}
	if j < len(t) {
		switch t[j] {
		case '[':
			return controlEnd(t, j+1, 0x40)
		case ']':
			return stringStart(t, j+1)
		}
	}
	return controlEnd(t, j, 0x30)
}

// controlEnd skips parameters and intermediates, and the final byte, which is
// final at least.
func controlEnd(t []byte, i int, final byte) int {
	for i < len(t) && (within(t[i]) || t[i] >= 0x20 && t[i] < final) {
		i++
	}
	if i < len(t) && t[i] >= final && t[i] < 0x7f {
		i++
	}
	return i
}

// within reports the controls that a terminal obeys, or drops, in the middle of a
// sequence without ending it.
func within(c byte) bool {
	return c < 0x20 && c != 0x1b && c != 0x18 && c != 0x1a || c == 0x7f
}

// stringStart skips the number of an OSC string, and the parameters of a link.
func stringStart(t []byte, i int) int {
	from := i
	for i < len(t) && isDigit(t[i]) {
		i++
	}
	link := string(t[from:i]) == "8"
	if i >= len(t) || t[i] != ';' {
		return i
	}
	i++
	for j := i; link && j < len(t) && t[j] >= 0x20 && t[j] < 0x7f; j++ {
		if t[j] == ';' {
			return j + 1
		}
	}
	return i
}

// again reads the text in hand with its sequences blanked, and merges what the
// two readings found. Offsets are the same in both.
func (s *textScan) again() {
	raw := s.t
	s.firstMatches = append(s.firstMatches[:0], s.secrets.Matches...)
	s.firstPieces = append(s.firstPieces[:0], s.pieces...)
	s.blank = append(blanked(s.blank[:0], raw), room[:]...)[:len(raw)]
	s.raw = raw
	s.pass(s.blank)
	s.raw, s.t = nil, raw
	s.secrets.Finish()
	for i := range s.secrets.Matches {
		// Both bytes of a C1 control are blanks, one by one.
		m := &s.secrets.Matches[i]
		for m.Start > 0 && !utf8.RuneStart(raw[m.Start]) {
			m.Start--
		}
		for m.End < len(raw) && !utf8.RuneStart(raw[m.End]) {
			m.End++
		}
	}
	s.secrets.Matches = mergeMatches(s.secrets.Matches, s.firstMatches)
	s.all.random = append(s.all.random, s.firstPieces...)
	s.pieces = mergePieces(s.pieces, s.firstPieces)
}

func mergeMatches(a, b []secret.Match) []secret.Match {
	a = append(a, b...)
	slices.SortFunc(a, func(x, y secret.Match) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.Pattern, y.Pattern), cmp.Compare(x.End, y.End))
	})
	return slices.Compact(a)
}

// mergePieces adds to the pieces of the second reading those of the first that
// overlap none of them: what a sequence's last bytes were glued to is one piece.
func mergePieces(second, first []piece) []piece {
	n, i := len(second), 0
	for _, p := range first {
		for i < n && second[i].end <= p.start {
			i++
		}
		if i == n || second[i].start >= p.end {
			second = append(second, p)
		}
	}
	slices.SortFunc(second, func(x, y piece) int { return cmp.Compare(x.start, y.start) })
	return second
}
