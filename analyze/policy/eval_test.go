package policy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/lock"
)

func mustLoad(t testing.TB, text string) *Policy {
	t.Helper()
	p, err := Load("p.yaml", []byte("version: 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func decode(t testing.TB, text string) *jsonrpc.Value {
	t.Helper()
	if text == "" {
		return nil
	}
	v, err := jsonrpc.Decode([]byte(text), jsonrpc.DecodeOptions{Lenient: true})
	if err != nil {
		t.Fatal(text, err)
	}
	return v
}

// rules are the verdicts that say something, as "RULE pointer", a note in
// brackets.
func rules(vs []Verdict) string {
	var out []string
	for _, v := range vs {
		switch {
		case !v.Allow:
			out = append(out, strings.TrimSpace(v.Rule+" "+v.Pointer))
		case v.Note:
			out = append(out, "("+v.Rule+")")
		}
	}
	return strings.Join(out, ", ")
}

const evalPolicy = `
tools:
  w:
    filesystem_write: {allow_paths: [/srv/**, notes/*], deny_paths: [/srv/secrets/**]}
  w_none:
    filesystem_write: {allow_paths: []}
  w_named:
    filesystem_write: {allow_paths: [/srv/**], path_arg: where}
  s:
    shell_exec: {allow: true, allow_commands: [git, ls]}
  s_any:
    shell_exec: {allow: true}
  s_none:
    shell_exec: {allow: true, allow_commands: []}
  s_off:
    shell_exec: {}
  h:
    http_request: {allow_hosts: [api.example.com, "*.allowed.example", "ported.example:444", 8.8.8.8, 10.0.0.9, "tls.example:443", "v-*.example", "[2001:db8::1]"]}
  h_open:
    http_request: {deny_private: false, deny_cidrs: [10.0.0.0/8, "::ffff:192.0.2.0/120", "2001:db8::/32", 198.51.100.7/32]}
  h_named:
    http_request: {url_arg: where}
  q:
    sql_query: {}
  q_write:
    sql_query: {allow_readonly_only: false}
  q_list:
    sql_query: {allow_readonly_only: false, deny_statements: [insert]}
  q_empty:
    sql_query: {allow_readonly_only: false, deny_statements: []}
  q_odd:
    sql_query: {deny_statements: [Select]}
`

func TestEval(t *testing.T) {
	p := mustLoad(t, evalPolicy)
	for _, c := range []struct{ tool, args, want string }{
		// files
		{"w", `{"path":"/srv/a"}`, ""},
		{"w", `{"path":"  /srv/a\n"}`, ""},
		{"w", `{"path":"notes/a"}`, ""},
		{"w", `{"path":"/srv"}`, "POL-FS-DENY /path"},
		{"w", `{"path":"/srv/../etc/passwd"}`, "POL-FS-DENY /path"},
		{"w", `{"path":"/srv\\..\\etc"}`, "POL-FS-DENY /path"},
		{"w", `{"path":"/srv/secrets/k"}`, "POL-FS-DENY /path"},
		{"w", `{"path":"/srv/secrets"}`, "POL-FS-DENY /path"},
		{"w", `{"path":"/srv/x/..//./secrets/k"}`, "POL-FS-DENY /path"},
		{"w", `{"path":"/srv/secretsx"}`, ""},
		{"w", `{"path":"/srv/a\u0000/../../etc"}`, "POL-FS-DENY /path"},
		{"w", `{"path":"file:///srv/a"}`, "POL-FS-DENY /path"}, // as a plain path it is relative
		{"w", `{"file_path":"/srv/a","filePath":"/etc/b"}`, "POL-FS-DENY /filePath"},
		{"w", `{"path":"/srv/a","options":{"deep":[{"destFile":"/etc/b"}]}}`, "POL-FS-DENY /options/deep/0/destFile"},
		{"w", `{"path":"/srv/a","content":"/etc/b"}`, ""},
		{"w", `{"paths":["/etc/b"]}`, "POL-FS-DENY /paths/0"}, // no name fits: every string
		{"w", `{"path":["/srv/a","/etc/b"]}`, "POL-FS-DENY /path"},
		{"w", `{"path":["/srv/a",["/srv/b"]]}`, ""},
		{"w", `{"path":[]}`, "POL-FS-DENY /path"},
		{"w", `{"path":1}`, "POL-FS-DENY /path"},
		{"w", `{"path":null}`, "POL-FS-DENY /path"},
		{"w", `{"path":{"a":"/srv/a"}}`, "POL-FS-DENY /path"},
		{"w", `{"path":"/srv/a","path":"/etc/b"}`, "POL-FS-DENY /path"},
		{"w", `{"path":"/etc/b","path":"/srv/a"}`, "POL-FS-DENY /path"},
		{"w", `{"where":"/srv/a"}`, ""},
		{"w", `{"where":"/etc/b"}`, "POL-FS-DENY /where"},
		{"w", `{}`, "POL-FS-DENY"},
		{"w", ``, "POL-FS-DENY"},
		{"w_none", `{"path":"/srv/a"}`, "POL-FS-DENY /path"},
		{"w_none", ``, "POL-FS-DENY"},
		{"w_named", `{"where":"/srv/a","path":"/etc/b"}`, ""},
		{"w_named", `{"where":"/etc/b"}`, "POL-FS-DENY /where"},
		{"w_named", `{"path":"/etc/b"}`, "POL-FS-DENY /path"},
		{"save_file", `{"path":"/etc/b"}`, ""}, // not constrained

		// commands
		{"s", `{"command":"git status"}`, ""},
		{"s", `{"command":" \tls -l \t"}`, ""},
		{"s", `{"command":"ls\n"}`, "POL-SHELL-METACHAR /command"},
		{"s", `{"command":"\r\nls"}`, "POL-SHELL-METACHAR /command"},
		{"s", `{"cmd":["ls","-l\n"]}`, "POL-SHELL-METACHAR /cmd"},
		{"s", `{"cmd":["ls -la","x"]}`, "POL-SHELL-DENY /cmd"},
		{"s", `{"cmd":["ls ","x"]}`, "POL-SHELL-DENY /cmd"},
		{"s", `{"cmd":["ls","-la x"]}`, ""},
		{"s", `{"command":"gitx"}`, "POL-SHELL-DENY /command"},
		{"s", `{"command":"/usr/bin/git"}`, "POL-SHELL-DENY /command"},
		{"s", `{"command":"git\u00a0status"}`, "POL-SHELL-DENY /command"},
		{"s", `{"command":"'git' x"}`, "POL-SHELL-DENY /command"},
		{"s", `{"command":""}`, "POL-SHELL-DENY /command"},
		{"s", `{"command":"git a; rm"}`, "POL-SHELL-METACHAR /command"},
		{"s", `{"command":"git a | sh"}`, "POL-SHELL-METACHAR /command"},
		{"s", `{"command":"git a && b"}`, "POL-SHELL-METACHAR /command"},
		{"s", `{"command":"git ` + "`id`" + `"}`, "POL-SHELL-METACHAR /command"},
		{"s", `{"command":"git $(id)"}`, "POL-SHELL-METACHAR /command"},
		{"s", `{"command":"git $HOME (x)"}`, ""},
		{"s", `{"command":"git a\nrm b"}`, "POL-SHELL-METACHAR /command"},
		{"s", `{"command":"git a\rrm b"}`, "POL-SHELL-METACHAR /command"},
		{"s", `{"cmd":["git","status"]}`, ""},
		{"s", `{"cmd":["rm","git"]}`, "POL-SHELL-DENY /cmd"},
		{"s", `{"cmd":["git","a;b"]}`, "POL-SHELL-METACHAR /cmd"},
		{"s", `{"cmd":["git",1]}`, "POL-SHELL-DENY /cmd"},
		{"s", `{"cmd":[]}`, "POL-SHELL-DENY /cmd"},
		{"s", `{"cmd":5}`, "POL-SHELL-DENY /cmd"},
		{"s", `{"command":"git a","shell":"sh"}`, "POL-SHELL-DENY /shell"},
		{"s", `{"line":"git a"}`, ""},
		{"s", `{"line":"rm a"}`, "POL-SHELL-DENY /line"},
		{"s_any", `{"command":"rm -rf /"}`, ""},
		{"s_any", `{"script_body":"rm; x"}`, "POL-SHELL-METACHAR /script_body"},
		{"s_any", `{}`, ""},
		{"s_none", `{"command":"git"}`, "POL-SHELL-DENY /command"},
		{"s_off", `{"command":"git"}`, "POL-SHELL-DENY /command"},
		{"s_off", ``, "POL-SHELL-DENY"},
		{"run_shell", `{"x":1}`, "POL-SHELL-DENY"}, // off unless somebody turns it on

		// requests
		{"h", `{"url":"https://API.example.com./x"}`, ""},
		{"h", `{"url":"https://api.example.com:8443/"}`, ""},
		{"h", `{"url":"https://a.b.allowed.example/"}`, ""},
		{"h", `{"url":"https://allowed.example/"}`, "POL-HTTP-HOST-DENY /url"},
		{"h", `{"url":"https://xallowed.example/"}`, "POL-HTTP-HOST-DENY /url"},
		{"h", `{"url":"https://.allowed.example/"}`, "POL-HTTP-HOST-DENY /url"},
		{"h", `{"url":"https://ported.example:444/"}`, ""},
		{"h", `{"url":"https://ported.example/"}`, "POL-HTTP-HOST-DENY /url"},
		{"h", `{"url":"https://tls.example/"}`, ""},
		{"h", `{"url":"http://tls.example/"}`, "POL-HTTP-HOST-DENY /url"},
		{"h", `{"url":"https://v-1.example/"}`, ""},
		{"h", `{"url":"https://v-1.a.example/"}`, "POL-HTTP-HOST-DENY /url"},
		{"h", `{"url":"https://[2001:db8::1]/"}`, ""},
		{"h", `{"url":"https://134744072/"}`, ""},
		{"h", `{"url":"https://10.0.0.9/"}`, "POL-HTTP-SSRF /url"}, // deny beats allow
		{"h", `{"url":"https://evil.example\\@api.example.com/"}`, "POL-HTTP-HOST-DENY /url"},
		{"h", `{"url":"https://api.example.com@evil.example/"}`, "POL-HTTP-HOST-DENY /url"},
		{"h", `{"url":"/path"}`, "POL-HTTP-HOST-DENY /url"},
		{"h", `{"url":7}`, "POL-HTTP-SSRF /url"}, // a number-form address
		{"h", `{"url":134744072}`, "POL-HTTP-HOST-DENY /url"},
		{"h", `{"url":null}`, "POL-HTTP-HOST-DENY /url"},
		{"h", `{}`, "POL-HTTP-HOST-DENY"},
		{"h", `{"url":"https://api.example.com","webhook_url":"https://evil.example"}`, "POL-HTTP-HOST-DENY /webhook_url"},
		{"h", `{"url":"https://evil.example","callbackUrl":"http://10.0.0.1"}`, "POL-HTTP-SSRF /callbackUrl"}, // the first row goes first
		{"h_open", `{"url":"http://127.0.0.1/"}`, ""},
		{"h_open", `{"url":"http://10.1.2.3/"}`, "POL-HTTP-SSRF /url"},
		{"h_open", `{"url":"http://[::ffff:10.1.2.3]/"}`, "POL-HTTP-SSRF /url"},
		{"h_open", `{"url":"http://192.0.2.9/"}`, "POL-HTTP-SSRF /url"},
		{"h_open", `{"url":"http://192.0.3.9/"}`, ""},
		{"h_open", `{"url":"http://[2001:db8:1::5]/"}`, "POL-HTTP-SSRF /url"},
		{"h_open", `{"url":"http://198.51.100.7/"}`, "POL-HTTP-SSRF /url"},
		{"h_open", `{"url":"http://198.51.100.8/"}`, ""},
		{"h_named", `{"where":"http://10.0.0.1"}`, "POL-HTTP-SSRF /where"},
		{"h_named", `{"where":"http://a.example","url":"http://10.0.0.1"}`, "(POL-HTTP-DNS-UNRESOLVED)"},
		{"get", `{"url":"http://a.example"}`, "(POL-HTTP-DNS-UNRESOLVED)"},
		{"get", `{"url":"http://8.8.8.8"}`, ""},
		{"get", `{"hostname":"localhost"}`, "POL-HTTP-SSRF /hostname"},
		{"get", `{"hostname":"a.LOCALHOST."}`, "POL-HTTP-SSRF /hostname"},
		{"get", `{"hostname":"localhost.example"}`, "(POL-HTTP-DNS-UNRESOLVED)"},
		{"get", `{"url":"file:///etc/passwd"}`, "POL-HTTP-SSRF /url"},
		{"get", `{"url":"/relative"}`, ""},
		{"get", `{"url":true}`, "POL-HTTP-SSRF /url"},
		{"fetch", `{"where":{"to":["x","http://10.0.0.1"]}}`, "POL-HTTP-SSRF /where/to/1"},
		{"fetch", `["http://10.0.0.1"]`, "POL-HTTP-SSRF /0"},
		{"fetch", `"http://10.0.0.1"`, "POL-HTTP-SSRF"},
		{"fetch", `{}`, ""},

		// queries
		{"q", `{"query":"SELECT 1"}`, ""},
		{"q", `{"query":"UPDATE t SET a=1"}`, "POL-SQL-DENY /query"},
		{"q", `{"query":"SELECT 1; DROP TABLE t"}`, "POL-SQL-STACKED /query"},
		{"q", `{"query":["SELECT 1","DELETE FROM t"]}`, "POL-SQL-DENY /query"},
		{"q", `{"query":{"a":"SELECT 1"}}`, "POL-SQL-DENY /query"},
		{"q", `{"query":1}`, "POL-SQL-DENY /query"},
		{"q", `{"query":"DROP TABLE t","sql":"SELECT 1; SELECT 2"}`, "POL-SQL-STACKED /sql"},
		{"q", `{}`, "POL-SQL-DENY"},
		{"q", `{"text":"SELECT 1"}`, ""},
		{"q_write", `{"sql":"INSERT INTO t VALUES (1)"}`, ""},
		{"q_write", `{"sql":"drop table t"}`, "POL-SQL-DENY /sql"},
		{"q_write", `{"sql":"WITH x AS (INSERT INTO t VALUES (1)) SELECT 1"}`, ""},
		{"q_list", `{"sql":"INSERT INTO t VALUES (1)"}`, "POL-SQL-DENY /sql"},
		{"q_list", `{"sql":"DROP TABLE t"}`, ""},
		{"q_empty", `{"sql":"DROP TABLE t"}`, ""},
		{"q_odd", `{"sql":"SELECT 1"}`, "POL-SQL-DENY /sql"},

		// several shapes
		{"x", `{"targetUrl":"http://10.0.0.1","command":"a;b"}`, "POL-SHELL-METACHAR /command, POL-HTTP-SSRF /targetUrl"},
		{"nothing", `{"a":"rm; http://10.0.0.1"}`, ""},
	} {
		if got := rules(p.Eval(c.tool, decode(t, c.args), nil)); got != c.want {
			t.Errorf("%s %s\n  got  %q\n  want %q", c.tool, c.args, got, c.want)
		}
	}
}

// What a shape is comes from the lock, then from names, and always from the
// policy.
func TestShapes(t *testing.T) {
	p := mustLoad(t, "tools:\n  declared: {http_request: {}}\n")
	args := decode(t, `{"url":"http://10.0.0.1"}`)
	for _, c := range []struct {
		tool   string
		shapes []Shape
		want   string
	}{
		{"any", nil, "POL-HTTP-SSRF /url"},
		{"any", []Shape{}, ""},
		{"any", []Shape{SQLQuery}, "POL-SQL-DENY /url"},
		{"declared", []Shape{}, "POL-HTTP-SSRF /url"},
		{"declared", []Shape{ShellExec}, "POL-SHELL-DENY /url, POL-HTTP-SSRF /url"},
	} {
		if got := rules(p.Eval(c.tool, args, c.shapes)); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.tool, c.shapes, got, c.want)
		}
	}
	if got := FromCapabilities(nil); got == nil || len(got) != 0 {
		t.Error("no capabilities must stay apart from no lock")
	}
	if got := fmt.Sprint(FromCapabilities([]lock.Capability{lock.FSRead, lock.FSWrite, lock.HTTPRequest, lock.ShellExec, lock.SQLQuery})); got != "[filesystem_write http_request shell_exec sql_query]" {
		t.Error(got)
	}
	if got := fmt.Sprint(p.Tools(), p.Declared("declared"), p.Declared("other")); got != "[declared] [http_request] []" {
		t.Error(got)
	}
}

