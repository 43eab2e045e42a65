package lock

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
)

// input wraps a schema into tool "t".
func input(schema string) string  { return `{"name":"t","inputSchema":` + schema + `}` }
func output(schema string) string { return `{"name":"t","outputSchema":` + schema + `}` }

// props is a schema of properties.
func props(p string) string { return `{"type":"object","properties":{` + p + `}}` }

// schemaCases are changes of a schema, with the classes (less their prefix)
// that they make and no others. A near miss makes other classes than the one
// before it.
var schemaCases = []struct{ name, before, after, want string }{
	{"required property gone", `{"properties":{"a":{}},"required":["a"]}`, `{"required":["a"]}`, "required-removed"},
	{"optional property gone", props(`"a":{}`), props(``), "property-removed"},
	{"required free text", props(``), `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, "required-unconstrained-added"},
	{"required free object or text", props(``), `{"type":"object","properties":{"a":{"type":["object","string"]}},"required":["a"]}`, "required-unconstrained-added"},
	{"required text of bounded length", props(``), `{"type":"object","properties":{"a":{"type":"string","maxLength":9}},"required":["a"]}`, "required-added"},
	{"optional free text", props(``), props(`"a":{"type":"string"}`), "unconstrained-added"},
	{"optional without a type", props(``), props(`"a":{}`), "unconstrained-added"},
	{"optional behind a reference", props(``), props(`"a":{"$ref":"http://x"}`), "unconstrained-added"},
	{"optional with a pattern", props(``), props(`"a":{"pattern":"^x$"}`), "property-added"},
	{"optional with an enum", props(``), props(`"a":{"enum":["x"]}`), "property-added"},
	{"optional number", props(``), props(`"a":{"type":"number"}`), "property-added"},
	{"optional text or number", props(``), props(`"a":{"type":["string","number"]}`), "property-added"},
	{"a type more", props(`"a":{"type":"string"}`), props(`"a":{"type":["string","null"]}`), "type-broadened"},
	{"typed to any", props(`"a":{"type":"string"}`), props(`"a":{}`), "type-broadened"},
	{"a type less", props(`"a":{"type":["string","null"]}`), props(`"a":{"type":"null"}`), "type-narrowed"},
	{"any to typed", props(`"a":{}`), props(`"a":{"type":"string"}`), "type-narrowed"},
	{"another type", props(`"a":{"type":"string"}`), props(`"a":{"type":"number"}`), "type-changed"},
	{"a type for another", props(`"a":{"type":["string","null"]}`), props(`"a":{"type":["string","number"]}`), "type-changed"},
	{"enum grows", props(`"a":{"enum":["x"]}`), props(`"a":{"enum":["x","y"]}`), "enum-widened"},
	{"enum swaps", props(`"a":{"enum":["x","z"]}`), props(`"a":{"enum":["x","y"]}`), "enum-widened"},
	{"enum shrinks", props(`"a":{"enum":["x","y"]}`), props(`"a":{"enum":["y"]}`), "enum-narrowed"},
	{"enum in another order", props(`"a":{"enum":["x","y"]}`), props(`"a":{"enum":["y","x"]}`), "cosmetic-modified"},
	{"enum gone", props(`"a":{"enum":["x"]}`), props(`"a":{}`), "enum-removed"},
	{"enum new", props(`"a":{}`), props(`"a":{"enum":["x"]}`), "enum-added"},
	{"enum 1 and \"1\"", props(`"a":{"enum":[1]}`), props(`"a":{"enum":["1"]}`), "enum-widened"},
	{"maxLength up", props(`"a":{"maxLength":64}`), props(`"a":{"maxLength":4096}`), "constraint-relaxed"},
	{"maxLength down", props(`"a":{"maxLength":4096}`), props(`"a":{"maxLength":64}`), "constraint-tightened"},
	{"maxLength gone", props(`"a":{"maxLength":64}`), props(`"a":{}`), "constraint-relaxed"},
	{"maxLength new", props(`"a":{}`), props(`"a":{"maxLength":64}`), "constraint-tightened"},
	{"minLength down", props(`"a":{"minLength":2}`), props(`"a":{"minLength":1}`), "constraint-relaxed"},
	{"minLength up", props(`"a":{"minLength":1}`), props(`"a":{"minLength":2}`), "constraint-tightened"},
	{"minimum down", props(`"a":{"minimum":0}`), props(`"a":{"minimum":-0.5}`), "constraint-relaxed"},
	{"maximum down", props(`"a":{"maximum":1e3}`), props(`"a":{"maximum":999}`), "constraint-tightened"},
	{"maximum as text", props(`"a":{"maximum":5}`), props(`"a":{"maximum":"5"}`), "constraint-relaxed"},
	{"the same number otherwise written", props(`"a":{"maximum":1e3}`), props(`"a":{"maximum":1000.0,"title":"x"}`), "cosmetic-modified"},
	{"pattern gone", props(`"a":{"pattern":"^x$"}`), props(`"a":{}`), "constraint-relaxed"},
	{"pattern new", props(`"a":{}`), props(`"a":{"pattern":"^x$"}`), "constraint-tightened"},
	{"pattern another", props(`"a":{"pattern":"^x$"}`), props(`"a":{"pattern":"x"}`), "constraint-relaxed"},
	{"format gone", props(`"a":{"format":"uri"}`), props(`"a":{}`), "constraint-relaxed"},
	{"required to optional", `{"properties":{"a":{}},"required":["a"]}`, `{"properties":{"a":{}}}`, "constraint-relaxed"},
	{"optional to required", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"required":["a"]}`, "constraint-tightened"},
	{"closed object opened", `{"additionalProperties":false}`, `{}`, "additional-props-opened"},
	{"closed object opened by a schema", `{"additionalProperties":false}`, `{"additionalProperties":{"type":"null"}}`, "additional-props-opened"},
	{"open object closed", `{}`, `{"additionalProperties":false}`, "constraint-tightened"},
	{"open object bounded", `{"additionalProperties":true}`, `{"additionalProperties":{"type":"null"}}`, "constraint-tightened"},
	{"bounded object opened", `{"additionalProperties":{"type":"null"}}`, `{"additionalProperties":true}`, "constraint-relaxed"},
	{"a title", props(`"a":{}`), props(`"a":{"title":"x"}`), "cosmetic-modified"},
	{"a reference leads elsewhere", props(`"a":{"$ref":"http://x"}`), props(`"a":{"$ref":"http://y"}`), "modified"},
	{"a reference instead of a type", props(`"a":{"type":"string"}`), props(`"a":{"$ref":"http://y"}`), "modified"},
	{"a change behind a followed reference", `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"maxLength":1}}}`, `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"maxLength":2}}}`, "constraint-relaxed"},
	{"a change that another property's path hides", `{"properties":{"a":{"properties":{"b":{"maxLength":1}}},"a.b":{}}}`, `{"properties":{"a":{"properties":{"b":{"maxLength":9}}},"a.b":{}}}`, "modified"},
	{"items of another type", props(`"a":{"items":{"type":"string"}}`), props(`"a":{"items":{"type":["string","number"]}}`), "type-broadened"},
	{"two facts", props(`"a":{"maxLength":1},"b":{"type":"string"}`), props(`"a":{"maxLength":2},"b":{}`), "constraint-relaxed type-broadened"},
	{"two facts of one class", props(`"a":{"maxLength":1},"b":{"maxLength":1}`), props(`"a":{"maxLength":2},"b":{"maxLength":2}`), "constraint-relaxed constraint-relaxed"},
}

