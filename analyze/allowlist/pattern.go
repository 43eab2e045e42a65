package allowlist

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// pattern is an admitted pattern: a row of atoms, at most one of them of
// variable width. Matching is linear: what stands before the variable atom is
// matched from the left, what stands after it from the right, and the variable
// atom takes exactly what is between.
type pattern struct {
	text     string
	atoms    []atom
	variable int // index of the variable atom; -1 for none
}

// atom is one character or class with its count.
type atom struct {
	set      []rangeOf
	min, max int64 // max < 0: no upper bound
}

type rangeOf struct{ lo, hi rune }

func (a atom) has(r rune) bool {
	for _, s := range a.set {
		if r >= s.lo && r <= s.hi {
			return true
		}
	}
	return false
}

// escapable are the characters that a backslash may stand before, outside of
// classes; special those that have to be escaped there.
const (
	escapable = `\[]^$.{}()|+*?-`
	special   = `\[]^$.{}()|+*?`
)

// parsePattern admits a pattern of policy.md's grammar, at most limit
// characters long. The error says what is wrong and at which character.
func parsePattern(text string, limit int64) (*pattern, error) {
	rs := []rune(text)
	switch {
	case int64(len(rs)) > limit:
		return nil, fmt.Errorf("a pattern of %d characters (at most %d)", len(rs), limit)
	case len(rs) < 2 || rs[0] != '^' || rs[len(rs)-1] != '$' || escaped(rs, len(rs)-1):
		return nil, errors.New("a pattern must begin with ^ and end with $")
	}
	p := &pattern{text: text, variable: -1}
	body := rs[1 : len(rs)-1]
	for i := 0; i < len(body); {
		bad := func(what string) error { return fmt.Errorf("%s at character %d", what, i+2) }
		var a atom
		switch r := body[i]; {
		case r == '[':
			end := slices.Index(body[i:], ']')
			if end < 0 {
				return nil, bad("a class that is not closed")
			}
			set, err := class(body[i+1 : i+end])
			if err != nil {
				return nil, bad(err.Error())
			}
			a.set = set
			i += end + 1
		case r == '\\':
			if i+1 == len(body) || !strings.ContainsRune(escapable, body[i+1]) {
				return nil, bad("an escape other than of punctuation")
			}
			a.set = []rangeOf{{body[i+1], body[i+1]}}
			i += 2
		case strings.ContainsRune(special, r):
			return nil, bad(fmt.Sprintf("%q has no place here (no groups, alternatives, dots or look-around; a quantifier needs something before it)", r))
		default:
			a.set = []rangeOf{{r, r}}
			i++
		}
		a.min, a.max = 1, 1
		if i < len(body) {
			n, err := quantifier(&a, body[i:])
			if err != nil {
				return nil, bad(err.Error())
			}
			i += n
		}
		if a.min != a.max {
			if p.variable >= 0 {
				return nil, bad("a second quantifier of variable width")
			}
			p.variable = len(p.atoms)
		}
		p.atoms = append(p.atoms, a)
	}
	return p, nil
}

// escaped says whether an odd number of backslashes stands before rs[i].
func escaped(rs []rune, i int) bool {
	n := 0
	for i--; i >= 0 && rs[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// class reads what stands between the brackets.
func class(in []rune) ([]rangeOf, error) {
	if len(in) == 0 {
		return nil, errors.New("an empty class")
	}
	var set []rangeOf
	for i := 0; i < len(in); i++ {
		r := in[i]
		switch {
		case r == '^' || r == '[':
			return nil, fmt.Errorf("%q in a class", r)
		case r == '\\':
			return nil, errors.New("an escape in a class")
		case r == '-' && i > 0 && i < len(in)-1:
			return nil, errors.New("a hyphen in a class that is neither first, last nor between the ends of a range")
		case i+2 < len(in) && in[i+1] == '-':
			if !sameKind(r, in[i+2]) || r > in[i+2] {
				return nil, errors.New("a range other than within digits, lower case or upper case")
			}
			set = append(set, rangeOf{r, in[i+2]})
			i += 2
		default:
			set = append(set, rangeOf{r, r})
		}
	}
	return set, nil
}

func sameKind(a, b rune) bool {
	for _, k := range []rangeOf{{'0', '9'}, {'a', 'z'}, {'A', 'Z'}} {
		if a >= k.lo && a <= k.hi {
			return b >= k.lo && b <= k.hi
		}
	}
	return false
}

// quantifier reads a quantifier at the head of in and says how long it is; 0
// when there is none.
func quantifier(a *atom, in []rune) (int, error) {
	switch in[0] {
	case '*':
		a.min, a.max = 0, -1
		return 1, nil
	case '+':
		a.min, a.max = 1, -1
		return 1, nil
	case '?':
		a.min, a.max = 0, 1
		return 1, nil
	case '{':
	default:
		return 0, nil
	}
	end := slices.Index(in, '}')
	if end < 0 {
		return 0, errors.New("a brace that is not closed")
	}
	lo, hi, comma := strings.Cut(string(in[1:end]), ",")
	ok := true
	number := func(s string) int64 {
		if s == "" || len(s) > 1 && s[0] == '0' {
			ok = false // a zero in front: other readers of patterns take it for text
		}
		var n int64
		for _, r := range s {
			if r < '0' || r > '9' {
				ok = false
				return 0
			}
			n = min(n*10+int64(r-'0'), maxSafe)
		}
		return n
	}
	a.min = number(lo)
	switch {
	case !comma:
		a.max = a.min
	case hi == "":
		a.max = -1
	default:
		a.max = number(hi)
	}
	if !ok || a.max >= 0 && a.max < a.min {
		return 0, errors.New("a count that is not {n}, {n,} or {n,m}, without a zero in front")
	}
	return end + 1, nil
}

// String is the pattern as the policy has it.
func (p *pattern) String() string { return p.text }

// MatchString says whether the whole of s fits, by code points.
func (p *pattern) MatchString(s string) bool {
	var room [128]rune // most texts that a pattern is for are short
	rs := room[:0]
	for _, r := range s {
		rs = append(rs, r)
	}
	head := p.atoms
	var tail []atom
	if p.variable >= 0 {
		head, tail = p.atoms[:p.variable], p.atoms[p.variable+1:]
	}
	left := 0
	for _, a := range head {
		if a.min > int64(len(rs)-left) {
			return false
		}
		for range a.min {
			if !a.has(rs[left]) {
				return false
			}
			left++
		}
	}
	right := len(rs)
	for i := len(tail) - 1; i >= 0; i-- {
		if tail[i].min > int64(right-left) {
			return false
		}
		for range tail[i].min {
			right--
			if !tail[i].has(rs[right]) {
				return false
			}
		}
	}
	if p.variable < 0 {
		return left == right
	}
	v := p.atoms[p.variable]
	if n := int64(right - left); n < v.min || v.max >= 0 && n > v.max {
		return false
	}
	for _, r := range rs[left:right] {
		if !v.has(r) {
			return false
		}
	}
	return true
}
