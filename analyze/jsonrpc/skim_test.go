package jsonrpc

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// skimmed feeds doc cut at random places.
func skimmed(doc []byte, pick func(int) int) *Skimmer {
	var s Skimmer
	s.Write([]byte(`{"id":1,"method":"an earlier frame","params":{"name":"x"`))
	s.Reset()
	for len(doc) > 0 {
		n := 1 + pick(min(len(doc), 1+pick(40)))
		s.Write(doc[:n])
		doc = doc[n:]
	}
	return &s
}

func skimAgrees(t interface {
	Helper()
	Fatalf(string, ...any)
}, doc []byte, pick func(int) int) {
	t.Helper()
	m, ok := parse(doc, false)
	s := skimmed(doc, pick)
	if s.Size != int64(len(doc)) {
		t.Fatalf("size %d of %d", s.Size, len(doc))
	}
	if !ok {
		return
	}
	const has = HasJSONRPC | HasID | HasMethod | HasParams | HasResult | HasError | HasName | BadID
	same := func(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }
	if s.Has&has != m.Has&has || !same(s.ID, m.ID) || !same(s.Method, m.Method) || !same(s.Name, m.Name) {
		t.Fatalf("%q: %+v, whole: has %b id %q method %q name %q", doc, s, m.Has&has, m.ID, m.Method, m.Name)
	}
	if s.Has&Repeated != 0 && m.Has&Repeated == 0 {
		t.Fatalf("repeats nothing: %q", doc)
	}
}

func TestSkimmerIsTheWholeReading(t *testing.T) {
	for seed := range uint64(10000) {
		w := seededWriter(seed)
		skimAgrees(t, []byte(w.message()), w.pick)
	}
}

func TestSkimmerIsTheWholeReadingShrunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapidWriter(t)
		skimAgrees(t, []byte(w.message()), w.pick)
	})
}

func TestSkimmer(t *testing.T) {
	long := strings.Repeat("x", skimLimit)
	for _, tc := range []struct {
		doc, id, method, name string
		has                   Has
	}{
		{"\ufeff {\"id\" : 1 , \"method\":\"m\",\"params\":{\"name\":\"n\"}}", "1", "m", "n", HasID | HasMethod | HasParams | HasName | HadBOM},
		{`{"id":"` + long + `","method":"m"}`, "", "m", "", HasID | HasMethod},
		{`{"id":7,"method":"` + long + `","result":1}`, "7", "", "", HasID | HasMethod | HasResult},
		{`{"` + long + `":1,"id":7`, "", "", "", HasID},
		{`{"` + long + `":1,"id":7}`, "7", "", "", HasID},
		{`{"a":{"id":1,"x":"}\"]"},"b":["]","\\"],"id":2,`, "2", "", "", HasID},
		{`{"id":[1,{"a":"]"}]}`, `[1,{"a":"]"}]`, "", "", HasID | BadID},
		{`{"params":{"arguments":{"name":"no"},"name":"yes"},"error":{"id":5}}`, "", "", "yes", HasParams | HasName | HasError},
		{`{"id":1,"id":2}`, "2", "", "", HasID | Repeated},
		{`[{"id":1}]`, "", "", "", 0},
		{`x{"id":1}`, "", "", "", 0},
	} {
		for _, size := range []int{1, 7, 4096, 1 << 20} {
			var s Skimmer
			for b := []byte(tc.doc); len(b) > 0; {
				n := min(size, len(b))
				s.Write(b[:n])
				b = b[n:]
			}
			if string(s.ID) != tc.id || string(s.Method) != tc.method || string(s.Name) != tc.name || s.Has != tc.has {
				t.Errorf("%.60q in pieces of %d: %q %q %q %b", tc.doc, size, s.ID, s.Method, s.Name, s.Has)
			}
			if cap(s.tok) > 4*skimLimit {
				t.Errorf("%.60q: keeps %d bytes", tc.doc, cap(s.tok))
			}
		}
	}
}
