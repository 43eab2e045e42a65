package lock

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// shape is a node of a stored skeleton, read back for comparison.
type shape struct {
	types    []string // nil: any
	typed    bool
	required bool
	enum     map[string][]byte // canonical form -> raw; nil without an enum
	limits   map[string]*jsonrpc.Value
}

// shapes reads a stored skeleton; nil where there is none or it is none.
func shapes(v *jsonrpc.Value) map[string]shape {
	props := v.Get("props")
	if props == nil || props.Kind != jsonrpc.Object {
		return nil
	}
	out := make(map[string]shape, len(props.Members))
	for _, m := range props.Members {
		s, ok := readShape(m.Value)
		if !ok {
			return nil
		}
		out[m.Key] = s
	}
	return out
}

func readShape(v *jsonrpc.Value) (s shape, ok bool) {
	if v.Kind != jsonrpc.Object {
		return s, false
	}
	if t := v.Get("type"); present(t) {
		if t.Kind != jsonrpc.Array {
			return s, false
		}
		s.typed = true
		for _, e := range t.Elems {
			name, ok := e.IsString()
			if !ok {
				return s, false
			}
			s.types = append(s.types, name)
		}
	}
	if r := v.Get("required"); r != nil {
		s.required = r.True
	}
	if e := v.Get("enum"); present(e) {
		if e.Kind != jsonrpc.Array {
			return s, false
		}
		s.enum = make(map[string][]byte, len(e.Elems))
		for _, x := range e.Elems {
			s.enum[string(canonOrRaw(x))] = x.Raw
		}
	}
	c := v.Get("constraints")
	if c == nil || c.Kind != jsonrpc.Object {
		return s, false
	}
	s.limits = make(map[string]*jsonrpc.Value, len(c.Members))
	for _, m := range c.Members {
		s.limits[m.Key] = m.Value
	}
	return s, true
}

// anything is the root of a schema that is not there.
var anything = shape{limits: map[string]*jsonrpc.Value{"additionalProperties": {Kind: jsonrpc.Bool, True: true, Raw: []byte("true")}}}

// opaque is what a node can't be looked through for, "" where it can.
func (s shape) opaque() string {
	for _, k := range []string{"$ref", "_truncated"} {
		if v := s.limits[k]; v != nil {
			return k + string(canonOrRaw(v))
		}
	}
	return ""
}

// unconstrained: no enum, pattern or maxLength, and type absent or within
// string, object (lock.md, "Drift").
func (s shape) unconstrained() bool {
	if s.enum != nil || s.limits["pattern"] != nil || s.limits["maxLength"] != nil {
		return false
	}
	return !slices.ContainsFunc(s.types, func(t string) bool { return t != "string" && t != "object" })
}

func (s shape) typeText() string {
	if !s.typed {
		return "any"
	}
	return shownValue(bytes.ReplaceAll(stringList(s.types), []byte(`"`), nil))
}

// bound says for a numeric constraint whether it went the loose way.
func loosened(key string, a, b *jsonrpc.Value) bool {
	x, okX := double(a)
	y, okY := double(b)
	if !okX || !okY {
		return true // not to be compared: the worse is assumed
	}
	switch key {
	case "maxLength", "maximum":
		return y > x
	case "minLength", "minimum":
		return y < x
	}
	return true // another pattern or format may let more through
}

func double(v *jsonrpc.Value) (float64, bool) {
	if v.Kind != jsonrpc.Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v.Raw), 64)
	return f, err == nil
}
