package allowlist

import (
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// surely reports that value i of a frame whose keys are ordinary fits the schema.
// Its depth is the schema's. false says nothing.
func (s *schema) surely(f *jsonrpc.Flat, i int) bool {
	n := &f.Nodes[i]
	if (s.enum != nil || s.constant != nil) && !s.listed(f, n) {
		return false
	}
	switch n.Kind {
	case jsonrpc.Null:
		return s.kind == "null"
	case jsonrpc.Bool:
		return s.kind == "boolean"
	case jsonrpc.Number:
		return (s.kind == "integer" || s.kind == "number") && s.surelyNumber(f.Bytes(n))
	case jsonrpc.String:
		return s.kind == "string" && s.surelyString(f, n)
	case jsonrpc.Array:
		if s.kind != "array" || !s.sizes.hold(int(n.Count)) || s.unique && n.Count > 1 {
			return false
		}
		for e := i + 1; e < int(n.Next); e = int(f.Nodes[e].Next) {
			if !s.items.surely(f, e) {
				return false
			}
		}
		return true
	}
	if s.kind != "object" {
		return false
	}
	needed := 0
	for m := i + 1; m < int(n.Next); m = int(f.Nodes[m].Next) {
		p := s.quickly(f.Name(&f.Nodes[m]))
		if p == nil || !p.surely(f, m) {
			return false
		}
		if p.needed {
			needed++
		}
	}
	return needed == len(s.required)
}

// listed reports a string without escapes that enum and const have.
func (s *schema) listed(f *jsonrpc.Flat, n *jsonrpc.Node) bool {
	if n.Kind != jsonrpc.String || n.Escaped || n.End-n.Start > 64 {
		return false
	}
	var room [80]byte
	c := appendString(room[:0], f.Bytes(n))
	return (s.enum == nil || s.enum[string(c)]) && (s.constant == nil || *s.constant == string(c))
}

// surelyNumber takes plain whole numbers against bounds, and any number where
// there are none.
func (s *schema) surelyNumber(raw []byte) bool {
	bounded := s.low != nil || s.high != nil
	if s.kind == "number" && !bounded && s.multiple == nil {
		return true
	}
	v, ok := whole(raw)
	if !ok || s.multiple != nil {
		return false
	}
	if !bounded {
		return true
	}
	for _, b := range [...]*bound{s.low, s.high} {
		if b == nil {
			continue
		}
		at, ok := b.at.whole()
		if !ok || v == at && b.open || b == s.low && v < at || b == s.high && v > at {
			return false
		}
	}
	return true
}

// whole reads a number in plain digits, so few that an int64 holds it.
func whole(raw []byte) (v int64, ok bool) {
	digits := raw
	if raw[0] == '-' {
		digits = raw[1:]
	}
	if len(digits) > 15 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	if raw[0] == '-' {
		v = -v
	}
	return v, true
}

// whole is the value of a decimal that has no fraction and that an int64 holds.
func (a decimal) whole() (v int64, ok bool) {
	if a.exp < 0 || a.exp+int64(len(a.digits)) > 15 {
		return 0, false
	}
	for i := range len(a.digits) + int(a.exp) {
		if v *= 10; i < len(a.digits) {
			v += int64(a.digits[i] - '0')
		}
	}
	if a.neg {
		v = -v
	}
	return v, true
}

func (s *schema) surelyString(f *jsonrpc.Flat, n *jsonrpc.Node) bool {
	length := int(n.End - n.Start)
	if s.pattern == nil && s.sizes.least == 0 && length <= s.sizes.most {
		return true // it has no more characters than bytes, and an escape is one of at least two
	}
	text := f.Text(n)
	if !s.sizes.hold(utf8.RuneCount(text)) {
		return false
	}
	return s.pattern == nil || s.pattern.MatchString(string(text))
}
