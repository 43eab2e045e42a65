package profile

import (
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
)

type story struct {
	name  string
	o     Options
	lines []string
	want  string // rule ids in order; "" for none
}

func run(t *testing.T, profile string, stories []story) {
	t.Helper()
	for _, st := range stories {
		t.Run(st.name, func(t *testing.T) {
			found := tell(t, profile, st.o, st.lines...)
			if got := ids(found); got != st.want {
				t.Errorf("got %q, want %q", got, st.want)
				for _, f := range found {
					t.Logf("%s at %q: %s", f.Rule, f.Pointer, f.Message)
				}
			}
		})
	}
}

func TestBase(t *testing.T) {
	run(t, MCP, []story{
		{"a whole session", Options{}, lines(req("1", "initialize", initParams), res("1", initResult),
			`> {"jsonrpc":"2.0","method":"notifications/initialized"}`, list("2", echoTool), call("3", "echo", okContent),
			req(`"p"`, "ping", ""), res(`"p"`, `{}`)), ""},
		{"no version", Options{}, lines(`> {"id":1,"method":"ping"}`), "OCU-BASE"},
		{"version 1.0", Options{}, lines(`> {"jsonrpc":"1.0","id":1,"method":"ping"}`), "OCU-BASE"},
		{"version as number", Options{}, lines(`> {"jsonrpc":2.0,"id":1,"method":"ping"}`), "OCU-BASE"},
		{"version escaped, and last", Options{}, lines(`> {"id":1,"method":"ping","jsonrpc":"2\u002e0"}`), ""},
		{"id is an integer however spelled", Options{}, lines(req("10e-1", "ping", ""), req("2.0", "ping", "")), ""},
		{"id with a fraction", Options{}, lines(req("1.5", "ping", "")), "OCU-BASE"},
		{"id null", Options{}, lines(req("null", "ping", "")), "OCU-BASE"},
		{"id true", Options{}, lines(req("true", "ping", "")), "OCU-BASE"},
		{"a request without an id", Options{}, lines(`> {"jsonrpc":"2.0","method":"tools/list"}`), "OCU-BASE"},
		{"a notification with an id", Options{}, lines(req("1", "notifications/initialized", "")), "OCU-BASE"},
		{"params an array", Options{}, lines(req("1", "ping", "[]")), "OCU-BASE"},
		{"result an array", Options{}, lines(req("1", "ping", ""), res("1", "[]")), "OCU-BASE"},
		{"a response without an id", Options{}, lines(`< {"jsonrpc":"2.0","result":{}}`), "OCU-BASE"},
		{"result and error", Options{}, lines(`< {"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-32603,"message":"m"}}`), "OCU-BASE"},
		{"neither", Options{}, lines(`< {"jsonrpc":"2.0","id":1}`), "OCU-BASE"},
		{"an error for what could not be read", Options{}, lines(fail("null", `{"code":-32700,"message":"m"}`)), ""},
		{"another error without an id", Options{}, lines(fail("null", `{"code":-32603,"message":"m"}`)), "OCU-BASE"},
		{"a frame that is no object", Options{}, lines(`< "x"`), "OCU-BASE"},
		{"initialize without params", Options{}, lines(req("1", "initialize", "")), "OCU-BASE"},
		{"client info without version", Options{}, lines(req("1", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"h"}}`)), "OCU-BASE"},
		{"roots.listChanged no boolean", Options{}, lines(req("1", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":1}},"clientInfo":{"name":"h","version":"1"}}`)), "OCU-BASE"},
		{"cursor a number", Options{}, lines(req("1", "tools/list", `{"cursor":1}`)), "OCU-BASE"},
		{"tools an object", Options{}, lines(req("1", "tools/list", ""), res("1", `{"tools":{}}`)), "OCU-BASE"},
		{"nextCursor null", Options{}, lines(req("1", "tools/list", ""), res("1", `{"tools":[],"nextCursor":null}`)), "OCU-BASE"},
		{"title no string", Options{}, list("1", `{"name":"a","title":1,"inputSchema":{"type":"object"}}`), "OCU-BASE"},
		{"hint no boolean", Options{}, list("1", `{"name":"a","annotations":{"readOnlyHint":"yes"},"inputSchema":{"type":"object"}}`), "OCU-BASE OCU-TOOL-ANNOTATIONS"},
		{"output schema of another type", Options{}, list("1", `{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}`), "OCU-BASE"},
		{"call without a name", Options{}, lines(req("1", "tools/call", `{"arguments":{}}`)), "OCU-BASE"},
		{"call without params", Options{}, lines(req("1", "tools/call", "")), "OCU-BASE"},
		{"call without arguments", Options{}, lines(req("1", "tools/call", `{"name":"a"}`)), ""},
		{"arguments an array", Options{}, lines(req("1", "tools/call", `{"name":"a","arguments":[]}`)), "OCU-BASE"},
		{"progress token", Options{}, lines(req("1", "tools/call", `{"name":"a","_meta":{"progressToken":1.5}}`)), "OCU-BASE"},
		{"text block without text", Options{}, call("1", "a", `{"content":[{"type":"text"}]}`), "OCU-BASE"},
		{"image without mimeType", Options{}, call("1", "a", `{"content":[{"type":"image","data":"AA=="}]}`), "OCU-BASE"},
		{"an image", Options{}, call("1", "a", `{"content":[{"type":"image","data":"AA==","mimeType":"image/png","annotations":{"priority":1}}]}`), ""},
		{"priority over one", Options{}, call("1", "a", `{"content":[{"type":"text","text":"x","annotations":{"priority":1.01}}]}`), "OCU-BASE"},
		{"cancelled and progress are never looked at", Options{}, lines(`> {"jsonrpc":"1.0","method":"notifications/cancelled","params":[]}`, `< {"method":"notifications/progress"}`), ""},
		{"an answer to nothing", Options{}, lines(res("9", `{"content":5}`)), ""},
	})
}

