package policy

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"unicode"
)

// maxGlob bounds a glob, in characters: its matcher costs a bit a character.
const maxGlob = 1024

// glob is a compiled path pattern. It is run as a set of positions that moves
// once over the text, so its cost is linear whatever the pattern.
type glob struct {
	text string
	ops  []op
	// dotdot says that the pattern itself begins with "..", which no wildcard
	// matches at the head of a path.
	dotdot bool
}

type opKind uint8

const (
	opRune  opKind = iota // one given character
	opOne                 // any one character within a segment
	opStar                // any run within a segment
	opAny                 // any run at all
	opDirs                // nothing, or any run that ends with a separator
	opInner               // the second half of opDirs: inside that run
)

type op struct {
	kind opKind
	r    rune
}

// compileGlob reads `**` (any depth), `*` (within a segment), `?` (one
// character) over text whose segments sep divides.
func compileGlob(text string, sep rune) (*glob, error) {
	if text == "" {
		return nil, errors.New("an empty pattern")
	}
	rs := []rune(text)
	if len(rs) > maxGlob {
		return nil, fmt.Errorf("a pattern of %d characters (at most %d)", len(rs), maxGlob)
	}
	g := &glob{text: text, dotdot: text == ".." || strings.HasPrefix(text, "../")}
	for i := 0; i < len(rs); i++ {
		r := rs[i]
		switch {
		case unicode.IsControl(r) || r == unicode.ReplacementChar:
			return nil, errors.New("a control character in a pattern")
		case strings.ContainsRune("[]{}", r):
			return nil, fmt.Errorf("%q in a pattern: only **, * and ? are special, and sets or alternatives are not known; write one entry each", r)
		case r == '?':
			g.ops = append(g.ops, op{kind: opOne})
		case r != '*':
			g.ops = append(g.ops, op{kind: opRune, r: r})
		default:
			n := i
			for n < len(rs) && rs[n] == '*' {
				n++
			}
			switch {
			case n-i > 2:
				return nil, errors.New("more than two stars in a row")
			case n-i == 1:
				g.ops = append(g.ops, op{kind: opStar})
			case (i == 0 || rs[i-1] == sep) && n < len(rs) && rs[n] == sep:
				g.ops = append(g.ops, op{kind: opDirs}, op{kind: opInner})
				n++ // its separator belongs to it
			default:
				g.ops = append(g.ops, op{kind: opAny})
			}
			i = n - 1
		}
	}
	return g, nil
}

// match says whether the whole text fits.
func (g *glob) match(text string, sep rune) bool {
	n := len(g.ops)
	if n == 1 && g.ops[0].kind == opAny {
		return true
	}
	words := n/64 + 1
	var room [4]uint64 // enough for most patterns
	cur, next := room[:2], room[2:]
	if words > 2 {
		cur, next = make([]uint64, words), make([]uint64, words)
	}
	g.enter(cur, 0)
	for _, r := range text {
		clear(next)
		live := false
		for w, m := range cur {
			for m != 0 {
				i := w*64 + bits.TrailingZeros64(m)
				m &= m - 1
				if i == n {
					continue
				}
				live = true
				switch o := g.ops[i]; {
				case o.kind == opRune && o.r == r, o.kind == opOne && r != sep:
					g.enter(next, i+1)
				case o.kind == opStar && r != sep, o.kind == opAny:
					g.enter(next, i)
				case o.kind == opInner:
					set(next, i)
					if r == sep {
						g.enter(next, i+1)
					}
				}
			}
		}
		if !live {
			return false
		}
		cur, next = next, cur
	}
	return cur[n/64]&(1<<(n%64)) != 0
}

// enter marks position i and all that it reaches without a character.
func (g *glob) enter(s []uint64, i int) {
	for {
		if s[i/64]&(1<<(i%64)) != 0 {
			return // and so is all that it reaches
		}
		set(s, i)
		if i == len(g.ops) {
			return
		}
		switch g.ops[i].kind {
		case opStar, opAny:
			i++
		case opDirs:
			set(s, i+1)
			i += 2
		default:
			return
		}
	}
}

func set(s []uint64, i int) { s[i/64] |= 1 << (i % 64) }
