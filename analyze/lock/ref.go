package lock

import (
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// resolver follows same-document references within one schema. It remembers
// what it found, so that many references stay linear in the schema.
type resolver struct {
	root  *jsonrpc.Value
	off   bool
	found map[string]*jsonrpc.Value
	index map[*jsonrpc.Value]map[string]*jsonrpc.Value
}

// follow returns the object that the node's reference leads to, or nil where
// the node is opaque: the reference has company, is no same-document pointer,
// or leads nowhere or to something else than an object.
func (r *resolver) follow(node *jsonrpc.Value, text string) *jsonrpc.Value {
	if r.off || len(node.Members) != 1 || !strings.HasPrefix(text, "#/") {
		return nil
	}
	if v, ok := r.found[text]; ok {
		return v
	}
	v := r.walk(unpercent(text[2:]))
	if v != nil && v.Kind != jsonrpc.Object {
		v = nil
	}
	if r.found == nil {
		r.found = map[string]*jsonrpc.Value{}
	}
	r.found[text] = v
	return v
}

func (r *resolver) walk(pointer string) *jsonrpc.Value {
	v := r.root
	for token := range strings.SplitSeq(pointer, "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch v.Kind {
		case jsonrpc.Object:
			v = r.get(v, token)
		case jsonrpc.Array:
			i, ok := index(token)
			if !ok || i >= len(v.Elems) {
				return nil
			}
			v = v.Elems[i]
		default:
			return nil
		}
		if v == nil {
			return nil
		}
	}
	return v
}

// get is Value.Get with an index for large objects.
func (r *resolver) get(v *jsonrpc.Value, key string) *jsonrpc.Value {
	if len(v.Members) < 16 {
		return v.Get(key)
	}
	m, ok := r.index[v]
	if !ok {
		m = make(map[string]*jsonrpc.Value, len(v.Members))
		for _, p := range v.Members {
			m[p.Key] = p.Value
		}
		if r.index == nil {
			r.index = map[*jsonrpc.Value]map[string]*jsonrpc.Value{}
		}
		r.index[v] = m
	}
	return m[key]
}

func index(token string) (int, bool) {
	if token == "" || len(token) > 9 {
		return 0, false
	}
	for i := range len(token) {
		if token[i] < '0' || token[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(token)
	return n, err == nil
}

// unpercent decodes %XX; what is no such escape stays as it is.
func unpercent(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