func TestFrames(t *testing.T) {
	run(t, MCP, []story{
		{"batch", Options{}, lines(`> [{"jsonrpc":"2.0","id":1,"method":"ping"}]`), "OCU-BATCH"},
		{"an array in params is no batch", Options{}, lines(req("1", "tools/call", `{"name":"a","arguments":{"l":[1]}}`)), ""},
		{"sampling from the server", Options{}, lines(`< {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`), "OCU-METHOD"},
		{"log message", Options{}, lines(`< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`), "OCU-METHOD"},
		{"roots changed", Options{}, lines(`> {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`), "OCU-METHOD"},
		{"a method nobody knows", Options{}, lines(req("1", "resource/list", ""), req("2", "vendor/x", "")), ""},
		{"list changed", Options{}, lines(`< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`), "OCU-LIST-CHANGED"},
		{"near list changed", Options{}, lines(`< {"jsonrpc":"2.0","method":"notifications/tools/listChanged"}`), ""},
	})
}

func TestInitialize(t *testing.T) {
	with := func(old, new string) []string {
		return lines(req("1", "initialize", initParams), res("1", strings.Replace(initResult, old, new, 1)))
	}
	long := strings.Repeat("i", 8193)
	run(t, MCP, []story{
		{"asked for another", Options{}, lines(req("1", "initialize", strings.Replace(initParams, "2025-06-18", "2025-06-18 ", 1))), "OCU-PROTOCOL-VERSION"},
		{"asked for none", Options{}, lines(req("1", "initialize", `{"capabilities":{},"clientInfo":{"name":"h","version":"1"}}`)), "OCU-PROTOCOL-VERSION"},
		{"answered another", Options{}, with("2025-06-18", "2025-11-25"), "OCU-PROTOCOL-VERSION"},
		{"answered a number", Options{}, with(`"2025-06-18"`, "20250618"), "OCU-PROTOCOL-VERSION"},
		{"tools empty", Options{}, with("x", "x"), ""},
		{"more within tools", Options{}, with(`"tools":{}`, `"tools":{"listChanged":false,"x":1}`), ""},
		{"listChanged true", Options{}, with(`"tools":{}`, `"tools":{"listChanged":true}`), "OCU-CAPABILITIES"},
		{"listChanged zero", Options{}, with(`"tools":{}`, `"tools":{"listChanged":0}`), "OCU-CAPABILITIES"},
		{"logging too", Options{}, with(`"tools":{}`, `"tools":{},"logging":{}`), "OCU-CAPABILITIES"},
		{"no tools", Options{}, with(`"tools":{}`, ``), "OCU-CAPABILITIES"},
		{"tools null", Options{}, with(`"tools":{}`, `"tools":null`), "OCU-CAPABILITIES"},
		{"no server info", Options{}, with(`,"serverInfo":{"name":"s","version":"1"}`, ""), "OCU-SERVER-INFO"},
		{"server info a string", Options{}, with(`{"name":"s","version":"1"}`, `"s"`), "OCU-SERVER-INFO"},
		{"server info without version", Options{}, with(`,"version":"1"}`, `}`), "OCU-BASE"},
		{"instructions at the limit", Options{}, with(`"tools":{}}`, `"tools":{}},"instructions":"`+long[1:]+`"`), ""},
		{"instructions over it", Options{}, with(`"tools":{}}`, `"tools":{}},"instructions":"`+long+`"`), "OCU-INSTRUCTIONS"},
		{"instructions by escapes", Options{}, with(`"tools":{}}`, `"tools":{}},"instructions":"`+strings.Repeat(`\n`, 8192)+`"`), ""},
		{"instructions null", Options{}, with(`"tools":{}}`, `"tools":{}},"instructions":null`), "OCU-INSTRUCTIONS"},
		{"limit moved", Options{Limits: map[string]int64{"maxInstructionsBytes": 2}}, with(`"tools":{}}`, `"tools":{}},"instructions":"abc"`), "OCU-INSTRUCTIONS"},
	})
}

