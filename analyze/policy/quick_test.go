package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// quiet asks for a call whether it is certain that nothing is said of it, and
// fails where Eval says something of a shape that is not in doubt.
func quiet(t interface{ Fatalf(string, ...any) }, p *Policy, tool, args string, shapes []Shape) bool {
	var f jsonrpc.Flat
	frame := `{"params":{"name":"x","arguments":` + args + `}}`
	if !f.Read([]byte(frame), 4096, 64) {
		return false
	}
	i := f.Find(f.Find(0, "params"), "arguments")
	if i < 0 {
		return false
	}
	known := SetOf(shapes)
	of := p.Of(tool)
	doubt, ok := of.Look(&f, i, known).Doubtful(known)
	if early, enough := of.Look(&f, i, Guess).Doubtful(known); enough && (early != doubt || !ok) {
		t.Fatalf("%s with %s and shapes %q: %b are in doubt, looked at early %b", tool, args, shapes, doubt, early)
	}
	if !ok {
		return false
	}
	v, err := jsonrpc.Decode([]byte(args), jsonrpc.DecodeOptions{Lenient: true})
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	says := func(vs []Verdict) (out []Verdict) {
		for _, v := range vs {
			if v.Rule != "" {
				out = append(out, v)
			}
		}
		return out
	}
	all, some := says(p.Eval(tool, v, shapes)), says(p.EvalOnly(tool, v, doubt))
	if !slices.Equal(all, some) {
		t.Fatalf("%s with %s and shapes %q, of which %b are in doubt: %+v, all: %+v", tool, args, shapes, doubt, some, all)
	}
	return doubt == 0
}

const quickPolicy = `
defaults:
  filesystem_write: {allow_paths: ["**"], deny_paths: ["/etc/**", "*.key"]}
  shell_exec: {allow: true}
  sql_query: {allow_readonly_only: false, deny_statements: [DROP, "CREATE USER"]}
tools:
  strict:
    filesystem_write: {allow_paths: ["/srv/**", "notes/*"], path_arg: where}
    sql_query: {allow_readonly_only: true, query_arg: q}
  sh:
    shell_exec: {allow: true, allow_commands: [git]}
`

func TestQuiet(t *testing.T) {
	p := mustLoad(t, quickPolicy)
	for _, c := range []struct {
		tool, args string
		want       bool
	}{
		{"look", `{}`, true},
		{"look", `{"n":[1,{"a":null}]}`, true},
		{"write_file", `{"path":"a/b.txt","content":"x; DROP"}`, true},
		{"write_file", `{"path":"a\/b \u00e9.txt","content":"x"}`, true},
		{"write_file", `{"paths":["a"],"path":["a","b"],"data":1}`, true},
		{"write_file", `{"path":"/etc/x","data":1}`, false},
		{"write_file", `{"path":["a","/etc/x"],"data":1}`, false},
		{"write_file", `{"path":[],"data":1}`, false}, // an empty path
		{"write_file", `{"path":"a/../../etc/x","data":1}`, false},
		{"write_file", `{"path":"file:///etc/x","data":1}`, false},
		{"write_file", `{"path":"a\u0000b","data":1}`, false},
		{"write_file", `{"path":7,"data":1}`, false},
		{"run", `{"command":"ls -l"}`, true},
		{"run", `{"command":"ls; rm"}`, false},
		{"run", `{"command":"ls\nrm"}`, false},
		{"run", `{"command":["ls"]}`, false},
		{"sh", `{"command":" git\tlog"}`, true},
		{"sh", `{"command":"gitx log"}`, false},
		{"sh", `{"command":"git","cmd":""}`, false},
		{"db", `{"query":"select 'a' -- b"}`, true},
		{"db", `{"query":" ( Drop table x"}`, false},
		{"db", `{"query":"create table x"}`, false}, // left to Eval, which is content
		{"db", `{"query":"select 1; select 2"}`, false},
		{"db", `{"query":"with x as (drop y) select 1"}`, false},
		{"db", `{"query":"/* c */ select 1"}`, false},
		{"fetch", `{"url":"https://example.com/"}`, false},
		{"strict", `{"where":"/srv/a","q":"select 1"}`, true},
		{"strict", `{"where":"/etc","q":"select 1"}`, false},
		{"strict", `{"where":"/srv/a","q":"insert x"}`, false},
		{"strict", `{"other":"/srv/a"}`, false},
	} {
		if got := quiet(t, p, c.tool, c.args, nil); got != c.want {
			t.Errorf("%s %s: %v", c.tool, c.args, got)
		}
	}
	none := func(doubt ShapeSet, ok bool) bool { return doubt == 0 && ok }
	var f jsonrpc.Flat
	of := p.Of("create_issue")
	args := []byte(`{"path":"out/how_than.py","query":"On server number balancer to will. ","limit":340}`)
	if n := testing.AllocsPerRun(100, func() {
		if !f.Read(args, 100, 32) || !none(of.Look(&f, 0, Guess).Doubtful(Guess)) {
			t.Fatal("not certain")
		}
	}); n > 1 { // the path
		t.Errorf("%v allocations", n)
	}
}

