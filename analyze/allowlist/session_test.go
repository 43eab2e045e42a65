package allowlist

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

var zero = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(sec float64) time.Time { return zero.Add(time.Duration(sec * float64(time.Second))) }

// story runs events, one a word, and says what came of each that had
// something: "hello hi ready" the handshake, "call:1" or "call:1@5" (at 5 s),
// "result:1", "error:1", "cancel:1", "clock@5", "shutdown", "withdraw:1",
// "deny:1" a call whose frame is refused, "new:1" a call of a revision without
// a handshake, "old:1" one that names a revision with one.
func story(t *testing.T, o Options, events string) string {
	t.Helper()
	s := NewSession(mustLoad(t, kit), o)
	var out []string
	for _, ev := range strings.Fields(events) {
		head, when, timed := strings.Cut(ev, "@")
		verb, id, _ := strings.Cut(head, ":")
		var sec float64
		if timed {
			fmt.Sscan(when, &sec)
		}
		key, hasKey := jsonrpc.IDKey([]byte(id))
		c := Call{Key: key, HasKey: hasKey, Tool: "echo", At: at(sec)}
		d := s.Clock(at(sec))
		for _, e := range d.Expired {
			name := map[jsonrpc.Key]string{keyOf("1"): "n1", keyOf("2"): "n2"}[e.Key]
			out = append(out, fmt.Sprintf("%s!%s", name, e.Finding.Rule))
		}
		switch d = (Decision{}); verb {
		case "hello":
			s.Initialize(key)
		case "hi":
			d = s.Answer(key, false, at(sec))
		case "no":
			d = s.Answer(key, true, at(sec))
		case "ready":
			s.Initialized()
		case "call":
			d = s.Call(c, nil)
		case "new":
			c.Version = "2026-07-28"
			d = s.Call(c, nil)
		case "old":
			c.Version = "2025-11-25"
			d = s.Call(c, nil)
		case "odd":
			c.Version = "draft"
			d = s.Call(c, nil)
		case "deny":
			d = s.Call(c, func() *Violation { return &Violation{Code: RuleUnauthorized} })
		case "result":
			d = s.Answer(key, false, at(sec))
		case "error":
			d = s.Answer(key, true, at(sec))
		case "cancel":
			s.Cancel(key)
		case "withdraw":
			s.Withdraw(key)
		case "clock":
		case "shutdown":
			s.Shutdown()
		default:
			t.Fatal("no event", ev)
		}
		said := ""
		for _, f := range d.Findings {
			said += " " + strings.TrimPrefix(f.Rule, "GWH-")
			if f.Tier == analyze.Note {
				said += "(note)"
			}
			if f.Block != -1 || f.Tool != "echo" && f.Rule != RuleUnauthorized {
				t.Errorf("%s: %+v", ev, f)
			}
		}
		if d.Deny {
			said += " deny"
		}
		if d.Drop {
			said += " drop"
		}
		if said != "" {
			out = append(out, ev+said)
		}
	}
	return strings.Join(out, "; ")
}

