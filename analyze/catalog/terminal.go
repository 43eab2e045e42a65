package catalog

import (
	"cmp"
	"slices"

	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/analyze/terminal"
)

// Texts with escape sequences are read twice: as they stand, and with the sequences
// blanked (package terminal). What either reading finds is found: `ESC [ sk-...` is
// a key for those who drop the ESC alone.

// again reads the text in hand with its sequences blanked, and merges what the
// two readings found. Offsets are the same in both.
func (s *textScan) again() {
	raw := s.t
	s.firstMatches = append(s.firstMatches[:0], s.secrets.Matches...)
	s.firstPieces = append(s.firstPieces[:0], s.pieces...)
	s.blank = append(terminal.Blanked(s.blank[:0], raw), room[:]...)[:len(raw)]
	s.raw = raw
	s.pass(s.blank)
	s.raw, s.t = nil, raw
	s.secrets.Finish()
	s.secrets.Matches = secret.Join(raw, s.firstMatches, s.secrets.Matches)
	s.all.random = append(s.all.random, s.firstPieces...)
	s.pieces = mergePieces(s.pieces, s.firstPieces)
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
