package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze/lock"
)

func TestLoad(t *testing.T) {
	for _, c := range []struct{ text, fault string }{
		{"version: 1", ""},
		{"version: 1\ndefaults: {}\ntools: {}", ""},
		{"version: 1\ntools: {a: {}}", ""},
		{"version: 1\ntools: {a: {shell_exec: {}}}", ""},
		{"version: 1\ntools: &t\n  a: &s {shell_exec: {allow: true}}\n  b: *s\n", ""},
		{`{"version": 1, "tools": {"a": {"sql_query": {"deny_statements": ["DROP"]}}}}`, ""},
		{"version: 1\ntools: {a: {http_request: {deny_cidrs: [10.0.0.0/8, 'fd00::/8', 10.0.0.1/32], allow_hosts: ['*.a.example', 'a.example:1', '[::1]:2', '::1']}}}", ""},

		{"", "the file is empty"},
		{"# nothing\n", "the file is empty"},
		{"tools: {}", "version: is missing"},
		{"version: 2", "version: must be the number 1"},
		{"version: '1'", "version: must be the number 1"},
		{"version: 1.0", "version: must be the number 1"},
		{"version: null", "version: must be the number 1"},
		{"version: [1]", "version: must be the number 1"},
		{"- 1", "must be a mapping, not a list"},
		{"1", "must be a mapping, not a number"},
		{"version: 1\n---\nversion: 1", "a second YAML document"},
		{"version: 1\n\tx", "this is no YAML"},
		{"version: 1\nversion: 1", "version: stands twice, first on line 1"},
		{"version: 1\ntoolz: {}", "toolz: unknown key"},
		{"version: 1\n1: {}", "keys are strings"},
		{"version: 1\n<<: {tools: {}}", "keys are strings"},
		{"version: 1\ntools:", "must be a mapping, not empty"},
		{"version: 1\ntools: []", "must be a mapping, not a list"},
		{"version: 1\ntools: {a: }", "tools.a: must be a mapping, not empty"},
		{"version: 1\ntools: {a: {fs: {}}}", "tools.a.fs: unknown shape"},
		{"version: 1\ndefaults: {shell: {}}", "defaults.shell: unknown shape"},
		{"version: 1\ntools: {a: {shell_exec: {allow_command: [x]}}}", "tools.a.shell_exec.allow_command: unknown key"},
		{"version: 1\ntools: {a: {shell_exec: {allow: 'true'}}}", "must be true or false, not a string"},
		{"version: 1\ntools: {a: {shell_exec: {allow: yes}}}", "must be true or false, not a string"},
		{"version: 1\ntools: {a: {shell_exec: {allow: 1}}}", "must be true or false, not a number"},
		{"version: 1\ntools: {a: {shell_exec: {allow: !!bool 'maybe'}}}", "must be true or false"},
		{"version: 1\ntools: {a: {shell_exec: {allow_commands: git}}}", "must be a list of strings, not a string"},
		{"version: 1\ntools: {a: {shell_exec: {allow_commands: [git, 1]}}}", "allow_commands[1]: must be a string, not a number"},
		{"version: 1\ntools: {a: {shell_exec: {allow_commands: ['']}}}", "an empty word"},
		{"version: 1\ntools: {a: {shell_exec: {command_arg: ''}}}", "name of an argument"},
		{"version: 1\ntools: {a: {shell_exec: {command_arg: [a]}}}", "name of an argument"},
		{"version: 1\ntools: {a: {filesystem_write: {allow_paths: ['/a/[b']}}}", "bad path pattern"},
		{"version: 1\ntools: {a: {filesystem_write: {deny_paths: ['']}}}", "bad path pattern"},
		{"version: 1\ntools: {a: {filesystem_write: {deny_paths: ['/a/***']}}}", "bad path pattern"},
		{"version: 1\ntools: {a: {http_request: {deny_cidrs: [10.0.0.0/33]}}}", "no CIDR range"},
		{"version: 1\ntools: {a: {http_request: {deny_cidrs: [10.0.0/8]}}}", "no CIDR range"},
		{"version: 1\ntools: {a: {http_request: {deny_cidrs: [10.0.0.5]}}}", "no CIDR range"},
		{"version: 1\ntools: {a: {http_request: {deny_cidrs: ['::1']}}}", "no CIDR range"},
		{"version: 1\ntools: {a: {http_request: {deny_cidrs: [a.example]}}}", "no CIDR range"},
		{"version: 1\ntools: {a: {http_request: {deny_cidrs: [10.0.0.1/8]}}}", "bits set beyond its length"},
		{"version: 1\ntools: {a: {http_request: {allow_hosts: ['https://a.example']}}}", "without a scheme"},
		{"version: 1\ntools: {a: {http_request: {allow_hosts: ['a.example/x']}}}", "bad host"},
		{"version: 1\ntools: {a: {http_request: {allow_hosts: ['*']}}}", "would allow every host"},
		{"version: 1\ntools: {a: {http_request: {allow_hosts: ['a.example:99999']}}}", "port"},
		{"version: 1\ntools: {a: {http_request: {allow_hosts: ['a.example:']}}}", "port"},
		{"version: 1\ntools: {a: {http_request: {allow_hosts: ['*.10.0.0.1']}}}", "before an address"},
		{"version: 1\ntools: {a: {http_request: {allow_hosts: ['[::1']}}}", "without `]`"},
		{"version: 1\ntools: {a: {http_request: {allow_hosts: ['[a]']}}}", "no IPv6 address"},
		{"version: 1\ntools: {a: {http_request: {allow_hosts: ['.']}}}", "no host"},
		{"version: 1\ntools: &a\n  b: *a\n", "unknown shape"}, // a cycle
	} {
		_, err := Load("p.yaml", []byte(c.text))
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q\n  got %v, want %q", c.text, err, c.fault)
		}
	}
}

