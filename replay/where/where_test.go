package where

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
	"pgregory.net/rapid"
)

func ids() *IDs { return IDsOf(ruleset.Builtin()) }

func sample() *Env {
	e := &Env{Trace: "a.jsonl", Session: "s1", Frame: 4, Line: 5, Offset: 900, TS: time.Date(2026, 8, 1, 10, 0, 0, 0, time.UTC),
		Direction: "s2c", Type: "response", Method: "tools/call", Tool: "read_file", ID: 7, Size: 1234, Verdict: "replace",
		Findings: 2, Rules: []string{"WRD-RES-ANSI", "WRD-RES-URL"}, Raw: `{"result":{"Authorization":1}}`}
	e.SetFinding(&analyze.Finding{Rule: "WRD-RES-ANSI", Tier: analyze.Block, Severity: analyze.High, Action: analyze.Modified, Block: 0,
		Message: "1 control character", Matched: []string{"U+001B"}})
	return e
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		expr string
		want bool
	}{
		{`tier == "block"`, true},
		{`tier == "block" and tool == "read_file"`, true},
		{`tier != "block"`, false},
		{`severity >= "high"`, true},
		{`severity > "high"`, false},
		{`"critical" > severity`, true}, // by rank, not by the alphabet
		{`tier < "block"`, false},
		{`rule in ["WRD-RES-ANSI", "WRD-RES-URL"]`, true},
		{`any(rules, # startsWith "WRD-RES-U")`, true},
		{`count(rules, # contains "RES") == 2`, true},
		{`id == 7`, true},
		{`id == "7"`, false},
		{`size > 1000 && size < 2000`, true},
		{`ts >= "2026-08-01"`, true},
		{`ts < "2026-08-01T09:59:59Z"`, false},
		{`"2026-07-31" < ts`, true},
		{`raw matches "(?i)authorization"`, true},
		{`lower(raw) contains "authorization"`, true},
		{`not accepted`, true},
		{`session startsWith "s" and line == 5`, true},
		{`direction == ""`, false},
		{`len(matched) == 1`, true},
		{`rule_id == "WRD-RES-ANSI" and rpc_id == 7 and block_index == 0 and len(matched_phrases) == 1 and not is_error`, true},
		{`rule startsWith "WRD-RES-"`, true},
		{`rule == "POL-FS-DENY"`, false}, // no run need arm it
		{`sub_rule == "WRD-SEC-OPENAI"`, false},
		{`any(rules, # == "WRD-RES-URL")`, true},
		{`"WRD-RES-URL" in rules`, true},
		{`let wanted = "read_file"; tool == wanted`, true},
	} {
		f, err := Compile(c.expr, ids())
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		for range 2 { // a filter is used again and again
			if got := f.Match(sample()); got != c.want || f.Err() != nil {
				t.Errorf("%s: %v, %v", c.expr, got, f.Err())
			}
		}
	}
}

