package calls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/replay"
)

// follow feeds frames, each a second after the one before (">" goes to the
// server), and returns the calls in the order in which they end.
func follow(t *testing.T, max int, frames ...string) string {
	t.Helper()
	c, err := catalog.New(catalog.Options{Rules: ruleset.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	cfg := &replay.Config{Catalog: c, Rules: ruleset.Builtin(), Dry: true}
	m, x := replay.NewMachine(cfg), replay.NewExaminer(c, analyze.Full)
	var out []string
	tr := Tracker{Max: max, Done: func(c *Call) {
		ns, known := c.Latency()
		s := fmt.Sprintf("%s %s %s", c.Tool, c.ID, c.Status)
		if known {
			s += fmt.Sprintf(" %ds", ns/1e9)
		}
		if c.RoundTrips > 1 {
			s += fmt.Sprintf(" trips=%d", c.RoundTrips)
		}
		if c.Task {
			s += " task"
		}
		if c.Block > 0 {
			s += fmt.Sprintf(" block=%d %s", c.Block, c.Action)
		}
		out = append(out, s)
	}}
	for i, s := range frames {
		ev := &replay.Event{Dir: analyze.ServerToClient, TS: int64(i+1) * 1e9, Frame: &replay.Frame{}, Place: replay.Place{Frame: i, Line: int64(i + 1)}}
		if s[0] == '>' {
			ev.Dir = analyze.ClientToServer
		}
		x.Read([]byte(s[1:]), ev.Frame)
		tr.Step(ev, m.Step(ev), int64(len(s)-1))
	}
	tr.Close()
	if tr.open.n != 0 || len(tr.byKey) != 0 || len(tr.byTask) != 0 {
		t.Errorf("left open: %d calls, %d ids, %d tasks", tr.open.n, len(tr.byKey), len(tr.byTask))
	}
	return strings.Join(out, "; ")
}

func call(id, tool string) string {
	return `>{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}`
}

func answer(id, result string) string {
	return `<{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

func TestCalls(t *testing.T) {
	const ok = `{"content":[]}`
	for _, c := range []struct {
		name   string
		max    int
		frames []string
		want   string
	}{
		{"out of order", 0, []string{call("1", "a"), call("2", "b"), answer("2", ok), answer("1", ok)}, "b 2 ok 1s; a 1 ok 3s"},
		{"ids by value", 0, []string{call("1.0", "a"), call(`"1"`, "b"), answer("1", ok)}, `a 1.0 ok 2s; b "1" unanswered`},
		{"an id used again", 0, []string{call("1", "a"), call("1", "b"), answer("1", ok)}, "a 1 unanswered; b 1 ok 1s"},
		{"errors", 0, []string{call("1", "a"), answer("1", `{"content":[],"isError":true}`), call("2", "b"), `<{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"x"}}`},
			"a 1 tool-error 1s; b 2 rpc-error 1s"},
		{"cancelled", 0, []string{call("1", "a"), `>{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, answer("1", ok)}, "a 1 cancelled 1s"},
		{"a block", 0, []string{call("1", "a"), answer("1", `{"content":[{"type":"text","text":"\u001b[0m"}]}`)}, "a 1 ok 1s block=1 modified"},
		{"a retry by its state", 0, []string{
			call("1", "a"), answer("1", `{"resultType":"input_required","requestState":"x","inputRequests":{}}`),
			call("2", "a"), answer("2", `{"resultType":"input_required","requestState":"y","inputRequests":{}}`),
			`>{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","requestState":"y","inputResponses":{}}}`, answer("3", ok)},
			"a 2 ok 3s trips=2; a 1 unanswered"},
		{"a task that tells", 0, []string{call("1", "a"), answer("1", `{"resultType":"task","taskId":"t"}`),
			`<{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","status":"completed","result":{"content":[]}}}`}, "a 1 ok 2s task"},
		{"a task that is asked", 0, []string{call("1", "a"), answer("1", `{"task":{"taskId":"t"}}`),
			`>{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"t"}}`, answer("2", `{"taskId":"t","status":"completed","result":{"content":[],"isError":true}}`)}, "a 1 tool-error 3s task"},
		{"a batch", 0, []string{`>[` + call("1", "a")[1:] + `,` + call("2", "b")[1:] + `]`, `<[` + answer("2", ok)[1:] + `]`}, "b 2 ok 1s; a 1 unanswered"},
		{"too many", 2, []string{call("1", "a"), call("2", "b"), call("3", "c"), answer("1", ok), answer("3", ok)}, "a 1 unanswered; c 3 ok 2s; b 2 unanswered"},
		{"not its direction", 0, []string{call("1", "a"), `>{"jsonrpc":"2.0","id":1,"result":{}}`}, "a 1 unanswered"},
	} {
		if got := follow(t, c.max, c.frames...); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}
