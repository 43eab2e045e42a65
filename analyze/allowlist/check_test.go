package allowlist

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// kit is a list with a tool for each kind of argument.
const kit = `{"version":"1.0.0","posture":"default-deny","tools":{
 "echo":{"action":"ENFORCE","argsSchema":{"type":"object","additionalProperties":false,"properties":{"s":{"type":"string"}}}},
 "pay":{"action":"ENFORCE","argsSchema":{"type":"object","additionalProperties":false,"required":["amount","to"],"properties":{
   "amount":{"type":"integer","minimum":1,"maximum":5000},
   "to":{"type":"string","pattern":"^0x[0-9a-f]{4}$","enum":["0x1111","0x2222"]},
   "rate":{"type":"number","multipleOf":0.1,"exclusiveMaximum":9007199254740993},
   "tags":{"type":"array","items":{"type":"string","maxLength":3},"uniqueItems":true,"maxItems":2},
   "seen":{"type":"array","items":{"type":"number"},"uniqueItems":true},
   "opt":{"type":"object","additionalProperties":false,"properties":{"deep":{"type":"boolean","const":true}}}}}},
 "off":{"action":"DENY","argsSchema":{"type":"object","additionalProperties":false,"properties":{}}}}}`

func call(params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
}

func echo(args string) string { return call(`{"name":"echo","arguments":` + args + `}`) }

// checks is what Check says of a frame: its code, with the keyword where there
// is one.
func checks(p *Policy, r Request) string {
	v := p.Check(r)
	if f := flatOf(string(r.Frame)); v != nil && !r.HasCandidate && f != nil && p.Surely(f, r.AllowParams) {
		return fmt.Sprintf("%+v, but surely let through where the frame is laid flat", v)
	}
	switch {
	case v == nil:
		return ""
	case v.Keyword != "":
		return v.Code + " " + v.Keyword + " " + v.Pointer
	}
	return v.Code
}

