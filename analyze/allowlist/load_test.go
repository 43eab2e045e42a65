package allowlist

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze/faults"
)

// one is an allow-list with one tool "t" whose only property is s.
func one(property string) string {
	return `{"version":"1.0.0","posture":"default-deny","tools":{"t":{"action":"ENFORCE","argsSchema":` +
		`{"type":"object","additionalProperties":false,"properties":{"s":` + property + `}}}}}`
}

func mustLoad(t testing.TB, text string) *Policy {
	t.Helper()
	p, err := Load("list.json", []byte(text), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// faultsOf gives the keys and texts of a load error.
func faultsOf(t testing.TB, err error) []*Fault {
	t.Helper()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("no joined error: %v", err)
	}
	var out []*Fault
	for _, e := range joined.Unwrap() {
		var f *Fault
		if !errors.As(e, &f) {
			t.Fatalf("no *Fault: %v", e)
		}
		out = append(out, f)
	}
	return out
}

func TestSchemaSubset(t *testing.T) {
	object := func(more string) string {
		return `{"type":"object","properties":{},"additionalProperties":false` + more + `}`
	}
	for _, c := range []struct{ schema, fault string }{
		{`{"type":"string"}`, ""},
		{`{"type":"string","title":"a","description":"b","$schema":"http://json-schema.org/draft-07/schema#"}`, ""},
		{`{"type":"string","$schema":"http://json-schema.org/draft-07/schema"}`, ""},
		{`{"type":"string","$schema":"https://json-schema.org/draft-07/schema#"}`, "must be http://json-schema.org/draft-07/schema#"},
		{`{"type":"string","$schema":"https://json-schema.org/draft/2020-12/schema"}`, "must be http://json-schema.org"},
		{`{"type":"string","title":1}`, "must be a string"},
		{`{}`, "every schema has one type"},
		{`true`, "a schema must be an object"},
		{`{"type":["string","null"]}`, "must be one of"},
		{`{"type":"text"}`, "must be one of"},
		{`{"type":"string","format":"email"}`, "not in the closed subset"},
		{`{"type":"string","default":""}`, "not in the closed subset"},
		{`{"type":"string","$ref":"#"}`, "not in the closed subset"},
		{`{"type":"string","not":{"type":"string"}}`, "not in the closed subset"},

		{`{"type":"string","enum":["a"]}`, ""},
		{`{"type":"string","enum":[]}`, "not empty"},
		{`{"type":"string","enum":"a"}`, "not empty"},
		{`{"type":"object","properties":{},"additionalProperties":false,"const":{"a":[null]}}`, ""},

		{`{"type":"string","minLength":2,"maxLength":2}`, ""},
		{`{"type":"string","minLength":2.0}`, ""},
		{`{"type":"string","minLength":3,"maxLength":2}`, "nothing fits"},
		{`{"type":"string","minLength":-1}`, "whole number"},
		{`{"type":"string","minLength":0.5}`, "whole number"},
		{`{"type":"string","maxLength":"9"}`, "whole number"},
		{`{"type":"string","maxLength":1e300}`, ""},
		{`{"type":"integer","minLength":1}`, "does not fit type integer"},
		{`{"type":"string","minimum":1}`, "does not fit type string"},
		{`{"type":"boolean","maxItems":1}`, "does not fit type boolean"},
		{`{"type":"null","properties":{}}`, "does not fit type null"},

		{`{"type":"array"}`, "has one schema for its items"},
		{`{"type":"array","items":[{"type":"string"}]}`, "a schema must be an object"},
		{`{"type":"array","items":{"type":"string"},"uniqueItems":true,"minItems":0,"maxItems":0}`, ""},
		{`{"type":"array","items":{"type":"string"},"uniqueItems":1}`, "true or false"},
		{`{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":1}`, "nothing fits"},

		{object(``), ""},
		{object(`,"required":[]`), ""},
		{`{"type":"object","properties":{"a":{"type":"null"}},"additionalProperties":false,"required":["a"]}`, ""},
		{object(`,"required":["a"]`), "which properties does not have"},
		{object(`,"required":"a"`), "array of property names"},
		{object(`,"required":[1]`), "strings alone"},
		{`{"type":"object","properties":{"a":{"type":"null"}},"additionalProperties":false,"required":["a","a"]}`, "twice"},
		{`{"type":"object","properties":{}}`, "write false"},
		{`{"type":"object","properties":{},"additionalProperties":true}`, "must be false"},
		{`{"type":"object","properties":{},"additionalProperties":{"type":"string"}}`, "must be false"},
		{`{"type":"object","additionalProperties":false}`, "names its properties"},
		{`{"type":"object","properties":[],"additionalProperties":false}`, "object of schemas"},

		{`{"type":"number","minimum":1,"maximum":1}`, ""},
		{`{"type":"number","minimum":1,"exclusiveMaximum":1}`, "leave no number"},
		{`{"type":"number","exclusiveMinimum":1,"maximum":1.0000001}`, ""},
		{`{"type":"number","minimum":2,"maximum":1.9}`, "leave no number"},
		{`{"type":"integer","exclusiveMinimum":4,"exclusiveMaximum":5}`, "leave no number"},
		{`{"type":"integer","exclusiveMinimum":4,"exclusiveMaximum":6}`, ""},
		{`{"type":"integer","minimum":4.2,"maximum":4.8}`, "leave no number"},
		{`{"type":"integer","minimum":-4.8,"maximum":-4.2}`, "leave no number"},
		{`{"type":"integer","minimum":-4.8,"maximum":-4}`, ""},
		{`{"type":"integer","minimum":4,"exclusiveMinimum":4,"maximum":5}`, ""},
		{`{"type":"integer","minimum":1,"maximum":2,"multipleOf":5}`, ""}, // admitted; nothing passes it
		{`{"type":"number","multipleOf":0.1}`, ""},
		{`{"type":"number","multipleOf":0}`, "more than 0"},
		{`{"type":"number","multipleOf":-1}`, "more than 0"},
		{`{"type":"number","exclusiveMaximum":true}`, "must be a number"},
		{`{"type":"number","multipleOf":1e-2000}`, "smaller exponent"},
		{`{"type":"number","minimum":1e400}`, "too large for a double"},
		{`{"type":"string","pattern":1}`, "must be a string"},
		{`{"type":"string","pattern":"^a$"}`, ""},
		{`{"type":"string","pattern":"a"}`, "begin with ^"},
	} {
		_, err := Load("list.json", []byte(one(c.schema)), DefaultLimits())
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("%s\n  refused: %v", c.schema, err)
		case c.fault != "" && err == nil:
			t.Errorf("%s\n  admitted, want %q", c.schema, c.fault)
		case err != nil && !strings.Contains(err.Error(), c.fault):
			t.Errorf("%s\n  %v, want %q", c.schema, err, c.fault)
		}
	}
}