// The wider rows are off in spec coverage, mapped addresses stay.
func TestSpecCoverage(t *testing.T) {
	for url, want := range map[string][2]string{
		"http://localhost/":          {"(POL-HTTP-DNS-UNRESOLVED)", "POL-HTTP-SSRF /url"},
		"http://0.0.0.0/":            {"", "POL-HTTP-SSRF /url"},
		"http://[64:ff9b::a00:1]/":   {"", "POL-HTTP-SSRF /url"},
		"http://[::ffff:10.0.0.1]/":  {"POL-HTTP-SSRF /url", "POL-HTTP-SSRF /url"},
		"http://100.64.1.1/":         {"", "POL-HTTP-SSRF /url"},
		"http://192.168.1.1/":        {"POL-HTTP-SSRF /url", "POL-HTTP-SSRF /url"},
		"http://[2002:a00:1::]:8080": {"", "POL-HTTP-SSRF /url"},
	} {
		for i, cov := range []analyze.Coverage{analyze.Spec, analyze.Full} {
			p := mustLoad(t, "")
			p.Coverage = cov
			if got := rules(p.Eval("get", decode(t, `{"url":"`+url+`"}`), nil)); got != want[i] {
				t.Errorf("%s, %s: %q, want %q", cov, url, got, want[i])
			}
		}
	}
}

