package stats

import (
	"fmt"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/replay"
)

// One request that is never answered must not make the list of arrivals grow
// with those that are.
func TestFlightIsBounded(t *testing.T) {
	var f flight
	m := &Method{}
	f.add("old", asked{method: m, ts: 1})
	for i := range 100_000 {
		k := jsonrpc.Key(fmt.Sprint("n", i))
		f.add(k, asked{method: m, ts: int64(i)})
		if a, ok := f.take(k); !ok || a.ts != int64(i) {
			t.Fatalf("%d: %v %v", i, a, ok)
		}
	}
	if len(f.order) > 4*replay.DefaultMaxInflight+1 || len(f.m) != 1 || m.Unanswered != 0 {
		t.Errorf("%d arrivals, %d in flight, %d unanswered", len(f.order), len(f.m), m.Unanswered)
	}
	for i := range 3 * replay.DefaultMaxInflight {
		f.add(jsonrpc.Key(fmt.Sprint("m", i)), asked{method: m})
	}
	if len(f.m) != replay.DefaultMaxInflight || m.Unanswered != 2*replay.DefaultMaxInflight+1 {
		t.Errorf("%d in flight, %d unanswered", len(f.m), m.Unanswered)
	}
	if _, ok := f.take("old"); ok {
		t.Error("the oldest is still there")
	}
	f.add("m3000", asked{method: m}) // an id again: the earlier one is lost
	f.close()
	if m.Unanswered != 3*replay.DefaultMaxInflight+2 {
		t.Errorf("%d unanswered in all", m.Unanswered)
	}
}

func TestNamesAreBounded(t *testing.T) {
	s := New()
	for i := range MaxNames + 100 {
		s.method(fmt.Appendf(nil, "m%d", i), analyze.ClientToServer).Requests++
		s.tool(fmt.Sprint("t", i)).Calls++
	}
	s.method([]byte("m1"), analyze.ClientToServer).Requests++
	if m := s.Methods(); len(m) != MaxNames+1 || m[0].Name != Other || m[0].Requests != 100 || m[1].Name != "m1" {
		t.Errorf("%d methods, first %s %d", len(m), m[0].Name, m[0].Requests)
	}
	if x := s.Tools(); len(x) != MaxNames+1 || x[0].Name != Other || x[0].Calls != 100 {
		t.Errorf("%d tools, first %s %d", len(x), x[0].Name, x[0].Calls)
	}
}