func driftClasses(ds []Drift) string {
	var s []string
	for _, d := range ds {
		s = append(s, d.Class)
	}
	return strings.Join(s, " ")
}

func TestSchemaDrift(t *testing.T) {
	for _, c := range schemaCases {
		for prefix, wrap := range map[string]func(string) string{"schema-": input, "schema-out-": output} {
			base := mustBuild(t, surfaceOf(wrap(c.before)), PinOptions{})
			ds, err := base.Against(surfaceOf(wrap(c.after)))
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, w := range strings.Fields(c.want) {
				want = append(want, prefix+w)
			}
			if got := driftClasses(ds); got != strings.Join(want, " ") {
				t.Errorf("%s: got %s, want %v (%+v)", c.name, got, want, ds)
			}
			for _, d := range ds {
				if d.Target != "tools/t" {
					t.Errorf("%s: target %s", c.name, d.Target)
				}
			}
			if ds, err := base.Against(surfaceOf(wrap(c.before))); err != nil || len(ds) != 0 {
				t.Errorf("%s: drift against itself: %v %v", c.name, ds, err)
			}
		}
	}
}

// Every class is made by a case of a table or by the test that is named here.
func TestEveryClassHasACase(t *testing.T) {
	seen := map[string]bool{
		"capability-removed":         true, // TestSurfaceDrift
		"schema-out-removed":         true, // TestSurfaceDrift
		"inspection-policy-modified": true, // TestInspectionDrift
		"unapproved-change":          true, // TestUnapprovedChange
		"schema-version-migrated":    true, // TestLevelsInDrift
	}
	for _, c := range schemaCases {
		for _, class := range strings.Fields(c.want) {
			seen["schema-"+class], seen["schema-out-"+class] = true, true
		}
	}
	for _, c := range surfaceCases {
		for _, class := range strings.Fields(c.want) {
			seen[class] = true
		}
	}
	for _, class := range Classes() {
		if !seen[class] {
			t.Errorf("no case makes %s", class)
		}
		delete(seen, class)
	}
	for class := range seen {
		t.Errorf("%s is no class", class)
	}
}

