package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/warden-trace/warden/cmd/program"
)

// runVerdict runs a policy or allowlist command in a folder of its own, with
// the files given as name, content, name, content...
func runVerdict(t *testing.T, stdin string, files []string, args ...string) (code int, out, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(files[i], []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var o, e bytes.Buffer
	w := &program.World{
		Args: args, Stdin: strings.NewReader(stdin), Stdout: &o, Stderr: &e,
		Getenv: func(string) string { return "" }, Now: time.Now,
	}
	var cli struct {
		Policy    policyCmd    `cmd:""`
		Allowlist allowlistCmd `cmd:""`
	}
	k, err := kong.New(&cli, kong.Writers(&o, &e))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := k.Parse(args)
	if err == nil {
		ctx.Bind(w)
		err = ctx.Run()
	} else {
		err = program.Fail("", "%w", err)
	}
	if err != nil {
		program.PrintError(&e, "warden-inspect", err)
	}
	return program.Code(err), o.String(), e.String()
}

const goodPolicy = `version: 1
defaults:
  http_request: {deny_private: true}
tools:
  write_note:
    filesystem_write: {allow_paths: ["/srv/**"], deny_paths: ["/srv/secrets/**"]}
`

// verdictStory is one run and what must come of it.
type verdictStory struct {
	name  string
	stdin string
	files []string
	args  string
	code  int
	out   []string // parts of standard output; "" alone: it is empty
	err   []string // parts of standard error
}

func (s verdictStory) run(t *testing.T) {
	t.Run(s.name, func(t *testing.T) {
		code, out, stderr := runVerdict(t, s.stdin, s.files, strings.Fields(s.args)...)
		if code != s.code {
			t.Errorf("exit %d, want %d\n%s%s", code, s.code, out, stderr)
		}
		for _, c := range []struct {
			what, text string
			want       []string
		}{{"stdout", out, s.out}, {"stderr", stderr, s.err}} {
			for _, part := range c.want {
				if part == "" && c.text != "" || !strings.Contains(c.text, part) {
					t.Errorf("%s lacks %q:\n%s", c.what, part, c.text)
				}
			}
		}
	})
}

func TestPolicyCommands(t *testing.T) {
	good := []string{"p.yaml", goodPolicy}
	lockText := `{"schema_version":3,"tools":[{"name":"send","capabilities":["http-request"]}]}`
	for _, s := range []verdictStory{
		{name: "lint a good file", files: good, args: "policy lint --policy p.yaml", out: []string{"p.yaml: 1 tool, 0 warnings\n"}},
		{name: "lint names all errors", files: []string{"p.yaml", "version: 2\ntoolz: {}\ntools:\n  a: {shell_exec: {allow: yes please, x: 1}}\n"}, args: "policy lint --policy p.yaml", code: 1,
			out: []string{"p.yaml:1: version: error:", "p.yaml:2: toolz: error: unknown key", "p.yaml:4: tools.a.shell_exec.allow: error:", "p.yaml:4: tools.a.shell_exec.x: error:", "p.yaml: 4 errors\n"}},
		{name: "lint as json", files: []string{"p.yaml", "version: 2\n"}, args: "policy lint --policy p.yaml --format json", code: 1,
			out: []string{`{"level":"error","file":"p.yaml","line":1,"key":"version","message":"must be the number 1"}` + "\n"}},
		{name: "lint against a lock", files: append([]string{"l.lock", lockText}, good...), args: "policy lint --policy p.yaml --lock l.lock", out: []string{"p.yaml:5: tools.write_note: warning: the lock has no tool of that name (POL-LINT-ORPHAN)", "1 tool, 1 warning\n"}, err: []string{"l.lock"}},
		{name: "lint from standard input", stdin: goodPolicy, args: "policy lint --policy -", out: []string{"-: 1 tool, 0 warnings"}},
		{name: "no such file", args: "policy lint --policy p.yaml", code: 2, out: []string{""}, err: []string{"--policy: p.yaml: no such file", "hint:"}},
		{name: "no file named", args: "policy lint", code: 2, out: []string{""}, err: []string{"--policy"}},
		{name: "a bad lock", files: append([]string{"l.lock", "{"}, good...), args: "policy lint --policy p.yaml --lock l.lock", code: 2, err: []string{"--lock"}},

		{name: "eval allows", files: append([]string{"c.json", `{"name":"write_note","arguments":{"path":"/srv/a"}}`}, good...), args: "policy eval --policy p.yaml --call c.json",
			out: []string{`{"tool":"write_note","shape":"filesystem_write","verdict":"allow","reason":"","constraint":"","rule":"","pointer":"","covered":true}` + "\n"}, err: []string{""}},
		{name: "eval denies", files: append([]string{"c.json", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_note","arguments":{"path":"/srv/x/../secrets/k"}}}`}, good...), args: "policy eval --policy p.yaml --call c.json", code: 1,
			out: []string{`"verdict":"deny","reason":"path /srv/secrets/k matches deny_paths entry /srv/secrets/**","constraint":"deny_paths","rule":"POL-FS-DENY","pointer":"/path"`}},
		{name: "eval notes", stdin: `{"tool":"send","arguments":{"url":"https://a.example"}}`, files: good, args: "policy eval --policy p.yaml --call -", out: []string{`"verdict":"note"`, "POL-HTTP-DNS-UNRESOLVED"}},
		{name: "eval by the lock", files: append([]string{"l.lock", lockText, "c.json", `{"name":"send","arguments":{"address":"10.0.0.1"}}`}, good...), args: "policy eval --policy p.yaml --call c.json --lock l.lock", code: 1, out: []string{"POL-HTTP-SSRF"}},
		{name: "eval without a shape", files: append([]string{"c.json", `{"name":"noop"}`}, good...), args: "policy eval --policy p.yaml --call c.json",
			out: []string{`{"tool":"noop","shape":"","verdict":"allow","reason":"no entry of the policy names this tool, and it has no shape that could be judged: nothing was judged","constraint":"","rule":"","pointer":"","covered":false}` + "\n"},
			err: []string{`warning: no entry of the policy names the tool "noop"`}},
		{name: "eval of a tool without an entry", files: append([]string{"c.json", `{"name":"get","arguments":{"url":"http://93.184.216.34/"}}`}, good...), args: "policy eval --policy p.yaml --call c.json",
			out: []string{`"verdict":"allow","reason":"no entry of the policy names this tool: its name and arguments gave the shape`, `"covered":false`}},
		{name: "eval in spec coverage", files: append([]string{"c.json", `{"name":"a","arguments":{"url":"http://localhost/"}}`}, good...), args: "policy eval --policy p.yaml --call c.json --coverage spec", out: []string{`"verdict":"note"`}},
		{name: "eval of every reading", files: append([]string{"c.json", `{"name":"write_note","arguments":{"path":"/srv/a"},"arguments":{"path":"/etc/a"}}`}, good...), args: "policy eval --policy p.yaml --call c.json", code: 1, out: []string{"/etc/a"}},
		{name: "eval of every spelling", files: append([]string{"c.json", `{"Params":{"name":"write_note","Arguments":{"path":"/etc/a"}},"params":{"NAME":"b","arguments":{"path":"/srv/a"}}}`}, good...), args: "policy eval --policy p.yaml --call c.json", code: 1, out: []string{"/etc/a"}},
		{name: "eval of one spelling in spec coverage", files: append([]string{"c.json", `{"name":"write_note","Arguments":{"path":"/etc/a"},"arguments":{"path":"/srv/a"}}`}, good...), args: "policy eval --policy p.yaml --call c.json --coverage spec", out: []string{`"verdict":"allow"`}},
		{name: "eval with a bad policy", files: []string{"p.yaml", "version: 3\ntools: 1\n", "c.json", `{"name":"a"}`}, args: "policy eval --policy p.yaml --call c.json", code: 2, out: []string{""}, err: []string{"p.yaml:1: version", "p.yaml:2: tools"}},
		{name: "eval of no call", files: append([]string{"c.json", `{"arguments":{}}`}, good...), args: "policy eval --policy p.yaml --call c.json", code: 2, err: []string{"names no tool"}},
		{name: "eval of no JSON", files: append([]string{"c.json", `{`}, good...), args: "policy eval --policy p.yaml --call c.json", code: 2, err: []string{"no JSON"}},
		{name: "a name that would steer the terminal", files: append([]string{"c.json", `{"name":"fetch\u009b31m\u202e","arguments":{"url":"http://10.0.0.1"}}`}, good...), args: "policy eval --policy p.yaml --call c.json", code: 1, out: []string{`fetch\u009b31m\u202e`}},
		{name: "two inputs on one stream", args: "policy eval --policy - --call -", code: 2, err: []string{"can't both be"}},
	} {
		s.run(t)
	}
}

func TestPolicyOutputFile(t *testing.T) {
	code, out, stderr := runVerdict(t, "", []string{"p.yaml", goodPolicy}, "policy", "lint", "--policy", "p.yaml", "-o", "report.txt")
	text, err := os.ReadFile(filepath.Join(".", "report.txt"))
	if code != 0 || out != "" || err != nil || !strings.Contains(string(text), "1 tool") {
		t.Errorf("exit %d, %q, %q, %v %s", code, out, text, err, stderr)
	}
}
