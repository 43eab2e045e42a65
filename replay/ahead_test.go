package replay_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/allowlist"
	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/analyze/policy"
	"github.com/warden-trace/warden/analyze/profile"
	"github.com/warden-trace/warden/replay"
)

const aheadPolicy = `version: 1
defaults:
  filesystem_write: {allow_paths: ["**"], deny_paths: ["/etc/**"]}
  shell_exec: {allow: true}
  sql_query: {deny_statements: [DROP]}
tools:
  db:
    sql_query: {allow_readonly_only: true}
`

const aheadList = `{"version":"1.0.0","posture":"default-deny","tools":{
"db":{"action":"ENFORCE","argsSchema":{"type":"object","additionalProperties":false,"properties":{"query":{"type":"string"},"path":{"type":"string"}}}},
"get":{"action":"ENFORCE","argsSchema":{"type":"object","additionalProperties":false,"properties":{"url":{"type":"string"},"path":{"type":"string"}},"required":["url"]}}}}`

const aheadTools = `{"name":"db","description":"d","inputSchema":{"type":"object","properties":{"query":{"type":"string"}}},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}},` +
	`{"name":"get","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"data":{"type":"string"},"n":{"type":"integer"}}}}`

// armed are configurations with one family each and with all of them.
func armed(t testing.TB) map[string]*replay.Config {
	p, err := policy.Load("p.yaml", []byte(aheadPolicy))
	if err != nil {
		t.Fatal(err)
	}
	a, err := allowlist.Load("a.json", []byte(aheadList), allowlist.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := lock.Parse("warden.lock", []byte(`{"schema_version":1,"tools":[{"name":"get","capabilities":["fs-write"]},{"name":"db","capabilities":["sql-query","http-request"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var profiles []profile.Profile
	for _, name := range profile.Names() {
		pr, err := profile.New(name, profile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		profiles = append(profiles, pr)
	}
	all := func(c *replay.Config) { c.Policy, c.Allow, c.Profiles = p, a, profiles }
	return map[string]*replay.Config{
		"policy":    newConfig(t, func(c *replay.Config) { c.Policy = p }),
		"allow":     newConfig(t, func(c *replay.Config) { c.Allow, c.AllowParams = a, []string{"more"} }),
		"profile":   newConfig(t, func(c *replay.Config) { c.Profiles = profiles }),
		"all":       newConfig(t, func(c *replay.Config) { all(c); c.Lock = l }),
		"no lock":   newConfig(t, all),
		"spec":      newConfig(t, func(c *replay.Config) { all(c); c.Coverage = analyze.Spec }),
		"audit":     newConfig(t, func(c *replay.Config) { all(c); c.Posture.AuditOnly = true }),
		"lock only": newConfig(t, func(c *replay.Config) { c.Lock = l }),
	}
}

// frame draws a frame of a session, ordinary or not.
func drawFrame(rt *rapid.T) string {
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(rt, name) }
	id := pick("id", "1", "1", "1", "1", "1", "1", "2", `"a"`, "1.0", "null", "1.5", `"\u0061"`)
	head := `{"jsonrpc":` + pick("version", `"2.0"`, `"2.0"`, `"2.0"`, `"1.0"`) + `,"id":` + id
	value := func() string {
		return pick("value", `"a"`, `"/etc/x"`, `"select 1"`, `"drop x"`, `"http://10.0.0.1/"`, `"https://a.b/"`, `"ls; rm"`, `7`, `{}`, `["a","/etc/b"]`, `"\u0041"`)
	}
	switch pick("kind", "good", "good", "good", "good", "call", "call", "call", "result", "result", "result", "result", "result", "list", "listed", "error", "other", "init", "twice") {
	case "good": // which a result answers more often than not
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + pick("known", `db","arguments":{"query":"select 1"}`, `get","arguments":{"url":"https://a.b"}`) + `}}`
	case "call":
		var members []string
		for range rapid.IntRange(0, 3).Draw(rt, "arguments") {
			members = append(members, pick("key", `"query"`, `"path"`, `"url"`, `"command"`, `"data"`, `"n"`, `"p\u0061th"`, `"__proto__"`)+":"+value())
		}
		args := pick("args", `{`+strings.Join(members, ",")+`}`, `{`+strings.Join(members, ",")+`}`, `null`, `[]`)
		more := pick("more", ``, ``, `,"_meta":{"progressToken":1}`, `,"_meta":{"progressToken":1.5}`, `,"_meta":7`, `,"more":1`, `,"name":"db"`, `,"arguments":{"query":"drop x"}`)
		return head + `,"method":"tools/call","params":{"name":"` + pick("tool", "db", "get", "write_file", "run_shell", "fetch", "x", "", `d\u0062`) + `","arguments":` + args + more + `}}`
	case "result":
		block := func() string {
			return pick("block", `{"type":"text","text":"x"}`, `{"type":"text","text":"x"}`, `{"type":"image","data":"","mimeType":"image/png"}`, `{"type":"audio"}`, `{"type":"text"}`, `7`, `{"type":"text","text":"x","annotations":{"priority":9}}`)
		}
		return head + `,"result":{"content":[` + block() + `,` + block() + `]` + pick("more", ``, ``, `,"isError":true`, `,"isError":1`, `,"structuredContent":{"n":1}`, `,"structuredContent":{"n":"x"}`, `,"structuredContent":7`, `,"_meta":1`, `,"content":7`) + `}}`
	case "list":
		return head + `,"method":"tools/list"}`
	case "listed":
		return head + `,"result":{"tools":[` + aheadTools + `]}}`
	case "error":
		return head + `,"error":{"code":` + pick("code", "-32600", "-1", `"x"`) + `,"message":"at /home/x/y.go:3"}}`
	case "other":
		return pick("other", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, head+`,"method":"resources/list"}`, head+`,"method":7}`, head+`}`, `[`+head+`,"result":{}}]`, `no json`)
	case "init":
		return head + `,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	}
	return head + `,"method":"tools/call","result":{"content":[]},"params":{"name":"db","arguments":{"query":"drop x"}}}`
}