const noteTool = `{"name":"t","description":"d","inputSchema":{"properties":{"path":{}}},"annotations":{"readOnlyHint":true}}`

func setTool(text string) func(*Surface) {
	return func(s *Surface) { s.Tools[0] = []byte(text) }
}

// surfaceCases change one thing of a surface with one tool, one resource and
// one prompt.
var surfaceCases = []struct {
	name   string
	change func(*Surface)
	want   string
}{
	{"nothing", func(*Surface) {}, ""},
	{"argument", func(s *Surface) { s.Server.Args = []string{"x"} }, "server-identity"},
	{"command", func(s *Surface) { s.Server.Command = "other" }, "server-identity"},
	{"url", func(s *Surface) { s.Server = &Launch{URL: "http://x"} }, "server-identity"},
	{"no command known", func(s *Surface) { s.Server = nil }, ""},
	{"tool more", func(s *Surface) { s.Tools = append(s.Tools, []byte(`{"name":"u"}`)) }, "tool-added"},
	{"tool less", func(s *Surface) { s.Tools = [][]byte{} }, "tool-removed"},
	{"tool renamed", setTool(strings.Replace(noteTool, `"t"`, `"T"`, 1)), "tool-added tool-removed"},
	{"description", setTool(strings.Replace(noteTool, `"d"`, `"d."`, 1)), "description-modified"},
	{"description and schema", setTool(strings.Replace(strings.Replace(noteTool, `"d"`, `"d."`, 1), `"path":{}`, `"path":{"title":"x"}`, 1)), "schema-cosmetic-modified"},
	{"description and annotations", setTool(strings.Replace(strings.Replace(noteTool, `"d"`, `"d."`, 1), "true", "false", 1)), "description-modified tool-annotations-modified"},
	{"annotations", setTool(strings.Replace(noteTool, "true", "false", 1)), "tool-annotations-modified"},
	{"annotations gone", setTool(strings.Replace(noteTool, `,"annotations":{"readOnlyHint":true}`, "", 1)), "tool-annotations-modified"},
	{"can do more", setTool(strings.Replace(noteTool, `"path":{}`, `"path":{},"content":{"type":"number"}`, 1)), "capability-added schema-property-added"},
	{"output schema", setTool(strings.Replace(noteTool, `"annotations"`, `"outputSchema":{},"annotations"`, 1)), "schema-out-added"},
	{"resource more", func(s *Surface) { s.Resources = append(s.Resources, []byte(`{"uri":"q"}`)) }, "resource-added"},
	{"resource less", func(s *Surface) { s.Resources = [][]byte{} }, "resource-removed"},
	{"resource otherwise", func(s *Surface) { s.Resources[0] = []byte(`{"uri":"r","name":"n","mimeType":"x"}`) }, "resource-modified"},
	{"resources not listed", func(s *Surface) { s.Resources = nil }, ""},
	{"prompt more", func(s *Surface) { s.Prompts = append(s.Prompts, []byte(`{"name":"q"}`)) }, "prompt-added"},
	{"prompt less", func(s *Surface) { s.Prompts = [][]byte{} }, "prompt-removed"},
	{"prompt otherwise", func(s *Surface) { s.Prompts[0] = []byte(`{"name":"p","arguments":[{"name":"x"}]}`) }, "prompt-modified"},
	{"prompt with no arguments", func(s *Surface) { s.Prompts[0] = []byte(`{"name":"p","arguments":[],"description":""}`) }, ""},
}