func TestCheck(t *testing.T) {
	p := mustLoad(t, kit)
	for _, c := range []struct{ frame, want string }{
		{echo(`{"s":"x"}`), ""},
		{echo(`{}`), ""},
		{call(`{"name":"echo"}`), ""},
		{call(`{"name":"echo","arguments":{},"_meta":{"progressToken":1}}`), ""},
		{"\xef\xbb\xbf" + echo(`{}`), ""},
		{strings.Replace(echo(`{}`), `"id":1`, `"id":"a"`, 1), ""},
		{strings.Replace(echo(`{}`), `"id":1`, `"id":-1.5e3`, 1), ""},
		{strings.Replace(echo(`{}`), `"method"`, `"\u006dethod"`, 1), ""},

		// the envelope
		{strings.Replace(echo(`{}`), `"id":1,`, ``, 1), RuleInvalid},
		{strings.Replace(echo(`{}`), `"id":1`, `"id":""`, 1), RuleInvalid},
		{strings.Replace(echo(`{}`), `"id":1`, `"id":null`, 1), RuleInvalid},
		{strings.Replace(echo(`{}`), `"id":1`, `"id":[1]`, 1), RuleInvalid},
		{strings.Replace(echo(`{}`), `"2.0"`, `"1.0"`, 1), RuleInvalid},
		{strings.Replace(echo(`{}`), `"2.0"`, `2.0`, 1), RuleInvalid},
		{strings.Replace(echo(`{}`), `"jsonrpc":"2.0",`, ``, 1), RuleInvalid},
		{strings.Replace(echo(`{}`), `"jsonrpc"`, `"JsonRpc"`, 1), RuleInvalid},
		{strings.Replace(echo(`{}`), `"id":1`, `"id":1,"id":1`, 1), RuleInvalid},
		{strings.Replace(echo(`{}`), `"id":1`, `"id":1,"ID":2`, 1), RuleInvalid},
		{strings.Replace(echo(`{}`), `"id":1`, `"id":1,"result":{}`, 1), RuleInvalid},
		{call(`[]`), RuleInvalid},
		{call(`null`), RuleInvalid},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, RuleInvalid},
		{call(`{"arguments":{}}`), RuleInvalid},
		{call(`{"name":""}`), RuleInvalid},
		{call(`{"name":1}`), RuleInvalid},
		{call(`{"name":"echo","arguments":[]}`), RuleInvalid},
		{call(`{"name":"echo","arguments":null}`), RuleInvalid},
		{call(`{"name":"echo","_meta":[]}`), RuleInvalid},
		{call(`{"name":"echo","task":{}}`), RuleInvalid},
		{call(`{"name":"echo","inputResponses":{}}`), RuleInvalid},
		{call(`{"name":"echo","requestState":"x"}`), RuleInvalid},
		{call(`{"name":"echo","name":"off"}`), RuleInvalid},
		{call(`{"name":"echo","Name":"off"}`), RuleInvalid},
		{call(`{"name":"echo","_meta":{"a":{"b":1,"b":1}}}`), RuleInvalid},
		{echo(`{"s":"a","\u0073":"a"}`), RuleInvalid},
		{`{"jsonrpc"`, RuleInvalid},
		{`[]`, RuleInvalid},

		// what JSON does not have, and dangerous keys, before the envelope
		{echo(`{"s":1e999}`), RuleNonJSON},
		{echo(`{"s":-1e400}`), RuleNonJSON},
		{echo(`{"s":NaN}`), RuleNonJSON},
		{echo(`{"s":-Infinity}`), RuleNonJSON},
		{echo(`{"s":"\ud800"}`), RuleNonJSON},
		{echo("{\"s\":\"\xff\"}"), RuleNonJSON},
		{call(`{"name":"none","_meta":{"n":1e-999999999999}}`), RuleUnauthorized},
		{echo(`{"__proto__":1}`), RuleDangerousKey},
		{echo(`{"\u005f_proto__":1}`), RuleDangerousKey},
		{call(`{"name":"echo","_meta":{"a":[{"constructor":1}]}}`), RuleDangerousKey},
		{strings.Replace(echo(`{}`), `"id":1`, `"id":1,"prototype":1`, 1), RuleDangerousKey},
		{echo(`{"__proto__":1,"s":1e999}`), RuleDangerousKey},
		{echo(`{"proto":1}`), RuleArguments + " additionalProperties /params/arguments"},
		{echo(`{"s":"__proto__"}`), ""},

		// the list
		{call(`{"name":"none"}`), RuleUnauthorized},
		{call(`{"name":"Echo"}`), RuleUnauthorized},
		{call(`{"name":"off"}`), RuleNotEnforced},

		// the schema
		{echo(`{"s":1}`), RuleArguments + " type /params/arguments/s"},
		{call(`{"name":"pay"}`), RuleArguments + " required "},
		{call(`{"name":"pay","arguments":{"amount":1}}`), RuleArguments + " required /params/arguments"},
		{pay(`5000`, `"0x2222"`, ``), ""},
		{pay(`5001`, `"0x2222"`, ``), RuleArguments + " maximum /params/arguments/amount"},
		{pay(`0`, `"0x2222"`, ``), RuleArguments + " minimum /params/arguments/amount"},
		{pay(`1.0`, `"0x2222"`, ``), ""},
		{pay(`10e2`, `"0x2222"`, ``), ""},
		{pay(`1.5`, `"0x2222"`, ``), RuleArguments + " type /params/arguments/amount"},
		{pay(`"1"`, `"0x2222"`, ``), RuleArguments + " type /params/arguments/amount"},
		{pay(`1`, `"0x3333"`, ``), RuleArguments + " enum /params/arguments/to"},
		{pay(`1`, `"0x2222\n"`, ``), RuleArguments + " pattern /params/arguments/to"},
		{pay(`1`, `"0x2222"`, `,"rate":0.3`), ""},
		{pay(`1`, `"0x2222"`, `,"rate":0.35`), RuleArguments + " multipleOf /params/arguments/rate"},
		{pay(`1`, `"0x2222"`, `,"rate":9007199254740992`), ""},
		{pay(`1`, `"0x2222"`, `,"rate":9007199254740993`), RuleArguments + " exclusiveMaximum /params/arguments/rate"},
		{pay(`1`, `"0x2222"`, `,"rate":-1e300`), ""},
		{pay(`1`, `"0x2222"`, `,"rate":1e-1000000000000`), RuleArguments + " multipleOf /params/arguments/rate"},
		{pay(`1`, `"0x2222"`, `,"tags":["a","b"]`), ""},
		{pay(`1`, `"0x2222"`, `,"tags":["a","a"]`), RuleArguments + " uniqueItems /params/arguments/tags"},
		{pay(`1`, `"0x2222"`, `,"tags":["a","b","c"]`), RuleArguments + " maxItems /params/arguments/tags"},
		{pay(`1`, `"0x2222"`, `,"tags":["a","long"]`), RuleArguments + " maxLength /params/arguments/tags/1"},
		{pay(`1`, `"0x2222"`, `,"tags":["ééé"]`), ""},
		{pay(`1`, `"0x2222"`, `,"seen":[1,2,10]`), ""},
		{pay(`1`, `"0x2222"`, `,"seen":[1,2,1.0]`), RuleArguments + " uniqueItems /params/arguments/seen"},
		{pay(`1`, `"0x2222"`, `,"opt":{"deep":false}`), RuleArguments + " const /params/arguments/opt/deep"},
		{pay(`1`, `"0x2222"`, `,"opt":{"x":1}`), RuleArguments + " additionalProperties /params/arguments/opt"},
		{pay(`1`, `"0x2222"`, `,"opt":null`), RuleArguments + " type /params/arguments/opt"},
	} {
		if got := checks(p, Request{Frame: []byte(c.frame)}); got != c.want {
			t.Errorf("%s\n  got  %q\n  want %q", c.frame, got, c.want)
		}
	}
}