func TestFaultsHavePlaces(t *testing.T) {
	_, err := Load("p.yaml", []byte(`version: 3
defaults:
  http_request:
    deny_private: no
tools:
  a:
    shell_exec:
      allow: maybe
      allow_commands:
        - git
        - [ls]
`))
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatal(err)
	}
	var got []string
	for _, e := range many.Unwrap() {
		var f *Fault
		if !errors.As(e, &f) {
			t.Fatal(e)
		}
		got = append(got, fmt.Sprintf("%d %s", f.Line, f.Key))
	}
	want := "1 version|4 defaults.http_request.deny_private|8 tools.a.shell_exec.allow|11 tools.a.shell_exec.allow_commands[1]"
	if strings.Join(got, "|") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, "|"), want)
	}
}

// A tool's own keys go over the defaults, key by key.
func TestDefaults(t *testing.T) {
	p := mustLoad(t, `
defaults:
  shell_exec: {allow: true, allow_commands: [git]}
  filesystem_write: {allow_paths: [/srv/**], deny_paths: [/srv/x]}
  sql_query: {allow_readonly_only: false}
tools:
  ls: {shell_exec: {allow_commands: [ls]}}
  off: {shell_exec: {allow: false}}
  own: {filesystem_write: {allow_paths: [/own/**]}}
`)
	for _, c := range []struct{ tool, args, want string }{
		{"any", `{"command":"git a"}`, ""}, {"any", `{"command":"ls"}`, "POL-SHELL-DENY /command"},
		{"ls", `{"command":"ls"}`, ""}, {"ls", `{"command":"git"}`, "POL-SHELL-DENY /command"},
		{"off", `{"command":"git"}`, "POL-SHELL-DENY /command"},
		{"save_note", `{"path":"/srv/a"}`, ""}, {"save_note", `{"path":"/etc/a"}`, "POL-FS-DENY /path"},
		{"own", `{"path":"/own/a"}`, ""}, {"own", `{"path":"/srv/a"}`, "POL-FS-DENY /path"}, {"own", `{"path":"/srv/x"}`, "POL-FS-DENY /path"},
		{"any", `{"sql":"INSERT INTO t VALUES (1)"}`, ""}, {"any", `{"sql":"DROP TABLE t"}`, "POL-SQL-DENY /sql"},
	} {
		if got := rules(p.Eval(c.tool, decode(t, c.args), nil)); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.args, got, c.want)
		}
	}
}

