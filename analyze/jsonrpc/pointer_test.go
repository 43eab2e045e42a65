package jsonrpc

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// plainPointers walks the decoded tree.
func plainPointers(root, v *Value, at string, out map[int32]string) {
	switch v.Kind {
	case String:
		out[int32(cap(root.Raw)-cap(v.Raw)+1)] = at
	case Array:
		for i, e := range v.Elems {
			plainPointers(root, e, at+"/"+strconv.Itoa(i), out)
		}
	case Object:
		for _, m := range v.Members {
			plainPointers(root, m.Value, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(m.Key), out)
		}
	}
}

func TestPointersAreThePlainOnes(t *testing.T) {
	for seed := range uint64(3000) {
		doc := []byte(seededWriter(seed).message())
		root, err := Decode(doc, DecodeOptions{Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		raw := root.Raw
		want := map[int32]string{}
		plainPointers(root, root, "", want)
		var offs []int32
		for i := range int32(len(raw)) {
			if _, ok := want[i]; ok {
				offs = append(offs, i)
			}
		}
		for i, got := range Pointers(raw, offs) {
			if got != want[offs[i]] {
				t.Fatalf("%q at %d: %q, want %q", raw, offs[i], got, want[offs[i]])
			}
		}
	}
}

func TestPointers(t *testing.T) {
	raw := []byte(`{"a\u0062/~":["x",{"":"y"}],"k":{"q":1},"z":"w\""}`)
	at := func(s string) int32 { return int32(strings.Index(string(raw), s)) + 1 }
	offs := []int32{at(`"a\u`), at(`"x"`), at(`"":`), at(`"y"`), at(`"q"`), at(`"w`)}
	want := []string{"/ab~1~0", "/ab~1~0/0", "/ab~1~0/1/", "/ab~1~0/1/", "/k/q", "/z"}
	if got := Pointers(raw, offs); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	if got := Pointers(raw, []int32{0, 3, at(`"x"`), at(`"x"`), 4000}); !reflect.DeepEqual(got, []string{"", "", "/ab~1~0/0", "/ab~1~0/0", ""}) {
		t.Errorf("%q", got)
	}
	for _, bad := range []string{"", "]", `"`, `{"`, `{"a`, `{"a\`, "}}}", ",,:"} {
		Pointers([]byte(bad), []int32{0, 1, 2, 3, 50})
	}
}

func TestPointersAreCut(t *testing.T) {
	for _, key := range []string{strings.Repeat("k", 5000), strings.Repeat("é", 5000), strings.Repeat("~", 5000), strings.Repeat(`\u20ac`, 5000)} {
		for pad := range 4 {
			raw := `{"a":{"b":["t"],"` + strings.Repeat("p", pad) + key + `":[{"c":"s"},"u"],"d":"v"},"` + key + `":"w"}`
			at := func(s string) int32 { return int32(strings.Index(raw, `"`+s+`"`) + 1) }
			got := Pointers([]byte(raw), []int32{at("t"), at("s"), at("u"), at("v"), at("w")})
			if want := []string{"/a/b/0", "/a/…", "/a/…", "/a/d", "/…"}; !reflect.DeepEqual(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	// The longest that is whole, and one more.
	for n, whole := range map[int]bool{maxPointer - len(cutMark) - 1: true, maxPointer - len(cutMark): false} {
		key := strings.Repeat("k", n)
		got := Pointers([]byte(`{"`+key+`":"s"}`), []int32{int32(n + 5)})[0]
		if want := map[bool]string{true: "/" + key, false: "/…"}[whole]; got != want {
			t.Errorf("%d bytes of key: %d of pointer", n, len(got))
		}
	}
}

func TestPointersOfDeepNesting(t *testing.T) {
	const n = 100_000
	var b strings.Builder
	var offs []int32
	for range n {
		b.WriteString(`["x",`)
		offs = append(offs, int32(b.Len()-3))
	}
	b.WriteString("0" + strings.Repeat("]", n))
	start := time.Now()
	got := Pointers([]byte(b.String()), offs)
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
	if got[0] != "/0" || got[2] != "/1/1/0" || len(got[n-1]) > maxPointer || len(got[n-1]) < maxPointer-8 || !strings.HasSuffix(got[n-1], "/1/…") {
		t.Errorf("%q %q %d", got[0], got[2], len(got[n-1]))
	}
}
