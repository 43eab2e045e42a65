package catalog

import (
	"math/bits"

	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/analyze/terminal"
)

// found is the set of rules that a text breaks.
type found uint16

const (
	foundANSI found = 1 << iota
	foundSecret
	foundDomain
	foundIP
	foundURL
	foundPhrase
	foundInvisible
	foundC0 // with foundANSI: one that no charset but binary-ok allows
)

// chunk is how many bytes of a text the kernel reads at a time: the masks stay
// in the first-level cache.
const chunk = 4096

// piece is a run of entropy characters that is as random as a key.
type piece struct{ start, end int }

// textScan scans one text, decoded UTF-8, for all rules in one pass, and collects
// everything that matched. The memory of where each rule's last scan ended keeps
// every rule linear: no byte is read twice for the same end.
type textScan struct {
	c     *Catalog
	t     []byte // the text
	full  []byte // the text and what may be read behind it
	found found
	all   *detail

	secrets *secret.Matcher
	pieces  []piece
	blocks  [chunk / 64]block
	known   [knownClues]known
	name    []byte // a host, percent-decoded

	pieceEnd, tokenEnd, sixEnd, runEnd, tagEnd int
	lines                                      secret.Lines // for a calibrated rule set

	// Of the second reading of a text with escape sequences (again).
	sequences    bool   // the text holds some
	raw          []byte // in the second reading: the text as it stands
	blank        []byte
	firstMatches []secret.Match
	firstPieces  []piece
}

// scan reads t, which must have 64+ahead readable bytes behind it.
func (s *textScan) scan(t []byte, all *detail) found {
	s.found, s.all, s.sequences = 0, all, false
	s.pass(t)
	s.secrets.Finish()
	if s.sequences && s.c.wide {
		s.again()
	}
	s.finish()
	return s.found
}

// pass reads a text once.
func (s *textScan) pass(t []byte) {
	n := len(t)
	s.t, s.full = t, t[:n+64+ahead]
	s.secrets.Reset(t)
	s.pieces = s.pieces[:0]
	s.pieceEnd, s.tokenEnd, s.sixEnd, s.runEnd, s.tagEnd = 0, 0, 0, 0, 0
	s.lines = secret.Lines{}
	var carry carried
	for base := 0; base < n; base += chunk {
		size := min(chunk, n-base)
		k := (size + 63) / 64
		s.c.backend.kernel(s.full[base:], k, s.blocks[:], s.c.tables)
		if tail := size & 63; tail != 0 {
			b := &s.blocks[k-1]
			m := uint64(1)<<tail - 1
			b.piece &= m
			b.dot &= m
			b.colon &= m
			b.next &= m
			b.odd &= m
			b.clue &= m
		}
		for w := range k {
			s.block(&s.blocks[w], base+w*64, &carry)
		}
	}
}

// carried is what one block tells the next.
type carried struct {
	lane           uint64 // the last eight bytes were all piece characters
	colon1, colon2 uint64 // colons of the block before, and those close behind another
}

func (s *textScan) block(b *block, at int, c *carried) {
	for m := b.clue; m != 0; m &= m - 1 {
		s.clue(at + bits.TrailingZeros64(m))
	}
	// A dot with host characters on both sides. At a block's ends the neighbour
	// is unknown, and may be one.
	for m := b.dot & (b.piece>>1 | 1<<63) & (b.piece<<1 | 1); m != 0; m &= m - 1 {
		s.dot(at + bits.TrailingZeros64(m))
	}
	for m := b.odd; m != 0; m &= m - 1 {
		s.odd(at + bits.TrailingZeros64(m))
	}
	// An IPv6 literal without "::" has at least six colons, five bytes apart at
	// most: the third of such a row is looked at, in one order with the colons
	// that a colon or a slash follows.
	if b.colon|c.colon1 != 0 {
		second := b.colon & near(b.colon, c.colon1)
		third := second & near(second, c.colon2)
		c.colon1, c.colon2 = b.colon, second
		for m := b.next | third; m != 0; m &= m - 1 {
			p := at + bits.TrailingZeros64(m)
			if b.next&m&-m != 0 {
				s.colons(p)
			}
			if third&m&-m != 0 {
				s.six(p)
			}
		}
	}
	// Two full lanes of eight piece characters side by side: every run of 24 has
	// them.
	y := ^b.piece
	full := (y - 0x0101010101010101) &^ y & 0x8080808080808080
	if full != 0 {
		for m := full & (full<<8 | c.lane); m != 0; m &= m - 1 {
			s.piece(at + bits.TrailingZeros64(m))
		}
	}
	c.lane = full >> 56
}

