package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze/policy"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/cmd/program"
)

func runRules(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(&program.World{Args: append([]string{"rules"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Now: time.Now})
	return code, out.String(), errs.String()
}

func TestRulesList(t *testing.T) {
	code, text, errs := runRules(t, "list")
	if code != 0 {
		t.Fatalf("exit %d, %s", code, errs)
	}
	code, lines, _ := runRules(t, "list", "--json")
	if code != 0 {
		t.Fatalf("exit %d", code)
	}
	rules := ruleset.Builtin().Rules
	if n := strings.Count(lines, "\n"); n != len(rules) {
		t.Errorf("%d lines of JSON, %d rules", n, len(rules))
	}
	i := 0
	for line := range strings.Lines(lines) {
		var r ruleJSON
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.ID != rules[i].ID || r.What == "" || r.Why == "" || r.Example == "" || r.Relax == "" || r.Tier != rules[i].Tier.String() {
			t.Errorf("%s", line)
		}
		if !strings.Contains(text, "\n  "+r.ID+" ") {
			t.Errorf("%s is not in the list", r.ID)
		}
		i++
	}
	if code, out, _ := runRules(t, "list", "--family", "secret"); code != 0 || strings.Contains(out, "WRD-RES-ANSI") || !strings.Contains(out, "WRD-SEC-JWT") {
		t.Errorf("a family: exit %d\n%s", code, out)
	}
	if code, _, errs := runRules(t, "list", "--family", "none"); code != 2 || !strings.Contains(errs, "no rule is of that family") {
		t.Errorf("no family: exit %d, %s", code, errs)
	}
}

func TestRulesShow(t *testing.T) {
	for _, r := range ruleset.Builtin().Rules {
		code, out, errs := runRules(t, "show", strings.ToLower(r.ID))
		if code != 0 {
			t.Errorf("%s: exit %d, %s", r.ID, code, errs)
		}
		flat := strings.Join(strings.Fields(out), " ")
		for _, part := range []string{r.ID + ": " + r.Title, r.What, r.Why, r.Example, r.Relax, r.Source, r.Tier.String() + " tier"} {
			if !strings.Contains(flat, strings.Join(strings.Fields(part), " ")) {
				t.Errorf("%s: no %q in\n%s", r.ID, part, out)
			}
		}
		for line := range strings.Lines(out) {
			if len(line) > 121 && strings.HasPrefix(line, "  ") && strings.Contains(line[2:], " ") && !strings.Contains(r.Example, strings.TrimSpace(line)) {
				t.Errorf("%s: a line of %d bytes: %s", r.ID, len(line), line)
			}
		}
	}
	_, out, _ := runRules(t, "show", "WRD-SEC-GITHUB", "--json")
	var r ruleJSON
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Pattern != `\bgh[pousr]_[A-Za-z0-9]{36}\b` || len(r.Keywords) != 5 {
		t.Errorf("%v %s", err, out)
	}
	for _, id := range []string{policy.LintOrphan, policy.LintShapeMismatch, policy.LintPathConflict, policy.LintEmptyAllow} {
		if code, out, _ := runRules(t, "show", id); code != 0 || !strings.Contains(out, "`policy lint` finds it") {
			t.Errorf("%s: exit %d\n%s", id, code, out)
		}
	}
	if code, _, errs := runRules(t, "show", "sec-github"); code != 2 || !strings.Contains(errs, "perhaps WRD-SEC-GITHUB") {
		t.Errorf("a part of an id: exit %d, %s", code, errs)
	}
	if code, _, errs := runRules(t, "show", "none\x1b[2J"); code != 2 || strings.Contains(errs, "\x1b") {
		t.Errorf("no id: exit %d, %q", code, errs)
	}
}

func TestRulesCoverage(t *testing.T) {
	code, out, errs := runRules(t, "list", "--coverage-of", "../../corpus")
	if code != 0 || !strings.Contains(out, ", 0 are bare\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	for _, want := range []string{"GWH-POLICY-UNAVAILABLE, GWH-POLICY-INVALID: not by a scan; ", "GWH-INTERNAL-VALIDATION-ERROR: not by a scan; ", "WRD-DRIFT-CAPABILITY-ADDED to WRD-DRIFT-UNAPPROVED-CHANGE (54 rules): not by a scan; "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	dir := t.TempDir()
	trace, err := os.ReadFile("../../corpus/catalog/ansi.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	// A trace without an expectation counts too: it is scanned as it stands.
	if err := os.WriteFile(filepath.Join(dir, "ansi.jsonl"), trace, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, _ = runRules(t, "list", "--coverage-of", dir)
	if code != 1 || strings.Contains(out, "WRD-RES-ANSI: ") || !strings.Contains(out, "WRD-RES-URL: no trace has a finding of it\n") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, _, errs := runRules(t, "list", "--coverage-of", t.TempDir()); code != 2 || !strings.Contains(errs, "no trace in it") {
		t.Errorf("an empty folder: exit %d, %s", code, errs)
	}
}
