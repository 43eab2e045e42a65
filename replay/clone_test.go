package replay_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/replay"
)

// The fields that Clone knows. A new field of the machine must be copied there,
// or stepping back would not be exact; then raise the number.
func TestCloneKnowsEveryField(t *testing.T) {
	const known = 17
	if n := reflect.TypeOf(replay.Machine{}).NumField(); n != known {
		t.Errorf("the machine has %d fields, Clone knows %d", n, known)
	}
}

var frames = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`,
	`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b","task":{}}}`,
	`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"see http://10.0.0.1/x \u001b[2J"}]}}`,
	`{"jsonrpc":"2.0","id":3,"result":{"task":{"taskId":"t1"}}}`,
	`{"jsonrpc":"2.0","id":4,"method":"tasks/result","params":{"taskId":"t1"}}`,
	`{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"\u001b[31m"}]}}`,
	`{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{}}`,
	`{"jsonrpc":"2.0","id":9,"result":{}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
	`[{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"c"}},{"jsonrpc":"2.0","id":6,"method":"ping"}]`,
	`no json`,
}

// A clone and the machine it was made of answer alike from then on, and do not
// touch each other.
func TestCloneGoesOnAlike(t *testing.T) {
	cat, err := catalog.New(catalog.Options{Rules: ruleset.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	cfg := &replay.Config{Catalog: cat, Rules: ruleset.Builtin(), MaxInflight: 3}
	step := func(m *replay.Machine, s string, ts int64) string {
		var f replay.Frame
		replay.NewExaminer(cat, analyze.Full).Read([]byte(s), &f)
		out := m.Step(&replay.Event{Frame: &f, TS: ts})
		b, err := json.Marshal([]any{out, m.State()})
		if err != nil {
			panic(err)
		}
		return strings.ReplaceAll(string(b), "null", "[]") // empty either way
	}
	rapid.Check(t, func(t *rapid.T) {
		runs := rapid.SliceOfN(rapid.SampledFrom(frames), 1, 40).Draw(t, "frames")
		at := rapid.IntRange(0, len(runs)-1).Draw(t, "cloned after")
		m := replay.NewMachine(cfg)
		for i, s := range runs[:at] {
			step(m, s, int64(i))
		}
		c, ok := m.Clone()
		if !ok {
			t.Fatal("no clone of a machine without families")
		}
		for i, s := range runs[at:] {
			step(m, s, int64(at+i)) // alone first: shared state would show
		}
		fresh := replay.NewMachine(cfg)
		for i, s := range runs {
			want := step(fresh, s, int64(i))
			if i < at {
				continue
			}
			if got := step(c, s, int64(i)); got != want {
				t.Fatalf("frame %d: the clone says\n%s\nthe machine\n%s", i, got, want)
			}
		}
	})
}