func TestErrors(t *testing.T) {
	with := func(object string) []string { return lines(req("1", "ping", ""), fail("1", object)) }
	at := func(msg string) []string { return with(`{"code":-32603,"message":"` + msg + `"}`) }
	run(t, MCP, []story{
		{"every code of JSON-RPC", Options{}, lines(with(`{"code":-32700,"message":""}`), with(`{"code":-32600,"message":""}`), with(`{"code":-32601,"message":""}`),
			with(`{"code":-32602.0,"message":"","extra":1}`), with(`{"code":-3.2603e4,"message":""}`)), ""},
		{"server error range", Options{}, with(`{"code":-32000,"message":""}`), "OCU-ERROR-CODE"},
		{"fraction", Options{}, with(`{"code":-32600.5,"message":""}`), "OCU-ERROR-CODE"},
		{"huge exponent", Options{}, with(`{"code":1e999999999,"message":""}`), "OCU-ERROR-CODE"},
		{"code a string", Options{}, with(`{"code":"-32600","message":""}`), "OCU-ERROR-SHAPE"},
		{"no code", Options{}, with(`{"message":""}`), "OCU-ERROR-SHAPE"},
		{"no message", Options{}, with(`{"code":-32603}`), "OCU-ERROR-SHAPE"},
		{"message null", Options{}, with(`{"code":-32603,"message":null}`), "OCU-ERROR-SHAPE"},
		{"error a string", Options{}, with(`"no"`), "OCU-ERROR-SHAPE"},
		{"message at the limit", Options{}, at(strings.Repeat("é", 512)), ""},
		{"message over it", Options{}, at(strings.Repeat("é", 512) + "m"), "OCU-ERROR-MESSAGE"},
		{"data spaced out", Options{}, with(`{"code":-32603,"message":"","data":[` + strings.Repeat("1 , ", 2000) + `1]}`), ""},
		{"data over the limit", Options{}, with(`{"code":-32603,"message":"","data":[` + strings.Repeat("1,", 2048) + `1]}`), "OCU-ERROR-DATA"},
		{"a client's error", Options{}, lines(`> {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`), "OCU-ERROR-CODE"},
		{"leaks of each kind", Options{}, at(`x\n    at run (/app/x.js:1:2)\ndial 10.1.2.3:80`), "OCU-ERROR-LEAK OCU-ERROR-LEAK OCU-ERROR-LEAK"},
		{"leak deep in data", Options{}, with(`{"code":-32603,"message":"","data":{"a":[{"b":"/etc/passwd"}]}}`), "OCU-ERROR-LEAK"},
		{"leak in a key of data", Options{}, with(`{"code":-32603,"message":"","data":{"C:\\app\\x":1}}`), "OCU-ERROR-LEAK"},
		{"no leak in a tool's error result", Options{}, call("1", "a", `{"content":[{"type":"text","text":"/etc/passwd"}],"isError":true}`), ""},
	})
}

