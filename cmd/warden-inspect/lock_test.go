package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/cmd/program"
)

// lockRun is one run of a lock command.
type lockRun struct {
	code        int
	out, stderr string
}

func runLock(t *testing.T, args ...string) lockRun {
	t.Helper()
	var out, stderr bytes.Buffer
	w := &program.World{
		Args: append([]string{"lock"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &stderr,
		Getenv: func(k string) string { return map[string]string{"USER": "tester"}[k] },
		Now:    func() time.Time { return time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC) },
	}
	var cli struct {
		Lock lockCmd `cmd:""`
	}
	k, err := kong.New(&cli, kong.Writers(&out, &stderr))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := k.Parse(w.Args)
	if err == nil {
		ctx.Bind(w)
		err = ctx.Run()
	} else {
		err = program.Fail("", "%w", err)
	}
	code := program.Code(err)
	if err != nil {
		program.PrintError(&stderr, "warden-inspect", err)
	}
	return lockRun{code, out.String(), stderr.String()}
}

const lockTool = `{"name":"read_note","description":"Reads a note.","inputSchema":{"type":"object","properties":{"path":{"type":"string","maxLength":64}}},"annotations":{"readOnlyHint":true}}`

// session writes a recording of a small session with the given tools, one page
// each, and gives its name.
func session(t *testing.T, command string, tools ...string) string {
	t.Helper()
	var b strings.Builder
	if command != "" {
		b.WriteString(`{"meta":{"warden_trace":1,"command":` + command + `}}` + "\n")
	}
	line := func(dir, frame string) {
		b.WriteString(`{"direction":"` + dir + `","frame":` + frame + "}\n")
	}
	line("c2s", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	line("s2c", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	line("c2s", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i, tool := range tools {
		id := string(rune('1' + i))
		params := ""
		if i > 0 {
			params = `,"params":{"cursor":"page` + id + `"}`
		}
		next := ""
		if i+1 < len(tools) {
			next = `,"nextCursor":"page` + string(rune('2'+i)) + `"`
		}
		line("c2s", `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list"`+params+`}`)
		line("s2c", `{"jsonrpc":"2.0","id":`+id+`,"result":{"tools":[`+tool+`]`+next+`}}`)
	}
	line("c2s", `{"jsonrpc":"2.0","id":9,"method":"resources/list"}`)
	line("s2c", `{"jsonrpc":"2.0","id":9,"result":{"resources":[{"uri":"notes://1","name":"one"}]}}`)
	name := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func pin(t *testing.T, trace string, more ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "warden.lock")
	r := runLock(t, append([]string{"pin", trace, "-o", file}, more...)...)
	if r.code != 0 {
		t.Fatalf("pin: exit %d, %s", r.code, r.stderr)
	}
	return file
}

func TestLockPinCheckVerify(t *testing.T) {
	other := `{"name":"other"}`
	trace := session(t, `["srv","--x"]`, lockTool, other)
	file := pin(t, trace, "--approver", "eve")
	if r := runLock(t, "verify", file); r.code != 0 || !strings.Contains(r.out, "level 4, 2 tools, 1 resource, 0 prompts, approved by eve; all digests recompute") {
		t.Errorf("verify: %+v", r)
	}
	if r := runLock(t, "check", trace, "--lock", file); r.code != 0 || !strings.Contains(r.out, "agrees with") {
		t.Errorf("check: %+v", r)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"command": "srv"`, `"--x"`, `"mcp_protocol_version": "2025-06-18"`, `"created_at": "2026-05-06T07:08:09Z"`, `"actor": "tester"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in the lock", want)
		}
	}

	flipped := session(t, `["srv","--x"]`, strings.Replace(lockTool, "true", "false", 1), other)
	r := runLock(t, "check", flipped, "--lock", file, "--json", "-")
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	var d struct {
		Kind, Severity, Target, Detail, Level, Tier string
		Class                                       string `json:"drift_class"`
		Rule                                        string `json:"rule_id"`
	}
	if r.code != 1 || len(lines) != 2 || json.Unmarshal([]byte(lines[0]), &d) != nil ||
		d.Class != "tool-annotations-modified" || d.Rule != "WRD-DRIFT-TOOL-ANNOTATIONS-MODIFIED" || d.Target != "tools/read_note" ||
		d.Severity != "high" || d.Level != "error" || d.Tier != "block" || d.Detail == "" {
		t.Errorf("flipped annotation: %+v", r)
	}
	if !strings.Contains(lines[len(lines)-1], `"kind":"run-summary","drift":1`) {
		t.Errorf("summary: %s", lines[len(lines)-1])
	}
}

func TestLockSARIF(t *testing.T) {
	file := pin(t, session(t, "", lockTool))
	later := session(t, "", strings.Replace(lockTool, "64", "4096", 1))
	r := runLock(t, "check", later, "--lock", file, "--sarif", "-")
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID              string
				Level               string
				PartialFingerprints map[string]string
				Locations           []json.RawMessage
			}
		}
	}
	if err := json.Unmarshal([]byte(r.out), &log); err != nil || r.code != 1 {
		t.Fatalf("%v: %+v", err, r)
	}
	res := log.Runs[0].Results
	if len(res) != 1 || res[0].RuleID != "WRD-DRIFT-SCHEMA-CONSTRAINT-RELAXED" || res[0].Level != "warning" ||
		len(res[0].PartialFingerprints) != 1 || len(res[0].Locations) != 1 {
		t.Errorf("results: %+v", res)
	}
	if r := runLock(t, "verify", file, "--sarif", "-"); r.code != 0 || !strings.Contains(r.out, `"results"`) {
		t.Errorf("a clean run without results: %+v", r)
	}
}