func noteSurface(f func(*Surface)) *Surface {
	s := surfaceOf(noteTool)
	s.Resources = [][]byte{[]byte(`{"uri":"r","name":"n"}`)}
	s.Prompts = [][]byte{[]byte(`{"name":"p"}`)}
	f(s)
	return s
}

func TestSurfaceDrift(t *testing.T) {
	base := mustBuild(t, noteSurface(func(*Surface) {}), PinOptions{})
	for _, c := range surfaceCases {
		ds, err := base.Against(noteSurface(c.change))
		if err != nil || driftClasses(ds) != c.want {
			t.Errorf("%s: got %q %v, want %q", c.name, driftClasses(ds), err, c.want)
		}
	}
	// The other way round.
	less := mustBuild(t, noteSurface(setTool(strings.Replace(noteTool, `"path":{}`, `"path":{},"content":{}`, 1))), PinOptions{})
	if ds, _ := less.Against(noteSurface(func(*Surface) {})); driftClasses(ds) != "capability-removed schema-property-removed" {
		t.Errorf("can do less: %v", ds)
	}
	out := mustBuild(t, surfaceOf(output(`{}`)), PinOptions{})
	if ds, _ := out.Against(surfaceOf(`{"name":"t"}`)); driftClasses(ds) != "schema-out-removed" {
		t.Errorf("output schema gone: %v", ds)
	}
}

