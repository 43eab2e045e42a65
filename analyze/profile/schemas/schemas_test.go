package schemas

import (
	"fmt"
	"strings"
	"testing"
)

func TestAdmit(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		want         string // part of the fault's reason; "" where it is admitted
	}{
		{"empty", `{}`, ""},
		{"boolean", `true`, ""},
		{"boolean within", `{"properties":{"a":true,"b":false}}`, ""},
		{"unknown keyword", `{"x-ui":{"a":[1]}}`, ""},
		{"type unknown", `{"type":"text"}`, "dialect"},
		{"enum no array", `{"enum":1}`, "dialect"},
		{"title no string", `{"title":1}`, "dialect"},
		{"format no string", `{"properties":{"a":{"format":1}}}`, "dialect"},
		{"fault below an applicator", `{"anyOf":[{"items":{"minLength":-1}}]}`, "dialect"},
		{"draft-04 exclusiveMinimum", `{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, ""},
		{"the same in 2020-12", `{"minimum":1,"exclusiveMinimum":true}`, "dialect"},
		{"items array in draft-07", `{"$schema":"https://json-schema.org/draft-07/schema","items":[{}]}`, ""},
		{"items array in 2020-12", `{"items":[{}]}`, "dialect"},
		{"2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true}`, ""},
		{"dialect unknown", `{"$schema":"https://example.com/mine"}`, "dialect"},
		{"$schema no string", `{"$schema":7}`, "no string"},
		{"local reference", `{"$ref":"#/$defs/a","$defs":{"a":{}}}`, ""},
		{"dangling reference", `{"$ref":"#/$defs/b","$defs":{"a":{}}}`, "does not have"},
		{"dangling anchor", `{"$ref":"#b"}`, "does not have"},
		{"self reference", `{"$ref":"#"}`, ""},
		{"other document", `{"$ref":"https://example.com/a.json#/x"}`, ""},
		{"file", `{"$ref":"file:///etc/passwd"}`, ""},
		{"pattern", `{"pattern":"^[a-z]+$"}`, ""},
		{"look-ahead", `{"pattern":"^(?=a)\\w+$"}`, ""},
		{"back reference", `{"pattern":"^(a)\\1$"}`, ""},
		{"catastrophic", `{"pattern":"^(a+)+$"}`, ""},
		{"open group", `{"pattern":"("}`, "dialect"},
		{"nothing to repeat", `{"properties":{"a":{"pattern":"*a"}}}`, "dialect"},
		{"too deep", strings.Repeat(`{"not":`, 300) + `{}` + strings.Repeat(`}`, 300), "nested deeper"},
		{"too large", `{"title":"` + strings.Repeat("x", MaxSchemaBytes) + `"}`, "larger than"},
		{"too many values", `{"enum":[` + strings.Repeat("1,", MaxSchemaNodes) + `2]}`, "too many values"},
		{"too many subschemas", `{"allOf":[` + strings.Repeat(`{"a":1},`, maxSubschemas) + `{}]}`, "subschemas"},
		{"no JSON", `{`, "readable"},
		{"repeated keys", `{"type":"object","type":"object"}`, ""},
		{"huge numbers", `{"minimum":1e999999999,"multipleOf":1e-999999999}`, ""},
	} {
		s, fault := Admit([]byte(tt.schema))
		switch {
		case (s == nil) == (fault == nil):
			t.Errorf("%s: schema %v and fault %v", tt.name, s, fault)
		case tt.want == "" && fault != nil:
			t.Errorf("%s: refused: %+v", tt.name, fault)
		case tt.want != "" && (fault == nil || !strings.Contains(fault.Reason, tt.want)):
			t.Errorf("%s: got %+v, want %q", tt.name, fault, tt.want)
		}
	}
}

// plenty is a pool that no single instance uses up.
func plenty() *int64 { n := int64(1 << 40); return &n }

