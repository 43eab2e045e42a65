package main

import "testing"

const goodList = `{
  "version": "1.0.0", "posture": "default-deny",
  "tools": {
    "pay": {"action": "ENFORCE", "argsSchema": {"type": "object", "additionalProperties": false, "required": ["amount"],
      "properties": {"amount": {"type": "integer", "minimum": 1, "maximum": 5000}}}},
    "wipe": {"action": "DENY", "argsSchema": {"type": "object", "additionalProperties": false, "properties": {}}}
  }
}`

func TestAllowlistCommands(t *testing.T) {
	good := []string{"g.json", goodList}
	frame := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
	}
	for _, s := range []verdictStory{
		{name: "lint a good file", files: good, args: "allowlist lint --allowlist g.json", out: []string{"g.json: 2 tools, 1 with ENFORCE\n"}},
		{name: "lint names all errors", files: []string{"g.json", "{\"version\":\"1\",\n\"posture\":\"open\",\n\"tools\":{}}"}, args: "allowlist lint --allowlist g.json", code: 1,
			out: []string{"g.json:1: version: error:", "g.json:2: posture: error:", "g.json: 2 errors\n"}},
		{name: "lint as json", files: []string{"g.json", "[]"}, args: "allowlist lint --allowlist g.json --format json", code: 1, out: []string{`"level":"error","file":"g.json","line":1`}},
		{name: "lint within a limit", files: good, args: "allowlist lint --allowlist g.json --limit guwah.maxPolicyDepth=5", code: 1, out: []string{"nested too deep"}},
		{name: "a limit that is none", files: good, args: "allowlist lint --allowlist g.json --limit guwah.maxPolicyDepth=0", code: 2, err: []string{"whole number"}},
		{name: "a limit without a value", files: good, args: "allowlist lint --allowlist g.json --limit guwah.maxPolicyDepth", code: 2, err: []string{"no value"}},
		{name: "a file over the bound", files: good, args: "allowlist lint --allowlist g.json --limit guwah.maxPolicyBytes=20", code: 1, out: []string{"at most 20"}},
		{name: "no such file", args: "allowlist lint --allowlist g.json", code: 2, out: []string{""}, err: []string{"--allowlist: g.json: no such file"}},

		{name: "eval allows", stdin: frame(`{"name":"pay","arguments":{"amount":5000}}`), files: good, args: "allowlist eval --allowlist g.json --call -", out: []string{`{"verdict":"allow"}` + "\n"}},
		{name: "eval denies by the schema", stdin: frame(`{"name":"pay","arguments":{"amount":5001}}`), files: good, args: "allowlist eval --allowlist g.json --call -", code: 1,
			out: []string{`{"verdict":"deny","rule":"GWH-ARGUMENT-VALIDATION-FAILED","tool":"pay","pointer":"/params/arguments/amount","keyword":"maximum"`, `"guwahCode":"ARGUMENT_VALIDATION_FAILED"`}},
		{name: "eval denies by the list", stdin: frame(`{"name":"wipe"}`), files: good, args: "allowlist eval --allowlist g.json --call -", code: 1, out: []string{"GWH-POLICY-NOT-ENFORCED"}},
		{name: "eval compares the candidate", stdin: frame(`{"name":"pay","arguments":{"amount":5000}}`), files: append([]string{"c.json", `{"amount":5}`}, good...), args: "allowlist eval --allowlist g.json --call - --candidate c.json", code: 1, out: []string{"GWH-PAYLOAD-MUTATION"}},
		{name: "eval admits a param", stdin: frame(`{"name":"pay","arguments":{"amount":5},"task":{}}`), files: good, args: "allowlist eval --allowlist g.json --call - --allow-params task", out: []string{"allow"}},
		{name: "and denies it else", stdin: frame(`{"name":"pay","arguments":{"amount":5},"task":{}}`), files: good, args: "allowlist eval --allowlist g.json --call -", code: 1, out: []string{"GWH-INVALID-PAYLOAD", "/params/task"}},
		{name: "eval of params alone", stdin: `{"name":"pay","arguments":{"amount":5}}`, files: good, args: "allowlist eval --allowlist g.json --call -", code: 2, err: []string{"whole frame"}},
		{name: "eval with a bad list", stdin: `{}`, files: []string{"g.json", "{}"}, args: "allowlist eval --allowlist g.json --call -", code: 2, out: []string{""}, err: []string{"g.json:1: version: is missing", "g.json:1: tools: is missing"}},
		{name: "two inputs on one stream", files: good, args: "allowlist eval --allowlist g.json --call - --candidate -", code: 2, err: []string{"only one input"}},
	} {
		s.run(t)
	}
}