func TestLockDiffAndRotate(t *testing.T) {
	a := pin(t, session(t, "", lockTool))
	b := pin(t, session(t, "", lockTool, `{"name":"run_command"}`))
	r := runLock(t, "diff", a, b)
	if r.code != 1 || !strings.Contains(r.out, "1 difference") || !strings.Contains(r.out, "tools/run_command  tool-added") {
		t.Errorf("diff: %+v", r)
	}
	before, _ := os.ReadFile(a)
	if r := runLock(t, "rotate", a, "--approver", "bob", "--note", "seen"); r.code != 0 || r.out != "" {
		t.Errorf("rotate: %+v", r)
	}
	after, _ := os.ReadFile(a)
	if bytes.Equal(before, after) || !strings.Contains(string(after), `"note": "seen"`) {
		t.Error("rotate wrote nothing")
	}
	if r := runLock(t, "verify", a); r.code != 0 || !strings.Contains(r.out, "approved by bob") {
		t.Errorf("verify after rotate: %+v", r)
	}
	copyOf := filepath.Join(t.TempDir(), "c.lock")
	if r := runLock(t, "rotate", a, "-o", copyOf); r.code != 0 {
		t.Errorf("rotate to another file: %+v", r)
	}
	if now, _ := os.ReadFile(a); !bytes.Equal(now, after) {
		t.Error("rotate -o changed the old file")
	}
	if r := runLock(t, "diff", a, copyOf); r.code != 0 || !strings.Contains(r.out, "pins the same surface") {
		t.Errorf("diff after rotate: %+v", r)
	}
}

