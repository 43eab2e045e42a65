//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestGitLabTemplate runs the template's script as a runner does: with a shell and
// its variables.
func TestGitLabTemplate(t *testing.T) {
	raw, err := os.ReadFile("../../tools/ci/gitlab.yml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Job struct {
			Variables map[string]string
			Script    []string
		} `yaml:"warden-inspect"`
	}
	if err := yaml.Unmarshal(raw, &template); err != nil {
		t.Fatal(err)
	}
	corpus, err := filepath.Abs("../../corpus/sessions")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(script string, vars ...string) int {
		c := exec.Command("sh", "-e", "-c", script)
		c.Dir, c.Env = dir, os.Environ()
		for name, value := range template.Job.Variables {
			c.Env = append(c.Env, name+"="+value)
		}
		c.Env = append(c.Env, vars...)
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		t.Logf("%s", out)
		return c.ProcessState.ExitCode()
	}
	if code := run(`warden-inspect baseline create "$WARDEN_TRACES" -o "known findings.json"`, "WARDEN_TRACES="+corpus); code != 0 {
		t.Fatalf("the baseline: exit %d", code)
	}
	for _, line := range template.Job.Script {
		if code := run(line, "WARDEN_TRACES="+corpus); code != 1 {
			t.Errorf("without a baseline: exit %d, want 1", code)
		}
		for _, name := range []string{"warden.xml", "warden.html"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
		if code := run(line, "WARDEN_TRACES="+corpus, "WARDEN_BASELINE=known findings.json"); code != 0 {
			t.Errorf("with a baseline: exit %d, want 0", code)
		}
	}
}
