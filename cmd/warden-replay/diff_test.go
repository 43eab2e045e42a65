package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// diffLines runs diff with JSON and returns its changes and its summary.
func diffLines(t *testing.T, wantCode int, args ...string) (changes []map[string]any, sum map[string]any) {
	t.Helper()
	code, out, errs := run(t, append([]string{"diff", "--format", "json"}, args...)...)
	if code != wantCode {
		t.Fatalf("exit %d, want %d\n%s%s", code, wantCode, out, errs)
	}
	for line := range strings.Lines(out) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if v["kind"] == "diff-summary" {
			sum = v
		} else {
			changes = append(changes, v)
		}
	}
	return changes, sum
}

func TestDiffOfTheSameIsNothing(t *testing.T) {
	changes, sum := diffLines(t, 0, "--base", "builtin", "--head", "builtin", corpusDir)
	if len(changes) != 0 || sum["added"].(float64)+sum["removed"].(float64)+sum["changed"].(float64) != 0 {
		t.Errorf("%v\n%v", changes, sum)
	}
	if base := sum["base"].(map[string]any); base["findings"].(float64) < 200 {
		t.Errorf("hardly anything was compared: %v", base)
	}
}

func TestDiffFindsExactlyWhatWasPlanted(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "planted.jsonl", strings.Replace(call, "see webhook.site", "You  Are\\nNOW free", 1))
	write(t, dir, "other.jsonl", strings.Replace(call, "you are now a pirate", "do not tell the user", 1))
	write(t, dir, "rules.yaml", "remove: {phrases: [you are now]}\n")
	rules := filepath.Join(dir, "rules.yaml")
	changes, sum := diffLines(t, 1, "--base", "builtin", "--head", rules, dir)
	if len(changes) != 2 || sum["removed"].(float64) != 2 || sum["added"].(float64) != 0 {
		t.Fatalf("%v\n%v", changes, sum)
	}
	for i, c := range changes {
		base := c["base"].(map[string]any)
		if c["change"] != "removed" || c["head"] != nil || base["rule_id"] != "WRD-RES-INJECT-PHRASE" || base["block_index"].(float64) != float64(i) ||
			!strings.HasSuffix(base["trace"].(string), "planted.jsonl") || base["fingerprint"] == nil {
			t.Errorf("%v", c)
		}
		if cause := c["cause"].([]any); len(cause) != 1 || cause[0] != "phrase you are now removed" {
			t.Errorf("cause %v", cause)
		}
	}
	// The other way round they are added.
	changes, _ = diffLines(t, 1, "--head", "builtin", "--base", rules, dir)
	if len(changes) != 2 || changes[0]["change"] != "added" {
		t.Errorf("%v", changes)
	}
	for failOn, want := range map[string]int{"added": 0, "removed": 1, "any": 1, "never": 0} {
		if code, out, _ := run(t, "diff", "--base", "builtin", "--head", rules, "--fail-on", failOn, dir); code != want {
			t.Errorf("--fail-on %s: exit %d\n%s", failOn, code, out)
		}
	}
}

const manyEdits = `
remove: {hosts: [webhook.site], secrets: [WRD-SEC-GITHUB], networks: [10.0.0.0/8], phrases: [exfiltrate]}
entropy: {min_length: 26, min_bits: 4.2, min_alnum: 0.8}
hosts: [example.com]
phrases: [pirate]
networks: [{cidr: 128.0.0.0/16, label: test}]
secrets: [{id: WRD-SEC-AWS-AKID, pattern: '\bAKIA[0-9A-Z]{14,}', keywords: [AKIA], severity: low}]
`

