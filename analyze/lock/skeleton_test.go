package lock

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

func skeletonText(t *testing.T, schema string, level int) string {
	t.Helper()
	v, err := jsonrpc.Decode([]byte(schema), jsonrpc.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := skeletonOf(v, level)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	shown := shapesOf(t, s)
	for _, p := range shown {
		b.WriteString(p)
	}
	return b.String()
}

// shapesOf writes one short line a place: path type required enum constraints.
func shapesOf(t *testing.T, s *skeleton) []string {
	t.Helper()
	v, err := jsonrpc.Decode(s.json(), jsonrpc.DecodeOptions{})
	if err != nil {
		t.Fatalf("skeleton is no JSON: %v", err)
	}
	var out []string
	for _, m := range v.Get("props").Members {
		n := m.Value
		out = append(out, fmt.Sprintf("%s %s %s %s %s\n", m.Key, n.Get("type").Raw, n.Get("required").Raw, n.Get("enum").Raw, n.Get("constraints").Raw))
	}
	return out
}

const open = `{"additionalProperties":true}`

func TestSkeleton(t *testing.T) {
	for _, c := range []struct {
		name, schema, want string
	}{
		{"null", `null`, ""},
		{"no object", `true`, ""},
		{"empty", `{}`, "$root null false null " + open + "\n"},
		{"types", `{"type":["string",5,"array"]}`, `$root ["array","string"] false null ` + open + "\n"},
		{"type of no use", `{"type":5}`, "$root null false null " + open + "\n"},
		{"constraints", `{"properties":{"a":{"type":"string","maxLength":5,"minLength":1,"pattern":"^x$","format":"uri","title":"gone","minimum":0.5,"maximum":10}},"required":["a","b"],"additionalProperties":false}`,
			`$root null false null {"additionalProperties":false}` + "\n" +
				`a ["string"] true null {"maxLength":5,"minLength":1,"minimum":0.5,"maximum":10,"pattern":"^x$","format":"uri","additionalProperties":true}` + "\n"},
		{"additionalProperties may be a schema", `{"additionalProperties":{"type":"string"}}`,
			`$root null false null {"additionalProperties":{"type":"string"}}` + "\n"},
		{"paths", `{"properties":{"b":{"properties":{"c":{"items":{"properties":{"d":{}}}}}}},"items":{"type":"null"}}`,
			"$root null false null " + open + "\n" +
				`[] ["null"] false null ` + open + "\n" +
				"b null false null " + open + "\n" +
				"b.c null false null " + open + "\n" +
				"b.c[] null false null " + open + "\n" +
				"b.c[].d null false null " + open + "\n"},
		{"no object below", `{"properties":{"a":true,"b":5},"required":["a"]}`,
			"$root null false null " + open + "\n" +
				"a null false null " + open + "\n" +
				"b null false null " + open + "\n"},
		{"tuples are not looked into", `{"items":[{"type":"string"}]}`, "$root null false null " + open + "\n"},
		{"enum", `{"enum":["b","a",2,1,1.5,null,true,false,[1],{"x":1}]}`,
			`$root null false [null,false,true,{"x":1},1.5,1,2,[1],"a","b"] ` + open + "\n"},
		{"enum that is no list", `{"enum":"a"}`, "$root null false null " + open + "\n"},
		{"empty enum", `{"enum":[]}`, "$root null false [] " + open + "\n"},
	} {
		if got := skeletonText(t, c.schema, 4); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestSkeletonReferences(t *testing.T) {
	root := "$root null false null " + open + "\n"
	str := `["string"] `
	for _, c := range []struct {
		name   string
		level  int
		schema string
		want   string
	}{
		{"followed", 4, `{"properties":{"a":{"$ref":"#/$defs/s"}},"required":["a"],"$defs":{"s":{"type":"string"}}}`, root + "a " + str + "true null " + open + "\n"},
		{"at level 3 too", 3, `{"properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`, root + "a " + str + "false null " + open + "\n"},
		{"not at level 2", 2, `{"properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`, root + `a null false null {"$ref":"#/$defs/s"}` + "\n"},
		{"not with company", 4, `{"properties":{"a":{"$ref":"#/$defs/s","title":"x"}},"required":["a"],"$defs":{"s":{"type":"string"}}}`, root + `a null true null {"$ref":"#/$defs/s"}` + "\n"},
		{"not to the root itself", 4, `{"properties":{"a":{"$ref":"#"}}}`, root + `a null false null {"$ref":"#"}` + "\n"},
		{"not abroad", 4, `{"properties":{"a":{"$ref":"http://x/y#/a"}}}`, root + `a null false null {"$ref":"http://x/y#/a"}` + "\n"},
		{"not to nowhere", 4, `{"properties":{"a":{"$ref":"#/$defs/s"}}}`, root + `a null false null {"$ref":"#/$defs/s"}` + "\n"},
		{"not to a boolean", 4, `{"properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":true}}`, root + `a null false null {"$ref":"#/$defs/s"}` + "\n"},
		{"percent first, then tilde", 4, `{"properties":{"a":{"$ref":"#/$defs/a%7E1b%7e0"}},"$defs":{"a/b~":{"type":"string"}}}`, root + "a " + str + "false null " + open + "\n"},
		{"~01 is ~1", 4, `{"properties":{"a":{"$ref":"#/$defs/~01"}},"$defs":{"~1":{"type":"string"}}}`, root + "a " + str + "false null " + open + "\n"},
		{"array index", 4, `{"properties":{"a":{"$ref":"#/anyOf/1"}},"anyOf":[{},{"type":"string"}]}`, root + "a " + str + "false null " + open + "\n"},
		{"array index out of range", 4, `{"properties":{"a":{"$ref":"#/anyOf/2"}},"anyOf":[{},{}]}`, root + `a null false null {"$ref":"#/anyOf/2"}` + "\n"},
		{"array index with a sign", 4, `{"properties":{"a":{"$ref":"#/anyOf/+1"}},"anyOf":[{},{}]}`, root + `a null false null {"$ref":"#/anyOf/+1"}` + "\n"},
		{"to itself", 4, `{"properties":{"a":{"$ref":"#/properties/a"}}}`, root + `a null false null {"_truncated":true}` + "\n"},
		{"round a circle", 4, `{"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"properties":{"n":{"$ref":"#/$defs/n"}}}}}`,
			root + "a null false null " + open + "\n" + `a.n null false null {"_truncated":true}` + "\n"},
		{"twice side by side is no circle", 4, `{"properties":{"a":{"$ref":"#/$defs/s"},"b":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`,
			root + "a " + str + "false null " + open + "\n" + "b " + str + "false null " + open + "\n"},
	} {
		if got := skeletonText(t, c.schema, c.level); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestSkeletonDepth(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"properties":{"p":`, n) + `{"type":"string"}` + strings.Repeat("}}", n)
	}
	leaf := func(n int) string { return strings.TrimSuffix(strings.Repeat("p.", n), ".") }
	if got := skeletonText(t, nested(64), 4); !strings.Contains(got, leaf(64)+` ["string"] false`) {
		t.Errorf("64 levels are not shown:\n%s", got)
	}
	if got := skeletonText(t, nested(65), 4); !strings.Contains(got, leaf(65)+` null false null {"_truncated":true}`) {
		t.Errorf("the 65th level is not cut:\n%s", got)
	}
}

func TestSkeletonReferenceChain(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		b.WriteString(`{"properties":{"a":{"$ref":"#/$defs/0"}},"$defs":{`)
		for i := range n - 1 {
			fmt.Fprintf(&b, `"%d":{"$ref":"#/$defs/%d"},`, i, i+1)
		}
		fmt.Fprintf(&b, `"%d":{"type":"string"}}}`, n-1)
		return b.String()
	}
	if got := skeletonText(t, chain(256), 4); !strings.Contains(got, `a ["string"]`) {
		t.Errorf("256 references are not followed: %s", got)
	}
	if got := skeletonText(t, chain(257), 4); !strings.Contains(got, `a null false null {"$ref":"#/$defs/256"}`) {
		t.Errorf("the 257th reference is followed: %s", got)
	}
}

// Schemas of a few lines that unfold without end, or that keep or ask for the
// same large thing again and again, are refused, and soon.
func TestSkeletonUnfolding(t *testing.T) {
	var tree strings.Builder
	tree.WriteString(`{"properties":{"a":{"$ref":"#/$defs/0"}},"$defs":{`)
	for i := range 40 {
		fmt.Fprintf(&tree, `"%d":{"properties":{"l":{"$ref":"#/$defs/%d"},"r":{"$ref":"#/$defs/%d"}}},`, i, i+1, i+1)
	}
	tree.WriteString(`"40":{}}}`)
	many := func(def string) string {
		var b strings.Builder
		b.WriteString(`{"properties":{`)
		for i := range 20_000 {
			fmt.Fprintf(&b, `"%d":{"$ref":"#/$defs/x"},`, i)
		}
		return b.String() + `"z":{}},"$defs":{"x":` + def + `}}`
	}
	big := strings.Repeat(`"member",`, 100_000) + `""`
	for name, schema := range map[string]string{
		"a tree":                 tree.String(),
		"one enum":               many(`{"enum":[` + big + `]}`),
		"one pattern":            many(`{"pattern":"` + strings.Repeat("x", 1_000_000) + `"}`),
		"one additional schema":  many(`{"additionalProperties":{"enum":[` + big + `]}}`),
		"one list of required":   many(`{"properties":{},"required":[` + big + `]}`),
		"one list of no use":     many(`{"anyOf":[` + big + `]}`),
		"one long property name": many(`{"properties":{"` + strings.Repeat("n", 1_000_000) + `":{}}}`),
	} {
		v, err := jsonrpc.Decode([]byte(schema), jsonrpc.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := skeletonOf(v, 4); !errors.Is(err, errUnfolds) {
			t.Errorf("%s: got %v", name, err)
		}
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%s took %v", name, d)
		}
	}
}

// Many tools that each unfold to what is just allowed do not add up.
func TestBuildIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`"inputSchema":{"properties":{"a":{"$ref":"#/$defs/0"}},"$defs":{`)
	for i := range 14 {
		fmt.Fprintf(&b, `"%d":{"properties":{"l":{"$ref":"#/$defs/%d"},"r":{"$ref":"#/$defs/%d"}}},`, i, i+1, i+1)
	}
	b.WriteString(`"14":{}}}`)
	var tools []string
	for i := range 2000 {
		tools = append(tools, fmt.Sprintf(`{"name":"%d",%s}`, i, b.String()))
	}
	start := time.Now()
	if _, err := Build(surfaceOf(tools...), PinOptions{}); !errors.Is(err, errTooLarge) {
		t.Errorf("got %v", err)
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
}

func TestSkeletonShadow(t *testing.T) {
	v, err := jsonrpc.Decode([]byte(`{"properties":{"a":{"properties":{"b":{}}},"a.b":{"maxLength":3}}}`), jsonrpc.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := skeletonOf(v, 4); err != nil || !s.shadowed {
		t.Errorf("two places with one path go unnoticed: %v", err)
	}
}

func TestEnumNumbers(t *testing.T) {
	for in, want := range map[string]string{
		"1": "1", "-0": "0", "1.0": "1.0", "1e2": "100.0", "1e16": "1e+16", "1e15": "1000000000000000.0",
		"0.0001": "0.0001", "0.00001": "1e-05", "1.5e300": "1.5e+300", "-0.0": "-0.0",
	} {
		if got := enumNumber([]byte(in)); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