func TestSession(t *testing.T) {
	const hs = "hello:0 hi:0 ready "
	timeout := Options{Timeout: 10 * time.Second}
	for _, c := range []struct {
		name   string
		o      Options
		events string
		want   string
	}{
		{"a good session", timeout, hs + "call:1@1 result:1@2 call:2@3 error:2@4", ""},

		{"no handshake", Options{}, "call:1", "call:1 HANDSHAKE-INCOMPLETE deny"},
		{"asked alone", Options{}, "hello:0 call:1", "call:1 HANDSHAKE-INCOMPLETE deny"},
		{"not confirmed", Options{}, "hello:0 hi:0 call:1", "call:1 HANDSHAKE-INCOMPLETE deny"},
		{"confirmed too early", Options{}, "hello:0 ready hi:0 call:1", "call:1 HANDSHAKE-INCOMPLETE deny"},
		{"refused", Options{}, "hello:0 no:0 ready call:1", "call:1 HANDSHAKE-INCOMPLETE deny"},
		{"answered under another id", Options{}, "hello:0 hi:7 ready call:1", "call:1 HANDSHAKE-INCOMPLETE deny"},
		{"a revision without one", Options{}, "new:1 result:1", ""},
		{"an older revision in _meta", Options{}, "old:1", "old:1 HANDSHAKE-INCOMPLETE deny"},
		{"a revision that is no date", Options{}, "odd:1", "odd:1 HANDSHAKE-INCOMPLETE deny"},
		{"one finding a call", Options{}, "deny:1", "deny:1 HANDSHAKE-INCOMPLETE deny"},

		{"duplicate", Options{}, hs + "call:5 call:5 result:5", "call:5 DUPLICATE-ID deny; result:5 LATE-RESULT drop"},
		{"duplicate in another spelling", Options{}, hs + "call:100 call:1e2 call:10.0", "call:1e2 DUPLICATE-ID deny"},
		{"string and number differ", Options{}, hs + `call:1 call:"1" result:1 result:"1"`, ""},
		{"used again after its answer", Options{}, hs + "call:5 result:5 call:5 result:5", ""},
		{"both answers recorded", Options{}, hs + "call:5 call:5 result:5 result:5", "call:5 DUPLICATE-ID deny; result:5 LATE-RESULT drop; result:5 drop"},
		{"a third answer", Options{}, hs + "call:5 call:5 result:5 result:5 result:5", "call:5 DUPLICATE-ID deny; result:5 LATE-RESULT drop; result:5 drop; result:5 LATE-RESULT drop"},
		{"an error is no success", Options{}, hs + "call:5 call:5 error:5", "call:5 DUPLICATE-ID deny; error:5 drop"},
		{"a new life waits for the old answer", Options{}, hs + "call:5 call:5 call:5 result:5 result:5", "call:5 DUPLICATE-ID deny; result:5 LATE-RESULT drop"},
		{"a refused duplicate ends the id too", Options{}, hs + "call:5 deny:5 result:5", "deny:5 DUPLICATE-ID deny; result:5 LATE-RESULT drop"},

		{"at the bound", Options{MaxConcurrent: 2}, hs + "call:1 call:2 result:1 call:3", ""},
		{"over the bound", Options{MaxConcurrent: 2}, hs + "call:1 call:2 call:3 result:1 call:4", "call:3 CONCURRENCY-EXCEEDED deny"},
		{"a cancelled call holds its place", Options{MaxConcurrent: 1}, hs + "call:1 cancel:1 call:2 error:1 call:3", "call:2 CONCURRENCY-EXCEEDED deny"},
		{"a refused call takes none", Options{MaxConcurrent: 1}, hs + "deny:1 call:2", "deny:1 UNAUTHORIZED-TOOL deny"},
		{"a withdrawn call takes none", Options{MaxConcurrent: 1}, hs + "call:1 withdraw:1 call:2", ""},
		{"an ended call takes none", Options{MaxConcurrent: 1}, hs + "call:1 call:1 call:2", "call:1 DUPLICATE-ID deny"},
		{"a recorded answer to a denied call", Options{MaxConcurrent: 1}, hs + "call:1 call:2 result:2 result:1", "call:2 CONCURRENCY-EXCEEDED deny"},

		{"at the deadline", timeout, hs + "call:1@1 result:1@11", ""},
		{"after it", timeout, hs + "call:1@1 result:1@11.001", "n1!GWH-DEADLINE-EXCEEDED; result:1@11.001 LATE-RESULT drop"},
		{"an error after it", timeout, hs + "call:1@1 error:1@12", "n1!GWH-DEADLINE-EXCEEDED; error:1@12 drop"},
		{"every further answer is late", timeout, hs + "call:1@1 result:1@12 result:1@13", "n1!GWH-DEADLINE-EXCEEDED; result:1@12 LATE-RESULT drop; result:1@13 LATE-RESULT drop"},
		{"seen on another frame", timeout, hs + "call:1@1 call:2@5 clock@12 result:2@13", "n1!GWH-DEADLINE-EXCEEDED"},
		{"two at once, in order", timeout, hs + "call:1@1 call:2@2 clock@100", "n1!GWH-DEADLINE-EXCEEDED; n2!GWH-DEADLINE-EXCEEDED"},
		{"no timeout", Options{}, hs + "call:1@1 result:1@100000", ""},
		{"time that goes back", timeout, hs + "call:1@100 call:2@1 clock@105 result:2@109 result:1@110", ""},
		{"cancelled and never answered", timeout, hs + "call:1@1 cancel:1@2 clock@100", ""},
		{"cancelled and late", timeout, hs + "call:1@1 cancel:1@2 result:1@100", "result:1@100 LATE-RESULT(note) drop"},

		{"raced a cancel", Options{}, hs + "call:1 cancel:1 result:1", "result:1 LATE-RESULT(note) drop"},
		{"a cancel answered with an error", Options{}, hs + "call:1 cancel:1 error:1", ""},
		{"cancelled after its answer", Options{}, hs + "call:1 result:1 cancel:1", ""},
		{"after the shutdown", Options{}, hs + "call:1 call:2 result:1 shutdown result:2 error:2", "result:2 LATE-RESULT drop; error:2 drop"},
		{"ids that nobody asked for", Options{}, hs + "result:9 error:9", ""},
	} {
		if got := story(t, c.o, c.events); got != c.want {
			t.Errorf("%s: %s\n  got  %s\n  want %s", c.name, c.events, got, c.want)
		}
	}
}