// What can't be used is one clear error, exit 2, and nothing is written.
func TestLockErrors(t *testing.T) {
	trace := session(t, "", lockTool)
	good := pin(t, trace)
	text, _ := os.ReadFile(good)
	bad := filepath.Join(t.TempDir(), "bad.lock")
	if err := os.WriteFile(bad, bytes.Replace(text, []byte(`"entry_digest": "sha256:`), []byte(`"entry_digest": "sha256:0`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	noTools := filepath.Join(t.TempDir(), "none.jsonl")
	if err := os.WriteFile(noTools, []byte(`{"direction":"c2s","frame":{"jsonrpc":"2.0","id":1,"method":"ping"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"inconsistent lock", []string{"verify", bad}},
		{"inconsistent lock", []string{"rotate", bad, "-o", out}},
		{"inconsistent lock", []string{"check", trace, "--lock", bad, "-o", out}},
		{"inconsistent lock", []string{"diff", good, bad, "-o", out}},
		{"no such file", []string{"verify", filepath.Join(t.TempDir(), "x")}},
		{"no complete tools/list", []string{"pin", noTools, "-o", out}},
		{"listed twice", []string{"pin", session(t, "", lockTool+","+lockTool), "-o", out}},
		{"unexpected argument", []string{"pin", trace, "srv", "-o", out}},
		{"more after the JSON value", []string{"verify", trace}},
		{"is a directory", []string{"verify", t.TempDir()}},
		{"missing flags: --lock", []string{"check", trace}},
		{"can't share standard output", []string{"pin", trace, "--json", "-"}},
		{"both write to standard output", []string{"diff", good, good, "--json", "-", "--sarif", "-"}},
	} {
		r := runLock(t, c.args...)
		if r.code != 2 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%v: exit %d, %s", c.args, r.code, r.stderr)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%v left a file", c.args)
		}
	}
}

// TestLockIsNotReplaced: what somebody approved goes only where that is asked for.
func TestLockIsNotReplaced(t *testing.T) {
	approved := pin(t, session(t, "", lockTool), "--approver", "eve")
	before, err := os.ReadFile(approved)
	if err != nil {
		t.Fatal(err)
	}
	later := session(t, "", strings.Replace(lockTool, "64", "4096", 1))
	other := pin(t, later)
	for _, args := range [][]string{{"pin", later, "-o", approved}, {"rotate", other, "-o", approved}} {
		r := runLock(t, args...)
		if r.code != 2 || !strings.Contains(r.stderr, "there is a file already") || !strings.Contains(r.stderr, "--force replaces it") {
			t.Errorf("%v: %+v", args, r)
		}
		if now, err := os.ReadFile(approved); err != nil || !bytes.Equal(now, before) {
			t.Fatalf("%v: the lock has changed, %v", args, err)
		}
	}
	if r := runLock(t, "pin", later, "-o", approved, "--force", "--keep", approved); r.code != 0 {
		t.Errorf("--force: %+v", r)
	}
	if r := runLock(t, "rotate", other, "-o", approved, "--force"); r.code != 0 {
		t.Errorf("rotate --force: %+v", r)
	}
	if r := runLock(t, "rotate", other, "-o", other); r.code != 0 || !strings.Contains(r.stderr, "the new one names no approver") {
		t.Errorf("rotate onto itself: %+v", r)
	}
	if r := runLock(t, "rotate", other, "--approver", "eve"); r.code != 0 || !strings.Contains(r.stderr, "the new one is the approval of eve") {
		t.Errorf("rotate: %+v", r)
	}
}

func TestLockLaunchFlags(t *testing.T) {
	trace := session(t, `["srv"]`, lockTool)
	for _, c := range []struct {
		args []string
		want lock.Launch
	}{
		{nil, lock.Launch{Command: "srv"}},
		{[]string{"--", "npx", "-y", "thing"}, lock.Launch{Command: "npx", Args: []string{"-y", "thing"}}},
		{[]string{"--url", "https://x/mcp"}, lock.Launch{URL: "https://x/mcp"}},
	} {
		file := pin(t, trace, c.args...)
		l, err := readLock(file)
		if err != nil {
			t.Fatal(err)
		}
		if l.Server.Command != c.want.Command || l.Server.URL != c.want.URL || strings.Join(l.Server.Args, " ") != strings.Join(c.want.Args, " ") {
			t.Errorf("%v: %+v", c.args, l.Server)
		}
	}
	file := pin(t, trace)
	if r := runLock(t, "check", trace, "--lock", file, "--", "other"); r.code != 1 || !strings.Contains(r.out, "server-identity") {
		t.Errorf("another command: %+v", r)
	}
	if r := runLock(t, "check", session(t, "", lockTool), "--lock", file); r.code != 0 || !strings.Contains(r.out, "not compared: the recording does not tell the launch command") {
		t.Errorf("no command: %+v", r)
	}
}

// Names from a recording reach the terminal escaped.
func TestLockTextIsSafe(t *testing.T) {
	file := pin(t, session(t, "", lockTool))
	later := session(t, "", lockTool, `{"name":"\u001b]0;x\u0007\u202e"}`)
	r := runLock(t, "check", later, "--lock", file)
	if r.code != 1 || strings.ContainsAny(r.out+r.stderr, "\x1b\x07\u202e") {
		t.Errorf("%+v", r)
	}
}