func TestValidate(t *testing.T) {
	for _, tt := range []struct{ schema, good, bad, pointer string }{
		{`{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":1.0}`, `{"a":1.5}`, "/a"},
		{`{"type":"array","items":{"minimum":3}}`, `[3]`, `[4,5,2]`, "/2"},
		{`{"required":["a"]}`, `{"a":null}`, `{"b":1}`, ""},
		{`{"properties":{"a/b":{"const":1}}}`, `{"a/b":1e0}`, `{"a/b":2}`, "/a~1b"},
		{`{"maxLength":2}`, `"éé"`, `"ééé"`, ""},
		{`{"pattern":"^a$"}`, `"a"`, `"a\n"`, ""},
		{`{"pattern":"\\u0061\\/[^]$"}`, `"a/\n"`, `"b/x"`, ""},
		{`{"patternProperties":{"^x":{"type":"string"}}}`, `{"x":"","y":1}`, `{"x1":1}`, "/x1"},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"},"v":{"type":"integer"}},"required":["v"]}}}`, `{"v":1,"next":{"v":2}}`, `{"v":1,"next":{"v":"2"}}`, "/next/v"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`, `["a"]`, `["a",1]`, ""},
		{`{"unevaluatedProperties":false,"allOf":[{"properties":{"a":{}}}]}`, `{"a":1}`, `{"b":1}`, "/b"},
		{`{"enum":[{"format":"x"}]}`, `{"format":"x"}`, `{"format":"y"}`, ""},
		{`{"const":{"a":{"b":1}}}`, `{"a":{"b":1}}`, `{"a":{"b":1,"format":"warden-steps-1"}}`, ""},
		{`{"format":"email","type":"string"}`, `"no address"`, `1`, ""},
		{`{"maximum":18446744073709551615}`, `18446744073709551615`, `18446744073709551616`, ""},
		{`{"maximum":5}`, `-1e999999999`, `1e999999999`, ""},
		{`{"multipleOf":0.1}`, `0.3`, `0.35`, ""},
	} {
		s, fault := Admit([]byte(tt.schema))
		if fault != nil {
			t.Errorf("%s: %+v", tt.schema, fault)
			continue
		}
		if f := s.Validate([]byte(tt.good), plenty()); f != nil {
			t.Errorf("%s: %s is refused: %+v", tt.schema, tt.good, f)
		}
		if f := s.Validate([]byte(tt.bad), plenty()); f == nil || f.Pointer != tt.pointer {
			t.Errorf("%s: %s gives %+v, want a fault at %q", tt.schema, tt.bad, f, tt.pointer)
		}
	}
}

// TestUnknownParts: what can't be evaluated takes nothing from the rest of a
// schema, and what hangs on it is refused.
func TestUnknownParts(t *testing.T) {
	long := strings.Repeat("(a|b)", 500)
	const look, far = `{"pattern":"^(?!a)"}`, `{"$ref":"https://example.com/a#/x"}`
	for _, tt := range []struct {
		schema, good, bad string
		doubt             string // an instance that the unknown decides about
	}{
		{`{"type":"object","properties":{"n":{"type":"integer"}},"$defs":{"unused":` + look + `}}`, `{"n":1}`, `{"n":"x"}`, ""},
		{`{"type":"object","properties":{"n":{"type":"integer"}},"$defs":{"unused":` + far + `}}`, `{"n":1}`, `{"n":"x"}`, ""},
		{`{"properties":{"n":{"type":"integer"},"s":` + look + `}}`, `{"n":1}`, `{"n":"x","s":"y"}`, `{"s":"y"}`},
		{`{"properties":{"n":{"type":"integer"},"s":{"pattern":"(a)\\1"}}}`, `{"n":1,"s":5}`, `{"n":"x"}`, `{"s":"aa"}`},
		{`{"properties":{"n":{"type":"integer"},"s":{"pattern":"x{5000}"}}}`, `{"n":1}`, `{"n":"x"}`, `{"s":"x"}`},
		{`{"properties":{"n":{"type":"integer"},"s":{"pattern":"` + long + `"}}}`, `{"n":1}`, `{"n":"x"}`, `{"s":"x"}`},
		{`{"properties":{"n":{"type":"integer"},"s":` + far + `}}`, `{"n":1}`, `{"n":"x","s":1}`, `{"s":1}`},
		{`{"properties":{"n":{"type":"integer"},"s":{"$ref":"other.json"}}}`, `{"n":1}`, `{"n":"x"}`, `{"s":1}`},
		{`{"properties":{"s":{"type":"string","$ref":"https://example.com/a"}}}`, `{}`, `{"s":1}`, `{"s":"x"}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"s":{"type":"string","$ref":"https://example.com/a"},"n":{"type":"integer"}}}`, `{}`, `{"n":"x"}`, `{"s":1}`},
		{`{"properties":{"n":{"type":"integer"},"s":{"$ref":"#/enum/0"}},"enum":[{"type":"object"},{"n":1},{"s":1}]}`, `{"n":1}`, `{"n":2}`, `{"s":1}`},
		{`{"properties":{"n":{"type":"integer"}},"patternProperties":{"^(?=x)":{"type":"string"}}}`, `{}`, `{"n":"x"}`, `{"n":1,"x":1}`},
		{`{"anyOf":[` + look + `,{"type":"string"}]}`, `"b"`, "", ""},
		{`{"not":` + look + `,"type":"string"}`, "", `1`, `"b"`},
	} {
		s, fault := Admit([]byte(tt.schema))
		if fault != nil || s.Open {
			t.Errorf("%s: %+v", tt.schema, fault)
			continue
		}
		if tt.good != "" {
			if f := s.Validate([]byte(tt.good), plenty()); f != nil {
				t.Errorf("%s: %s is refused: %+v", tt.schema, tt.good, f)
			}
		}
		if tt.bad != "" {
			if f := s.Validate([]byte(tt.bad), plenty()); f == nil || f.Reason == unknown {
				t.Errorf("%s: %s gives %+v", tt.schema, tt.bad, f)
			}
		}
		if tt.doubt != "" {
			if f := s.Validate([]byte(tt.doubt), plenty()); f == nil || f.Reason != unknown {
				t.Errorf("%s: %s gives %+v", tt.schema, tt.doubt, f)
			}
		}
	}
	// A name that the document gives itself is no other document.
	s, fault := Admit([]byte(`{"$id":"https://example.com/root","properties":{"a":{"$ref":"part"}},"$defs":{"p":{"$id":"https://example.com/part","type":"integer"}}}`))
	if fault != nil {
		t.Fatal(fault)
	}
	if f := s.Validate([]byte(`{"a":1}`), plenty()); f != nil {
		t.Errorf("a part by its name: %+v", f)
	}
	if f := s.Validate([]byte(`{"a":"x"}`), plenty()); f == nil || f.Pointer != "/a" {
		t.Errorf("a part by its name: %+v", f)
	}
}