func TestTools(t *testing.T) {
	other := strings.Replace(echoTool, "echo", "other", 1)
	changed := strings.Replace(echoTool, `"type":"object"`, `"type":"object","title":"x"`, 1)
	respelled := `{ "inputSchema" : {"type":"obj\u0065ct"}, "name":"echo" }`
	page := func(id, params, result string) []string {
		return lines(req(id, "tools/list", params), res(id, result))
	}
	two := func(id string) []string {
		return lines(page(id, "", `{"tools":[`+other+`],"nextCursor":"c"}`), page(id+"1", `{"cursor":"c"}`, `{"tools":[`+echoTool+`]}`))
	}
	run(t, MCP, []story{
		{"no name", Options{}, list("1", `{"inputSchema":{"type":"object"}}`), "OCU-TOOL-NAME"},
		{"name a number", Options{}, list("1", `{"name":5,"inputSchema":{"type":"object"}}`), "OCU-TOOL-NAME"},
		{"any name", Options{}, list("1", `{"name":" ","inputSchema":{"type":"object"}}`), ""},
		{"description null", Options{}, list("1", `{"name":"a","description":null,"inputSchema":{"type":"object"}}`), "OCU-TOOL-DESCRIPTION"},
		{"description over", Options{Limits: map[string]int64{"maxToolDescriptionBytes": 3}}, list("1", `{"name":"a","description":"éé","inputSchema":{"type":"object"}}`), "OCU-TOOL-DESCRIPTION"},
		{"description at", Options{Limits: map[string]int64{"maxToolDescriptionBytes": 4}}, list("1", `{"name":"a","description":"éé","inputSchema":{"type":"object"}}`), ""},
		{"no input schema", Options{}, list("1", `{"name":"a"}`), "OCU-TOOL-INPUT-SCHEMA"},
		{"input schema true", Options{}, list("1", `{"name":"a","inputSchema":true}`), "OCU-TOOL-INPUT-SCHEMA"},
		{"input schema of no type", Options{}, list("1", `{"name":"a","inputSchema":{}}`), "OCU-TOOL-INPUT-SCHEMA"},
		{"minimum a string", Options{}, list("1", `{"name":"a","inputSchema":{"type":"object","properties":{"a":{"minimum":"1"}}}}`), "OCU-TOOL-INPUT-SCHEMA"},
		{"draft-04 where it is declared", Options{}, list("1", `{"name":"a","inputSchema":{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}}`), ""},
		{"output schema not of its dialect", Options{}, list("1", `{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":"n"}}`), "OCU-TOOL-INPUT-SCHEMA"},
		{"annotations", Options{}, list("1", `{"name":"a","annotations":{},"inputSchema":{"type":"object"}}`, `{"name":"b","annotations":{"title":"B"},"inputSchema":{"type":"object"}}`), "OCU-TOOL-ANNOTATIONS OCU-TOOL-ANNOTATIONS"},

		{"the same list in another order", Options{}, lines(list("1", echoTool, other), list("2", other, respelled)), ""},
		{"one added", Options{}, lines(list("1", echoTool), list("2", echoTool, other)), "OCU-TOOLS-CHANGED"},
		{"one removed", Options{}, lines(list("1", echoTool, other), list("2", echoTool)), "OCU-TOOLS-CHANGED"},
		{"one redefined", Options{}, lines(list("1", echoTool), list("2", changed)), "OCU-TOOLS-CHANGED"},
		{"a fixed set in pages", Options{}, lines(list("1", echoTool, other),
			page("2", "", `{"tools":[`+other+`],"nextCursor":"c"}`), page("3", `{"cursor":"c"}`, `{"tools":[`+echoTool+`]}`)), ""},
		{"pages that lack one", Options{}, lines(list("1", echoTool, other),
			page("2", "", `{"tools":[`+other+`],"nextCursor":"c"}`), page("3", `{"cursor":"c"}`, `{"tools":[]}`)), "OCU-TOOLS-CHANGED"},
		{"a listing that was left off", Options{}, lines(page("1", "", `{"tools":[`+other+`],"nextCursor":"c"}`), list("2", echoTool, other)), ""},
		{"the same two pages again", Options{}, lines(two("1"), two("3")), ""},
		{"whole, then in pages", Options{}, lines(list("7", other, echoTool), two("1"), list("8", echoTool, other)), ""},
		{"the last page twice", Options{}, lines(two("1"), page("4", `{"cursor":"c"}`, `{"tools":[`+echoTool+`]}`), two("1")), ""},
		{"two lists at a time", Options{}, lines(two("9"), req("1", "tools/list", ""), req("2", "tools/list", ""), res("1", `{"tools":[`+other+`],"nextCursor":"c"}`), res("2", `{"tools":[`+other+`],"nextCursor":"d"}`),
			req("3", "tools/list", `{"cursor":"d"}`), req("4", "tools/list", `{"cursor":"c"}`), res("4", `{"tools":[`+echoTool+`]}`), res("3", `{"tools":[`+echoTool+`]}`)), ""},
		{"an empty cursor is the end", Options{}, lines(page("1", "", `{"tools":[`+other+`],"nextCursor":""}`), list("2", other, echoTool)), "OCU-TOOLS-CHANGED"},
		{"a page that redefines", Options{}, lines(two("1"), page("3", "", `{"tools":[`+other+`],"nextCursor":"c"}`), page("4", `{"cursor":"c"}`, `{"tools":[`+changed+`]}`)), "OCU-TOOLS-CHANGED"},
		{"a page that adds", Options{}, lines(list("1", other), two("2")), "OCU-TOOLS-CHANGED"},
		{"pages that end early", Options{}, lines(two("1"), list("3", other)), "OCU-TOOLS-CHANGED"},
		{"shown on a page, gone from the whole list", Options{}, lines(page("1", "", `{"tools":[`+other+`],"nextCursor":"c"}`), list("2", echoTool)), "OCU-TOOLS-CHANGED"},
		{"an id that asked for a page before", Options{}, lines(req("5", "tools/list", `{"cursor":"`+strings.Repeat("c", 99)+`"}`), fail("5", `{"code":-32602,"message":"m"}`), list("5", echoTool, other), list("6", echoTool)), "OCU-TOOLS-CHANGED"},
		{"a last page alone removes nothing", Options{}, lines(list("1", echoTool, other), page("3", `{"cursor":"z"}`, `{"tools":[`+echoTool+`]}`)), ""},
	})
}