func pay(amount, to, more string) string {
	return call(`{"name":"pay","arguments":{"amount":` + amount + `,"to":` + to + more + `}}`)
}

func TestCandidate(t *testing.T) {
	p := mustLoad(t, kit)
	for _, c := range []struct{ frame, candidate, want string }{
		{echo(`{"s":"x"}`), `{"s":"x"}`, ""},
		{echo(`{"s":"x"}`), `{"s":"\u0078"}`, ""},
		{echo(`{"s":"x"}`), `{"s":"y"}`, RuleMutation},
		{echo(`{"s":"x"}`), `{}`, RuleMutation},
		{echo(`{}`), `{"s":"x"}`, RuleMutation},
		{call(`{"name":"echo"}`), `{"s":"x"}`, ""},
		{call(`{"name":"echo"}`), `{"s":1}`, RuleArguments + " type "},
		{pay(`1`, `"0x1111"`, ``), `{"to":"0x1111","amount":1.0}`, ""},
		{pay(`9007199254740993`, `"0x1111"`, ``), `{"to":"0x1111","amount":9007199254740992}`, RuleMutation},
		{pay(`5001`, `"0x1111"`, ``), `{"to":"0x1111","amount":5001}`, RuleArguments + " maximum /params/arguments/amount"},
		{echo(`{"s":"x"}`), `null`, RuleInvalid},
		{echo(`{"s":"x"}`), `[]`, RuleInvalid},
		{echo(`{"s":"x"}`), `{"s":"x","s":"x"}`, RuleInvalid},
		{echo(`{"s":"x"}`), `{`, RuleInvalid},
		{echo(`{"s":"x"}`), `{"s":"x","__proto__":1}`, RuleDangerousKey},
		{echo(`{"s":"x"}`), `{"s":1e999}`, RuleNonJSON},
		{call(`{"name":"none"}`), `{"s":"x"}`, RuleUnauthorized},
	} {
		r := Request{Frame: []byte(c.frame), Candidate: []byte(c.candidate), HasCandidate: true}
		if got := checks(p, r); got != c.want {
			t.Errorf("%s with %s\n  got  %q\n  want %q", c.frame, c.candidate, got, c.want)
		}
	}
}

func TestAllowParams(t *testing.T) {
	p := mustLoad(t, kit)
	r := Request{Frame: []byte(call(`{"name":"echo","task":{"ttl":1}}`)), AllowParams: []string{"task"}}
	if got := checks(p, r); got != "" {
		t.Error(got)
	}
	r.AllowParams = []string{"Task"}
	if got := checks(p, r); got != RuleInvalid {
		t.Error("a key in another case:", got)
	}
}

