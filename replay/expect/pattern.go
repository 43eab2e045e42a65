package expect

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// patternEdit is a pattern changed in one place.
type patternEdit struct{ what, expr string }

// patternEdits lists the single edits of an RE2 expression: a word boundary
// less, a repetition one shorter or longer, an alternative or a range of a class
// less. Edits that give the same expression again, or none that compiles, are
// left out.
func patternEdits(expr string) (out []patternEdit) {
	root, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	seen := map[string]bool{root.String(): true}
	// Each edit is made in place on the tree, printed, and undone.
	try := func(what string) {
		s := root.String()
		if seen[s] {
			return
		}
		seen[s] = true
		if re, err := regexp.Compile(s); err == nil && !re.MatchString("") {
			out = append(out, patternEdit{what, s})
		}
	}
	nodes := []*syntax.Regexp{root}
	for len(nodes) > 0 {
		n := nodes[0]
		nodes = append(nodes[1:], n.Sub...)
		old := *n
		switch n.Op {
		case syntax.OpWordBoundary:
			n.Op = syntax.OpEmptyMatch
			try("drop a word boundary")
			*n = old
		case syntax.OpRepeat:
			for _, d := range []int{-1, 1} {
				n.Min = old.Min + d
				if old.Max == old.Min {
					n.Max = n.Min
				}
				if n.Min >= 0 && (n.Max < 0 || n.Max >= n.Min) {
					try(fmt.Sprintf("repeat %d times, not %d", n.Min, old.Min))
				}
				*n = old
			}
		case syntax.OpQuest:
			n.Op, n.Sub = syntax.OpEmptyMatch, nil
			try("drop an optional part")
			*n = old
		case syntax.OpAlternate:
			for i := range old.Sub {
				n.Sub = without(old.Sub, i)
				try("drop the alternative " + old.Sub[i].String())
				*n = old
			}
		case syntax.OpCharClass:
			dropRanges(n, try)
		}
	}
	return out
}

// dropRanges takes each range from a class, or each character of small ones.
func dropRanges(n *syntax.Regexp, try func(string)) {
	old := *n
	defer func() { *n = old }()
	drop := func(lo, hi rune) {
		var rest []rune
		for i := 0; i+1 < len(old.Rune); i += 2 {
			a, b := old.Rune[i], old.Rune[i+1]
			if a < lo && lo <= b {
				rest = append(rest, a, lo-1)
			}
			if a <= hi && hi < b {
				rest = append(rest, hi+1, b)
			}
			if b < lo || a > hi {
				rest = append(rest, a, b)
			}
		}
		if len(rest) == 0 {
			return
		}
		n.Rune = rest
		what := fmt.Sprintf("drop %q from a class", lo)
		if hi > lo {
			what = fmt.Sprintf("drop %q to %q from a class", lo, hi)
		}
		try(what)
		*n = old
	}
	for i := 0; i+1 < len(old.Rune); i += 2 {
		lo, hi := old.Rune[i], old.Rune[i+1]
		if hi-lo < 9 && !(lo == '0' && hi == '9') {
			for r := lo; r <= hi; r++ {
				drop(r, r)
			}
			continue
		}
		drop(lo, hi)
	}
}