func keyOf(id string) jsonrpc.Key { k, _ := jsonrpc.IDKey([]byte(id)); return k }

// No number of calls makes a session forget one, and it holds a bounded number.
func TestSessionMemoryIsBounded(t *testing.T) {
	s := NewSession(nil, Options{Timeout: time.Hour, MaxInflight: 100})
	call := func(i int) Decision {
		return s.Call(Call{Key: keyOf(fmt.Sprint(i)), HasKey: true, Version: FirstWithoutHandshake, Tool: strings.Repeat("t", 1000), At: at(1)}, nil)
	}
	for i := range remembered {
		if d := call(i); d.Deny {
			t.Fatalf("call %d: %v", i, d.Findings)
		}
	}
	if d := call(remembered); !d.Deny || d.Findings[0].Rule != RuleResourceLimit {
		t.Errorf("one more than can be remembered: %+v", d)
	}
	if d := call(0); !d.Deny || d.Findings[0].Rule != RuleDuplicateID {
		t.Errorf("the oldest id again: %+v", d)
	}
	for i := range remembered {
		call(i) // each ends what it repeats
		call(i + remembered + 1)
		call(i + remembered + 1)
	}
	if len(s.calls) > remembered || s.timed.Len() > remembered || len(s.ended) > remembered || s.endings.Len() != len(s.ended) {
		t.Errorf("%d calls, %d timed, %d ended, %d in order", len(s.calls), s.timed.Len(), len(s.ended), s.endings.Len())
	}
	for _, f := range s.calls {
		if len(f.tool) > 300 {
			t.Fatalf("an entry holds %d bytes of a name", len(f.tool))
		}
	}
}

// What may be in flight at once is what --max-concurrent says, however much.
func TestConcurrencyBeyondInflight(t *testing.T) {
	for _, most := range []int{1025, remembered - 1, remembered, remembered + 5, math.MaxInt} {
		s := NewSession(nil, Options{MaxConcurrent: most, MaxInflight: 1024})
		if most == math.MaxInt {
			if s.opts.room() < most {
				t.Errorf("room for %d", s.opts.room())
			}
			continue
		}
		for i := range most {
			if d := s.Call(Call{Key: keyOf(fmt.Sprint(i)), HasKey: true, Version: FirstWithoutHandshake}, nil); d.Deny {
				t.Fatalf("%d: call %d: %v", most, i, d.Findings)
			}
		}
		for range 3 {
			d := s.Call(Call{Key: "one more", HasKey: true, Version: FirstWithoutHandshake}, nil)
			if !d.Deny || d.Findings[0].Rule != RuleConcurrency {
				t.Fatalf("%d: one more: %+v", most, d)
			}
		}
	}
}

func TestNextDeadline(t *testing.T) {
	s := NewSession(nil, Options{Timeout: time.Second})
	if _, ok := s.NextDeadline(); ok {
		t.Error("a deadline without a call")
	}
	s.Call(Call{Key: "1", HasKey: true, Version: FirstWithoutHandshake, At: at(1), Ref: 42}, nil)
	next, ok := s.NextDeadline()
	if !ok || len(s.Clock(next.Add(-1)).Expired) != 0 {
		t.Fatal("expired too early")
	}
	d := s.Clock(next)
	if len(d.Expired) != 1 || d.Expired[0].Ref != 42 || !d.Expired[0].At.Equal(at(2)) {
		t.Errorf("%+v", d)
	}
	// A call without a time has no deadline.
	s.Call(Call{Key: "2", HasKey: true, Version: FirstWithoutHandshake}, nil)
	if _, ok := s.NextDeadline(); ok {
		t.Error("a deadline without a time")
	}
}