func TestCalls(t *testing.T) {
	sized := func(n int) string {
		return `{"content":[{"type":"text","text":"` + strings.Repeat("x", n-len(`{"content":[{"type":"text","text":""}]}`)) + `"}]}`
	}
	blocks := func(n int) string {
		return `{"content":[` + strings.Repeat(`{"type":"text","text":""},`, n-1) + `{"type":"text","text":""}]}`
	}
	args := func(n int) string {
		return req("1", "tools/call", `{"name":"a","arguments":{"t":"`+strings.Repeat("x", n-len(`{"t":""}`))+`"}}`)
	}
	oddTool := `{"name":"sum","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"},"s":{"pattern":"^(?=x)"}},"$defs":{"u":{"$ref":"https://example.com/s","pattern":"(a)\\1"}}}}`
	sum := func(result string) []string { return lines(list("1", sumTool, echoTool), call("2", "sum", result)) }
	echo := func(result string) []string { return lines(list("1", sumTool, echoTool), call("2", "echo", result)) }
	run(t, MCP, []story{
		{"arguments at the limit", Options{}, lines(args(262144)), ""},
		{"arguments over it", Options{}, lines(args(262145)), "OCU-ARGUMENTS-SIZE"},
		{"result at the limit", Options{}, call("1", "a", sized(1<<20)), ""},
		{"result over it", Options{}, call("1", "a", sized(1<<20+1)), "OCU-RESULT-SIZE"},
		{"result over it by white space", Options{}, call("1", "a", " "+strings.Replace(sized(1<<20), ",", "  ,  ", 1)), ""},
		{"result over it by escapes", Options{Limits: map[string]int64{"maxCallToolResultBytes": 41}}, call("1", "a", `{"content":[{"type":"text","text":"\u00e9"}]}`), ""},
		{"256 blocks", Options{}, call("1", "a", blocks(256)), ""},
		{"257 blocks", Options{}, call("1", "a", blocks(257)), "OCU-CONTENT-BLOCKS"},
		{"no content", Options{}, call("1", "a", `{}`), "OCU-RESULT-CONTENT"},
		{"content an object", Options{}, call("1", "a", `{"content":{}}`), "OCU-RESULT-CONTENT"},
		{"no block at all", Options{}, call("1", "a", `{"content":[]}`), ""},
		{"audio", Options{}, call("1", "a", `{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}`), "OCU-CONTENT-TYPE"},
		{"resource link beside text", Options{}, call("1", "a", `{"content":[{"type":"text","text":""},{"type":"resource_link","uri":"x:y","name":"n"}]}`), "OCU-CONTENT-TYPE"},
		{"text in other spelling", Options{}, call("1", "a", `{"content":[{"type":"te\u0078t","text":""}]}`), ""},
		{"isError a string", Options{}, call("1", "a", `{"content":[],"isError":"false"}`), "OCU-IS-ERROR"},
		{"isError null", Options{}, call("1", "a", `{"content":[],"isError":null}`), "OCU-IS-ERROR"},
		{"isError false", Options{}, call("1", "a", `{"content":[],"isError":false}`), ""},
		{"two in flight", Options{}, lines(req("1", "tools/call", `{"name":"a"}`), req("2", "tools/call", `{"name":"a"}`)), "OCU-SEQUENTIAL"},
		{"one after the other", Options{}, lines(call("1", "a", okContent), call("2", "a", okContent)), ""},
		{"a ping between", Options{}, lines(req("1", "tools/call", `{"name":"a"}`), req("2", "ping", "")), ""},

		{"as declared", Options{}, sum(`{"content":[],"structuredContent":{"n":3}}`), ""},
		{"not as declared", Options{}, sum(`{"content":[],"structuredContent":{"n":"3"}}`), "OCU-STRUCTURED-CONTENT"},
		{"missing", Options{}, sum(okContent), "OCU-STRUCTURED-CONTENT"},
		{"not as declared, beside an unused odd pattern", Options{}, lines(list("1", oddTool), call("2", "sum", `{"content":[],"structuredContent":{"n":"3"}}`)), "OCU-STRUCTURED-CONTENT"},
		{"as declared, beside an unused odd pattern", Options{}, lines(list("1", oddTool), call("2", "sum", `{"content":[],"structuredContent":{"n":3}}`)), ""},
		{"what an odd pattern decides", Options{}, lines(list("1", oddTool), call("2", "sum", `{"content":[],"structuredContent":{"n":3,"s":"x"}}`)), "OCU-STRUCTURED-CONTENT"},
		{"missing in an error", Options{}, sum(`{"content":[],"isError":true}`), ""},
		{"an array", Options{}, sum(`{"content":[],"structuredContent":[]}`), "OCU-STRUCTURED-CONTENT"},
		{"null", Options{}, sum(`{"content":[],"structuredContent":null}`), "OCU-STRUCTURED-CONTENT"},
		{"not declared", Options{}, echo(`{"content":[],"structuredContent":{}}`), "OCU-STRUCTURED-CONTENT"},
		{"not declared, not there", Options{}, echo(okContent), ""},
		{"a tool that no list showed", Options{}, call("2", "sum", `{"content":[],"structuredContent":{"n":"3"}}`), ""},
	})
}