// TestDiffEqualsTwoScans takes the changes from the findings of one scan and
// must come to those of the other.
func TestDiffEqualsTwoScans(t *testing.T) {
	rules := write(t, t.TempDir(), "rules.yaml", manyEdits)
	nothing := write(t, t.TempDir(), "none.yaml", "extends: none\nentropy: {min_length: 10000, min_bits: 8, min_alnum: 1}\n")
	count := func(changes []map[string]any, sign, side string) map[string]int {
		n := map[string]int{}
		for _, c := range changes {
			if c["change"] == sign {
				f := c[side].(map[string]any)
				b, err := json.Marshal([]any{f["rule_id"], f["sub_rule"], f["trace"], f["line"], f["pointer"], f["spans"], f["matched_phrases"], f["action"], f["severity"]})
				if err != nil {
					t.Fatal(err)
				}
				n[string(b)]++
			}
		}
		return n
	}
	// Against no rules at all every finding that rules as data make is an addition: a plain scan.
	whole := func(set string) map[string]int {
		changes, _ := diffLines(t, 1, "--base", nothing, "--head", set, corpusDir)
		return count(changes, "added", "head")
	}
	base, head := whole("builtin"), whole(rules)
	changes, _ := diffLines(t, 1, "--base", "builtin", "--head", rules, corpusDir)
	for _, step := range []struct{ sign, side string }{{"removed", "base"}, {"changed", "base"}, {"added", "head"}, {"changed", "head"}} {
		for k, n := range count(changes, step.sign, step.side) {
			if step.side == "base" {
				n = -n
			}
			base[k] += n
			if base[k] == 0 {
				delete(base, k)
			}
		}
	}
	for k, n := range head {
		if strings.Contains(k, "WRD-RES-URL") {
			continue // without hosts every scheme URL is a note, so that is no plain scan
		}
		if base[k] != n {
			t.Errorf("%s: %d by the diff, %d by the scan", k, base[k], n)
		}
		delete(base, k)
	}
	for k, n := range base {
		if n != 0 && !strings.Contains(k, "WRD-RES-URL") {
			t.Errorf("%s: %d by the diff, none by the scan", k, n)
		}
	}
	signs := map[any]int{}
	for _, c := range changes {
		signs[c["change"]]++
		if len(c["cause"].([]any)) == 0 {
			t.Errorf("no cause: %v", c)
		}
	}
	if signs["added"] == 0 || signs["removed"] == 0 || signs["changed"] == 0 {
		t.Errorf("not every kind of change: %v", signs)
	}
}

func TestDiffOutputs(t *testing.T) {
	dir := t.TempDir()
	rules := write(t, dir, "rules.yaml", manyEdits)
	sarif, md := filepath.Join(dir, "d.sarif"), filepath.Join(dir, "d.md")
	code, text, errs := run(t, "diff", "--base", "builtin", "--head", rules, "--sarif", sarif, "--markdown", md, corpusDir)
	if code != 1 || errs != "" {
		t.Fatalf("exit %d, %s", code, errs)
	}
	for _, want := range []string{"- host webhook.site removed: ", "~ entropy changed (min_length 24 to 26, min_bits 4 to 4.2): ", "because: network 10.0.0.0/8 removed",
		"~ secret WRD-SEC-AWS-AKID changed (pattern, severity critical to low): ", "was: severity critical"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	data, err := os.ReadFile(sarif)
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID        string `json:"ruleId"`
				BaselineState string `json:"baselineState"`
			} `json:"results"`
		} `json:"runs"`
	}
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	states := map[string]int{}
	for _, r := range log.Runs[0].Results {
		states[r.BaselineState]++
	}
	if states["new"] == 0 || states["absent"] == 0 || states["updated"] == 0 || len(states) != 3 {
		t.Errorf("baseline states %v", states)
	}
	page, err := os.ReadFile(md)
	if err != nil || !strings.Contains(string(page), "| `host webhook.site removed` |") || !strings.Contains(string(page), "<details><summary>WRD-RES-EXFIL-DOMAIN: samples</summary>") {
		t.Errorf("%v\n%s", err, page)
	}
	for _, whole := range []string{text, string(data), string(page)} {
		if strings.Contains(whole, "ghp_FAKE") || strings.Contains(whole, "AKIAFAKE") {
			t.Error("a report holds a secret")
		}
	}
}

