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
			if i > 0 && strings.HasPrefix(e.Args[i-1], "--") && !strings.HasPrefix(a, "--") {
				if _, err := os.Stat(filepath.Join(filepath.Dir(f), a)); err != nil && strings.Contains(a, ".") {
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

// The rules of the catalog, and how many traces must find and pass over.
func TestEveryRuleHasASampleAndANearMiss(t *testing.T) {
	found, near := map[string]int{}, map[string]bool{}
	for _, f := range files(t) {
		base, ok := strings.CutSuffix(f, ".expect.json")
		if !ok {
			continue
		}
		e := read(t, f)
		for _, w := range e.Findings {
			found[w.Rule]++
			if w.SubRule != "" {
				found[w.SubRule]++
			}
		}
		if topic, ok := strings.CutSuffix(base, "-near"); ok {
			near[strings.TrimPrefix(topic, "catalog/")] = true
			if len(e.Findings) != 0 || *e.Exit != 0 {
				t.Errorf("%s is to hold nothing, it expects %d findings", base, len(e.Findings))
			}
		}
	}
	for rule, topic := range map[string]string{
		"WRD-RES-ANSI": "ansi", "WRD-RES-EXFIL-DOMAIN": "exfil-domain", "WRD-RES-EXFIL-IP-LITERAL": "exfil-ip",
		"WRD-RES-INJECT-PHRASE": "inject-phrase", "WRD-RES-URL": "url", "WRD-RES-UNINSPECTABLE": "uninspectable",
		"WRD-RES-FRAME-ERROR": "frame-error", "WRD-RES-INVISIBLE": "invisible", "WRD-RES-AMBIGUOUS": "ambiguous",
		"WRD-SEC-OPENAI": "secret-openai", "WRD-SEC-GITHUB": "secret-github", "WRD-SEC-AWS-AKID": "secret-aws",
		"WRD-SEC-SLACK": "secret-slack", "WRD-SEC-PRIVKEY": "secret-privkey", "WRD-SEC-JWT": "secret-jwt", "WRD-SEC-ENTROPY": "secret-entropy",
		"WRD-RES-SECRET-ECHO": "secret-openai", "WRD-RES-LOCK-INVALID": "lock-invalid",
	} {
		if found[rule] == 0 {
			t.Errorf("no trace has a finding of %s", rule)
		}
		if !near[topic] {
			t.Errorf("no near miss for %s: catalog/%s-near", rule, topic)
		}
	}
}