// opening is how an ordinary session begins.
var opening = []string{
	`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`,
	`{"jsonrpc":"2.0","id":3,"result":{"tools":[` + aheadTools + `]}}`,
}

// Whether somebody has looked ahead at a frame, by the machine's own rules or by
// others, makes no difference to what the machine says of it.
func TestLookingAheadChangesNothing(t *testing.T) {
	configs := armed(t)
	names := []string{"policy", "allow", "profile", "all", "no lock", "spec", "audit", "lock only"}
	spoke := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "config")
		cfg := configs[name]
		other := configs[rapid.SampledFrom(names).Draw(rt, "other")]
		plain, same, strange := replay.NewMachine(cfg), replay.NewMachine(cfg), replay.NewMachine(cfg)
		examine := []*replay.Examiner{replay.NewExaminer(cfg.Catalog, cfg.Coverage), cfg.Examiner(), other.Examiner()}
		if other.Coverage != cfg.Coverage {
			examine[2] = examine[0]
		}
		var frames [3]replay.Frame // used again, as the workers do
		lines := opening[:rapid.SampledFrom([]int{0, 3, 5, 5, 5}).Draw(rt, "opening")]
		lines = slices.Concat(lines, rapid.SliceOfN(rapid.Custom(drawFrame), 1, 30).Draw(rt, "frames"))
		for n, line := range lines {
			ev := replay.Event{Dir: analyze.ServerToClient, TS: int64(n) * 1e9, Place: replay.Place{Frame: n}}
			if strings.Contains(line, `"method"`) {
				ev.Dir = analyze.ClientToServer
			}
			if rapid.IntRange(0, 9).Draw(rt, "direction") == 0 {
				ev.Dir = rapid.SampledFrom([]analyze.Direction{analyze.Unknown, ev.Dir.Opposite()}).Draw(rt, "other direction")
			}
			if rapid.IntRange(0, 9).Draw(rt, "candidate") == 0 {
				ev.Candidate = []byte(`{"query":"select 1"}`)
			}
			var got [3]*replay.Outcome
			for i, m := range []*replay.Machine{plain, same, strange} {
				examine[i].Read([]byte(line), &frames[i])
				e := ev
				e.Frame = &frames[i]
				got[i] = m.Step(&e)
			}
			for i := 1; i < 3; i++ {
				if d := cmp.Diff(got[0], got[i], cmpopts.IgnoreUnexported(replay.Abort{})); d != "" {
					rt.Fatalf("%s: %s\n%s", name, line, d)
				}
			}
			for _, f := range got[0].Findings {
				spoke[f.Rule[:4]]++
			}
		}
	})
	for _, family := range []string{"POL-", "GWH-", "OCU-", "MCP-", "WRD-"} {
		if spoke[family] == 0 {
			t.Errorf("no %s rule spoke", family)
		}
	}
}
