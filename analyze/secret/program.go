package secret

import (
	"regexp/syntax"
	"unicode"
)

// set is a set of ASCII bytes.
type set [2]uint64

// table is the set by byte.
func (s *set) table() (in [256]bool) {
	for c := range 128 {
		in[c] = s.has(byte(c))
	}
	return in
}

func (s *set) add(c byte)      { s[c>>6&1] |= 1 << (c & 63) }
func (s *set) has(c byte) bool { return c < 0x80 && s[c>>6]>>(c&63)&1 != 0 }
func (s set) and(o set) set    { return set{s[0] & o[0], s[1] & o[1]} }
func (s set) or(o set) set     { return set{s[0] | o[0], s[1] | o[1]} }
func (s set) empty() bool      { return s[0]|s[1] == 0 }
func (s set) without(o set) set {
	return set{s[0] &^ o[0], s[1] &^ o[1]}
}

// word is the class that ASCII word boundaries are about.
var word = func() (s set) {
	for c := byte('0'); c <= '9'; c++ {
		s.add(c)
	}
	for c := byte('a'); c <= 'z'; c++ {
		s.add(c)
		s.add(c - 'a' + 'A')
	}
	s.add('_')
	return s
}()

// step is one element of a program: a run of bytes of a set.
type step struct {
	set      set
	min, max int        // max -1: no bound
	in       *[256]bool // the set, where there is no bound
}

// program is a pattern without choices: each step takes all it can. It is made
// only where that finds exactly what the expression finds.
type program struct {
	before, after bool // ASCII word boundary at the start, at the end
	steps         []step
}

const (
	maxPrograms = 32
	maxSteps    = 256
)

// compileProgram turns an expression into alternatives in order of preference;
// ok is false when its shape does not allow that.
func compileProgram(expr string) (alts []program, ok bool) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, false
	}
	seqs, ok := expand(re, 0)
	if !ok {
		return nil, false
	}
	for _, seq := range seqs {
		p, ok := sequence(seq)
		if !ok {
			return nil, false
		}
		alts = append(alts, p)
	}
	return alts, true
}

// atom is a boundary or a step, as expand finds it.
type atom struct {
	boundary bool
	step     step
}

// expand writes an expression as alternatives of plain sequences.
func expand(re *syntax.Regexp, depth int) ([][]atom, bool) {
	if depth > 20 {
		return nil, false
	}
	switch re.Op {
	case syntax.OpEmptyMatch:
		return [][]atom{nil}, true
	case syntax.OpWordBoundary:
		return [][]atom{{{boundary: true}}}, true
	case syntax.OpLiteral, syntax.OpCharClass:
		return single(re)
	case syntax.OpCapture:
		return expand(re.Sub[0], depth+1)
	case syntax.OpQuest:
		if re.Flags&syntax.NonGreedy != 0 {
			return nil, false
		}
		in, ok := expand(re.Sub[0], depth+1)
		return append(in, nil), ok
	case syntax.OpAlternate:
		var out [][]atom
		for _, sub := range re.Sub {
			in, ok := expand(sub, depth+1)
			if !ok || len(out)+len(in) > maxPrograms {
				return nil, false
			}
			out = append(out, in...)
		}
		return out, true
	case syntax.OpConcat:
		out := [][]atom{nil}
		for _, sub := range re.Sub {
			in, ok := expand(sub, depth+1)
			if !ok || len(out)*len(in) > maxPrograms {
				return nil, false
			}
			var next [][]atom
			for _, a := range out {
				for _, b := range in {
					if len(a)+len(b) > maxSteps {
						return nil, false
					}
					next = append(next, append(append([]atom(nil), a...), b...))
				}
			}
			out = next
		}
		return out, true
	case syntax.OpPlus, syntax.OpStar, syntax.OpRepeat:
		if re.Flags&syntax.NonGreedy != 0 || re.Sub[0].Op != syntax.OpLiteral && re.Sub[0].Op != syntax.OpCharClass {
			return nil, false
		}
		in, ok := single(re.Sub[0])
		if !ok || len(in[0]) != 1 {
			return nil, false
		}
		st := &in[0][0].step
		switch re.Op {
		case syntax.OpPlus:
			st.max = -1
		case syntax.OpStar:
			st.min, st.max = 0, -1
		default:
			st.min, st.max = re.Min, re.Max
		}
		return in, true
	}
	return nil, false
}

// single reads a literal or a class of ASCII characters.
func single(re *syntax.Regexp) ([][]atom, bool) {
	var out []atom
	if re.Op == syntax.OpLiteral {
		for _, r := range re.Rune {
			var s set
			for f := r; ; {
				if f > unicode.MaxASCII {
					return nil, false
				}
				s.add(byte(f))
				if re.Flags&syntax.FoldCase == 0 {
					break
				}
				if f = unicode.SimpleFold(f); f == r {
					break
				}
			}
			out = append(out, atom{step: step{set: s, min: 1, max: 1}})
		}
		return [][]atom{out}, len(out) <= maxSteps
	}
	var s set
	for i := 0; i+1 < len(re.Rune); i += 2 {
		if re.Rune[i+1] > unicode.MaxASCII {
			return nil, false
		}
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			s.add(byte(r))
		}
	}
	return [][]atom{{{step: step{set: s, min: 1, max: 1}}}}, !s.empty()
}

// sequence checks that taking all one can is right: what follows a run of open
// length must not be able to begin inside it.
func sequence(seq []atom) (program, bool) {
	var p program
	if len(seq) > 0 && seq[0].boundary {
		p.before = true
		seq = seq[1:]
	}
	if n := len(seq); n > 0 && seq[n-1].boundary {
		p.after = true
		seq = seq[:n-1]
	}
	for _, a := range seq {
		if a.boundary {
			return p, false
		}
		if a.step.max < 0 {
			in := a.step.set.table()
			a.step.in = &in
		}
		p.steps = append(p.steps, a.step)
	}
	if len(p.steps) == 0 || p.steps[0].min == 0 {
		return p, false
	}
	for i, st := range p.steps[:len(p.steps)-1] {
		if st.min == st.max {
			continue
		}
		for _, next := range p.steps[i+1:] {
			if !st.set.and(next.set).empty() {
				return p, false
			}
			if next.min > 0 {
				break
			}
		}
		// A step that may be empty at the end leaves the end open.
		if open := p.steps[i+1:]; p.after && allOptional(open) {
			return p, false
		}
	}
	return p, true
}

func allOptional(steps []step) bool {
	for _, st := range steps {
		if st.min > 0 {
			return false
		}
	}
	return true
}

// fixed returns the sets of the first positions of every match, as far as they
// are the same distance from its start.
func (p *program) fixed() (out []set) {
	for _, st := range p.steps {
		for i := 0; i < st.min && len(out) < 64; i++ {
			out = append(out, st.set)
		}
		if st.min != st.max {
			break
		}
	}
	return out
}