func TestReadings(t *testing.T) {
	p := mustLoad(t, evalPolicy)
	good, bad := decode(t, `{"path":"/srv/a"}`), decode(t, `{"path":"/etc/b"}`)
	for _, c := range []struct {
		tools []string
		args  []*jsonrpc.Value
		want  string
	}{
		{[]string{"w"}, []*jsonrpc.Value{good}, ""},
		{[]string{"w"}, []*jsonrpc.Value{good, bad}, "POL-FS-DENY"},
		{[]string{"w"}, []*jsonrpc.Value{bad, good}, "POL-FS-DENY"},
		{[]string{"noop", "w"}, []*jsonrpc.Value{bad}, "POL-FS-DENY /path"},
		{[]string{"w", "noop"}, []*jsonrpc.Value{bad}, "POL-FS-DENY /path"},
		{[]string{"w"}, nil, "POL-FS-DENY"},
		{[]string{"w"}, []*jsonrpc.Value{nil}, "POL-FS-DENY"},
		{[]string{"w"}, []*jsonrpc.Value{nil, good}, ""},
		{[]string{"noop"}, []*jsonrpc.Value{good}, ""},
		{strings.Fields(strings.Repeat("w ", 100)), []*jsonrpc.Value{good}, ""},
	} {
		if got := rules(p.EvalReadings(c.tools, c.args, nil)); got != c.want {
			t.Errorf("%v: %q, want %q", c.tools, got, c.want)
		}
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprint("t", i))
	}
	if got := rules(p.EvalReadings(many, nil, nil)); got != "POL-SHELL-DENY" {
		t.Errorf("a hundred names: %q", got)
	}
	// The lock's shapes are asked for by name.
	got := rules(p.EvalReadings([]string{"a"}, []*jsonrpc.Value{bad}, func(string) []Shape { return []Shape{ShellExec} }))
	if got != "POL-SHELL-DENY /path" {
		t.Error(got)
	}
}