// Hostile files end in an error, soon, and show nothing.
func TestHostileFiles(t *testing.T) {
	key := "sk-" + strings.Repeat("Ab3", 10)
	var bomb strings.Builder
	bomb.WriteString("version: 1\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	wide := "version: 1\nx: &x {filesystem_write: {allow_paths: [" + strings.TrimSuffix(strings.Repeat("/a,", 2000), ",") + "]}}\ntools:\n"
	for i := range 2000 {
		wide += fmt.Sprintf("  t%d: *x\n", i)
	}
	start := time.Now()
	for name, text := range map[string]string{
		"aliases of aliases":  bomb.String(),
		"one alias often":     wide,
		"flow depth":          "version: 1\ntools: " + strings.Repeat("[", 100_000),
		"sequence depth":      "version: 1\ntools: " + strings.Repeat("- ", 400_000),
		"block depth":         deepBlock(700),
		"huge":                "version: 1\n#" + strings.Repeat("x", MaxBytes),
		"many keys":           "version: 1\n" + strings.Repeat("k: 1\n", 200_000),
		"a cycle":             "version: 1\ntools: &a {x: *a}\n",
		"a cycle of shapes":   "version: 1\ntools: {t: &a {shell_exec: *a}}\n",
		"a secret as value":   "version: '" + key + "'\ntools: {a: {shell_exec: {allow: " + key + "}}}",
		"a secret as key":     "version: 1\n" + key + ": 1\n",
		"a secret as path":    "version: 1\ntools: {a: {filesystem_write: {allow_paths: ['[" + key + "']}}}",
		"a secret as host":    "version: 1\ntools: {a: {http_request: {allow_hosts: ['" + key + "/x']}}}",
		"a secret as anchor":  "version: 1\ntools: *" + key + "\n",
		"a secret as tag":     "version: !<" + key + "> 1\n",
		"a secret, no YAML":   "version: 1\n'" + key,
		"control characters":  "version: 1\n\"\\e[31m\\u202e\": 1\n",
		"bad UTF-8":           "version: 1\n\xff\xfe: 1",
		"NUL":                 "version: 1\x00",
		"a byte-order mark 2": "\xff\xfev\x00",
	} {
		_, err := Load("p.yaml", []byte(text))
		if err == nil {
			t.Errorf("%s: loads", name)
			continue
		}
		if s := err.Error(); strings.Contains(s, key[:12]) || strings.ContainsAny(s, "\x1b\u202e") || len(s) > 32<<10 {
			t.Errorf("%s: %d bytes: %.300q", name, len(s), s)
		}
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
}

func deepBlock(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("version: 1\n" + evalPolicy))
	f.Add([]byte("version: 1\ntools: &a {x: *a}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Load("p.yaml", data)
		if (p == nil) == (err == nil) {
			t.Fatal(p, err)
		}
		if err != nil {
			return
		}
		for _, tool := range append(p.Tools(), "fetch_shell_sql_write") {
			p.Eval(tool, decode(t, `{"path":"/a/b","url":"http://a","sql":"SELECT 1","command":"a"}`), nil)
		}
		Lint(p, nil)
	})
}

func TestLint(t *testing.T) {
	p := mustLoad(t, `
defaults:
  filesystem_write: {deny_paths: [/x]}
tools:
  gone: {sql_query: {}}
  fetch: {http_request: {}, shell_exec: {}}
  both: {filesystem_write: {allow_paths: [/srv/a/*, /srv/b, /ok/**], deny_paths: [/srv/**]}}
  fine: {filesystem_write: {allow_paths: [/srv/**], deny_paths: [/srv/secrets/**, /srv/*]}}
  same: {filesystem_write: {allow_paths: [/srv/**], deny_paths: [/srv//**]}}
  none: {filesystem_write: {allow_paths: []}}
`)
	l, _, err := lock.Parse("l", []byte(`{"schema_version":3,"tools":[{"name":"fetch","capabilities":["http-request"]},{"name":"both","capabilities":["fs-write"]},`+
		`{"name":"fine","capabilities":["fs-write"]},{"name":"same","capabilities":["fs-write"]},{"name":"none","capabilities":["fs-write"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range Lint(p, l) {
		got = append(got, fmt.Sprintf("%d %s %s", w.Line, w.Rule, w.Key))
	}
	want := []string{
		"4 POL-LINT-EMPTY-ALLOW defaults.filesystem_write.allow_paths",
		"6 POL-LINT-ORPHAN tools.gone",
		"7 POL-LINT-SHAPE-MISMATCH tools.fetch.shell_exec",
		"8 POL-LINT-PATH-CONFLICT tools.both.filesystem_write.allow_paths",
		"8 POL-LINT-PATH-CONFLICT tools.both.filesystem_write.allow_paths",
		"10 POL-LINT-PATH-CONFLICT tools.same.filesystem_write.allow_paths",
		"11 POL-LINT-EMPTY-ALLOW tools.none.filesystem_write.allow_paths",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := len(Lint(p, nil)); n != 5 {
		t.Errorf("%d warnings without a lock", n)
	}
}

// Every fault of the YAML itself that has a place tells its line.
func TestYAMLFaultsHaveLines(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
	}{
		{"version: 1: 2\n", 1}, {"\t\n", 1}, {"version: 1\ntools: {a: *x}\n", 2}, {"version: 1\n\n# \x01\n", 3}, {"version: 1\n# \xff\n", 2},
		{"version: 1\ntools:\n  a: [\n", 4}, {"version: 1\n" + strings.Repeat("[", 100), 2}, {"version: 1\n---\nversion: 1\n", 3},
	} {
		_, err := Load("p.yaml", []byte(c.text))
		var f *Fault
		if !errors.As(err, &f) || f.Line < 1 || f.Line < c.line-1 || f.Line > c.line {
			t.Errorf("%q: %v, want line %d", c.text, err, c.line)
		}
	}
	_, err := Load("p.yaml", []byte("version: 1\na: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\n"))
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.HasSuffix(err.Error(), "; and 2 more") {
		t.Errorf("many faults: %v", err)
	}
}
