package catalog

import (
	"bytes"
	"unicode/utf8"
)

// unseen is a kind of invisible character (catalog.md, "Wider rules").
type unseen uint8

const (
	unseenNone unseen = iota
	unseenTag
	unseenBidi
	unseenSelector
	unseenWidth
)

// unseenNames are the kinds in the order in which a message names them.
var unseenNames = [...]string{unseenTag: "tag characters", unseenBidi: "bidirectional controls",
	unseenSelector: "variation selectors", unseenWidth: "zero-width characters"}

func unseenKind(r rune) unseen {
	switch {
	case r < 0x200b:
		return unseenNone
	case r <= 0x200d, r == 0x2060, r == 0xfeff:
		return unseenWidth
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return unseenBidi
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef:
		return unseenSelector
	case r >= 0xe0000 && r <= 0xe007f:
		return unseenTag
	}
	return unseenNone
}

// invisible looks at the character at p.
func (s *textScan) invisible(p int) {
	r, w := decode(s.t[p:])
	switch unseenKind(r) {
	case unseenBidi:
		s.unseen(unseenBidi, p, p+w, 1)
	case unseenTag:
		s.tags(p)
	case unseenSelector, unseenWidth:
		s.run(p)
	}
}

func (s *textScan) unseen(kind unseen, start, end, count int) {
	s.found |= foundInvisible
	s.all.unseen(kind, start, end, count)
}

// tagFlags are the flags that are written in tag characters: behind a black flag,
// the letters of a region and a cancel tag. There are these three; any other
// letters would be a way to write what nobody sees.
var tagFlags = func() (out [][]byte) {
	for _, region := range []string{"gbeng", "gbsct", "gbwls"} {
		var b []byte
		for _, c := range region {
			b = utf8.AppendRune(b, 0xe0000+c)
		}
		out = append(out, utf8.AppendRune(b, 0xe007f))
	}
	return out
}()

// tags judges the run of tag characters that begins at p: all of it hides
// something, but for what belongs to a flag.
func (s *textScan) tags(p int) {
	if p < s.tagEnd {
		return
	}
	end := p
	if r, _ := decodeLast(s.t[:p]); r == 0x1f3f4 {
		for _, f := range tagFlags {
			if bytes.HasPrefix(s.t[p:], f) {
				end = p + len(f)
			}
		}
	}
	start, count := end, 0
	for end < len(s.t) {
		r, w := decode(s.t[end:])
		if unseenKind(r) != unseenTag {
			break
		}
		end += w
		count++
	}
	s.tagEnd = end
	if count > 0 {
		s.unseen(unseenTag, start, end, count)
	}
}

// run judges the run of variation selectors and zero-width characters that
// begins at p. One alone is ordinary, and so is the presentation selector right
// behind an emoji, whatever follows it: a joiner within a sequence, say.
func (s *textScan) run(p int) {
	if p < s.runEnd {
		return
	}
	if p+3 < len(s.t) && s.t[p] < 0xf0 && s.t[p+3] < utf8.RuneSelf {
		s.runEnd = p + 3 // one of three bytes alone
		return
	}
	start := p
	if r, w := decode(s.t[p:]); r == 0xfe0e || r == 0xfe0f {
		if before, _ := decodeLast(s.t[:p]); emoji(before) {
			start = p + w
		}
	}
	end, count, selectors := start, 0, 0
	for end < len(s.t) {
		if n := joiners(s.t[end:]); n > 0 {
			count += n
			end += 3 * n
			continue
		}
		r, w := decode(s.t[end:])
		k := unseenKind(r)
		if k != unseenSelector && k != unseenWidth {
			break
		}
		if k == unseenSelector {
			selectors++
		}
		count++
		end += w
	}
	s.runEnd = max(end, p+1)
	if count < 2 {
		return
	}
	if selectors > 0 {
		s.unseen(unseenSelector, start, end, selectors)
	}
	if n := count - selectors; n > 0 {
		s.unseen(unseenWidth, start, end, n)
	}
}

// joiners counts the characters from U+200B to U+200D, three bytes each, that t
// begins with.
func joiners(t []byte) (n int) {
	for len(t) >= 3 && t[0] == 0xe2 && t[1] == 0x80 && t[2]-0x8b <= 2 {
		t = t[3:]
		n++
	}
	return n
}

// emoji reports a character that takes a presentation selector: the blocks of
// symbols and pictographs, and the bases of keycaps.
func emoji(r rune) bool {
	switch {
	case r >= '0' && r <= '9', r == '#', r == '*', r == 0xa9, r == 0xae, r == 0x203c, r == 0x2049, r == 0x2122, r == 0x2139:
		return true
	case r >= 0x2190 && r <= 0x21ff, r >= 0x2300 && r <= 0x23ff, r == 0x24c2, r >= 0x25a0 && r <= 0x27bf, r >= 0x2900 && r <= 0x297f,
		r >= 0x2b00 && r <= 0x2bff, r == 0x3030, r == 0x303d, r == 0x3297, r == 0x3299, r >= 0x1f000 && r <= 0x1faff:
		return true
	}
	return false
}
