// Package corpus checks that the corpus is whole: every trace has its
// expectation, every expectation can be read and speaks of its trace, and no
// rule of the catalog is without a sample and a near miss. What the product
// finds in the traces is tested where the product is run.
package corpus

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

type expectation struct {
	Args     []string `json:"args"`
	Findings []struct {
		Rule    string          `json:"rule"`
		SubRule string          `json:"sub_rule"`
		Tool    *string         `json:"tool"`
		ID      json.RawMessage `json:"id"`
		Pointer string          `json:"pointer"`
		Block   *int            `json:"block"`
		Action  string          `json:"action"`
		Count   int             `json:"count"`
	} `json:"findings"`
	Exit *int `json:"exit"`
}

var (
	traceName = regexp.MustCompile(`\.(jsonl|jsonl\.zst|jsonl\.gz|tar)$`)
	takesFile = map[string]bool{"--lock": true, "--policy": true, "--allowlist": true, "--exfil-denylist": true, "--inject-phrases": true, "--ruleset": true}
	actions   = map[string]bool{"blocked": true, "modified": true, "shadowed": true, "passed": true}
)

// files lists all files of the corpus, slash separated.
func files(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, filepath.ToSlash(p))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, name string) *expectation {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var e expectation
	if err := d.Decode(&e); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return &e
}

func TestEveryTraceHasItsExpectation(t *testing.T) {
	traces, expects := map[string]string{}, map[string]bool{}
	for _, f := range files(t) {
		if base, ok := strings.CutSuffix(f, ".expect.json"); ok {
			expects[base] = true
		} else if ext := traceName.FindString(f); ext != "" {
			base := strings.TrimSuffix(f, ext)
			if other, taken := traces[base]; taken {
				t.Errorf("%s and %s share one expectation", f, other)
			}
			traces[base] = f
		}
	}
	for base, f := range traces {
		if !expects[base] {
			t.Errorf("%s has no expectation", f)
		}
	}
	for base := range expects {
		if traces[base] == "" {
			t.Errorf("%s.expect.json has no trace", base)
		}
	}
	if len(traces) < 50 {
		t.Errorf("only %d traces", len(traces))
	}
}

func TestExpectationsAreWellFormed(t *testing.T) {
	for _, f := range files(t) {
		base, ok := strings.CutSuffix(f, ".expect.json")
		if !ok {
			continue
		}
		e := read(t, f)
		if e.Exit == nil || *e.Exit < 0 || *e.Exit > 1 {
			t.Errorf("%s: exit must be 0 or 1: broken traces don't belong here", f)
		}
		if e.Findings == nil {
			t.Errorf("%s: findings must be there, if empty", f)
		}
		for i, a := range e.Args {
			if i > 0 && takesFile[e.Args[i-1]] && a != "calibrated" { // the name of a built-in rule set
				if _, err := os.Stat(filepath.Join(filepath.Dir(f), a)); err != nil {
					t.Errorf("%s: %v", f, err)
				}
			}
		}
		trace, _ := os.ReadFile(base + ".jsonl") // compressed ones are not looked into
		for i, w := range e.Findings {
			if w.Rule == "" || !actions[w.Action] || w.Count < 1 {
				t.Errorf("%s: finding %d: rule, action and count must be there: %+v", f, i, w)
			}
			if trace == nil || w.Tool == nil {
				continue
			}
			if name, _ := json.Marshal(*w.Tool); !bytes.Contains(trace, name) && !bytes.Contains(trace, bytes.ReplaceAll(name, []byte(`"`), []byte(`\"`))) {
				t.Errorf("%s: finding %d: the trace calls no tool %s", f, i, name)
			}
		}
	}
}