// near marks the places up to five bytes behind a bit of m; before is the mask
// of the block before.
func near(m, before uint64) uint64 {
	return m<<1 | m<<2 | m<<3 | m<<4 | m<<5 | before>>63 | before>>62 | before>>61 | before>>60 | before>>59
}

// piece looks at the run of piece characters around p.
func (s *textScan) piece(p int) {
	if p < s.pieceEnd {
		return
	}
	a, b := p, p+1
	for a > s.pieceEnd && secret.Piece(s.t[a-1]) {
		a--
	}
	for b < len(s.t) && secret.Piece(s.t[b]) {
		b++
	}
	s.pieceEnd = b
	if !s.c.entropy.High(s.t[a:b]) || s.c.spare != nil && s.c.spare.Piece(s.t, a, b, &s.lines) {
		return
	}
	// Even if a vendor match turns out to overlap it, the text has a secret.
	s.found |= foundSecret
	s.pieces = append(s.pieces, piece{a, b})
}

// finish settles what needs the whole text: pieces that overlap a vendor match
// are none (catalog.md, "WRD-RES-SECRET-ECHO").
func (s *textScan) finish() {
	matches := s.secrets.Matches
	if len(matches) > 0 {
		s.found |= foundSecret
	}
	if len(s.pieces) == 0 {
		return
	}
	s.all.random = append(s.all.random, s.pieces...)
	keep := s.pieces[:0]
	i, end := 0, 0
	for _, p := range s.pieces {
		for i < len(matches) && matches[i].Start < p.end {
			end = max(end, matches[i].End)
			i++
		}
		if end <= p.start {
			keep = append(keep, p)
		}
	}
	s.pieces = keep
}

// clue looks at a place where a phrase or a vendor pattern may be.
func (s *textScan) clue(p int) {
	f := s.full[p : p+4 : p+4]
	x := uint32(f[0]) | uint32(f[1])<<8 | uint32(f[2])<<16 | uint32(f[3])<<24
	k := &s.known[x*0x9E3779B1>>(32-knownBits)]
	if k.set && k.x == x {
		if k.lone != nil {
			if s.secrets.Try(k.lone, p-k.back) {
				s.found |= foundSecret
			}
			return
		}
		s.try(k.find, p)
		return
	}
	c := s.c.clues
	var find []finder
	lists := 0
	in := c.first[0][f[0]] & c.first[1][f[1]] & c.first[2][f[2]] & c.first[3][f[3]]
	for ; in != 0; in &= in - 1 {
		groups := c.groups[bits.TrailingZeros8(in)]
		for i := range groups {
			if list := groups[i].at(x); list != nil {
				s.try(list, p)
				find = list
				lists++
			}
		}
	}
	if lists <= 1 {
		*k = known{x: x, set: true, find: find}
		if len(find) == 1 && find[0].secret != nil {
			k.lone, k.back = find[0].secret, int(find[0].back)
		}
	}
}

// known remembers what four bytes ask for: a text has few kinds of clues, and a
// hostile one little else.
type known struct {
	x    uint32
	set  bool
	find []finder
	// The place to try when there is just one, of a pattern.
	lone *secret.Clue
	back int
}

const (
	knownBits  = 7
	knownClues = 1 << knownBits
)

func (s *textScan) try(list []finder, p int) {
	for i := range list {
		f := &list[i]
		at := p - int(f.back)
		if f.secret != nil {
			if s.secrets.Try(f.secret, at) {
				s.found |= foundSecret
			}
			continue
		}
		if at > len(s.t) {
			continue
		}
		if start, end, ok := s.c.phrases[f.phrase].at(s.t, at, int(f.at)); ok {
			s.found |= foundPhrase
			s.all.phrase(f.phrase, start, end)
		}
	}
}

// odd looks at a byte that may begin a character that ANSI or INVISIBLE is
// about. The second reading has nothing to add to either.
func (s *textScan) odd(p int) {
	if s.raw != nil {
		return
	}
	c := s.t[p]
	if !s.sequences {
		s.sequences = terminal.Introduces(s.t, p)
	}
	switch {
	case c < 0x80:
		s.found |= foundANSI | foundC0
	case c == 0xc2:
		if p+1 < len(s.t) {
			s.found |= foundANSI
		}
	case c == 0xe2 && p+2 < len(s.t) && s.t[p+1] == 0x80 && s.t[p+2]&0xfe == 0xa8:
		s.found |= foundANSI
	case s.c.wide && p >= s.runEnd && p >= s.tagEnd: // not within what has been judged
		s.invisible(p)
	}
}