// Of shapes that are not in doubt Eval says nothing.
func TestEvalSaysWhatIsInDoubt(t *testing.T) {
	var policies []*Policy
	for _, text := range []string{quickPolicy, "{}", evalPolicy} {
		p := &Policy{}
		if text != "{}" {
			p = mustLoad(t, text)
		}
		policies = append(policies, p)
	}
	full := mustLoad(t, quickPolicy)
	full.Coverage = analyze.Full
	policies = append(policies, full)
	texts := []string{"a", "/etc/x", "/srv/a", "notes/a", "..", "../a", `a\\b`, "a//b/", "x.key", "file:/etc/x", "FILE:a", " ls ", "git log", "a;b", "a|b", "$(x)", "a\\nb", "select 1", "SELECT '", "drop x", " (DROP", "ſelect", "selecté",
		"with a", "explain b", "select a; b", "select a;", "insert", "create user a", "update x", "/*!drop*/", "--x", "*/ drop", "", "a\\u0000b", "\\u0073elect", "http://a.b", "127.0.0.1", "q'[;]'", "_", "1"}
	sure := 0
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SampledFrom(policies).Draw(rt, "policy")
		text := func() string {
			s := ""
			for range rapid.IntRange(1, 2).Draw(rt, "parts") {
				s += rapid.SampledFrom(texts).Draw(rt, "text")
			}
			return `"` + s + `"`
		}
		var value func(depth int) string
		object := func(depth int) string {
			var parts []string
			for range rapid.IntRange(0, 3).Draw(rt, "members") {
				key := rapid.SampledFrom([]string{"path", "file_name", "destX", "command", "cmd", "query", "sqlText", "url", "host", "data", "where", "q", "n", "", "\\u0070ath", "Path"}).Draw(rt, "key")
				parts = append(parts, `"`+key+`":`+value(depth-1))
			}
			return "{" + strings.Join(parts, ",") + "}"
		}
		value = func(depth int) string {
			switch k := rapid.IntRange(0, 9).Draw(rt, "kind"); {
			case k < 6 || depth <= 0:
				return text()
			case k == 6:
				return rapid.SampledFrom([]string{"1", "null", "true", "[]", "{}"}).Draw(rt, "other")
			case k == 7:
				return object(depth)
			}
			return "[" + value(depth-1) + "," + value(depth-1) + "]"
		}
		tool := rapid.SampledFrom([]string{"write_file", "run", "exec", "query", "fetch", "look", "strict", "sh", "w", "w_named", "s", "s_any", "q", ""}).Draw(rt, "tool")
		var shapes []Shape
		if rapid.Bool().Draw(rt, "known") {
			shapes = rapid.SliceOfN(rapid.SampledFrom(append([]Shape{inferred}, Shapes...)), 0, 2).Draw(rt, "shapes")
			if shapes == nil {
				shapes = []Shape{}
			}
		}
		if quiet(rt, p, tool, object(2), shapes) {
			sure++
		}
	})
	if sure == 0 {
		t.Error("never certain")
	}
}

func FuzzQuiet(f *testing.F) {
	f.Add("write_file", `{"path":"a/b","data":"x"}`, uint8(0))
	f.Add("db", `{"query":"select 1"}`, uint8(8))
	f.Add("run", `{"command":"ls"}`, uint8(18))
	f.Add("strict", `{"where":"/srv/a","q":"select 1"}`, uint8(1))
	p, err := Load("p.yaml", []byte("version: 1\n"+quickPolicy))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, tool, args string, known uint8) {
		var shapes []Shape
		for i, s := range append([]Shape{inferred}, Shapes...) {
			if known>>i&1 != 0 {
				shapes = append(shapes, s)
			}
		}
		quiet(t, p, tool, args, shapes)
	})
}

// A path that is left as it stands is one that normalising would not change.
func TestCleanPaths(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		path := rapid.StringOf(rapid.SampledFrom([]rune(`ab./\é`))).Draw(rt, "path")
		// With a separator that goes again the long way is taken.
		if long := normalise(path + "/"); path != "" && clean(path) && long != path {
			rt.Fatal(fmt.Sprintf("%q is clean, but normalises to %q", path, long))
		}
	})
}
