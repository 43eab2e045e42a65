package interop

import (
	"path/filepath"
	"testing"
)

// The scripted sessions of tools/record, with the TypeScript SDK's client.
func TestTypeScript(t *testing.T) {
	for _, c := range []struct {
		server string
		uses   []string // methods that the session must show, whoever sends them
	}{
		{"everything", []string{"initialize", "ping", "tools/list", "tools/call", "notifications/progress", "notifications/cancelled",
			"resources/list", "resources/read", "resources/subscribe", "resources/templates/list", "prompts/list", "prompts/get",
			"completion/complete", "sampling/createMessage", "elicitation/create", "roots/list"}},
		{"filesystem", []string{"tools/list", "tools/call", "roots/list"}},
		{"memory", []string{"tools/list", "tools/call", "ping"}},
		{"thinking", []string{"tools/list", "tools/call"}},
		{"tasks", []string{"tools/list", "tools/call", "tasks/result", "tasks/list"}},
	} {
		t.Run(c.server, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script := filepath.Join(record, "record.mjs")
			tree := short(t) // the same for both, since paths are in the answers
			plain, seen, recorded := filepath.Join(dir, "plain.jsonl"), filepath.Join(dir, "seen.jsonl"), filepath.Join(dir, "guard.jsonl")
			if code, out, errs := program(t, "node", script, c.server, plain, "--root", tree); code != 0 {
				t.Fatalf("without guard: exit code %d\n%s%s", code, out, errs)
			}
			if code, out, errs := program(t, "node", script, c.server, seen, "--root", tree, "--via",
				replay(), "guard", "--quiet", "--record", recorded, "--"); code != 0 {
				t.Fatalf("with guard: exit code %d\n%s%s", code, out, errs)
			}
			answers, methods := results(t, frames(t, plain))
			guarded, _ := results(t, frames(t, seen))
			if len(answers) < 3 {
				t.Fatalf("a session of %d answers proves little", len(answers))
			}
			for _, m := range c.uses {
				if methods[m] == 0 {
					t.Errorf("the session has no %s", m)
				}
			}
			if c.server != "tasks" { // a task is polled as often as it takes
				alike(t, answers, guarded)
			}
			untouched(t, frames(t, seen), frames(t, recorded))
			prove(t, recorded, 0)
		})
	}
}
