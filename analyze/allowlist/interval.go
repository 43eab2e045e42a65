package allowlist

import (
	"math/big"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// number reads a bound or a divisor.
func (l *loader) number(s *schema, name string, v *jsonrpc.Value, key string) {
	if v.Kind != jsonrpc.Number {
		l.fail(v, key, "must be a number")
		return
	}
	d := parseDecimal(string(v.Raw))
	if !d.smallEnough() {
		l.fail(v, key, "has more digits, or a smaller exponent, than any double")
		return
	}
	switch name {
	case "multipleOf":
		if d.sign() <= 0 {
			l.fail(v, key, "must be more than 0")
			return
		}
		s.multiple = &d
	case "minimum", "exclusiveMinimum":
		b := &bound{d, name == "exclusiveMinimum", name}
		if s.low == nil || tighter(b, s.low, 1) {
			s.low = b
		}
	case "maximum", "exclusiveMaximum":
		b := &bound{d, name == "exclusiveMaximum", name}
		if s.high == nil || tighter(b, s.high, -1) {
			s.high = b
		}
	}
}

// tighter says whether bound a leaves less than b; way is 1 for lower ends and
// -1 for upper ones.
func tighter(a, b *bound, way int) bool {
	c := a.at.cmp(b.at) * way
	return c > 0 || c == 0 && a.open
}

// interval refuses bounds between which no number of the type lies. Whether
// multipleOf leaves one is not asked: such a schema is admitted and denies all
// values.
func (l *loader) interval(s *schema, v *jsonrpc.Value, key string) {
	if s.low == nil || s.high == nil {
		return
	}
	c := s.low.at.cmp(s.high.at)
	empty := c > 0 || c == 0 && (s.low.open || s.high.open)
	if s.kind == "integer" && !empty {
		first := floor(s.low.at)
		if !s.low.at.integer() || s.low.open {
			first.Add(first, big.NewInt(1))
		}
		last := floor(s.high.at)
		if s.high.at.integer() && s.high.open {
			last.Sub(last, big.NewInt(1))
		}
		empty = first.Cmp(last) > 0
	}
	if empty {
		l.fail(v.Get(s.low.keyword), key, "%s and %s leave no number that fits", s.low.keyword, s.high.keyword)
	}
}

// floor is the largest integer that is not above a number that is smallEnough.
func floor(d decimal) *big.Int {
	r := d.rat()
	return new(big.Int).Div(r.Num(), r.Denom())
}
