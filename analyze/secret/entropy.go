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
func Piece(c byte) bool { return pieceTable[c] }

var pieceTable = pieceSet.table()

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
	// Four counters a character: one that repeats need not wait for itself.
	var four [4][128]int
	i := 0
	for ; i+4 <= n; i += 4 {
		p := piece[i : i+4]
		four[0][p[0]&127]++
		four[1][p[1]&127]++
		four[2][p[2]&127]++
		four[3][p[3]&127]++
	}
	for ; i < n; i++ {
		four[0][piece[i]&127]++
	}
	seen := four[0][:]
	for k := range seen {
		seen[k] += four[1][k] + four[2][k] + four[3][k]
	}
	return atLeast(seen, n, e.p.MinBits) && e.enoughAlnum(piece)
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

var alnum = func() (one [256]uint8) {
	for c := range 128 {
		if c != '_' && word.has(byte(c)) {
			one[c] = 1
		}
	}
	return one
}()

func (e *Entropy) enoughAlnum(piece []byte) bool {
	n := 0
	for _, c := range piece {
		n += int(alnum[c])
	}
	return n*1_000_000 >= e.alnum*len(piece)
}
