package secret

import (
	"math"

	"github.com/warden-trace/warden/analyze/ruleset"
)

// Entropy decides WRD-SEC-ENTROPY for one piece of text (catalog.md). The test
// is exact: H >= bits is the same as
//
//	sum over symbols of c*log2(c) <= n*(log2(n) - bits)
//
// and both sides are summed in fixed point; only where they are closer than the
// rounding could be off does an exact comparison decide.
type Entropy struct {
	p     ruleset.Entropy
	alnum int // MinAlnum in millionths
	grow  [256]int64
	limit [256]int64
}

// fraction is the number of binary digits behind the point.
const fraction = 40

// NewEntropy prepares the tables for the parameters.
func NewEntropy(p ruleset.Entropy) *Entropy {
	e := &Entropy{p: p, alnum: int(math.Round(p.MinAlnum * 1e6))}
	for k := range e.grow {
		e.grow[k] = fixed(clog(k+1) - clog(k))
		e.limit[k] = fixed(clog(k) - p.MinBits*float64(k))
	}
	return e
}

func fixed(x float64) int64 { return int64(math.RoundToEven(x * (1 << fraction))) }

// clog is k*log2(k).
func clog(k int) float64 {
	if k == 0 {
		return 0
	}
	return float64(k) * math.Log2(float64(k))
}

// MinLength is the length below which no piece counts.
func (e *Entropy) MinLength() int { return e.p.MinLength }

// Piece reports whether c may stand in a piece: [A-Za-z0-9+/_=-]. A dot ends a
// piece like any other character: pieces with dots are tried part by part.
func Piece(c byte) bool { return pieceSet.has(c) }

var pieceSet = func() set {
	s := word
	for _, c := range []byte("+/=-") {
		s.add(c)
	}
	return s
}()

// High reports whether a piece, all of whose bytes satisfy Piece, counts as a
// secret.
func (e *Entropy) High(piece []byte) bool {
	n := len(piece)
	if n < e.p.MinLength {
		return false
	}
	if n < len(e.limit) {
		var seen [128]uint8
		sum := -e.limit[n]
		for _, c := range piece {
			k := seen[c&127]
			seen[c&127] = k + 1
			sum += e.grow[k]
		}
		// Each of the n+1 terms is off by at most a half and the error of the
		// floating-point logarithm, which is far smaller.
		slack := int64(2*n + 2)
		switch {
		case sum > slack:
			return false
		case sum >= -slack && !atLeast(counts8(&seen), n, e.p.MinBits):
			return false
		}
		return e.enoughAlnum(piece)
	}
	var seen [128]int
	for _, c := range piece {
		seen[c&127]++
	}
	return atLeast(seen[:], n, e.p.MinBits) && e.enoughAlnum(piece)
}

func counts8(seen *[128]uint8) []int {
	out := make([]int, 0, 65)
	for _, k := range seen {
		if k > 0 {
			out = append(out, int(k))
		}
	}
	return out
}

func (e *Entropy) enoughAlnum(piece []byte) bool {
	n := 0
	for _, c := range piece {
		if c != '_' && isWord(c) {
			n++
		}
	}
	return n*1_000_000 >= e.alnum*len(piece)
}
