package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A list over the frame cap is not taken for one that was never there.
func TestLockRefusesAListOverTheCap(t *testing.T) {
	clean := session(t, "", lockTool)
	text, err := os.ReadFile(clean)
	if err != nil {
		t.Fatal(err)
	}
	more := `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":50,"method":"tools/list"}}` + "\n" +
		`{"direction":"s2c","frame":{"jsonrpc":"2.0","id":50,"result":{"tools":[{"name":"evil","description":"` + strings.Repeat("x", 9<<20) + `"}]}}}` + "\n"
	trace := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(trace, append(text, more...), 0o600); err != nil {
		t.Fatal(err)
	}
	file := pin(t, clean)
	for _, args := range [][]string{{"check", trace, "--lock", file}, {"pin", trace}} {
		if r := runLock(t, args...); r.code != 2 || !strings.Contains(r.stderr, "larger than the frame cap") {
			t.Errorf("%s: exit %d, %s", args[0], r.code, r.stderr)
		}
	}
}

// A list that reads two ways, or was not recorded whole, is neither pinned nor
// found to agree.
func TestLockRefusesWhatIsNotClear(t *testing.T) {
	const good = `{"name":"a","description":"does a"}`
	clean := session(t, `["srv"]`, good)
	file := pin(t, clean)
	text, err := os.ReadFile(clean)
	if err != nil {
		t.Fatal(err)
	}
	if r := runLock(t, "check", clean, "--lock", file); r.code != 0 {
		t.Fatalf("the clean session: exit %d, %s", r.code, r.stderr)
	}
	const list, answer = `"result":{"tools":[` + good + `]}`, `"frame":{"jsonrpc":"2.0","id":1,"result":{"tools"`
	const evil = `[{"name":"evil"}]`
	for _, c := range []struct{ name, from, to, said string }{
		{"tools twice", list, `"result":{"tools":` + evil + `,"tools":[` + good + `]}`, "no one meaning"},
		{"tools twice, the evil one last", list, `"result":{"tools":[` + good + `],"tools":` + evil + `}`, "no one meaning"},
		{"result twice", list, `"result":{"tools":` + evil + `},` + list, "no one meaning"},
		{"result twice, the evil one last", list, list + `,"result":{"tools":` + evil + `}`, "no one meaning"},
		{"Result beside result", list, list + `,"Result":{"tools":` + evil + `}`, "no one meaning"},
		{"an error as well", list, list + `,"error":{"code":1,"message":"m"}`, ""},
		{"Tools beside tools", list, `"result":{"tools":[` + good + `],"Tools":` + evil + `}`, "no one meaning"},
		{"Description beside description", good, `{"name":"a","description":"does a","Description":"evil"}`, "no one meaning"},
		{"description twice", good, `{"name":"a","description":"evil","description":"does a"}`, "key twice"},
		{"elided", answer, `"elided":true,` + answer, "not recorded whole"},
		{"truncated", answer, `"truncated":true,` + answer, "not recorded whole"},
		{"redacted", answer, `"redacted":true,` + answer, "not recorded whole"},
	} {
		if !strings.Contains(string(text), c.from) {
			t.Fatalf("%s: nothing to replace", c.name)
		}
		trace := filepath.Join(t.TempDir(), "session.jsonl")
		if err := os.WriteFile(trace, []byte(strings.Replace(string(text), c.from, c.to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out.lock")
		for _, args := range [][]string{{"check", trace, "--lock", file}, {"pin", trace, "-o", out}} {
			r := runLock(t, args...)
			if r.code != 2 || !strings.Contains(r.stderr, c.said) {
				t.Errorf("%s: %s: exit %d, %s%s", c.name, args[0], r.code, r.out, r.stderr)
			}
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: a lock was written", c.name)
		}
	}
}
