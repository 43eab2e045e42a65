package secret

import (
	"bytes"
	"slices"

	"github.com/warden-trace/warden/analyze/ruleset"
)

// Spare tells the runs that are no secret from those that are, for rule sets with
// a calibration (sets/calibrated.yaml explains it). It is asked only about runs
// that Entropy.High holds for secrets.
type Spare struct {
	c     *ruleset.Calibration
	above int // half bits
	most  [2][2]int
	kinds [][]byte // data:KIND/
}

// Lines is what a Spare remembers of one text, so that a block of lines is read
// once. The zero value begins a text.
type Lines struct {
	end   int // lines before this byte have been decided
	spare bool
}

// NewSpare returns nil for no calibration.
func NewSpare(c *ruleset.Calibration) *Spare {
	if c == nil {
		return nil
	}
	half := func(bits float64) int { return int(bits * 2) }
	s := &Spare{c: c, above: half(c.Above), most: [2][2]int{
		{half(c.Most.OneCase), half(c.Most.OneCaseDigits)}, {half(c.Most.TwoCases), half(c.Most.TwoCasesDigits)}}}
	for _, k := range c.Media {
		s.kinds = append(s.kinds, []byte("data:"+k+"/"))
	}
	return s
}

// Piece reports that the run t[a:b] is spared.
func (s *Spare) Piece(t []byte, a, b int, l *Lines) bool {
	run := t[a:b]
	if s.value(run, b < len(t) && t[b] == '%') {
		return false
	}
	if !s.random(run) {
		return true
	}
	named := s.named(t, a, run)
	if rest, ok := s.known(t, a, run, named); ok && !s.anyRandom(rest) {
		return true
	}
	return s.file(t, a, run) || s.lines(t, a, b, l) || !named && s.c.Text && s.text(run)
}

// shortPart is the length from which a part of a run between two signs is looked
// at by itself.
const shortPart = 12

// value reports that the run is a credential's name, =, and something that is no
// plain word: a part of a secret, however short, that another character cut. In
// a query that is most often a percent sign, and then no word is plain.
func (s *Spare) value(run []byte, cut bool) bool {
	i := bytes.IndexByte(run, '=')
	if i <= 0 || !s.credential(bytes.ToLower(run[:i])) {
		return false
	}
	two, digits := kinds(run[i+1:])
	if cut || len(run)-i-1 >= 4 && two+digits > 0 {
		return true
	}
	// Under such a name half as much is random.
	most, _, _ := surprise(s.c.Letters, run[i+1:], s.above)
	return most*2 >= s.most[two][digits]
}

func (s *Spare) credential(lower []byte) bool {
	return slices.ContainsFunc(s.c.Unless, func(w string) bool { return bytes.Contains(lower, []byte(w)) })
}

// random reports that a stretch of the run costs as much as random characters
// of its alphabet do: of the whole run, or of a part of it between two signs,
// since what stands before a secret (a name, a path) may be of another alphabet.
func (s *Spare) random(run []byte) bool {
	if s.stretch(run) || hexRun(run, s.c.Hex) {
		return true
	}
	for a := 0; a < len(run); {
		n := bytes.IndexAny(run[a:], "+/_=-")
		if n < 0 {
			n = len(run) - a
		}
		if n >= shortPart && n < len(run) && s.stretch(run[a:a+n]) {
			return true
		}
		a += n + 1
	}
	return false
}

// hexRun reports so many hexadecimal digits in a row, of one case, letters and
// digits both.
func hexRun(run []byte, least int) bool {
	const small, capital, digit = 1, 2, 4
	n, seen := 0, 0
	for i := 0; i <= len(run); i++ {
		kind := 0
		if i < len(run) {
			switch c := run[i]; {
			case '0' <= c && c <= '9':
				kind = digit
			case 'a' <= c && c <= 'f':
				kind = small
			case 'A' <= c && c <= 'F':
				kind = capital
			}
		}
		if kind == 0 || (seen|kind)&(small|capital) == small|capital {
			if n >= least && seen&digit != 0 && seen != digit {
				return true
			}
			n, seen = 0, 0
		}
		if kind != 0 {
			n, seen = n+1, seen|kind
		}
	}
	return false
}

func (s *Spare) stretch(run []byte) bool {
	most, start, end := surprise(s.c.Letters, run, s.above)
	if most < s.most[0][1] {
		return false // below the least of all limits
	}
	two, digits := kinds(run[start:end])
	return most >= s.most[two][digits]
}

