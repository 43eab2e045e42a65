package allowlist

import (
	"sort"
	"strconv"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// canonical is a text that is the same for two JSON values if and only if they
// are equal: numbers as exact decimals, members in any order. Keys must not be
// repeated. It keeps the open containers on a stack of its own.
func canonical(root *jsonrpc.Value) string {
	type open struct {
		v     *jsonrpc.Value
		order []int // of an object's members
		next  int
	}
	var out []byte
	var stack []open
	v := root
	for {
		switch v.Kind {
		case jsonrpc.Null:
			out = append(out, 'n')
		case jsonrpc.Bool:
			if v.True {
				out = append(out, 't')
			} else {
				out = append(out, 'f')
			}
		case jsonrpc.Number:
			out = append(append(out, parseDecimal(string(v.Raw)).String()...), ' ')
		case jsonrpc.String:
			out = appendString(out, v.Str)
		case jsonrpc.Array:
			out = append(out, '[')
			stack = append(stack, open{v: v})
		case jsonrpc.Object:
			out = append(out, '{')
			order := make([]int, len(v.Members))
			for i := range order {
				order[i] = i
			}
			sort.Slice(order, func(i, j int) bool { return v.Members[order[i]].Key < v.Members[order[j]].Key })
			stack = append(stack, open{v: v, order: order})
		}
		// The next value, closing what is done.
		for {
			if len(stack) == 0 {
				return string(out)
			}
			top := &stack[len(stack)-1]
			if top.v.Kind == jsonrpc.Array && top.next < len(top.v.Elems) {
				v = top.v.Elems[top.next]
				top.next++
				break
			}
			if top.v.Kind == jsonrpc.Object && top.next < len(top.order) {
				m := top.v.Members[top.order[top.next]]
				out = appendString(out, m.Key)
				v = m.Value
				top.next++
				break
			}
			out = append(out, '.')
			stack = stack[:len(stack)-1]
		}
	}
}

// appendString writes the length first, so that no content can look like
// another value.
func appendString[T string | []byte](out []byte, s T) []byte {
	out = append(out, '"')
	out = strconv.AppendInt(out, int64(len(s)), 10)
	out = append(out, ':')
	return append(out, s...)
}
