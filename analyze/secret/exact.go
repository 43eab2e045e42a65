package secret

import (
	"math"
	"math/big"
)

// atLeast reports whether the entropy of the counts, which sum to n, is at
// least want bits: n*log2(n) - sum c*log2(c) >= n*want. It is exact: where the
// floating-point sum is too close to say, ties are found by comparing prime
// factors and all else by logarithms of as many digits as it takes.
func atLeast(counts []int, n int, want float64) bool {
	left := clog(n) - float64(n)*want
	terms := math.Abs(clog(n)) + math.Abs(float64(n)*want)
	for _, c := range counts {
		left -= clog(c)
		terms += clog(c)
	}
	slack := terms * 1e-13
	if left > slack {
		return true
	}
	if left < -slack {
		return false
	}
	if tie(counts, n, want) {
		return true
	}
	for prec := uint(128); ; prec *= 2 {
		if d := difference(counts, n, want, prec); d != 0 {
			return d > 0
		}
	}
}

// tie reports n*log2(n) = sum c*log2(c) + n*want exactly, that is
// n^n = 2^(n*want) * product of c^c: every prime has the same exponent on both
// sides. A product n*want that is no integer never ties with the power of two
// that the other primes leave.
func tie(counts []int, n int, want float64) bool {
	bits := want * float64(n)
	if bits != math.Trunc(bits) || math.FMA(want, float64(n), -bits) != 0 {
		return false
	}
	if n < len(primes{}) {
		var exps primes
		factorSmall(&exps, n, n)
		exps[2] -= int(bits)
		for _, c := range counts {
			factorSmall(&exps, c, -c)
		}
		return exps == primes{}
	}
	exps := map[int]int64{}
	factor(exps, n, int64(n))
	exps[2] -= int64(bits)
	for _, c := range counts {
		if c > 1 {
			factor(exps, c, -int64(c))
		}
	}
	for _, e := range exps {
		if e != 0 {
			return false
		}
	}
	return true
}

// primes are exponents by prime, for numbers below 256.
type primes [256]int

func factorSmall(exps *primes, k, times int) {
	for k > 1 && k&1 == 0 {
		exps[2] += times
		k /= 2
	}
	for p := 3; p*p <= k; p += 2 {
		for k%p == 0 {
			exps[p] += times
			k /= p
		}
	}
	if k > 1 {
		exps[k] += times
	}
}

// factor adds times the prime factors of k to exps.
func factor(exps map[int]int64, k int, times int64) {
	for p := 2; p*p <= k; p++ {
		for k%p == 0 {
			exps[p] += times
			k /= p
		}
	}
	if k > 1 {
		exps[k] += times
	}
}

// difference is the sign of n*log2(n) - n*want - sum c*log2(c), worked out to
// prec binary digits; 0 when that is not enough to tell.
func difference(counts []int, n int, want float64, prec uint) int {
	sum := new(big.Float).SetPrec(2 * prec)
	term := func(k int, sign int64) {
		x := new(big.Float).SetPrec(2 * prec).SetInt64(int64(k) * sign)
		sum.Add(sum, x.Mul(x, log2(k, prec)))
	}
	term(n, 1)
	for _, c := range counts {
		if c > 1 {
			term(c, -1)
		}
	}
	w := new(big.Float).SetPrec(2 * prec).SetFloat64(want)
	sum.Sub(sum, w.Mul(w, new(big.Float).SetPrec(2*prec).SetInt64(int64(n))))
	// Each logarithm is below the truth by less than 2^-prec, and the counts sum
	// to n, so the sum is off by less than n*2^-prec either way.
	bound := new(big.Float).SetMantExp(big.NewFloat(float64(n+1)), -int(prec))
	if new(big.Float).Abs(sum).Cmp(bound) <= 0 {
		return 0
	}
	return sum.Sign()
}

// log2 is the binary logarithm of k to prec digits behind the point, digit by
// digit: squaring a number in [1, 2) shifts its logarithm by one place.
func log2(k int, prec uint) *big.Float {
	work := 2*prec + 64
	x := new(big.Float).SetPrec(work).SetInt64(int64(k))
	whole := x.MantExp(x) - 1 // x is now in [1/2, 1)
	x.SetMantExp(x, 1)
	two := big.NewFloat(2)
	digits := new(big.Int).SetInt64(int64(whole))
	for range prec {
		x.Mul(x, x)
		digits.Lsh(digits, 1)
		if x.Cmp(two) >= 0 {
			digits.SetBit(digits, 0, 1)
			x.SetMantExp(x, -1)
		}
	}
	out := new(big.Float).SetPrec(2 * prec).SetInt(digits)
	return out.SetMantExp(out, -int(prec))
}
