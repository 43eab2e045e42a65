package lock

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
)

const (
	toolA     = `{"name":"a","description":"does a","inputSchema":{"type":"object"}}`
	toolB     = `{"name":"b","description":"does b","annotations":{"readOnlyHint":true}}`
	otherA    = `{"name":"a","description":"does a.","inputSchema":{"type":"object"}}`
	stranger  = `{"name":"c"}`
	renotated = `{"name":"b","description":"does b","annotations":{"readOnlyHint":false}}`
)

func list(next string, tools ...string) string {
	s := `{"tools":[` + strings.Join(tools, ",") + `]`
	if next != "" {
		s += `,"nextCursor":"` + next + `"`
	}
	return s + "}"
}

// A gate story is a list of steps: "changed"; "ask ID" and "ask ID CURSOR";
// "answer ID RESULT" which must pass and "block ID RESULT" which must not.
func TestGateStories(t *testing.T) {
	both := list("", toolA, toolB)
	for _, c := range []struct {
		name  string
		steps []string
		// where the coverages part, full has its own steps
		full []string
	}{
		{name: "clean", steps: []string{"changed", "ask 1", "answer 1 " + both, "ask 2", "answer 2 " + list("", toolB, toolA)}},
		{name: "not armed", steps: []string{"ask 1", "answer 1 " + list("", stranger)}, full: []string{"ask 1", "block 1 " + list("", stranger)}},
		{name: "removed", steps: []string{"changed", "ask 1", "block 1 " + list("", toolA)}},
		{name: "added", steps: []string{"changed", "ask 1", "block 1 " + list("", toolA, toolB, stranger)}},
		{name: "modified", steps: []string{"changed", "ask 1", "block 1 " + list("", otherA, toolB)}},
		{name: "annotations", steps: []string{"changed", "ask 1", "block 1 " + list("", toolA, renotated)}},
		{name: "still armed after a difference", steps: []string{"changed", "ask 1", "block 1 " + list("", toolA), "ask 2", "block 2 " + list("", toolA), "ask 3", "answer 3 " + both}},
		{name: "used up by a clean list", steps: []string{"changed", "ask 1", "answer 1 " + both, "ask 2", "answer 2 " + list("", toolA)},
			full: []string{"changed", "ask 1", "answer 1 " + both, "ask 2", "block 2 " + list("", toolA)}},
		{name: "armed again", steps: []string{"changed", "ask 1", "answer 1 " + both, "changed", "ask 2", "block 2 " + list("", toolA)}},
		{name: "asked for before", steps: []string{"ask 1", "changed", "answer 1 " + list("", toolA), "ask 2", "block 2 " + list("", toolA)},
			full: []string{"ask 1", "changed", "block 1 " + list("", toolA), "ask 2", "block 2 " + list("", toolA)}},
		{name: "asked for before, clean", steps: []string{"ask 1", "changed", "answer 1 " + both, "ask 2", "block 2 " + list("", toolA)}},
		{name: "asked for between two notices", steps: []string{"changed", "ask 1", "changed", "answer 1 " + both, "ask 2", "block 2 " + list("", toolA)}},
		{name: "tools null", steps: []string{"changed", "ask 1", `answer 1 {"tools":null}`, "ask 2", "block 2 " + list("", toolA)}},
		{name: "no tools", steps: []string{"changed", "ask 1", `answer 1 {}`, "ask 2", `answer 2 []`, "ask 3", "block 3 " + list("", toolA)}},
		{name: "error answer", steps: []string{"changed", "ask 1", "answer 1", "ask 2", "block 2 " + list("", toolA)}},
		{name: "two pages", steps: []string{"changed", "ask 1", "answer 1 " + list("n", toolA), "ask 2 n", "answer 2 " + list("", toolB)}},
		{name: "one page of two", steps: []string{"changed", "ask 1", "answer 1 " + list("n", toolA)}},
		{name: "second page lacks a tool", steps: []string{"changed", "ask 1", "answer 1 " + list("n", toolA), "ask 2 n", "block 2 " + list("")}},
		{name: "second page repeats a tool", steps: []string{"changed", "ask 1", "answer 1 " + list("n", toolA), "ask 2 n", "block 2 " + list("m", toolA)}},
		{name: "second page has a stranger", steps: []string{"changed", "ask 1", "answer 1 " + list("n", toolA), "ask 2 n", "block 2 " + list("m", stranger)}},
		{name: "second page without its cursor", steps: []string{"changed", "ask 1", "answer 1 " + list("n", toolA), "ask 2", "answer 2 " + list("", toolB)},
			full: []string{"changed", "ask 1", "answer 1 " + list("n", toolA), "ask 2", "block 2 " + list("", toolB)}},
		{name: "begun again", steps: []string{"changed", "ask 1", "answer 1 " + list("n", toolA), "ask 2", "answer 2 " + list("n", toolA), "ask 3 n", "answer 3 " + list("", toolB)}},
		{name: "two lists in flight", steps: []string{"changed", "ask 1", "ask 2", "answer 1 " + both, "answer 2 " + both}},
		{name: "two paged lists in flight", full: []string{"ask 1", "ask 2", "answer 1 " + list("x", toolA), "answer 2 " + list("y", toolA),
			"ask 3 x", "ask 4 y", "answer 3 " + list("", toolB), "answer 4 " + list("", toolB)}, steps: []string{"ask 1"}},
		{name: "a page of an unknown list", steps: []string{"changed", "ask 1 z", "answer 1 " + list("", toolA), "ask 2", "block 2 " + list("", toolA)}},
		{name: "a page of an unknown list with a stranger", steps: []string{"changed", "ask 1 z", "block 1 " + list("", stranger)}},
		{name: "a list over a notice", steps: []string{"changed", "ask 1", "answer 1 " + list("n", toolA), "changed", "ask 2 n", "answer 2 " + list("", toolB), "ask 3", "block 3 " + list("", toolA)}},
		{name: "no object", steps: []string{"changed", "ask 1", "block 1 " + list("", toolA, toolB, "5")}},
		{name: "no name", steps: []string{"changed", "ask 1", "block 1 " + list("", toolA, toolB, `{"description":"x"}`)}},
		{name: "twice", steps: []string{"changed", "ask 1", "block 1 " + list("", toolA, toolB, toolA)}},
		{name: "empty cursor ends", steps: []string{"changed", "ask 1", `block 1 {"tools":[` + toolA + `],"nextCursor":""}`}},
		{name: "null cursor ends", steps: []string{"changed", "ask 1", `block 1 {"tools":[` + toolA + `],"nextCursor":null}`}},
		{name: "tools twice", steps: []string{"changed", "ask 1", `block 1 {"tools":[` + toolA + `,` + toolB + `],"tools":[]}`}},
		{name: "tools in capitals", steps: []string{"changed", "ask 1", `answer 1 {"Tools":[` + stranger + `]}`}, full: []string{"ask 1", `block 1 {"Tools":[` + stranger + `]}`}},
		{name: "a key in capitals", steps: []string{"changed", "ask 1", "answer 1 " + list("", toolA, strings.Replace(toolB, `{`, `{"Description":"evil",`, 1))},
			full: []string{"ask 1", "block 1 " + list("", toolA, strings.Replace(toolB, `{`, `{"Description":"evil",`, 1))}},
		{name: "an answer nobody waits for", steps: []string{"changed", "block 9 " + list("", stranger)}},
	} {
		for _, cov := range []analyze.Coverage{analyze.Spec, analyze.Full} {
			steps := c.steps
			if cov == analyze.Full && c.full != nil {
				steps = c.full
			}
			g := NewGate(mustBuild(t, surfaceOf(toolA, toolB), PinOptions{}), cov)
			for i, step := range steps {
				word, rest, _ := strings.Cut(step, " ")
				key, arg, more := strings.Cut(rest, " ")
				switch word {
				case "changed":
					g.ListChanged()
				case "ask":
					g.AskedAt(key, arg)
				default:
					var result []byte
					if more {
						result = []byte(arg)
					}
					fs, diverged, _ := g.Answered(key, result)
					if diverged != (word == "block") || diverged != (len(fs) == 1) {
						t.Errorf("%s (%s), step %d %q: diverged %v, %d findings", c.name, cov, i, step, diverged, len(fs))
					}
				}
			}
		}
	}
}

