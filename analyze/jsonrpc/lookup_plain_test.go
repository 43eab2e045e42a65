package jsonrpc

import (
	"bytes"
	"testing"
)

// The walks without a tree visit what the tree holds.
func TestLookupIsTheTree(t *testing.T) {
	var compare func(v *Value)
	compare = func(v *Value) {
		i := 0
		Each(v.Raw, func(key string, value []byte, start int) bool {
			if i >= len(v.Members) || key != v.Members[i].Key || !bytes.Equal(value, v.Members[i].Value.Raw) || !bytes.HasPrefix(v.Raw[start:], value) {
				t.Fatalf("member %d of %q: %q %q", i, v.Raw, key, value)
			}
			i++
			return true
		})
		j := 0
		Elements(v.Raw, func(value []byte) bool {
			if j >= len(v.Elems) || !bytes.Equal(value, v.Elems[j].Raw) {
				t.Fatalf("element %d of %q: %q", j, v.Raw, value)
			}
			j++
			return true
		})
		if i != len(v.Members) || j != len(v.Elems) {
			t.Fatalf("%q: %d members, %d elements", v.Raw, i, j)
		}
		for _, m := range v.Members {
			if got := Lookup(v.Raw, m.Key); !bytes.Equal(got, v.Get(m.Key).Raw) {
				t.Fatalf("%q in %q: %q", m.Key, v.Raw, got)
			}
			compare(m.Value)
		}
		for _, e := range v.Elems {
			compare(e)
		}
	}
	for seed := range uint64(1500) {
		w := seededWriter(seed)
		w.wild = true
		v, err := Decode([]byte(w.message()), DecodeOptions{Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		compare(v)
		// Cut short it is no JSON; nothing may break all the same.
		for cut := range min(len(v.Raw), 100) {
			raw := v.Raw[:cut:cut]
			Each(raw, func(string, []byte, int) bool { return true })
			Elements(raw, func([]byte) bool { return true })
			LookupString(raw, "result", "content")
		}
	}
}