func TestFindings(t *testing.T) {
	p := mustLoad(t, "")
	deny := p.Eval("get", decode(t, `{"url":"http://169.254.169.254/latest"}`), nil)[0]
	f, ok := deny.Finding()
	if !ok || f.Tier != analyze.Block || f.Severity != analyze.High || f.Direction != analyze.ClientToServer || f.Block != -1 || f.Pointer != "/params/arguments/url" || f.Tool != "get" {
		t.Errorf("%+v", f)
	}
	if f.Message != "host 169.254.169.254 is in deny_private range 169.254.0.0/16 (link-local)" {
		t.Error(f.Message)
	}
	note := p.Eval("get", decode(t, `{"url":"http://a.example"}`), nil)[0]
	if f, ok := note.Finding(); !ok || f.Tier != analyze.Note || f.Severity != analyze.Low {
		t.Errorf("%+v", f)
	}
	if _, ok := (Verdict{Allow: true}).Finding(); ok {
		t.Error("a finding about nothing")
	}
}

func TestReasonsShowLittle(t *testing.T) {
	p := mustLoad(t, evalPolicy)
	key := "sk-" + strings.Repeat("Ab3", 10)
	for _, c := range [][2]string{
		{"w", `{"path":"/etc/` + key + `"}`}, {"w", `{"` + key + `":"/etc/b"}`}, {"s", `{"command":"` + key + ` x"}`}, {"h", `{"url":"http://` + key + `.example/"}`},
		{"q", `{"query":"` + strings.ReplaceAll(key, "-", "_") + ` x"}`}, {"w", `{"path":"` + strings.Repeat("/etc/x", 10_000) + `"}`}, {"w", `{"path":"/\u001b[2J\u202e\u009b"}`},
		{"h", `{"url":"http://` + strings.Repeat("a.", 5000) + `"}`}, {"q", `{"query":"` + strings.Repeat("a", 100_000) + `"}`},
	} {
		for _, v := range p.Eval(c[0], decode(t, c[1]), nil) {
			s := v.Reason + v.Pointer
			if strings.Contains(s, key[:12]) || strings.ContainsAny(s, "\x1b\u202e\u009b") || len(s) > 500 {
				t.Errorf("%.80s: %q", c[1], s)
			}
		}
	}
}