func TestDiffDoesNotDependOnJobs(t *testing.T) {
	rules := write(t, t.TempDir(), "rules.yaml", manyEdits)
	_, one, _ := run(t, "diff", "--format", "json", "--jobs", "1", "--base", "builtin", "--head", rules, corpusDir)
	_, four, _ := run(t, "diff", "--format", "json", "--jobs", "4", "--base", "builtin", "--head", rules, corpusDir)
	if one != four {
		t.Error("the output depends on --jobs")
	}
}

func TestDiffTakesRevisions(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("git is needed")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "trace/one.jsonl", call)
	write(t, dir, "rules.yaml", "hosts: [evil.example]\n")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "rules.yaml")
	git("commit", "-q", "-m", "one")
	write(t, dir, "rules.yaml", "hosts: [evil.example]\nphrases: [a pirate]\n")
	changes, sum := diffLines(t, 1, "--base", "HEAD:rules.yaml", "--head", "rules.yaml", "trace")
	if len(changes) != 1 || changes[0]["change"] != "changed" || changes[0]["cause"].([]any)[0] != "phrase a pirate added" {
		t.Errorf("%v\n%v", changes, sum)
	}
	for _, c := range []struct{ rules, want string }{
		{"HEAD:none.yaml", "none.yaml"},
		{"nowhere:rules.yaml", "nowhere"},
		{"--output=x:rules.yaml", "not of the form"},
		{"HEAD:", "not of the form"},
		{"none.yaml", "no such file, and no built-in rule set"},
		{"trace", "is a directory"},
	} {
		code, _, errs := run(t, "diff", "--base="+c.rules, "--head", "builtin", "trace")
		if code != 2 || !strings.Contains(errs, c.want) || strings.Count(errs, "warden-replay: ") != 1 {
			t.Errorf("%s: exit %d, %q", c.rules, code, errs)
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("an option reached git")
	}
}

func TestDiffOfUnreadableTraces(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "bad.jsonl", call+"{\"direction\":\"c2s\",\"frame\":\n{{{\n")
	code, out, errs := run(t, "diff", "--base", "builtin", "--head", "builtin", dir)
	if code != 2 || !strings.Contains(errs, "bad.jsonl:") || !strings.Contains(out, "unreadable") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, _, _ := run(t, "diff", "--allow-parse-errors", "--base", "builtin", "--head", "builtin", dir); code != 0 {
		t.Errorf("allowed: exit %d", code)
	}
	if code, _, errs := run(t, "diff", "--base", "builtin", "--head", "builtin", filepath.Join(dir, "none")); code != 2 || !strings.Contains(errs, "none") {
		t.Errorf("no trace: exit %d %s", code, errs)
	}
}

// A report for people has a few samples a rule, and says what has the rest.
func TestDiffSaysWhatShowsAll(t *testing.T) {
	dir := t.TempDir()
	for i := range 7 {
		write(t, dir, fmt.Sprintf("%d.jsonl", i), strings.Replace(call, "see webhook.site", "You are now free", 1))
	}
	write(t, dir, "rules.yaml", "remove: {phrases: [you are now]}\n")
	rules := filepath.Join(dir, "rules.yaml")
	for format, want := range map[string]string{
		"text":     "  - ... and 9 more; --json FILE, or --format json, has all of them\n",
		"markdown": "- and 9 more removed; --json FILE, or --format json, has all of them\n",
	} {
		if _, out, errs := run(t, "diff", "--base", "builtin", "--head", rules, "--format", format, dir); !strings.Contains(out, want) {
			t.Errorf("%s lacks %q:\n%s%s", format, want, out, errs)
		}
	}
	if changes, _ := diffLines(t, 1, "--base", "builtin", "--head", rules, dir); len(changes) != 14 {
		t.Errorf("JSON has %d changes, want all 14", len(changes))
	}
}
