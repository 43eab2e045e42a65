package allowlist

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// numberText draws JSON numbers, many of them close to each other.
func numberText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign") + rapid.SampledFrom([]string{"0", "1", "5", "10", "100", "15", "9007199254740993", "123456789012345678901234567890"}).Draw(t, "whole")
		if rapid.Bool().Draw(t, "point") {
			s += "." + rapid.SampledFrom([]string{"0", "00", "1", "10", "5", "25", "0000001", "333"}).Draw(t, "fraction")
		}
		if rapid.Bool().Draw(t, "exponent") {
			s += rapid.SampledFrom([]string{"e0", "E1", "e+2", "e-1", "e-5", "e20", "e-20"}).Draw(t, "exp")
		}
		return s
	})
}

func ratOf(s string) *big.Rat { r, _ := new(big.Rat).SetString(s); return r }

// Decimals say what exact fractions say.
func TestDecimalEqualsRat(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := numberText().Draw(rt, "a"), numberText().Draw(rt, "b")
		x, y := parseDecimal(a), parseDecimal(b)
		ra, rb := ratOf(a), ratOf(b)
		if got := x.cmp(y); got != ra.Cmp(rb) {
			rt.Fatalf("%s against %s: %d", a, b, got)
		}
		if (x.String() == y.String()) != (ra.Cmp(rb) == 0) {
			rt.Fatalf("%s and %s: %s, %s", a, b, x, y)
		}
		if x.integer() != ra.IsInt() || x.sign() != ra.Sign() {
			rt.Fatalf("%s: integer %v, sign %d", a, x.integer(), x.sign())
		}
		if x.smallEnough() && x.rat().Cmp(ra) != 0 {
			rt.Fatalf("%s: %s", a, x.rat())
		}
		if rb.Sign() > 0 {
			if got := x.multipleOf(y); got != new(big.Rat).Quo(ra, rb).IsInt() {
				rt.Fatalf("%s multiple of %s: %v", a, b, got)
			}
		}
	})
	// More digits than are divided at once.
	long := strings.Repeat("9", 3*chunk) + "6"
	if !parseDecimal(long).multipleOf(parseDecimal("3")) || parseDecimal(long).multipleOf(parseDecimal("7e1")) {
		t.Error("a long dividend")
	}
}

func TestFinite(t *testing.T) {
	// Half a step above the largest double rounds up, anything below it down.
	border := new(big.Int).Lsh(big.NewInt(1), 1024)
	border.Sub(border, new(big.Int).Lsh(big.NewInt(1), 970))
	under := new(big.Int).Sub(border, big.NewInt(1)).String() + "." + strings.Repeat("9", 2000)
	for s, want := range map[string]bool{
		border.String(): false, border.String() + ".0001": false, under: true,
		"0": true, "-0.0": true, "1e308": true, "1.7976931348623157e308": true, "1.7976931348623159e308": false, "-1.8e308": false, "1e309": false, "1e-999999999999": true, "1e999999999999999999999": false,
		"0e999999999999999999999": true, "NaN": false, "Infinity": false, "-Infinity": false, "179769313486231570" + strings.Repeat("0", 291): true, "1" + strings.Repeat("0", 309): false,
	} {
		if got := finite([]byte(s)); got != want {
			t.Errorf("%.40s: %v", s, got)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := fmt.Sprintf("%d.%de%d", rapid.IntRange(0, 999).Draw(rt, "a"), rapid.IntRange(0, 999).Draw(rt, "b"), rapid.IntRange(-400, 400).Draw(rt, "e"))
		if _, err := strconv.ParseFloat(s, 64); finite([]byte(s)) != (err == nil) {
			rt.Fatalf("%s: %v", s, err)
		}
	})
}

// anyValue draws small JSON values of all kinds.
func anyValue(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kinds := []string{"null", "true", "false", "number", "string", "array", "object"}
		if depth == 0 {
			kinds = kinds[:5]
		}
		switch k := rapid.SampledFrom(kinds).Draw(t, "kind"); k {
		case "number":
			return rapid.SampledFrom([]string{"0", "-0", "1", "1.0", "10e-1", "2", "0.1", "1e2", "100"}).Draw(t, "number")
		case "string":
			return rapid.SampledFrom([]string{`""`, `"a"`, `"\u0061"`, `"a\"2:b"`, `"n"`, `"[."`, `"é"`}).Draw(t, "string")
		case "array":
			return "[" + strings.Join(rapid.SliceOfN(anyValue(depth-1), 0, 3).Draw(t, "elements"), ", ") + "]"
		case "object":
			keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "\\u00e9"}), 0, 3, rapid.ID[string]).Draw(t, "keys")
			parts := make([]string, len(keys))
			for i, key := range keys {
				parts[i] = `"` + key + `":` + anyValue(depth-1).Draw(t, "value")
			}
			return "{" + strings.Join(parts, ",") + "}"
		default:
			return k
		}
	})
}

