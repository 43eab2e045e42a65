package lock

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Bounds of a schema skeleton (lock.md, "Schema skeleton"). The last three are
// ours: references can make a small schema unfold without end.
const (
	skeletonDepth = 64
	skeletonRefs  = 256
	skeletonNodes = 50_000
	skeletonBytes = MaxBytes  // of paths and kept values: no lock holds more
	skeletonWork  = 256 << 20 // bytes of schema looked at, each time anew
)

var errUnfolds = errors.New("the schema unfolds to more than a lock can hold")

// budget is what is left of the bounds.
type budget struct{ bytes, work int }

func (b *budget) keep(n int) error {
	if b.bytes -= n; b.bytes < 0 {
		return errUnfolds
	}
	return nil
}

// The root's path as it is stored.
const rootPath = "$root"

// constraintKeys are kept as the schema gives them, in this order.
var constraintKeys = []string{"maxLength", "minLength", "minimum", "maximum", "pattern", "format"}

// member is one member of a JSON object in the making.
type member struct {
	key string
	raw []byte
}

// node is what the skeleton keeps of one place in a schema.
type node struct {
	typed    bool
	types    []string // sorted; nil with typed for an empty list
	required bool
	listed   bool
	enum     [][]byte // raw values, in the order of enumOrder
	limits   []member // the constraints
}

// skeleton is the shape of a schema. shadowed says that two places of the
// schema have one path ("a.b" and b under a), so that one hides the other.
type skeleton struct {
	props    map[string]node
	shadowed bool
}

// place is a schema that is still to be looked at.
type place struct {
	schema   *jsonrpc.Value
	path     string // "" for the root
	required bool
	depth    int
	refs     *hop // references followed on the way here
}

// hop is one followed reference, linked to those before it.
type hop struct {
	text string
	back *hop
	n    int
}

func (h *hop) holds(text string) bool {
	for ; h != nil; h = h.back {
		if h.text == text {
			return true
		}
	}
	return false
}

func (h *hop) count() int {
	if h == nil {
		return 0
	}
	return h.n
}

// skeletonOf takes a schema apart. An absent, null or non-object schema has no
// places at all. Below level 3 no reference is followed. schema must be free
// of repeated keys.
func skeletonOf(schema *jsonrpc.Value, level int) (*skeleton, error) {
	s := &skeleton{props: map[string]node{}}
	if schema == nil || schema.Kind != jsonrpc.Object {
		return s, nil
	}
	refs := resolver{root: schema, off: level < 3}
	todo := []place{{schema: schema}}
	room := budget{skeletonBytes, skeletonWork}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n, inner, err := p.look(&refs, &room)
		if err != nil {
			return nil, err
		}
		key := p.path
		if key == "" {
			key = rootPath
		}
		if _, again := s.props[key]; again {
			s.shadowed = true
		}
		s.props[key] = n
		if len(s.props)+len(todo)+len(inner) > skeletonNodes {
			return nil, errUnfolds
		}
		slices.Reverse(inner) // the first is looked at next
		todo = append(todo, inner...)
	}
	return s, nil
}

// look reads one place and says which places are under it.
func (p place) look(refs *resolver, room *budget) (node, []place, error) {
	if p.depth > skeletonDepth {
		return opaque(p.required, "_truncated", []byte("true")), nil, nil
	}
	v, hops := p.schema, p.refs
	for {
		if v.Kind != jsonrpc.Object {
			return node{limits: []member{{"additionalProperties", []byte("true")}}}, nil, nil
		}
		text, isRef := v.Get("$ref").IsString()
		if !isRef {
			break
		}
		target := refs.follow(v, text)
		switch {
		case target == nil:
			return opaque(p.required, "$ref", quote(text)), nil, nil
		case hops.holds(text):
			return opaque(p.required, "_truncated", []byte("true")), nil, nil
		case hops.count() >= skeletonRefs:
			return opaque(p.required, "$ref", quote(text)), nil, nil
		}
		hops = &hop{text: text, back: hops, n: hops.count() + 1}
		v = target
	}
	if room.work -= len(v.Raw); room.work < 0 {
		return node{}, nil, errUnfolds
	}
	n := read(v, p.required)
	if err := room.keep(n.size()); err != nil {
		return node{}, nil, err
	}
	inner := p.inner(v, hops)
	for _, q := range inner {
		if err := room.keep(len(q.path)); err != nil {
			return node{}, nil, err
		}
	}
	return n, inner, nil
}