func TestLevelsInDrift(t *testing.T) {
	before := `{"name":"t","annotations":{"a":1},"outputSchema":{"type":"object"}}`
	after := `{"name":"t","annotations":{"a":2},"outputSchema":{}}`
	for level := 1; level <= 3; level++ {
		l, err := build(surfaceOf(before), PinOptions{Now: testTime, Approver: "eve"}, level)
		if err != nil {
			t.Fatal(err)
		}
		if ds, _ := l.Against(surfaceOf(after)); driftClasses(ds) != "schema-version-migrated" {
			t.Errorf("level %d sees %v", level, ds)
		}
		unapproved, err := build(surfaceOf(before), PinOptions{Now: testTime}, level)
		if err != nil {
			t.Fatal(err)
		}
		if ds, _ := unapproved.Against(surfaceOf(before)); len(ds) != 0 {
			t.Errorf("level %d, not approved: %v", level, ds)
		}
		now := mustBuild(t, surfaceOf(before), PinOptions{})
		if ds := Diff(l, now); driftClasses(ds) != "schema-version-migrated" {
			t.Errorf("level %d re-pinned: %v", level, ds)
		}
	}
	one, err := build(surfaceOf(input(`{}`)), PinOptions{Now: testTime}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if ds, _ := one.Against(surfaceOf(input(`{"title":"x"}`))); driftClasses(ds) != "schema-modified" {
		t.Errorf("without a skeleton: %v", ds)
	}
}

func TestUnapprovedChange(t *testing.T) {
	l := mustBuild(t, surfaceOf(`{"name":"t"}`), PinOptions{Approver: "eve"})
	other := mustBuild(t, surfaceOf(`{"name":"u"}`), PinOptions{Approver: "eve"})
	forged, err := ParseStrict("f", []byte(strings.ReplaceAll(mustWrite(t, l), l.Overall+`",
    "provenance`, other.Overall+`",
    "provenance`)))
	if err != nil {
		t.Fatal(err)
	}
	for name, ds := range map[string][]Drift{"as baseline": Diff(forged, l), "as the later one": Diff(l, forged)} {
		if driftClasses(ds) != "unapproved-change" || ds[0].Target != "pin/approved_digest" {
			t.Errorf("%s: %v", name, ds)
		}
	}
	if ds := Diff(l, l); len(ds) != 0 {
		t.Errorf("an approved lock against itself: %v", ds)
	}
}

func TestInspectionDrift(t *testing.T) {
	text := mustWrite(t, mustBuild(t, surfaceOf(`{"name":"t"}`), PinOptions{}))
	with := func(in string) *Lock {
		l, _, err := Parse("f", []byte(strings.Replace(text, `"entry_digest"`, `"inspection":`+in+`,"entry_digest"`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	a, b := with(`{"may_return_urls":true,"secret_echo_applies":true}`), with(`{"may_return_urls":false}`)
	if ds := Diff(a, b); driftClasses(ds) != "inspection-policy-modified" {
		t.Errorf("got %v", ds)
	}
	if ds := Diff(a, with(`{ "secret_echo_applies":true, "may_return_urls":true }`)); len(ds) != 0 {
		t.Errorf("the same values in another order: %v", ds)
	}
	if ds, err := a.Against(surfaceOf(`{"name":"t"}`)); err != nil || len(ds) != 0 {
		t.Errorf("a surface has no inspection values to differ: %v %v", ds, err)
	}
}

func TestDriftDetail(t *testing.T) {
	long := strings.Repeat("y", 100)
	for _, c := range []struct{ before, after, want string }{
		{props(`"v":{"maxLength":64}`), props(`"v":{"maxLength":4096}`), "v: maxLength 64→4096"},
		{`{"minimum":1}`, `{}`, "minimum 1→none"},
		{props(`"v":{"pattern":"^sk-[a-z]+$"}`), props(`"v":{}`), "v: pattern <redacted>→none"},
		{props(`"v":{"pattern":"my_token_x"}`), props(`"v":{}`), "v: pattern <redacted>→none"},
		{props(`"v":{"enum":["a"]}`), props(`"v":{"enum":["a","sk-Zz9Yy8Xx7Ww6Vv5Uu4"]}`), "v: enum has more: <redacted>"},
		{props(`"v":{"enum":["a"]}`), props(`"v":{"enum":["a","` + long + `"]}`), `v: enum has more: "` + long[:39] + "…"},
		{props(`"v":{"enum":["a"]}`), props(`"v":{"enum":["a","b","c","d","e"]}`), `v: enum has more: "b", "c", "d", …`},
		{props(`"v":{"type":"string"}`), props(`"v":{}`), "v: type [string]→any"},
	} {
		ds, err := mustBuild(t, surfaceOf(input(c.before)), PinOptions{}).Against(surfaceOf(input(c.after)))
		if err != nil || len(ds) != 1 || ds[0].Detail != c.want {
			t.Errorf("got %+v %v, want %s", ds, err, c.want)
		}
	}
}

func TestServerIdentityShowsNoArgument(t *testing.T) {
	s := surfaceOf()
	s.Server = &Launch{Command: "srv", Args: []string{"--key", "hunter2"}}
	ds, err := mustBuild(t, surfaceOf(), PinOptions{}).Against(s)
	if err != nil || len(ds) != 1 || ds[0].Severity != analyze.Critical || strings.Contains(ds[0].Detail, "hunter2") {
		t.Errorf("got %+v %v", ds, err)
	}
}

func TestDriftFinding(t *testing.T) {
	for sev, tier := range map[analyze.Severity]analyze.Tier{
		analyze.Critical: analyze.Block, analyze.High: analyze.Block, analyze.Medium: analyze.Monitor, analyze.Low: analyze.Note,
	} {
		f := Drift{Class: "tool-added", Severity: sev, Target: "tools/x", Detail: "d"}.Finding()
		want := analyze.Finding{Rule: "WRD-DRIFT-TOOL-ADDED", Tier: tier, Severity: sev, Block: -1, Tool: "x",
			Message: "tools/x: d", Matched: []string{"tools/x", "d"}, Place: analyze.Place{Frame: -1}}
		if diff := cmp.Diff(want, f); diff != "" {
			t.Error(diff)
		}
	}
}

// Every class has its text, with the tier and severity that findings carry.
func TestRuleTexts(t *testing.T) {
	rules := map[string]ruleset.Rule{}
	for _, r := range ruleset.Builtin().Rules {
		rules[r.ID] = r
	}
	want := []string{"MCP-DRIFT", "MCP-DRIFT-UNLISTED"}
	for _, c := range Classes() {
		sev, _ := SeverityOf(c)
		d := Drift{Class: c, Severity: sev}
		want = append(want, d.Rule())
		r, ok := rules[d.Rule()]
		if !ok || r.Severity != sev || r.Tier != d.Tier() {
			t.Errorf("%s: the text says %v %v, findings %v %v", d.Rule(), r.Tier, r.Severity, d.Tier(), sev)
		}
	}
	var family []string
	for id, r := range rules {
		if r.Family == "lock" {
			family = append(family, id)
		}
	}
	slices.Sort(want)
	slices.Sort(family)
	if diff := cmp.Diff(want, family); diff != "" {
		t.Error(diff)
	}
}