func TestInputBounds(t *testing.T) {
	p := mustLoad(t, kit)
	meta := func(v string) string { return call(`{"name":"echo","_meta":{"v":` + v + `}}`) }
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	// Frame, params, _meta: the value of v has depth 4. The nodes before it are
	// 7: the frame, jsonrpc, id, method, params, name and _meta; the strings and
	// keys around it have 7+3+2+6+10+6+4+4+5+1 = 48 bytes.
	for _, c := range []struct {
		name, frame string
		ok          bool
	}{
		{"depth 32", meta(nest(29)), true}, {"depth 33", meta(nest(30)), false},
		{"a million deep", meta(nest(1_000_000)), false},
		{"10,000 values", meta("[" + strings.Repeat("0,", 9991) + "0]"), true},
		{"10,001 values", meta("[" + strings.Repeat("0,", 9992) + "0]"), false},
		{"1 MiB", meta(`"` + strings.Repeat("x", 1<<20-48) + `"`), true},
		{"1 MiB and one", meta(`"` + strings.Repeat("x", 1<<20-47) + `"`), false},
		{"dangerous beyond the bounds", meta(`[{"__proto__":1},` + nest(40) + `]`), false},
	} {
		got := checks(p, Request{Frame: []byte(c.frame)})
		if c.ok && got != "" || !c.ok && got != RuleResourceLimit {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	for _, c := range []struct {
		limit, at, over string
		n               int
	}{
		{"maxArrayLength", `[1,2,3]`, `[1,2,3,4]`, 3},
		{"maxObjectProperties", `{"a":1,"b":2,"c":3,"d":4}`, `{"a":1,"b":2,"c":3,"d":4,"e":5}`, 4},
		{"maxInputDepth", `[]`, `[[]]`, 4},
		{"maxInputNodes", `[]`, `[0]`, 8},
		{"maxInputBytes", `"ab"`, `"é1"`, 50},
	} {
		l := DefaultLimits()
		if err := l.Set(c.limit, fmt.Sprint(c.n)); err != nil {
			t.Fatal(err)
		}
		q, err := Load("kit.json", []byte(kit), l)
		if err != nil {
			t.Fatal(err)
		}
		if got := checks(q, Request{Frame: []byte(meta(c.at))}); got != "" {
			t.Errorf("%s at %d: %q", c.limit, c.n, got)
		}
		if got := checks(q, Request{Frame: []byte(meta(c.over))}); got != RuleResourceLimit {
			t.Errorf("%s over %d: %q", c.limit, c.n, got)
		}
		// The candidate has a count of its own.
		if got := checks(q, Request{Frame: []byte(call(`{"name":"echo"}`)), Candidate: []byte(`{}`), HasCandidate: true}); got != "" {
			t.Errorf("%s: candidate: %q", c.limit, got)
		}
	}
}

func TestBrokenLists(t *testing.T) {
	frame := Request{Frame: []byte(echo(`{}`))}
	if got := checks(Unavailable("x", DefaultLimits()), frame); got != RuleUnavailable {
		t.Error(got)
	}
	if got := checks(Invalid("x", DefaultLimits()), frame); got != RulePolicyInvalid {
		t.Error(got)
	}
	var none *Policy
	if got := checks(none, frame); got != RuleUnavailable {
		t.Error(got)
	}
	// The envelope comes before the list.
	if got := checks(none, Request{Frame: []byte(call(`{}`))}); got != RuleInvalid {
		t.Error(got)
	}
	// A list that is broken inside denies, whatever happens.
	p := mustLoad(t, kit)
	p.tools["echo"].args = nil
	if got := checks(p, frame); got != RuleInternal {
		t.Error(got)
	}
}

func TestMessagesShowNoValue(t *testing.T) {
	p := mustLoad(t, kit)
	key := "sk-" + strings.Repeat("Ab3", 10)
	for _, frame := range []string{
		echo(`{"s":["` + key + `"]}`), pay(`1`, `"`+key+`"`, ``), echo(`{"` + key + `":1}`), call(`{"name":"` + key + `"}`), call(`{"name":"echo","` + key + `":1}`),
		echo(`{"s":{"` + key + `":{"__proto__":1}}}`), echo(`{"` + key + `":1,"` + key + `":1}`), call(`{"name":"\u001b[2J"}`),
	} {
		v := p.Check(Request{Frame: []byte(frame)})
		if v == nil {
			t.Fatalf("%s passes", frame)
		}
		if s := v.Message + v.Pointer; strings.Contains(s, key[:12]) || strings.Contains(s, "\x1b") {
			t.Errorf("%s: %q", frame, s)
		}
	}
}

// Numbers of any length or exponent cost no more than reading them.
func TestHugeNumbersAreCheap(t *testing.T) {
	p := mustLoad(t, kit)
	start := time.Now()
	for _, n := range []string{"1e-999999999999999999999", strings.Repeat("9", 300), "0." + strings.Repeat("1", 3_000_000), "1e308", "-1e308"} {
		p.Check(Request{Frame: []byte(pay(`1`, `"0x1111"`, `,"rate":`+n+`,"seen":[`+n+`,`+n+`]`))})
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
}

// Keys of a call stand in messages and pointers; a random one is a secret there.
func TestKeysAreRedacted(t *testing.T) {
	p, err := Load("p.json", []byte(`{"version":"1.0.0","posture":"default-deny","tools":{"t":{"action":"ENFORCE","argsSchema":{"type":"object","properties":{},"additionalProperties":false}}}}`), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	const random = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW"
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","` + random + `":1,"params":{"name":"t"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","` + random + `":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"` + random + `":1}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"` + random + `":{"a":1,"a":2}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"` + random + `":{"__proto__":1}}}}`,
	} {
		v := p.Check(Request{Frame: []byte(frame)})
		if v == nil {
			t.Errorf("%s: allowed", frame)
		} else if strings.Contains(v.Message+v.Pointer, random[:8]) {
			t.Errorf("%s: shown: %s (%s)", v.Code, v.Message, v.Pointer)
		}
	}
}