// chain is a schema of n definitions, each of which uses the next twice, so
// that a plain validator takes 2^n steps.
func chain(n int, twice func(next string) string, last string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":%s,`, i, twice(fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)))
	}
	fmt.Fprintf(&b, `"d%d":%s}}`, n, last)
	return b.String()
}

// TestHostileSchemasAreBounded: whatever a schema asks for, an answer comes
// soon, and it is a refusal.
func TestHostileSchemasAreBounded(t *testing.T) {
	both := func(kw string) func(string) string {
		return func(next string) string { return `{"` + kw + `":[` + next + `,` + next + `]}` }
	}
	deps := func(next string) string {
		return `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":` + next + `,"b":` + next + `}}`
	}
	items := `{"items":{"$ref":"#"},"contains":{"$ref":"#"},"type":"array"}`
	nested := strings.Repeat("[", 150) + "1" + strings.Repeat("]", 150)
	for _, tt := range []struct{ name, schema, instance string }{
		{"allOf", chain(60, both("allOf"), `{"type":"object"}`), `{}`},
		{"allOf that fails", chain(60, both("allOf"), `{"type":"string"}`), `{}`},
		{"anyOf that fails", chain(60, both("anyOf"), `{"type":"string"}`), `{}`},
		{"oneOf", chain(60, both("oneOf"), `{"type":"object"}`), `{}`},
		{"negated anyOf", `{"not":` + strings.Replace(chain(60, both("anyOf"), `{"type":"string"}`), "#/", "#/not/", -1) + `}`, `{}`},
		{"dependencies", chain(60, deps, `{"minProperties":9}`), `{"a":1,"b":1}`},
		{"dependentSchemas", chain(60, func(n string) string { return `{"dependentSchemas":{"a":` + n + `,"b":` + n + `}}` }, `false`), `{"a":1,"b":1}`},
		{"if and then", chain(60, func(n string) string { return `{"if":` + n + `,"then":` + n + `}` }, `{}`), `{}`},
		{"items and contains", items, nested},
		{"negated items and contains", `{"not":{"not":` + strings.ReplaceAll(items, `"#"`, `"#/not/not"`) + `}}`, nested},
		{"two patterns a level", `{"patternProperties":{"^a":{"$ref":"#"},"a$":{"$ref":"#"}},"type":"object"}`, strings.Repeat(`{"a":`, 150) + "1" + strings.Repeat("}", 150)},
		{"hidden in an unknown keyword", strings.ReplaceAll(chain(60, both("allOf"), `{"type":"object"}`), "$defs", "x-hidden"), `{}`},
		{"hidden under default", strings.ReplaceAll(chain(60, both("allOf"), `{"type":"object"}`), "$defs", "default"), `{}`},
		{"a loop", `{"$ref":"#"}`, `{}`},
		{"a loop of two", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#"}]}}}`, `{}`},
		{"wide enum", `{"items":{"enum":[` + strings.Repeat(`"x",`, 9000) + `"y"]}}`, `[` + strings.Repeat(`"z",`, 50_000) + `"z"]`},
		{"costly pattern", `{"items":{"pattern":"(x+x+)+y{1,200}$"}}`, `["` + strings.Repeat("x", 8<<20) + `"]`},
		{"unevaluated", `{"allOf":[` + strings.Repeat(`{"unevaluatedProperties":true},`, 500) + `{}],"unevaluatedProperties":false}`, manyMembers(50_000)},
		{"deep instance", `{"items":{"$ref":"#"}}`, strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// Unbounded, any of these runs until the test's own timeout.
			s, fault := Admit([]byte(tt.schema))
			if fault != nil {
				return
			}
			pool := plenty()
			before := *pool
			if f := s.Validate([]byte(tt.instance), pool); f == nil {
				t.Error("the instance is taken")
			}
			if spent, most := before-*pool, baseSteps+byteSteps*int64(len(tt.instance))+fullSteps; spent > most {
				t.Errorf("%d steps were spent, %d are allowed", spent, most)
			}
		})
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"k%d":1,`, i)
	}
	return b.String() + `"z":1}`
}

// TestPool: what a session can spend in all is bounded too.
func TestPool(t *testing.T) {
	s, _ := Admit([]byte(`{"items":{"type":"integer"}}`))
	pool := int64(1000)
	for i := 0; ; i++ {
		if f := s.Validate([]byte(`[1,2,3]`), &pool); f != nil {
			if i < 50 || f.Reason != tooManySteps {
				t.Errorf("after %d instances: %+v", i, f)
			}
			return
		}
		if i > 1000 {
			t.Fatal("the pool never ends")
		}
	}
}

// TestFirstFaultIsStable: the library walks maps in any order, the fault that
// is named must not depend on it.
func TestFirstFaultIsStable(t *testing.T) {
	s, fault := Admit([]byte(`{"additionalProperties":{"type":"string"}}`))
	if fault != nil {
		t.Fatal(fault)
	}
	for range 50 {
		if f := s.Validate([]byte(`{"d":1,"b":1,"c":1,"a":1,"e":1}`), plenty()); f.Pointer != "/a" {
			t.Fatalf("the first fault is at %q", f.Pointer)
		}
	}
}

// TestFaultsShowNoValues: reasons are words about the schema, never data.
func TestFaultsShowNoValues(t *testing.T) {
	const secret = "hunter2hunter2"
	for _, schema := range []string{`{"type":"number"}`, `{"const":"a"}`, `{"enum":["a"]}`, `{"maxLength":3}`, `{"pattern":"^a$"}`, `{"not":{}}`} {
		s, _ := Admit([]byte(schema))
		if f := s.Validate([]byte(`"`+secret+`"`), plenty()); f == nil || strings.Contains(fmt.Sprint(*f), secret) {
			t.Errorf("%s: %+v", schema, f)
		}
	}
}

func TestInteger(t *testing.T) {
	for raw, want := range map[string]string{"1": "1", "-0": "0", "1.0": "1", "10e-1": "1", "1.5": "-", "1e2": "100", "-3.2603e4": "-32603", "1e999999999": "", "0e9": "0", "1e-999999999": "-", "": "-", "x": "-"} {
		got, ok := Integer([]byte(raw))
		if !ok {
			got = "-"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

func FuzzAdmit(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"pattern":"a(?=b)"}}}`), []byte(`{"a":"ab"}`))
	f.Add([]byte(`{"$schema":"http://json-schema.org/draft-04/schema#","dependencies":{"a":["b"]},"id":"x"}`), []byte(`{"a":1}`))
	f.Add([]byte(`{"$id":"http://a/b","$anchor":"q","$dynamicRef":"#q","unevaluatedItems":false}`), []byte(`[1]`))
	f.Fuzz(func(t *testing.T, schema, instance []byte) {
		s, fault := Admit(schema)
		if (s == nil) == (fault == nil) {
			t.Fatal("neither or both")
		}
		if s != nil {
			s.Validate(instance, plenty())
		}
	})
}
