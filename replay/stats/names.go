package stats

import (
	"cmp"
	"maps"
	"slices"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/replay"
)

// maxName is how much of a name is kept.
const maxName = 512

func (s *Stats) method(name []byte, dir analyze.Direction) *Method {
	if m := s.methods[methodKey{string(name), dir}]; m != nil {
		return m
	}
	k := methodKey{string(name[:min(len(name), maxName)]), dir}
	if len(s.methods) >= MaxNames && s.methods[k] == nil {
		k.name = Other
	}
	m := s.methods[k]
	if m == nil {
		m = &Method{Name: k.name, Direction: dir}
		s.methods[k] = m
	}
	return m
}

func (s *Stats) tool(name string) *Tool {
	name = name[:min(len(name), maxName)]
	if len(s.tools) >= MaxNames && s.tools[name] == nil {
		name = Other
	}
	t := s.tools[name]
	if t == nil {
		t = &Tool{Name: name}
		s.tools[name] = t
	}
	return t
}

// Methods are all methods, the most frequent first.
func (s *Stats) Methods() []*Method {
	return slices.SortedFunc(maps.Values(s.methods), func(a, b *Method) int {
		return cmp.Or(cmp.Compare(b.Requests+b.Notifications, a.Requests+a.Notifications), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Direction, b.Direction))
	})
}

// Tools are all tools, those with the most calls first.
func (s *Stats) Tools() []*Tool {
	return slices.SortedFunc(maps.Values(s.tools), func(a, b *Tool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
}

// asked is a request in flight; method is nil where it does not count itself.
type asked struct {
	method *Method
	name   string
	ts     int64
	seq    int64
}

// flight is the requests of one direction, bounded; the oldest goes first.
type flight struct {
	m     map[jsonrpc.Key]asked
	order []arrival
	seq   int64
}

type arrival struct {
	key jsonrpc.Key
	seq int64
}

func (f *flight) add(k jsonrpc.Key, a asked) {
	if f.m == nil {
		f.m = map[jsonrpc.Key]asked{}
	}
	if old, ok := f.m[k]; ok {
		old.lost()
	}
	f.seq++
	a.seq = f.seq
	f.m[k] = a
	f.order = append(f.order, arrival{k, f.seq})
	if len(f.order) > 4*replay.DefaultMaxInflight {
		f.order = slices.DeleteFunc(f.order, func(x arrival) bool { return f.m[x.key].seq != x.seq })
	}
	for len(f.m) > replay.DefaultMaxInflight || len(f.order) > 0 && f.m[f.order[0].key].seq != f.order[0].seq {
		first := f.order[0]
		f.order = f.order[1:]
		if old := f.m[first.key]; old.seq == first.seq {
			old.lost()
			delete(f.m, first.key)
		}
	}
}

func (a *asked) lost() {
	if a.method != nil {
		a.method.Unanswered++
	}
}

func (f *flight) take(k jsonrpc.Key) (asked, bool) {
	a, ok := f.m[k]
	delete(f.m, k)
	if len(f.m) == 0 {
		f.order = f.order[:0]
	}
	return a, ok
}

func (f *flight) close() {
	for _, a := range f.m {
		a.lost()
	}
	f.m, f.order = nil, nil
}
