package lock

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"sort"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"pgregory.net/rapid"
)

// schemaGen draws schemas as decoded JSON, references included.
func schemaGen(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if rapid.IntRange(0, 15).Draw(t, "odd") == 0 {
			return rapid.SampledFrom([]any{nil, true, 5, "x", []any{}}).Draw(t, "no schema")
		}
		s := map[string]any{}
		if rapid.IntRange(0, 5).Draw(t, "ref") == 0 {
			s["$ref"] = rapid.SampledFrom([]string{"#/properties/a", "#/$defs/x", "#/$defs/y", "#", "#/items", "http://x"}).Draw(t, "to")
			return s
		}
		maybe := func(key string, v func() any) {
			if rapid.Bool().Draw(t, key) {
				s[key] = v()
			}
		}
		maybe("type", func() any {
			return rapid.SampledFrom([]any{"string", "object", []any{"null", "string"}, []any{"string", 5}, nil}).Draw(t, "type is")
		})
		maybe("enum", func() any {
			return rapid.SliceOf(rapid.SampledFrom([]any{nil, true, 1, 1.5, "a", "ä", []any{1}, map[string]any{"b": 1, "a": 2}})).Draw(t, "members")
		})
		maybe("maxLength", func() any { return rapid.IntRange(0, 9).Draw(t, "length") })
		maybe("pattern", func() any { return rapid.SampledFrom([]any{"^a$", "b", 5}).Draw(t, "pattern is") })
		maybe("additionalProperties", func() any {
			return rapid.SampledFrom([]any{true, false, map[string]any{"type": "null"}}).Draw(t, "more")
		})
		if depth > 0 {
			maybe("properties", func() any {
				return rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "a.b", "path", "$root", "[]"}), schemaGen(depth-1)).Draw(t, "props")
			})
			maybe("items", func() any { return schemaGen(depth-1).Draw(t, "item") })
			maybe("required", func() any { return []any{"a", 5} })
			maybe("$defs", func() any { return map[string]any{"x": schemaGen(depth-1).Draw(t, "x"), "y": true} })
		}
		return s
	})
}

func toolGen(name string) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		tool := map[string]any{"name": name}
		maybe := func(key string, v func() any) {
			if rapid.Bool().Draw(t, key) {
				tool[key] = v()
			}
		}
		maybe("description", func() any { return rapid.SampledFrom([]any{nil, "", "d", "é"}).Draw(t, "text") })
		maybe("inputSchema", func() any { return schemaGen(2).Draw(t, "input") })
		maybe("outputSchema", func() any { return map[string]any{"properties": map[string]any{"a": schemaGen(1).Draw(t, "output")}} })
		maybe("annotations", func() any { return map[string]any{"readOnlyHint": rapid.Bool().Draw(t, "hint")} })
		return tool
	})
}

func surfaceGen() *rapid.Generator[[]map[string]any] {
	return rapid.Custom(func(t *rapid.T) []map[string]any {
		var tools []map[string]any
		for _, name := range []string{"a", "B", "é", "read_file", "😀"} {
			if rapid.Bool().Draw(t, "has "+name) {
				tools = append(tools, toolGen(name).Draw(t, name))
			}
		}
		return tools
	})
}

// text writes a value with its keys in the order that the seed gives.
func shuffled(v any, r *rand.Rand) string {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		s := "{"
		for i, k := range keys {
			if i > 0 {
				s += ", "
			}
			s += fmt.Sprintf("%s :%s", quote(k), shuffled(v[k], r))
		}
		return s + " }"
	case []any:
		s := "["
		for i, e := range v {
			if i > 0 {
				s += ",\n"
			}
			s += shuffled(e, r)
		}
		return s + "]"
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func drawn(tools []map[string]any, seed int64) *Surface {
	r := rand.New(rand.NewSource(seed))
	s := surfaceOf()
	for _, i := range r.Perm(len(tools)) {
		s.Tools = append(s.Tools, []byte(shuffled(tools[i], r)))
	}
	return s
}

// The order of tools, of keys and of white space changes no byte of a lock but
// raw constraint values, and no digest.
func TestOrderChangesNoDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tools := surfaceGen().Draw(t, "tools")
		a, err := Build(drawn(tools, 1), PinOptions{Now: testTime})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Build(drawn(tools, rapid.Int64().Draw(t, "seed")), PinOptions{Now: testTime})
		if err != nil {
			t.Fatal(err)
		}
		if a.Overall != b.Overall {
			t.Fatalf("overall digests differ: %s %s", a.Overall, b.Overall)
		}
		if ds := Diff(a, b); len(ds) != 0 {
			t.Fatalf("drift: %v", ds)
		}
	})
}

// A lock survives writing and reading; it has no drift against itself or its
// surface, and its gate lets the surface through.
func TestLockAgreesWithItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tools := surfaceGen().Draw(t, "tools")
		level := rapid.IntRange(1, Level).Draw(t, "level")
		s := drawn(tools, 1)
		l, err := build(s, PinOptions{Now: testTime}, level)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Write(l)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseStrict("f", text)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := Write(again)
		if err != nil || string(twice) != string(text) {
			t.Fatalf("written twice, not the same: %v", err)
		}
		if ds := append(Diff(l, again), Diff(l, l)...); len(ds) != 0 {
			t.Fatalf("drift against itself: %v", ds)
		}
		if ds, err := again.Against(drawn(tools, 2)); err != nil || len(ds) != 0 {
			t.Fatalf("drift against its surface: %v %v", ds, err)
		}
		g := NewGate(again, analyze.Full)
		var raw []string
		for _, e := range s.Tools {
			raw = append(raw, string(e))
		}
		g.Asked("1", false)
		if fs, diverged, err := g.Answered("1", []byte(list("", raw...))); diverged || err != nil {
			t.Fatalf("the gate stops the pinned surface: %v %v", fs, err)
		}
	})
}

// Whatever changes in a tool makes drift exactly when it makes another entry,
// at the newest level, and the gate stops it; drift is sorted and well-formed.
func TestEveryChangeIsDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := toolGen("a").Draw(t, "before")
		after := toolGen("a").Draw(t, "after")
		l, err := Build(drawn([]map[string]any{before}, 1), PinOptions{Now: testTime})
		if err != nil {
			t.Fatal(err)
		}
		cur, err := Build(drawn([]map[string]any{after}, 1), PinOptions{Now: testTime})
		if err != nil {
			t.Fatal(err)
		}
		x, y := l.Tools[0], cur.Tools[0]
		same := x.DescriptionHash == y.DescriptionHash && x.InputSchemaHash == y.InputSchemaHash &&
			x.AnnotationsHash == y.AnnotationsHash && x.OutputSchemaHash == y.OutputSchemaHash
		s := drawn([]map[string]any{after}, 1)
		ds, err := l.Against(s)
		if err != nil {
			t.Fatal(err)
		}
		if (len(ds) == 0) != same {
			t.Fatalf("same %v, drift %v", same, ds)
		}
		for i, d := range ds {
			if sev, known := SeverityOf(d.Class); !known || sev != d.Severity || d.Detail == "" || d.Target == "" {
				t.Fatalf("odd drift %+v", d)
			}
			if i > 0 && (ds[i-1].Target > d.Target || ds[i-1].Target == d.Target && ds[i-1].Class > d.Class) {
				t.Fatalf("not sorted: %v", ds)
			}
		}
		g := NewGate(l, analyze.Full)
		g.Asked("1", false)
		if _, diverged, _ := g.Answered("1", []byte(list("", string(s.Tools[0])))); diverged == same {
			t.Fatalf("same %v, gate diverged %v", same, diverged)
		}
	})
}