func TestDocument(t *testing.T) {
	const ok = `{"version":"1.0.0","posture":"default-deny","tools":{}}`
	const tool = `{"version":"1.0.0","posture":"default-deny","tools":{"t":%s}}`
	const schema = `{"type":"object","properties":{},"additionalProperties":false}`
	for _, c := range []struct{ text, fault string }{
		{ok, ""},
		{" \n" + ok + "\n", ""},
		{"\xef\xbb\xbf" + ok, "byte-order mark"},
		{`{"version":"1.0.0` + "\xff" + `"}`, "not valid UTF-8"},
		{ok + ok, "no JSON"},
		{``, "no JSON"},
		{`[]`, "must be an object"},
		{`{"posture":"default-deny","tools":{}}`, "version: is missing"},
		{`{"version":"1.0","posture":"default-deny","tools":{}}`, `must be the string "1.0.0"`},
		{`{"version":1,"posture":"default-deny","tools":{}}`, `must be the string "1.0.0"`},
		{`{"version":"1.0.0","posture":"default-allow","tools":{}}`, `"default-deny"`},
		{`{"version":"1.0.0","posture":"default-deny"}`, "tools: is missing"},
		{`{"version":"1.0.0","posture":"default-deny","tools":[]}`, "object of tool names"},
		{`{"version":"1.0.0","posture":"default-deny","tools":{},"note":1}`, "unknown key"},
		{`{"version":"1.0.0","version":"1.0.0","posture":"default-deny","tools":{}}`, "stands twice"},
		{fmt.Sprintf(tool, `{"action":"DENY","argsSchema":`+schema+`}`), ""},
		{fmt.Sprintf(tool, `{"action":"DENY"}`), "argsSchema: is missing"},
		{fmt.Sprintf(tool, `{"argsSchema":`+schema+`}`), "action: is missing"},
		{fmt.Sprintf(tool, `{"action":"enforce","argsSchema":`+schema+`}`), "ENFORCE or DENY"},
		{fmt.Sprintf(tool, `{"action":"ENFORCE","argsSchema":`+schema+`,"x":1}`), "unknown key"},
		{fmt.Sprintf(tool, `{"action":"ENFORCE","argsSchema":{"type":"array","items":{"type":"null"}}}`), "arguments are one"},
		{strings.Replace(fmt.Sprintf(tool, `{"action":"DENY","argsSchema":`+schema+`}`), `"t"`, `""`, 1), "without a name"},
		{strings.Replace(fmt.Sprintf(tool, `{"action":"DENY","argsSchema":`+schema+`}`), `"t"`, `"constructor"`, 1), "prototype"},
		{one(`{"type":"string","enum":["a",{"b":[{"__proto__":1}]}]}`), "prototype"},
		{one(`{"type":"string","enum":["\ud800"]}`), "no JSON"},
	} {
		_, err := Load("list.json", []byte(c.text), DefaultLimits())
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s\n  got %v, want %q", c.text, err, c.fault)
		}
	}
}