// A call costs what its size says, however it is built.
func TestEvalIsLinear(t *testing.T) {
	p := mustLoad(t, evalPolicy)
	start := time.Now()
	for _, args := range []string{
		strings.Repeat(`{"url":[`, 100_000) + strings.Repeat(`]}`, 100_000),
		strings.Repeat(`{"url":"http://8.8.8.8","path":"/srv/a","cmd":"git","sql":"SELECT 1","a":`, 50_000) + `1` + strings.Repeat(`}`, 50_000),
		strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000),
		`{"a":[` + strings.Repeat(`"http://a.example",`, 50_000) + `"x"]}`,
		`{` + strings.Repeat(`"url":"a",`, 50_000) + `"query":"` + strings.Repeat("/*!", 100_000) + `"}`,
		`{"` + strings.Repeat("aB", 500_000) + `":"` + strings.Repeat("/..", 300_000) + `"}`,
		`{"query":"` + strings.Repeat("'", 300_000) + strings.Repeat(`$a`, 300_000) + `","command":"` + strings.Repeat("$", 500_000) + `"}`,
		`{"url":"` + strings.Repeat("http://", 100_000) + `","host":"` + strings.Repeat(":", 500_000) + `","uri":"` + strings.Repeat("%41", 300_000) + `"}`,
	} {
		v := decode(t, args)
		for _, tool := range []string{"w", "s", "h", "q", "fetch_shell_sql_write"} {
			p.Eval(tool, v, nil)
		}
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
}