func TestWithoutFinding(t *testing.T) {
	e := sample()
	e.SetFinding(nil)
	for expr, want := range map[string]bool{`tier == ""`: true, `tier < "block"`: false, `severity >= "low"`: false, `rule != ""`: false, `block == -1`: true} {
		f, err := Compile(expr, ids())
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Match(e); got != want {
			t.Errorf("%s: %v", expr, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ expr, message, hint string }{
		{``, "empty", "help"},
		{`severty == "high"`, "1:1: there is no field severty", "did you mean severity?"},
		{`tool == "x" and tier == "blok"`, `1:25: tier is never "blok"`, "note, monitor, block"},
		{`tier in ["block", "warn"]`, `tier is never "warn"`, "one of"},
		{`size`, "expected bool", "yes or no"},
		{`size == "big"`, "mismatched types", "quotes"},
		{`size >`, "unexpected token", "help"},
		{`ts > "yesterday"`, `"yesterday" is no time`, "2026"},
		{`raw matches tool`, "pattern in quotes", "help"},
		{`raw matches "("`, "missing closing )", "help"},
		{`tool + tool == "x"`, "there is no + here", "help"},
		{`any(1..100000, # == 3)`, "there is no .. here", "help"},
		{`any(rules, any(rules, true))`, "within the condition", "can't hold one"},
		{`repeat("x", 1000000) == tool`, "only these functions", "help"},
		{`ts.Unix() > 3`, "only these functions", "help"},
		{`__tier > 3`, "no field __tier", "help"},
		{`rule == "WRD-RES-ANSII"`, `1:9: rule is never "WRD-RES-ANSII"`, "did you mean WRD-RES-ANSI?"},
		{`rule != "wrd-res-ansi"`, `rule is never "wrd-res-ansi"`, "did you mean WRD-RES-ANSI?"},
		{`"ANSI" == rule`, `rule is never "ANSI"`, "did you mean WRD-RES-ANSI?"},
		{`rule_id in ["WRD-RES-URL", "WRD-RES-URI"]`, `1:28: rule is never "WRD-RES-URI"`, "did you mean WRD-RES-URL?"},
		{`rule not in ["X"]`, `rule is never "X"`, "rules list"},
		{`rule == "WRD-SEC-OPENAI"`, `rule is never "WRD-SEC-OPENAI"`, `sub_rule == "WRD-SEC-OPENAI"`},
		{`sub_rule == "WRD-SEC-OPENAPI"`, `sub_rule is never "WRD-SEC-OPENAPI"`, "did you mean WRD-SEC-OPENAI?"},
		{`sub_rule == "WRD-RES-ANSI"`, `sub_rule is never "WRD-RES-ANSI"`, `rule == "WRD-RES-ANSI"`},
		{`rule == "WRD-DRIFT-TOOL-ADDED"`, "rule is never", "the lock and policy commands"},
		{`rule startsWith "WDR-"`, `no rule starts with "WDR-"`, "rules list"},
		{`sub_rule endsWith "-OPENAPI"`, `no sub_rule ends with "-OPENAPI"`, "rules list"},
		{`any(rules, # == "WRD-RES-ANSII")`, `rule is never "WRD-RES-ANSII"`, "did you mean WRD-RES-ANSI?"},
		{`none(rules, # startsWith "X-")`, `no rule starts with "X-"`, "rules list"},
		{`"WRD-RES-ANSII" in rules`, `rule is never "WRD-RES-ANSII"`, "did you mean WRD-RES-ANSI?"},
		{`tool == read_file`, "1:9: there is no field read_file", `tool == "read_file"`},
		{`size > 3 and tool in ["a", read_file]`, "there is no field read_file", `tool == "read_file"`},
		{`rule == WRD-RES-ANSI`, "there is no field WRD-RES-ANSI", `rule == "WRD-RES-ANSI"`},
		{`method == tools/call`, "there is no field tools/call", `method == "tools/call"`},
		{`tier == block`, "there is no field block", `tier == "block"`},
		{`let rule_id = "x"; rule == rule_id`, "rule_id is a field already", "help"},
		{`rule_di == "WRD-RES-ANSI"`, "there is no field rule_di", "did you mean rule_id?"},
		{`phrases == []`, "there is no field phrases", "did you mean matched_phrases?"},
		{`foo == 1`, "there is no field foo", "--where help"},
		{strings.Repeat("not ", 800) + "accepted", "too long", ""},
		{strings.Repeat("x", 5000), "at most 4096", ""},
	} {
		_, err := Compile(c.expr, ids())
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.40s: %v", c.expr, err)
			continue
		}
		got := e.Error()
		if !strings.Contains(got, c.message) || !strings.Contains(e.Advice(), c.hint) {
			t.Errorf("%.40s: %q, hint %q; want %q, %q", c.expr, got, e.Advice(), c.message, c.hint)
		}
	}
}

func TestUses(t *testing.T) {
	f, err := Compile(`tool == "x" and raw contains "y"`, ids())
	if err != nil || !f.Uses("raw") || !f.Uses("tool") || f.Uses("method") {
		t.Errorf("%v %v", f, err)
	}
}

// Every documented field can be used, and every field of Env is documented.
func TestFieldsAreThoseOfTheEnvironment(t *testing.T) {
	literal := map[string]string{"text": `""`, "number": "0", "time": `"2026-01-01"`, "yes/no": "true", "any": "nil", "list": `[]`}
	for _, f := range Fields {
		if _, err := Compile(f.Name+" == "+literal[f.Type], ids()); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if !strings.Contains(Help(), "  "+f.Name+" ") {
			t.Errorf("%s is not in the help", f.Name)
		}
		if _, err := Compile(f.Alias+" == "+literal[f.Type], ids()); f.Alias != "" && err != nil {
			t.Errorf("%s: %v", f.Alias, err)
		}
	}
}

func TestExamplesOfTheHelpCompile(t *testing.T) {
	_, text, ok := strings.Cut(Help(), "Examples:\n")
	if !ok {
		t.Fatal("no examples")
	}
	for l := range strings.Lines(text) {
		if _, err := Compile(strings.TrimSpace(l), ids()); err != nil {
			t.Errorf("%s: %v", l, err)
		}
	}
}

// No expression, however odd, makes Compile or Match panic, and no error holds a
// raw control character.
func TestAnyText(t *testing.T) {
	word := rapid.SampledFrom([]string{"tier", "==", `"block"`, "and", "not", "(", ")", "[", "]", "any", "rules", "#", ".", "ts", "?", ":", "1", "-", "in", "matches", `"["`, "\x1b", "{", "}", "|", "let", ";", "=", "$env", "nil", "??", "size", "/", "%"})
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "words"), " ")
		f, err := Compile(src, ids())
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Fatalf("%q", err.Error())
			}
			return
		}
		f.Match(sample())
	})
}

func BenchmarkMatch(b *testing.B) {
	f, _ := Compile(`tier == "block" and tool == "read_file" and size > 100`, ids())
	e := sample()
	b.ReportAllocs()
	for b.Loop() {
		f.Match(e)
	}
}