// TestEveryRuleHasItsText keeps the rule set's file and the code together: the
// same ids, tiers and severities.
func TestEveryRuleHasItsText(t *testing.T) {
	texts := map[string]*ruleset.Rule{}
	set := ruleset.Builtin()
	for i := range set.Rules {
		if set.Rules[i].Family == "profile" {
			texts[set.Rules[i].ID] = &set.Rules[i]
		}
	}
	for _, id := range RuleIDs() {
		r := texts[id]
		if r == nil {
			t.Errorf("%s has no text", id)
			continue
		}
		if tier, sev := grade(id); r.Tier != tier || r.Severity != sev {
			t.Errorf("%s: the text says %s, %s; the code %s, %s", id, r.Tier, r.Severity, tier, sev)
		}
		delete(texts, id)
	}
	for id := range texts {
		t.Errorf("%s has a text but is no rule", id)
	}
}

func TestOptions(t *testing.T) {
	if _, err := New("ocu", Options{}); err == nil || !strings.Contains(err.Error(), MCP) || !strings.Contains(err.Error(), Exec) {
		t.Errorf("an unknown profile: %v", err)
	}
	for _, name := range Names() {
		_, err := New(name, Options{Limits: map[string]int64{"maxErrorBytes": 1}})
		if err == nil || !strings.Contains(err.Error(), "maxErrorMessageBytes") || !strings.Contains(err.Error(), `"maxErrorBytes"`) {
			t.Errorf("%s: an unknown limit: %v", name, err)
		}
		if _, err := New(name, Options{Limits: map[string]int64{"maxContentBlocks": -1}}); err == nil {
			t.Errorf("%s: a negative limit is taken", name)
		}
	}
}

// TestFindingsCarryWhatReportsNeed checks the fields beside the rule.
func TestFindingsCarryWhatReportsNeed(t *testing.T) {
	found := tell(t, MCP, Options{}, call("1", "shot", `{"content":[{"type":"text","text":""},{"type":"audio"}],"isError":true}`)...)
	if len(found) != 1 {
		t.Fatalf("got %s", ids(found))
	}
	f := found[0]
	if f.Tool != "shot" || f.Block != 1 || f.Pointer != "/result/content/1" || f.Tier != analyze.Block || f.Severity != analyze.Medium || !f.IsError {
		t.Errorf("got %+v", f)
	}
	found = tell(t, MCP, Options{}, list("1", `{"name":"x","inputSchema":{"type":"object","properties":{"a/b":{"minimum":"1"}}}}`)...)
	if len(found) != 1 || found[0].Pointer != "/result/tools/0/inputSchema/properties/a~1b/minimum" || found[0].Tool != "x" || found[0].Block != -1 {
		t.Errorf("got %+v", found)
	}
}
