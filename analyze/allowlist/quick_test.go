package allowlist

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// flatOf lays a frame flat, nil where that can't be.
func flatOf(frame string) *jsonrpc.Flat {
	var f jsonrpc.Flat
	if !f.Read([]byte(frame), 1<<16, 64) {
		return nil
	}
	return &f
}

// agrees fails where the quick judging lets something through that the full one
// denies; it reports whether the quick one was certain.
func agrees(t interface{ Fatalf(string, ...any) }, p *Policy, frame string, allowed ...string) bool {
	f := flatOf(frame)
	if f == nil || !p.surely(f, allowed) {
		return false
	}
	if v := p.Check(Request{Frame: []byte(frame), AllowParams: allowed}); v != nil {
		t.Fatalf("%s: let through, but the full judging says %+v", frame, v)
	}
	return true
}

// Ordinary calls are certain, without an allocation.
func TestSurely(t *testing.T) {
	p := mustLoad(t, kit)
	for _, frame := range []string{
		echo(`{}`), echo(`{"s":"x"}`), echo(`{ "s" : "é \u00e9\n" }`),
		call(`{"name":"echo","arguments":{},"_meta":{"progressToken":1,"n":-0.25}}`),
		strings.Replace(echo(`{}`), `"id":1`, `"id":"a"`, 1),
		call(`{"name":"pay","arguments":{"amount":1,"to":"0x1111"}}`),
		call(`{"name":"pay","arguments":{"amount":5000,"to":"0x2222","tags":["abc"],"opt":{}}}`),
		call(`{"name":"pay","arguments":{"amount":12,"to":"0x2222","seen":[]}}`),
	} {
		if !agrees(t, p, frame) {
			t.Errorf("%s: not certain", frame)
			continue
		}
		f := flatOf(frame)
		if n := testing.AllocsPerRun(100, func() { f.Read(f.Raw, 100, 32); p.surely(f, nil) }); n > 1 {
			t.Errorf("%s: %v allocations", frame, n)
		}
	}
	if !agrees(t, p, call(`{"name":"echo","arguments":{},"task":{"ttl":1}}`), "task") || agrees(t, p, call(`{"name":"echo","arguments":{},"task":{"ttl":1}}`)) {
		t.Error("further members of params")
	}
	for _, q := range []*Policy{nil, Unavailable("x", DefaultLimits()), Invalid("x", DefaultLimits())} {
		if q.surely(flatOf(echo(`{}`)), nil) {
			t.Error("certain without a list")
		}
	}
}

// Near the limits too the quick judging lets nothing through that is over one.
func TestSurelyLimits(t *testing.T) {
	l := DefaultLimits()
	l.InputDepth, l.InputNodes, l.InputBytes, l.InputArray, l.InputProperties = 5, 12, 90, 2, 4
	p, err := Load("list.json", []byte(kit), l)
	if err != nil {
		t.Fatal(err)
	}
	sure := 0
	for n := range 60 {
		for _, frame := range []string{
			echo(`{"s":"` + strings.Repeat("x", n) + `"}`),
			call(`{"name":"pay","arguments":{"amount":1,"to":"0x1111","tags":[` + strings.TrimSuffix(strings.Repeat(`"a",`, n%4), ",") + `]}}`),
			call(`{"name":"echo","_meta":` + strings.Repeat(`{"a":`, n%9) + `{}` + strings.Repeat(`}`, n%9) + `,"arguments":{}}`),
			call(`{"name":"echo","arguments":{},"_meta":{"0":0` + members(n%9) + `}}`),
		} {
			if agrees(t, p, frame) {
				sure++
			}
		}
	}
	if sure < 60 {
		t.Errorf("%d of 240 certain", sure)
	}
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":%d`, i, i)
	}
	return b.String()
}

// anyFrame draws calls of tool t, most of them well formed.
func anyFrame(t *rapid.T, arguments string) string {
	pick := func(label, usual string, others ...string) string {
		if rapid.IntRange(0, 9).Draw(t, label+"?") > 0 {
			return usual
		}
		return rapid.SampledFrom(others).Draw(t, label)
	}
	return `{"jsonrpc":` + pick("version", `"2.0"`, `"1.0"`, `"2.0"`, `2.0`) +
		`,"id":` + pick("id", `7`, `"a"`, `""`, `null`, `1e999`, `[1]`, `"\n"`) +
		`,"method":` + pick("method", `"tools/call"`, `"tools\/call"`, `"tools/list"`) +
		pick("more", ``, `,"extra":1`, `,"id":7`, `,"__proto__":{}`) +
		`,"params":{"name":` + pick("name", `"t"`, `"\u0074"`, `"u"`, `""`, `1`) +
		pick("meta", ``, `,"_meta":{"a":1,"b":{"constructor":1}}`, `,"_meta":{"a":1e400}`, `,"_meta":[]`, `,"_meta":{"a":{},"a":1}`, `,"task":{}`) +
		`,"arguments":` + arguments + `}}`
}

// What the quick judging lets through, the full one lets through.
func TestSurelyImpliesCheck(t *testing.T) {
	sure := 0
	rapid.Check(t, func(rt *rapid.T) {
		inner := anySchema(2).Draw(rt, "schema")
		p, err := Load("list.json", []byte(one(inner)), DefaultLimits())
		if err != nil {
			rt.Fatalf("%s: %v", inner, err)
		}
		for range 8 {
			args := anyValue(1).Draw(rt, "arguments")
			if rapid.IntRange(0, 9).Draw(rt, "object") > 0 {
				args = `{"s":` + anyValue(3).Draw(rt, "value") + `}`
			}
			if agrees(rt, p, anyFrame(rt, args)) {
				sure++
			}
		}
	})
	if sure == 0 {
		t.Error("never certain")
	}
}

func FuzzSurely(f *testing.F) {
	f.Add([]byte(kit), echo(`{"s":"x"}`))
	f.Add([]byte(kit), call(`{"name":"pay","arguments":{"amount":1,"to":"0x1111","tags":["a"]}}`))
	f.Add([]byte(one(`{"type":"integer","minimum":-3,"exclusiveMaximum":10e1}`)), call(`{"name":"t","arguments":{"s":-3}}`))
	f.Add([]byte(one(`{"type":"string","minLength":2,"maxLength":3,"pattern":"^[a-z]+$"}`)), call(`{"name":"t","arguments":{"s":"ab"}}`))
	f.Add([]byte(one(`{"type":"string","enum":["a","b"]}`)), call(`{"name":"t","arguments":{"s":"\u0061"}}`))
	f.Fuzz(func(t *testing.T, text []byte, frame string) {
		p, err := Load("list.json", text, DefaultLimits())
		if err != nil {
			return
		}
		agrees(t, p, frame, "task")
	})
}
