package schemas

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Bounds of a pattern that is run. What is over them is taken as a regular
// expression but not run.
const (
	maxPattern = 2_000 // bytes
	maxProgram = 1_500 // instructions
)

// pattern is an ECMA 262 pattern, run by RE2's rules: linear in the text.
type pattern struct {
	src   string
	re    *regexp.Regexp // nil: valid, but not run
	price int64
	steps *budget
}

func (p *pattern) String() string { return p.src }

// MatchString spends what the match may cost and runs it.
func (p *pattern) MatchString(s string) bool {
	p.steps.spend(1 + int64(len(s))*p.price/64)
	if p.re == nil {
		return p.steps.unknown()
	}
	return p.re.MatchString(s)
}

// newPattern reads a pattern. An error means that no reading of ECMA 262 takes
// it; look-around, back references and repeats that RE2 has not leave re nil.
func newPattern(src string, steps *budget) (*pattern, error) {
	p := &pattern{src: src, steps: steps, price: 1}
	if len(src) > maxPattern {
		return p, nil
	}
	re2, lossy := translate(src)
	tree, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		var se *syntax.Error
		if errors.As(err, &se) {
			switch se.Code {
			case syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth, syntax.ErrInvalidUTF8:
				return p, nil
			case syntax.ErrInvalidCharRange:
				// Properties that RE2 does not know are given as bad ranges.
				if strings.HasPrefix(se.Expr, `\p`) || strings.HasPrefix(se.Expr, `\P`) {
					return p, nil
				}
			case syntax.ErrInvalidEscape:
				return p, nil // ECMA's lax mode takes any escape as the character
			}
		}
		return nil, errors.New("no regular expression")
	}
	size := programSize(tree)
	if lossy || size > maxProgram {
		return p, nil
	}
	if p.re, err = regexp.Compile(re2); err != nil {
		p.re = nil
		return p, nil
	}
	p.price = int64(size)
	return p, nil
}

// programSize estimates the instructions of a pattern before anything is
// expanded. The tree's depth is bounded by the parser (1,000).
func programSize(t *syntax.Regexp) int {
	n := 1 + len(t.Rune)
	for _, s := range t.Sub {
		n += programSize(s)
		if n > 1<<20 {
			return 1 << 20
		}
	}
	if t.Op == syntax.OpRepeat {
		n *= max(t.Min, t.Max, 1)
	}
	return min(n, 1<<20)
}

// translate turns ECMA 262 syntax into RE2's. What RE2 can't say is replaced
// by something of the same shape, so that its syntax is still checked; lossy
// is then true.
func translate(src string) (out string, lossy bool) {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(src); i++ {
		c := src[i]
		rest := src[i:]
		switch {
		case c == '\\' && i+1 < len(src):
			n, text, lost := escape(rest)
			b.WriteString(text)
			lossy = lossy || lost
			i += n - 1
		case inClass:
			inClass = c != ']'
			if c == '[' {
				b.WriteString(`\[`) // a literal in ECMA, a POSIX class in RE2
			} else {
				b.WriteByte(c)
			}
		case strings.HasPrefix(rest, "[^]"):
			b.WriteString(`(?s:.)`)
			i += 2
		case strings.HasPrefix(rest, "[]"):
			b.WriteString(`[^\x00-\x{10FFFF}]`)
			i++
		case c == '[':
			inClass = true
			b.WriteByte(c)
		case strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!"):
			b.WriteString("(?:")
			lossy = true
			i += 2
		case strings.HasPrefix(rest, "(?<=") || strings.HasPrefix(rest, "(?<!"):
			b.WriteString("(?:")
			lossy = true
			i += 3
		case c == '$':
			b.WriteString(`\z`) // without the m flag the end of the text alone
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), lossy
}

// escape translates one escape at the start of s: how many bytes it takes,
// and its RE2 form.
func escape(s string) (n int, text string, lossy bool) {
	switch c := s[1]; {
	case c == 'u' && len(s) >= 6 && hexDigits(s[2:6]):
		return 6, `\x{` + s[2:6] + `}`, false
	case c == 'u' && len(s) > 3 && s[2] == '{':
		if e := strings.IndexByte(s, '}'); e > 3 && e < 10 && hexDigits(s[3:e]) {
			return e + 1, `\x{` + s[3:e] + `}`, false
		}
	case c == 'c' && len(s) > 2 && (s[2]|0x20 >= 'a' && s[2]|0x20 <= 'z'):
		return 3, `\x{` + string("0123456789abcdef"[s[2]&31>>4]) + string("0123456789abcdef"[s[2]&15]) + `}`, false
	case c >= '1' && c <= '9':
		return 2, `(?:)`, true
	case c == '0':
		return 2, `\x00`, false
	case c == 'k' && len(s) > 2 && s[2] == '<':
		if e := strings.IndexByte(s, '>'); e > 0 {
			return e + 1, `(?:)`, true
		}
	case c == 'A' || c == 'z' || c == 'Z' || c == 'Q' || c == 'E' || c == 'C' || c == 'a' || c == 'G':
		return 2, string(c), false // no assertions in ECMA: the letters themselves
	case c == 's':
		return 2, `\s`, false
	}
	if s[1] >= 0x80 {
		return 1, ``, true
	}
	return 2, s[:2], false
}

func hexDigits(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return len(s) > 0
}