func TestGateFinding(t *testing.T) {
	g := NewGate(mustBuild(t, surfaceOf(toolA, toolB, `{"name":"gone"}`), PinOptions{}), analyze.Full)
	g.Asked("1", false)
	fs, diverged, err := g.Answered("1", []byte(list("", otherA, renotated, stranger, "7")))
	if !diverged || err != nil || len(fs) != 1 {
		t.Fatalf("got %v %v %v", fs, diverged, err)
	}
	f := fs[0]
	want := "tool surface differs from the lock: added c; removed gone; modified a (description), b (annotations); entry 3 is no object"
	if f.Rule != "MCP-DRIFT" || f.Tier != analyze.Block || f.Severity != analyze.High || f.Message != want || f.Direction != analyze.ServerToClient {
		t.Errorf("got %+v\nwant %s", f, want)
	}
}

func TestGateMessageIsBounded(t *testing.T) {
	g := NewGate(mustBuild(t, surfaceOf(), PinOptions{}), analyze.Full)
	var tools []string
	for i := range 1000 {
		tools = append(tools, fmt.Sprintf(`{"name":"%d%s"}`, i, strings.Repeat("x ", 1000)))
	}
	g.Asked("1", false)
	fs, _, _ := g.Answered("1", []byte(list("", tools...)))
	if len(fs) != 1 || len(fs[0].Message) > 2000 || !strings.Contains(fs[0].Message, "and 992 more") {
		t.Errorf("message of %d bytes: %.300s", len(fs[0].Message), fs[0].Message)
	}
	g.Asked("2", false)
	fs, _, _ = g.Answered("2", []byte(list("", `{"name":"sk-Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2"}`)))
	if strings.Contains(fmt.Sprint(fs), "Zz9Yy") {
		t.Errorf("a name that is a secret is shown: %+v", fs)
	}
}