func parsed(t interface{ Fatal(...any) }, s string) *jsonrpc.Value {
	v, err := jsonrpc.Decode([]byte(s), jsonrpc.DecodeOptions{})
	if err != nil {
		t.Fatal(s, err)
	}
	return v
}

// Two values have one canonical text if and only if the library finds them
// equal (small numbers, so that it is exact too).
func TestCanonicalIsEquality(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := anyValue(2).Draw(rt, "a"), anyValue(2).Draw(rt, "b")
		if rapid.Bool().Draw(rt, "same") {
			b = a
		}
		got := canonical(parsed(rt, a)) == canonical(parsed(rt, b))
		if want := valid(rt, `{"const":`+a+`}`, b); got != want {
			rt.Fatalf("%s and %s: %v, the library says %v", a, b, got, want)
		}
	})
}

// valid asks the library, with all of the schema.
func valid(t interface{ Fatal(...any) }, schemaText, value string) bool {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schemaText))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	if err := c.AddResource("mem:///s", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///s")
	if err != nil {
		t.Fatal(schemaText, err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v) == nil
}

// anySchema draws schemas of the closed subset.
func anySchema(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kinds := []string{"null", "boolean", "integer", "number", "string", "array", "object"}
		if depth == 0 {
			kinds = kinds[:5]
		}
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		parts := []string{`"type":"` + kind + `"`}
		maybe := func(key string, values ...string) {
			if v := rapid.SampledFrom(append(values, "")).Draw(t, key); v != "" {
				parts = append(parts, `"`+key+`":`+v)
			}
		}
		maybe("enum", `[1,"a",null,{"a":1},[1.0]]`, `[0]`, "", "")
		switch kind {
		case "integer", "number":
			maybe("minimum", "0", "0.5", "-1")
			maybe("exclusiveMaximum", "100", "100.5")
			maybe("multipleOf", "0.1", "2", "0.5")
		case "string":
			maybe("minLength", "0", "1")
			maybe("maxLength", "1", "2")
			maybe("pattern", `"^a?$"`, `"^[a-z]{1}$"`)
		case "array":
			parts = append(parts, `"items":`+anySchema(depth-1).Draw(t, "items"))
			maybe("minItems", "1")
			maybe("maxItems", "2")
			maybe("uniqueItems", "true", "false")
		case "object":
			parts = append(parts, `"additionalProperties":false`, `"properties":{"a":`+anySchema(depth-1).Draw(t, "a")+`,"b":`+anySchema(depth-1).Draw(t, "b")+`}`)
			maybe("required", `["a"]`, `["a","b"]`)
		}
		return "{" + strings.Join(parts, ",") + "}"
	})
}

// The two halves of our validation together say what the library says of the
// whole schema.
func TestValidationEqualsLibrary(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		inner := anySchema(2).Draw(rt, "schema")
		p, err := Load("list.json", []byte(one(inner)), DefaultLimits())
		if err != nil {
			rt.Fatalf("%s: %v", inner, err)
		}
		for range 5 {
			value := `{"s":` + anyValue(2).Draw(rt, "value") + `}`
			f := p.tools["t"].args.validate(parsed(rt, value))
			if want := valid(rt, `{"type":"object","additionalProperties":false,"properties":{"s":`+inner+`}}`, value); (f == nil) != want {
				rt.Fatalf("%s with %s: %+v, the library says %v", inner, value, f, want)
			}
			if f != nil && !json.Valid([]byte(strconv.Quote(f.pointer))) {
				rt.Fatalf("pointer %q", f.pointer)
			}
		}
	})
}

// The first fault does not hang on the order of a map.
func TestOneFaultAlways(t *testing.T) {
	p := mustLoad(t, kit)
	frame := []byte(call(`{"name":"pay","arguments":{"zz":1,"tags":[1,2,3],"seen":{},"opt":{"x":1},"rate":"a","to":1}}`))
	want := p.Check(Request{Frame: frame})
	for range 200 {
		if got := p.Check(Request{Frame: frame}); *got != *want {
			t.Fatalf("%+v, then %+v", want, got)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(kit), []byte(echo(`{"s":"x"}`)))
	f.Add([]byte(one(`{"type":"number","minimum":1e-5,"multipleOf":0.3}`)), []byte(call(`{"name":"t","arguments":{"s":1e-5}}`)))
	f.Fuzz(func(t *testing.T, text, frame []byte) {
		p, err := Load("list.json", text, DefaultLimits())
		if (p == nil) == (err == nil) {
			t.Fatal(p, err)
		}
		if v := p.Check(Request{Frame: frame, Candidate: frame, HasCandidate: len(frame)%2 == 0}); v != nil && v.Code == RuleInternal {
			t.Fatalf("%s: %s", frame, v.Message)
		}
	})
}
