package secret

import "github.com/warden-trace/warden/analyze/ruleset"

// Walker goes through a run of characters and says what each follows.
type Walker struct {
	class1, class2   int // of the character before, and of the one before that
	letter1, letter2 int
}

// NewWalker stands before the beginning of a run.
func NewWalker() Walker {
	return Walker{ruleset.NoClass, ruleset.NoClass, ruleset.NoLetter, ruleset.NoLetter}
}

// Step is where a character stands: the classes and the letters before it, its
// own class, and its letter (NoLetter where it is none).
type Step struct {
	Class2, Class1, Class    int
	Letter2, Letter1, Letter int
}

// Next takes the next character.
func (w *Walker) Next(c byte) Step {
	s := Step{Class2: w.class2, Class1: w.class1, Letter: ruleset.NoLetter}
	switch {
	case 'a' <= c && c <= 'z':
		s.Class, s.Letter = ruleset.Small, int(c-'a')
	case 'A' <= c && c <= 'Z':
		s.Class, s.Letter = ruleset.Capital, int(c-'A')
		if w.class1 == ruleset.Small {
			w.letter1, w.letter2 = ruleset.NoLetter, ruleset.NoLetter
		}
	case '0' <= c && c <= '9':
		s.Class = ruleset.Digit
	default:
		s.Class = ruleset.Sign
	}
	s.Letter2, s.Letter1 = w.letter2, w.letter1
	w.class2, w.class1 = w.class1, s.Class
	w.letter2, w.letter1 = w.letter1, s.Letter
	if s.Letter == ruleset.NoLetter {
		w.letter2 = ruleset.NoLetter
	}
	return s
}

// plainCost is what a digit and a sign cost within their class, in half bits.
var plainCost = [ruleset.NoClass]int{ruleset.Digit: 7, ruleset.Sign: 4}

// Surprise is how random the most random stretch of a run is: the largest sum,
// over any stretch of it, of what each character costs above so many bits. What
// people write costs less than that on the whole, so its stretches stay short; a
// random stretch grows with every character, also in the midst of a long path.
func Surprise(l *ruleset.Letters, run []byte, above float64) float64 {
	s, _, _ := surprise(l, run, int(above*2))
	return float64(s) / 2
}

// surprise also returns where the most random stretch begins and ends. All costs
// are in half bits.
func surprise(l *ruleset.Letters, run []byte, above int) (most, start, end int) {
	sum, from := 0, 0
	w := NewWalker()
	for i, c := range run {
		s := w.Next(c)
		cost := int(l.Class[s.Class2][s.Class1][s.Class]) + plainCost[s.Class]
		if s.Letter < ruleset.NoLetter {
			cost += int(l.Next[s.Letter2][s.Letter1][s.Letter])
		}
		if sum += cost - above; sum <= 0 {
			sum, from = 0, i+1
		} else if sum > most {
			most, start, end = sum, from, i+1
		}
	}
	return most, start, end
}