// With --strict these end the session.
func TestGateStrictErrors(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		err         bool
	}{
		{"large integer", `{"name":"a","inputSchema":{"maximum":9007199254740993}}`, true},
		{"lone surrogate", `{"name":"a","description":"\ud800"}`, true},
		{"key twice", `{"name":"a","description":"does a","description":"x","inputSchema":{"type":"object"}}`, true},
		{"deep", `{"name":"a","inputSchema":` + strings.Repeat("[", 520) + strings.Repeat("]", 520) + `}`, true},
		{"annotations of another type", `{"name":"a","annotations":5}`, true},
		{"NaN", `{"name":"a","x":NaN}`, true},
		{"half", `{"name":"a`, true},
		{"no object", `5`, false},
		{"another description", otherA, false},
	} {
		g := NewGate(mustBuild(t, surfaceOf(toolA), PinOptions{}), analyze.Spec)
		g.ListChanged()
		g.Asked("1", false)
		fs, diverged, err := g.Answered("1", []byte(list("", c.entry)))
		if !diverged || len(fs) != 1 || (err != nil) != c.err {
			t.Errorf("%s: %v %v %v", c.name, fs, diverged, err)
		}
		if g.Asked("2", false); true {
			if _, again, _ := g.Answered("2", []byte(list("", otherA))); !again {
				t.Errorf("%s disarms the gate", c.name)
			}
		}
	}
}

func TestGateUnlisted(t *testing.T) {
	l := mustBuild(t, surfaceOf(toolA), PinOptions{})
	full := NewGate(l, analyze.Full)
	if fs := full.Called("a"); fs != nil {
		t.Errorf("a listed tool: %v", fs)
	}
	if fs := full.Called("A"); len(fs) != 1 || fs[0].Rule != "MCP-DRIFT-UNLISTED" || fs[0].Tier != analyze.Note || fs[0].Severity != analyze.Low || fs[0].Tool != "A" || fs[0].Message != "a call to a tool that the lock does not list" {
		t.Errorf("an unlisted tool: %v", fs)
	}
	if fs := NewGate(l, analyze.Spec).Called("A"); fs != nil {
		t.Errorf("with spec coverage: %v", fs)
	}
}

func TestGateWithoutLock(t *testing.T) {
	g := NewGate(nil, analyze.Full)
	g.ListChanged()
	g.Asked("1", false)
	if fs, diverged, err := g.Answered("1", []byte(list("", stranger))); fs != nil || diverged || err != nil || g.Called("x") != nil || g.Armed() {
		t.Error("a gate without a lock decides something")
	}
}

// Lists that are never answered and cursors that are never followed up do not
// pile up.
func TestGateIsBounded(t *testing.T) {
	g := NewGate(mustBuild(t, surfaceOf(toolA, toolB), PinOptions{}), analyze.Full)
	for i := range 10_000 {
		g.Asked(fmt.Sprint(i), false)
		if i%2 == 0 {
			g.Answered(fmt.Sprint(i), []byte(list(fmt.Sprint("n", i), toolA)))
		}
	}
	if len(g.asked) > maxAsked || len(g.order) > maxAsked || len(g.open) > maxOpen {
		t.Errorf("%d asked, %d in order, %d open", len(g.asked), len(g.order), len(g.open))
	}
	// What was pushed out is judged all the same.
	if _, diverged, _ := g.Answered("1", []byte(list("", stranger))); !diverged {
		t.Error("the answer to a forgotten request passes unseen")
	}
}

// The older levels compare less.
func TestGateLevels(t *testing.T) {
	for level := 1; level <= Level; level++ {
		l, err := build(surfaceOf(toolA, toolB), PinOptions{Now: testTime}, level)
		if err != nil {
			t.Fatal(err)
		}
		g := NewGate(l, analyze.Full)
		g.Asked("1", false)
		if _, diverged, _ := g.Answered("1", []byte(list("", toolA, renotated))); diverged != (level == Level) {
			t.Errorf("level %d: annotations, diverged %v", level, diverged)
		}
	}
}

func FuzzGate(f *testing.F) {
	f.Add([]byte(list("n", toolA, otherA, stranger)))
	f.Add([]byte(`{"tools":[5,{}],"nextCursor":[]}`))
	l := mustBuild(f, surfaceOf(toolA, toolB), PinOptions{})
	f.Fuzz(func(t *testing.T, result []byte) {
		g := NewGate(l, analyze.Full)
		g.Asked("1", false)
		fs, diverged, err := g.Answered("1", result)
		if diverged != (len(fs) == 1) || err != nil && !diverged {
			t.Fatalf("%v %v %v", fs, diverged, err)
		}
	})
}