func TestCallVersion(t *testing.T) {
	for params, want := range map[string]string{
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`: "2026-07-28",
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}`:            "",
		`{"_meta":1}`: "", `[]`: "", ``: "",
	} {
		if got := CallVersion([]byte(params)); got != want {
			t.Errorf("%s: %q", params, got)
		}
	}
}

func TestUnlistedTools(t *testing.T) {
	s := NewSession(mustLoad(t, kit), Options{})
	notes := func(result string) string {
		var out []string
		for _, f := range s.List([]byte(result)).Findings {
			if f.Rule != RuleUnlistedTool || f.Tier != analyze.Note || f.Severity != analyze.Low {
				t.Errorf("%+v", f)
			}
			out = append(out, f.Tool)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ result, want string }{
		{`{"tools":[{"name":"echo"},{"name":"pay"}]}`, ""},
		{`{"tools":[{"name":"hidden"},{"name":"echo"},{"name":"off"}]}`, "hidden off"},
		{`{"tools":[{"name":"hidden"},{"name":"guwah__echo"}]}`, "guwah__echo"}, // one note a tool
		{`{"tools":[{"name":"hid\u0064en"},{"x":1},3,null,"other",{"name":5}]}`, ""},
		{`{"tools":[{"name":"a","name":"b"}],"tools":[{"name":"c"}]}`, "a b c"},
		{`{"tools":{}}`, ""}, {`[]`, ""}, {`null`, ""},
	} {
		if got := notes(c.result); got != c.want {
			t.Errorf("%s: %q, want %q", c.result, got, c.want)
		}
	}
	var b strings.Builder
	for i := range 2 * maxNoted {
		fmt.Fprintf(&b, `,{"name":"t%d"}`, i)
	}
	s.List([]byte(`{"tools":[` + b.String()[1:] + `]}`))
	if len(s.noted) > maxNoted {
		t.Errorf("%d tools remembered", len(s.noted))
	}
}

func TestFilterTools(t *testing.T) {
	p := mustLoad(t, kit)
	for _, c := range []struct{ tools, want string }{
		{`[{"name":"echo"}]`, `[{"name":"echo"}]`},
		{`[]`, `[]`},
		{`[ {"name":"x"} ]`, `[  ]`},
		{`[{"name":"x"},{"name":"y"}]`, `[]`},
		{`[{"name":"x"}, {"name":"y"} , {"name":"echo"}, {"name":"z"}, {"name":"pay"}]`, `[{"name":"echo"}, {"name":"pay"}]`},
		{`[{"name":"echo"}, {"name":"y"} , {"name":"z"}]`, `[{"name":"echo"}]`},
		{`[ {"name":"echo"} , {"name":"pay"} ]`, `[ {"name":"echo"} , {"name":"pay"} ]`},
		{`[1,{"name":"echo","inputSchema":{"a":["]",{"b":"\"},"}]}},null,{"x":1}]`, `[{"name":"echo","inputSchema":{"a":["]",{"b":"\"},"}]}}]`},
		{`[{"name":"echo","name":"x"},{"name":"off"},{"Name":"x","name":"echo"}]`, `[]`},
		{`{}`, `{}`},
	} {
		frame := func(tools string) string { return `{"id":1, "result": {"tools" : ` + tools + ` ,"nextCursor":"a"}}` }
		out, changed := p.FilterTools([]byte(frame(c.tools)))
		if string(out) != frame(c.want) || changed != (c.tools != c.want) {
			t.Errorf("%s\n  got  %s (%v)\n  want %s", c.tools, out, changed, frame(c.want))
		}
	}
	if out, _ := p.FilterTools([]byte(`{"result":{"tools":[{"name":"x"}]},"result":{"Tools":[{"name":"x"},{"name":"pay"}]}}`)); string(out) != `{"result":{"tools":[]},"result":{"Tools":[{"name":"pay"}]}}` {
		t.Errorf("repeated keys: %s", out)
	}
}

func TestRuleNames(t *testing.T) {
	if got := GuwahCode(RuleUnauthorized); got != "UNAUTHORIZED_TOOL" {
		t.Error(got)
	}
	if v := Unreadable(); v.Code != RuleInvalid || v.Finding().Tier != analyze.Block || v.Finding().Severity != analyze.High {
		t.Error("unreadable")
	}
	if OverCap().Code != RuleResourceLimit {
		t.Error("over cap")
	}
}
