package allowlist

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// graph is a JSON value laid flat, parents before children. Walking it needs no
// recursion, whatever its depth.
type graph []node

type node struct {
	v      *jsonrpc.Value
	parent int32 // -1 for the root
	step   int32 // index among the parent's Members or Elems
	depth  int32 // the root has 1
}

// bounds are the limits that a graph has to keep.
type bounds struct{ depth, nodes, bytes, array, props int64 }

// survey is what one look over a value finds; -1 where there is nothing. The
// indexes are those of the node meant, or of the object that has the key.
type survey struct {
	g         graph
	over      string // which bound, "" for none
	overAt    int
	dangerous int // node under a dangerous key
	number    int // a number that no double holds
	repeated  int // object with a key twice
	again     string
}

// dangerousKeys are the ways into an object's prototype.
var dangerousKeys = map[string]bool{"__proto__": true, "prototype": true, "constructor": true}

// look walks a value once.
func look(root *jsonrpc.Value, b bounds) survey {
	s := survey{g: graph{{v: root, parent: -1, depth: 1}}, overAt: -1, dangerous: -1, number: -1, repeated: -1}
	var size int64
	exceed := func(i int, what string, limit int64) {
		if s.over == "" {
			s.over, s.overAt = fmt.Sprintf("%s (at most %d)", what, limit), i
		}
	}
	for i := 0; i < len(s.g); i++ {
		n := s.g[i]
		if int64(n.depth) > b.depth {
			exceed(i, "nested too deep", b.depth)
			return s
		}
		switch n.v.Kind {
		case jsonrpc.String:
			size += int64(len(n.v.Str))
		case jsonrpc.Number:
			if s.number < 0 && !finite(n.v.Raw) {
				s.number = i
			}
		case jsonrpc.Array:
			if int64(len(n.v.Elems)) > b.array {
				exceed(i, "an array too long", b.array)
			}
			for j, e := range n.v.Elems {
				s.g = append(s.g, node{e, int32(i), int32(j), n.depth + 1})
			}
		case jsonrpc.Object:
			if int64(len(n.v.Members)) > b.props {
				exceed(i, "an object with too many properties", b.props)
			}
			seen := make(map[string]bool, len(n.v.Members))
			for j, m := range n.v.Members {
				size += int64(len(m.Key))
				if s.dangerous < 0 && dangerousKeys[m.Key] {
					s.dangerous = len(s.g)
				}
				if s.repeated < 0 && seen[m.Key] {
					s.repeated, s.again = i, m.Key
				}
				seen[m.Key] = true
				s.g = append(s.g, node{m.Value, int32(i), int32(j), n.depth + 1})
			}
		}
		if size > b.bytes {
			exceed(i, "too many bytes of strings and keys", b.bytes)
		}
		if int64(len(s.g)) > b.nodes {
			exceed(i, "too many values", b.nodes)
			return s
		}
	}
	return s
}

// maxPointer bounds a pointer in bytes.
const maxPointer = 4096

// pointer is the JSON Pointer of node i.
func (g graph) pointer(i int) string {
	var steps []string
	for i > 0 && g[i].parent >= 0 {
		up := g[g[i].parent].v
		if up.Kind == jsonrpc.Array {
			steps = append(steps, strconv.Itoa(int(g[i].step)))
		} else {
			steps = append(steps, escape(scrub(up.Members[g[i].step].Key)))
		}
		i = int(g[i].parent)
	}
	var b strings.Builder
	for j := len(steps) - 1; j >= 0 && b.Len() < maxPointer; j-- {
		b.WriteByte('/')
		b.WriteString(steps[j])
	}
	return cut(b.String())
}

func cut(pointer string) string {
	if len(pointer) > maxPointer {
		return strings.ToValidUTF8(pointer[:maxPointer], "")
	}
	return pointer
}

func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
