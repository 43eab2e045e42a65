package jsonrpc

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// sameValue compares a flat value with the decoded one.
func sameValue(t interface{ Fatalf(string, ...any) }, f *Flat, i int, v *Value) int {
	n := &f.Nodes[i]
	if n.Kind != v.Kind {
		t.Fatalf("%s: node %d is a %v, decoded a %v", f.Raw, i, n.Kind, v.Kind)
	}
	raw := f.Bytes(n)
	if n.Kind == String {
		if got := string(f.Text(n)); got != v.Str {
			t.Fatalf("%s: %q, decoded %q", f.Raw, got, v.Str)
		}
		raw = f.Raw[n.Start-1 : n.End+1]
	}
	if !bytes.Equal(raw, v.Raw) {
		t.Fatalf("%s: bytes %q, decoded %q", f.Raw, raw, v.Raw)
	}
	if int(n.Count) != len(v.Elems)+len(v.Members) {
		t.Fatalf("%s: node %d holds %d", f.Raw, i, n.Count)
	}
	next := i + 1
	for _, m := range v.Members {
		c := &f.Nodes[next]
		key, _ := Unquote(nil, f.Name(c))
		if string(key) != m.Key || int(c.Parent) != i || c.Depth != n.Depth+1 || c.KeyEscaped != bytes.Contains(f.Name(c), []byte(`\`)) {
			t.Fatalf("%s: node %d: %+v", f.Raw, next, c)
		}
		next = sameValue(t, f, next, m.Value)
	}
	for _, e := range v.Elems {
		if c := &f.Nodes[next]; int(c.Parent) != i || c.Depth != n.Depth+1 || c.Key != 0 || c.KeyEnd != 0 {
			t.Fatalf("%s: node %d: %+v", f.Raw, next, c)
		}
		next = sameValue(t, f, next, e)
	}
	if int(n.Next) != next {
		t.Fatalf("%s: node %d goes to %d, not %d", f.Raw, i, n.Next, next)
	}
	return next
}

func checkFlat(t interface{ Fatalf(string, ...any) }, raw []byte) {
	var f Flat
	v, err := Decode(raw, DecodeOptions{MaxDepth: 32, MaxNodes: 4096})
	if ok := f.Read(raw, 4096, 32); ok != (err == nil) {
		t.Fatalf("%q: %v, decoded: %v", raw, ok, err)
	} else if ok {
		sameValue(t, &f, 0, v)
	}
}

var flatSeeds = []string{
	`{}`, `[]`, ` {"a" : [1, {"b":null}, "x"] , "c":{"d":{}}} `, `"\u00e9\ud83d\ude00"`, `"\ud83d"`, `{"\u0061":"\n\"\\"}`, "\"\xff\"", `"é…"`,
	"\"a\tb\"", `{"a":1,}`, `[1,]`, `[1 2]`, `{"a" 1}`, `{"a":1}x`, `true`, `nul`, `-0.5e+7`, `01`, `NaN`, `"`, `"\`, `{"a`, `[[[[1]]],[]]`, ``, ` `, `"12345678"`, `"1234567\"`,
	`{"a":"exactly eight and more than eight bytes","":0}`, "[\"abcdefg\x1fh\"]", `"\x"`, `"\u12"`, `{"a":{"b":1}`,
}

func TestFlatAgreesWithDecode(t *testing.T) {
	for _, s := range flatSeeds {
		checkFlat(t, []byte(s))
	}
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{`{`, `}`, `[`, `]`, `,`, `:`, ` `, `"a"`, `"b\n"`, `"\u0063"`, `"é and more"`, `1`, `-2.5e3`, `true`, `null`, `"k":`, `,"l":`, `[]`, `{}`, "\n", `"\ud800"`, "\"\x80\"", `x`}), 0, 12).Draw(rt, "parts")
		var b []byte
		for _, p := range parts {
			b = append(b, p...)
		}
		checkFlat(rt, b)
	})
}

// plainEnd finds the same byte whatever stands around it.
func TestPlainEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte{'a', ' ', '!', '#', '[', ']', 0x7f, '"', '\\', 0x1f, 0, 0x80, 0xff}), 0, 40).Draw(rt, "bytes")
		i := rapid.IntRange(0, len(b)).Draw(rt, "from")
		want := i
		for want < len(b) && b[want] != '"' && b[want] != '\\' && b[want] >= 0x20 && b[want] < 0x80 {
			want++
		}
		if got := plainEnd(b, i); got != want {
			rt.Fatalf("%q from %d: %d, not %d", b, i, got, want)
		}
	})
}

func TestFlatBounds(t *testing.T) {
	var f Flat
	if f.Read([]byte(`[1,2,3]`), 3, 8) || !f.Read([]byte(`[1,2,3]`), 4, 8) || f.Read([]byte(`[[1]]`), 8, 2) || !f.Read([]byte(`[[1]]`), 8, 3) {
		t.Error("a bound is off by one")
	}
	f.Keep(1, 1)
	if f.Nodes != nil || f.Raw != nil {
		t.Error("memory over the bound is kept")
	}
	if f.Read([]byte(`{"a":1,"b":[{"a":2}],"c":"x"}`), 99, 9) && (f.Find(0, "c") != 5 || f.Find(0, "d") != -1 || f.Find(1, "a") != -1) {
		t.Error("Find")
	}
}

func FuzzFlat(f *testing.F) {
	for _, s := range flatSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkFlat(t, raw) })
}