// kinds says whether both cases and whether digits make up an eighth of a
// stretch at least.
func kinds(stretch []byte) (two, digits int) {
	var small, capital, digit int
	for _, c := range stretch {
		switch {
		case 'a' <= c && c <= 'z':
			small++
		case 'A' <= c && c <= 'Z':
			capital++
		case '0' <= c && c <= '9':
			digit++
		}
	}
	least := max(len(stretch)/8, 1)
	if small >= least && capital >= least {
		two = 1
	}
	if digit >= least {
		digits = 1
	}
	return two, digits
}

func (s *Spare) anyRandom(parts [][]byte) bool {
	return slices.ContainsFunc(parts, func(p []byte) bool { return s.random(p) })
}

// before is how far back a name is looked for.
const before = 40

// named reports that what stands before the run, or begins it, names a
// credential.
func (s *Spare) named(t []byte, a int, run []byte) bool {
	var head []byte
	if i := bytes.IndexByte(run, '='); i > 0 && len(run)-i > 4 {
		head = run[:i] // it brings its own name; less would be padding
	} else {
		from := max(0, a-before)
		if nl := bytes.LastIndexByte(t[from:a], '\n'); nl >= 0 {
			from += nl + 1
		}
		head = t[from : a+min(len(run), 12)]
	}
	return s.credential(bytes.ToLower(head))
}

// known cuts digests and ids out of the run and returns what is left; false:
// there are none.
func (s *Spare) known(t []byte, a int, run []byte, named bool) (rest [][]byte, ok bool) {
	at := 0
	take := func(i, n int) {
		rest = append(rest, run[at:i])
		at, ok = i+n, true
	}
	for i := 0; i < len(run); i++ {
		if i > 0 && isWord(run[i-1]) && run[i-1] != '_' {
			continue
		}
		if n := s.digest(t, a+i, run[i:]); n > 0 {
			take(i, n)
		} else if named {
			continue
		} else if n := s.id(run[i:]); n > 0 {
			take(i, n)
		}
		i = max(i, at-1)
	}
	return append(rest, run[at:]), ok
}

// digest is the length of the base64 digest at the beginning of run, which
// stands at t[a:], 0 for none: a digest's name must stand before it.
func (s *Spare) digest(t []byte, a int, run []byte) int {
	if a < 3 || bytes.IndexByte([]byte("-:=_"), t[a-1]) < 0 {
		return 0
	}
	end := a - 1
	start := end
	for start > 0 && end-start < 8 && isWord(t[start-1]) && t[start-1] != '_' {
		start--
	}
	size := s.c.Digests[string(bytes.ToLower(t[start:end]))]
	if size == 0 {
		return 0
	}
	n := (size*8 + 5) / 6
	pad := (3 - size%3) % 3
	if len(run) < n {
		return 0
	}
	for _, c := range run[:n] {
		if c == '=' || c == '-' || c == '_' {
			return 0
		}
	}
	switch rest := run[n:]; {
	case len(rest) >= pad && bytes.Count(rest[:pad], []byte("=")) == pad && (len(rest) == pad || !isWord(rest[pad])):
		return n + pad
	case len(rest) == 0 || !isWord(rest[0]) && rest[0] != '+' && rest[0] != '/':
		return n
	}
	return 0
}

// id is the length of the id at the beginning of run, 0 for none.
func (s *Spare) id(run []byte) int {
	n := 0
	for _, kind := range s.c.IDs {
		switch {
		case kind == "uuid" && isUUID(run):
			n = 36
		case kind == "ulid" && isULID(run):
			n = 26
		}
	}
	if n > 0 && len(run) > n && isWord(run[n]) && run[n] != '_' {
		return 0
	}
	return n
}

func isUUID(b []byte) bool {
	if len(b) < 36 {
		return false
	}
	for i, c := range b[:36] {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
				return false
			}
		}
	}
	return true
}

func isULID(b []byte) bool {
	if len(b) < 26 || b[0] != '0' || b[1] != '1' {
		return false
	}
	for _, c := range b[:26] {
		if !('0' <= c && c <= '9' || 'A' <= c && c <= 'Z') || c == 'I' || c == 'L' || c == 'O' || c == 'U' {
			return false
		}
	}
	return true
}