// All faults come at once, each with its line and key.
func TestFaultsHavePlaces(t *testing.T) {
	_, err := Load("list.json", []byte(`{
  "version": "1.0.0",
  "posture": "deny",
  "tools": {
    "pay": {
      "action": "ALLOW",
      "argsSchema": {
        "type": "object", "additionalProperties": false,
        "properties": {
          "to": {"type": "string", "pattern": "(a|b)+"}
        }
      }
    }
  }
}`), DefaultLimits())
	var got []string
	for _, f := range faultsOf(t, err) {
		got = append(got, fmt.Sprintf("%d %s", f.Line, f.Key))
	}
	want := []string{"3 posture", "6 tools.pay.action", "10 tools.pay.argsSchema.properties.to.pattern"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestManyFaultsAreCounted(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	_, err := Load("list.json", []byte(`{"version":"1.0.0","posture":"default-deny","tools":{}`+b.String()+`}`), DefaultLimits())
	fs := faultsOf(t, err)
	if len(fs) != faults.MaxNamed+1 || !strings.Contains(fs[faults.MaxNamed].Text, "250 more faults") {
		t.Errorf("%d faults, last %v", len(fs), fs[len(fs)-1])
	}
}

// No value of a list is ever shown, and a key not as a secret.
func TestFaultsShowNoValue(t *testing.T) {
	key := "sk-" + strings.Repeat("Ab3", 10)
	for _, text := range []string{
		strings.Replace(one(`{"type":"string"}`), "ENFORCE", key, 1),
		one(`{"type":"string","pattern":"` + key + `"}`),
		one(`{"type":"string","` + key + `":1}`),
		one(`{"type":"` + key + `"}`),
		`{"version":"` + key + `"}`,
		`{"` + key + `":1,"` + key + `":2}`,
		`{"version": ` + key + `}`,
		`{"tools":{"` + key + "\x1b[31m" + `":1}}`,
		`{"tools":{"` + key + `\u001b[31m":1}}`,
	} {
		_, err := Load("list.json", []byte(text), DefaultLimits())
		if err == nil {
			t.Fatalf("%s loads", text)
		}
		if s := err.Error(); strings.Contains(s, key[:12]) || strings.Contains(s, "\x1b") {
			t.Errorf("%q shows what it must not", s)
		}
	}
}

func TestPolicyBounds(t *testing.T) {
	deep := func(n int) string {
		s := `{"type":"null"}`
		for range n {
			s = `{"type":"array","items":` + s + `}`
		}
		return one(s)
	}
	many := func(n int) string {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf(`"k%d":{"type":"null"}`, i)
		}
		return one(`{"type":"object","additionalProperties":false,"properties":{` + strings.Join(keys, ",") + `}}`)
	}
	enum := func(n int) string {
		return one(`{"type":"integer","enum":[0` + strings.Repeat(",0", n-1) + `]}`)
	}
	pad := func(n int) string {
		s := one(`{"type":"null"}`)
		return s + strings.Repeat(" ", n-len(s))
	}
	// The value of type in the innermost schema has depth 7 plus one a level.
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"depth 32", deep(25), true}, {"depth 33", deep(26), false},
		{"1000 properties", many(1000), true}, {"1001 properties", many(1001), false},
		{"1000 elements", enum(1000), true}, {"1001 elements", enum(1001), false},
		{"1 MiB", pad(1 << 20), true}, {"more than 1 MiB", pad(1<<20 + 1), false},
		{"a hundred thousand deep", strings.Repeat("[", 100_000), false},
	} {
		if _, err := Load("list.json", []byte(c.text), DefaultLimits()); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	small := one(`{"type":"string","pattern":"^abc$"}`) // 13 values, depth 7
	for _, c := range []struct {
		limit string
		at    int64
	}{{"maxPolicyDepth", 7}, {"maxPolicyNodes", 13}, {"maxPolicyBytes", int64(len(small))}, {"maxPatternLength", 5}, {"maxPolicyObjectProperties", 3}} {
		for _, over := range []bool{false, true} {
			l := DefaultLimits()
			n := c.at
			if over {
				n--
			}
			if err := l.Set("guwah."+c.limit, fmt.Sprint(n)); err != nil {
				t.Fatal(err)
			}
			if _, err := Load("list.json", []byte(small), l); (err != nil) != over {
				t.Errorf("%s=%d: %v", c.limit, n, err)
			}
		}
	}
}

func TestLimitNames(t *testing.T) {
	l := DefaultLimits()
	if len(LimitNames) != len(l.byName()) {
		t.Errorf("%d names, %d limits", len(LimitNames), len(l.byName()))
	}
	for _, n := range LimitNames {
		if err := l.Set(n, "7"); err != nil {
			t.Error(err)
		}
	}
	if l != (Limits{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}) {
		t.Errorf("not all set: %+v", l)
	}
	for _, bad := range [][2]string{
		{"guwah.maxNothing", "1"}, {"maxInputDepth", "0"}, {"maxInputDepth", "-1"}, {"maxInputDepth", "1.5"}, {"maxInputDepth", "1e3"},
		{"maxInputDepth", ""}, {"maxInputDepth", "deep"}, {"maxInputDepth", "9007199254740992"}, {"maxInputDepth", "+1"}, {"maxInputDepth", "99999999999999999999"},
	} {
		if err := l.Set(bad[0], bad[1]); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
	if err := l.Set("guwah.maxInputDepth", "9007199254740991"); err != nil || l.InputDepth != 1<<53-1 {
		t.Errorf("the largest safe integer: %v, %d", err, l.InputDepth)
	}
}
