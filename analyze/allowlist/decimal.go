package allowlist

import (
	"math/big"
	"strconv"
	"strings"
)

// decimal is an exact decimal number, digits times ten to the exp, without
// leading or trailing zeros. Nothing is ever expanded, so a huge exponent costs
// nothing.
type decimal struct {
	neg    bool
	digits string // "" is zero
	exp    int64
}

// farExp is where exponents stop counting; no file holds that many digits.
const farExp = 1 << 50

// parseDecimal reads a JSON number (its syntax is trusted).
func parseDecimal(raw string) decimal {
	var d decimal
	if strings.HasPrefix(raw, "-") {
		d.neg, raw = true, raw[1:]
	}
	mantissa, tail := raw, ""
	if i := strings.IndexAny(raw, "eE"); i >= 0 {
		mantissa, tail = raw[:i], strings.TrimPrefix(raw[i+1:], "+")
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := whole + frac
	d.exp = exponent(tail) - int64(len(frac))
	trimmed := strings.TrimRight(digits, "0")
	d.exp += int64(len(digits) - len(trimmed))
	d.digits = strings.TrimLeft(trimmed, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}

func exponent(s string) int64 {
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > farExp || n < -farExp {
		if strings.HasPrefix(s, "-") {
			return -farExp
		}
		return farExp
	}
	return n
}

// cmp orders two decimals: -1, 0, 1.
func (a decimal) cmp(b decimal) int {
	sa, sb := a.sign(), b.sign()
	if sa != sb || sa == 0 {
		return compare(int64(sa), int64(sb))
	}
	// The exponents of the leading digits, then the digits themselves.
	c := compare(a.exp+int64(len(a.digits)), b.exp+int64(len(b.digits)))
	if c == 0 {
		c = strings.Compare(a.digits, b.digits)
	}
	return c * sa
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (a decimal) sign() int {
	switch {
	case a.digits == "":
		return 0
	case a.neg:
		return -1
	}
	return 1
}

// integer says whether there is nothing behind the point.
func (a decimal) integer() bool { return a.exp >= 0 }

// String is a form in which equal numbers are equal strings.
func (a decimal) String() string {
	if a.digits == "" {
		return "0"
	}
	s := a.digits + "e" + strconv.FormatInt(a.exp, 10)
	if a.neg {
		return "-" + s
	}
	return s
}

// chunk is how many digits are divided at once.
const chunk = 4096

// multipleOf says whether a is a whole multiple of m, which is not zero and of
// bounded size (see smallEnough).
func (a decimal) multipleOf(m decimal) bool {
	if a.digits == "" {
		return true
	}
	shift := a.exp - m.exp
	if shift < 0 {
		return false // a's last digit stands too far right, and it is no zero
	}
	div, _ := new(big.Int).SetString(m.digits, 10)
	rest := new(big.Int)
	ten := big.NewInt(10)
	for digits := a.digits; digits != ""; {
		n := min(chunk, len(digits))
		part, _ := new(big.Int).SetString(digits[:n], 10)
		rest.Mul(rest, new(big.Int).Exp(ten, big.NewInt(int64(n)), nil))
		rest.Add(rest, part).Mod(rest, div)
		digits = digits[n:]
	}
	pow := new(big.Int).Exp(ten, big.NewInt(shift), div)
	return rest.Mul(rest, pow).Mod(rest, div).Sign() == 0
}

// smallEnough bounds the numbers of a policy: as fine and as long as the exact
// value of any double, and no more.
func (a decimal) smallEnough() bool {
	return len(a.digits) <= 1100 && a.exp >= -1100 && a.exp <= 400
}

// rat is the exact value of a number that is smallEnough.
func (a decimal) rat() *big.Rat {
	n, _ := new(big.Int).SetString("0"+a.digits, 10)
	if a.neg {
		n.Neg(n)
	}
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(a.exp, -a.exp)), nil)
	if a.exp < 0 {
		return new(big.Rat).SetFrac(n, p)
	}
	return new(big.Rat).SetInt(n.Mul(n, p))
}

// finite says whether a JSON number is finite as a double. NaN and Infinity,
// which the lenient reading knows, are not.
func finite(raw []byte) bool {
	if len(raw) == 0 || raw[0] == 'N' || raw[0] == 'I' || len(raw) > 1 && raw[1] == 'I' {
		return false
	}
	d := parseDecimal(string(raw))
	// Far from the border the exponent decides; near it the exact rounding.
	switch lead := d.exp + int64(len(d.digits)); {
	case d.digits == "" || lead < 300:
		return true
	case lead > 310:
		return false
	}
	if len(d.digits) > 1100 {
		d.exp += int64(len(d.digits) - 1100)
		d.digits = d.digits[:1100] // the border itself has 309 digits
	}
	_, err := strconv.ParseFloat(d.digits+"e"+strconv.FormatInt(d.exp, 10), 64)
	return err == nil
}