// inner are the properties of v, sorted, and its items.
func (p place) inner(v *jsonrpc.Value, hops *hop) []place {
	var out []place
	if props := v.Get("properties"); props != nil && props.Kind == jsonrpc.Object {
		needed := map[string]bool{}
		if req := v.Get("required"); req != nil {
			for _, e := range req.Elems {
				if name, ok := e.IsString(); ok {
					needed[name] = true
				}
			}
		}
		members := slices.Clone(props.Members)
		slices.SortStableFunc(members, func(a, b jsonrpc.Pair) int { return cmp.Compare(a.Key, b.Key) })
		for _, m := range members {
			path := m.Key
			if p.path != "" {
				path = p.path + "." + m.Key
			}
			out = append(out, place{m.Value, path, needed[m.Key], p.depth + 1, hops})
		}
	}
	if items := v.Get("items"); items != nil && items.Kind == jsonrpc.Object {
		out = append(out, place{items, p.path + "[]", false, p.depth + 1, hops})
	}
	return out
}

func opaque(required bool, key string, raw []byte) node {
	return node{required: required, limits: []member{{key, raw}}}
}

// read keeps what the skeleton keeps of an object schema.
func read(v *jsonrpc.Value, required bool) node {
	n := node{required: required}
	if t := v.Get("type"); t != nil {
		switch t.Kind {
		case jsonrpc.String:
			n.typed, n.types = true, []string{t.Str}
		case jsonrpc.Array:
			n.typed = true
			for _, e := range t.Elems {
				if s, ok := e.IsString(); ok {
					n.types = append(n.types, s)
				}
			}
			slices.Sort(n.types)
		}
	}
	if e := v.Get("enum"); e != nil && e.Kind == jsonrpc.Array {
		n.listed = true
		n.enum = enumOrder(e.Elems)
	}
	for _, k := range constraintKeys {
		if c := v.Get(k); c != nil {
			n.limits = append(n.limits, member{k, c.Raw})
		}
	}
	extra := []byte("true")
	if c := v.Get("additionalProperties"); c != nil {
		extra = c.Raw
	}
	n.limits = append(n.limits, member{"additionalProperties", extra})
	return n
}

// size is about how many bytes of the schema the node keeps.
func (n node) size() int {
	sum := 0
	for _, t := range n.types {
		sum += len(t)
	}
	for _, e := range n.enum {
		sum += len(e)
	}
	for _, l := range n.limits {
		sum += len(l.raw)
	}
	return sum
}

// json writes the skeleton as the lock stores it.
func (s *skeleton) json() []byte {
	var b bytes.Buffer
	b.WriteString(`{"props":{`)
	paths := make([]string, 0, len(s.props))
	for p := range s.props {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for i, p := range paths {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(p))
		b.WriteByte(':')
		s.props[p].write(&b)
	}
	b.WriteString("}}")
	return b.Bytes()
}

func (n node) write(b *bytes.Buffer) {
	b.WriteString(`{"type":`)
	if n.typed {
		b.Write(stringList(n.types))
	} else {
		b.WriteString("null")
	}
	b.WriteString(`,"required":`)
	if n.required {
		b.WriteString("true")
	} else {
		b.WriteString("false")
	}
	b.WriteString(`,"enum":`)
	if n.listed {
		b.WriteByte('[')
		b.Write(bytes.Join(n.enum, []byte(",")))
		b.WriteByte(']')
	} else {
		b.WriteString("null")
	}
	b.WriteString(`,"constraints":`)
	b.Write(object(n.limits))
	b.WriteByte('}')
}

// object writes members in the given order.
func object(ms []member) []byte {
	b := []byte{'{'}
	for i, m := range ms {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, quote(m.key)...)
		b = append(b, ':')
		b = append(b, m.raw...)
	}
	return append(b, '}')
}

func stringList(ss []string) []byte {
	b := []byte{'['}
	for i, s := range ss {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, quote(s)...)
	}
	return append(b, ']')
}

// quote writes a JSON string. Invalid UTF-8 becomes U+FFFD.
func quote(s string) []byte {
	b, _ := jsontext.AppendQuote(nil, s)
	return b
}