// Left out are the rules that no recording can show: GWH-POLICY-UNAVAILABLE,
// GWH-POLICY-INVALID (a bad policy ends a scan before it begins) and
// GWH-INTERNAL-VALIDATION-ERROR (a fault of the program itself).
var samples = map[string]string{ // rule to the topic whose NAME-near is its near miss
	"WRD-RES-ANSI": "catalog/ansi", "WRD-RES-EXFIL-DOMAIN": "catalog/exfil-domain", "WRD-RES-EXFIL-IP-LITERAL": "catalog/exfil-ip",
	"WRD-RES-INJECT-PHRASE": "catalog/inject-phrase", "WRD-RES-URL": "catalog/url", "WRD-RES-UNINSPECTABLE": "catalog/uninspectable",
	"WRD-RES-FRAME-ERROR": "catalog/frame-error", "WRD-RES-INVISIBLE": "catalog/invisible", "WRD-RES-AMBIGUOUS": "catalog/ambiguous",
	"WRD-SEC-OPENAI": "catalog/secret-openai", "WRD-SEC-GITHUB": "catalog/secret-github", "WRD-SEC-AWS-AKID": "catalog/secret-aws",
	"WRD-SEC-SLACK": "catalog/secret-slack", "WRD-SEC-PRIVKEY": "catalog/secret-privkey", "WRD-SEC-JWT": "catalog/secret-jwt",
	"WRD-SEC-ENTROPY": "catalog/secret-entropy", "WRD-RES-SECRET-ECHO": "catalog/secret-openai", "WRD-RES-LOCK-INVALID": "catalog/lock-invalid",

	"POL-FS-DENY": "policy/fs", "POL-SHELL-METACHAR": "policy/shell-metachar", "POL-SHELL-DENY": "policy/shell",
	"POL-HTTP-SSRF": "policy/http-ssrf", "POL-HTTP-HOST-DENY": "policy/http-host", "POL-HTTP-DNS-UNRESOLVED": "policy/http-dns",
	"POL-SQL-STACKED": "policy/sql-stacked", "POL-SQL-DENY": "policy/sql",

	"MCP-DRIFT": "lock/drift", "MCP-DRIFT-UNLISTED": "lock/unlisted",

	"GWH-RESOURCE-LIMIT-EXCEEDED": "allowlist/resource-limit", "GWH-DANGEROUS-OBJECT-KEY": "allowlist/dangerous-key",
	"GWH-NON-JSON-VALUE": "allowlist/non-json-value", "GWH-INVALID-PAYLOAD": "allowlist/invalid-payload",
	"GWH-UNAUTHORIZED-TOOL": "allowlist/unauthorized-tool", "GWH-POLICY-NOT-ENFORCED": "allowlist/not-enforced",
	"GWH-PAYLOAD-MUTATION": "allowlist/payload-mutation", "GWH-ARGUMENT-VALIDATION-FAILED": "allowlist/argument-validation",
	"GWH-HANDSHAKE-INCOMPLETE": "allowlist/handshake", "GWH-DUPLICATE-ID": "allowlist/duplicate-id",
	"GWH-CONCURRENCY-EXCEEDED": "allowlist/concurrency", "GWH-DEADLINE-EXCEEDED": "allowlist/deadline",
	"GWH-LATE-RESULT": "allowlist/late-result", "GWH-UNLISTED-TOOL": "allowlist/unlisted-tool",

	"OCU-BASE": "profile/ocu-base", "OCU-BATCH": "profile/ocu-batch", "OCU-METHOD": "profile/ocu-method",
	"OCU-TOOLS-CHANGED": "profile/ocu-tools-changed", "OCU-LIST-CHANGED": "profile/ocu-list-changed",
	"OCU-PROTOCOL-VERSION": "profile/ocu-protocol-version", "OCU-CAPABILITIES": "profile/ocu-capabilities",
	"OCU-SERVER-INFO": "profile/ocu-server-info", "OCU-INSTRUCTIONS": "profile/ocu-instructions",
	"OCU-ERROR-CODE": "profile/ocu-error-code", "OCU-ERROR-SHAPE": "profile/ocu-error-shape", "OCU-ERROR-MESSAGE": "profile/ocu-error-message",
	"OCU-ERROR-DATA": "profile/ocu-error-data", "OCU-ERROR-LEAK": "profile/ocu-error-leak", "OCU-TOOL-NAME": "profile/ocu-tool-name",
	"OCU-TOOL-DESCRIPTION": "profile/ocu-tool-description", "OCU-TOOL-INPUT-SCHEMA": "profile/ocu-tool-input-schema",
	"OCU-TOOL-ANNOTATIONS": "profile/ocu-tool-annotations", "OCU-ARGUMENTS-SIZE": "profile/ocu-arguments-size",
	"OCU-RESULT-CONTENT": "profile/ocu-result-content", "OCU-RESULT-SIZE": "profile/ocu-result-size", "OCU-CONTENT-BLOCKS": "profile/ocu-content-blocks",
	"OCU-CONTENT-TYPE": "profile/ocu-content-type", "OCU-IS-ERROR": "profile/ocu-is-error", "OCU-STRUCTURED-CONTENT": "profile/ocu-structured-content",
	"OCU-SEQUENTIAL": "profile/ocu-sequential", "OCU-HTTP-VERSION-HEADER": "profile/ocu-http-version-header",
	"OCU-HTTP-TOKEN-IN-QUERY": "profile/ocu-http-token-in-query", "OCU-HTTP-AUDIENCE": "profile/ocu-http-audience",
	"OCU-HTTP-ORIGIN": "profile/ocu-http-origin", "OCU-HTTP-401-CHALLENGE": "profile/ocu-http-401",

	"EXEC-SCHEMA": "profile/exec-schema", "EXEC-HANDSHAKE": "profile/exec-handshake", "EXEC-CAPABILITIES": "profile/exec-capabilities",
	"EXEC-ANSWER": "profile/exec-answer", "EXEC-TIMEOUT": "profile/exec-timeout", "EXEC-ANNOUNCE": "profile/exec-announce",
	"EXEC-BUFFER": "profile/exec-buffer", "EXEC-AFTER-EOF": "profile/exec-after-eof", "EXEC-DETACH": "profile/exec-detach",
	"EXEC-TRACE": "profile/exec-trace", "EXEC-AFTER-EXIT": "profile/exec-after-exit", "EXEC-SECRET": "profile/exec-secret",
	"EXEC-COMPRESSED": "profile/exec-compressed",
}

// A near miss holds nothing at all, so that what a looser rule finds in it shows.
func TestEveryRuleHasASampleAndANearMiss(t *testing.T) {
	found, near := map[string]bool{}, map[string]bool{}
	for _, f := range files(t) {
		base, ok := strings.CutSuffix(f, ".expect.json")
		if !ok {
			continue
		}
		e := read(t, f)
		for _, w := range e.Findings {
			found[w.Rule], found[w.SubRule] = true, true
		}
		if topic, ok := strings.CutSuffix(base, "-near"); ok {
			near[topic] = true
			if len(e.Findings) != 0 || *e.Exit != 0 {
				t.Errorf("%s is to hold nothing, it expects %d findings", base, len(e.Findings))
			}
		}
	}
	for rule, topic := range samples {
		if !found[rule] {
			t.Errorf("no trace has a finding of %s", rule)
		}
		if !near[topic] {
			t.Errorf("no near miss for %s: %s-near", rule, topic)
		}
	}
}
