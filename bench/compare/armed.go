package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/warden-trace/warden/bench/gen"
)

// policy lets the generated calls through: what is measured is the judging, not
// the writing of findings.
const policy = `version: 1
defaults:
  filesystem_write: {allow_paths: ["**"], deny_paths: ["/etc/**"]}
  shell_exec: {allow: true}
  http_request: {deny_private: true}
  sql_query: {allow_readonly_only: false, deny_statements: [DROP]}
`

// families measures each rule family, and all of them, against the bare scan: on
// sessions that they let through, as those of a pinned server are, and on mixed
// traffic, where lock and profile object to most frames. The targets are for the
// former: the latter measures the writing of findings as well.
func (c *config) families() error {
	pol, allow := filepath.Join(c.dir, "policy.yaml"), filepath.Join(c.dir, "allow.json")
	if err := os.WriteFile(pol, []byte(policy), 0o644); err != nil {
		return err
	}
	doc, err := allowlist()
	if err != nil {
		return err
	}
	if err := os.WriteFile(allow, doc, 0o644); err != nil {
		return err
	}
	if err := c.family("rule families, in sessions that they let through", settledKind, pol, allow, wantArmed); err != nil {
		return err
	}
	return c.family("rule families, in sessions of which they have much to say", "", pol, allow, 0)
}

// family measures the families on one kind of traffic.
func (c *config) family(title, kind, pol, allow string, want float64) error {
	trace, err := c.trace(kind, c.mb)
	if err != nil {
		return err
	}
	lock := trace + ".lock"
	if out, err := exec.Command(c.bin, "lock", "pin", "--force", "-o", lock, trace, "--", "server").CombinedOutput(); err != nil {
		return fmt.Errorf("pinning %s: %w: %.400s", trace, err, out)
	}
	arms := []struct {
		name string
		args []string
	}{
		{"policy", []string{"--policy", pol}},
		{"allow-list", []string{"--allowlist", allow}},
		{"lock", []string{"--lock", lock}},
		{"profile", []string{"--profile", "ocu-mcp-2025-06-18"}},
	}
	bare := &contestant{name: "bare scan", argv: c.scan(c.bin, trace), bytes: size(trace)}
	all := []*contestant{bare}
	var every []string
	for _, a := range arms {
		every = append(every, a.args...)
		all = append(all, c.beside(bare, "with "+a.name, want, a.args...))
	}
	all = append(all, c.beside(bare, "with all of them", want, every...))
	return c.against(title, all)
}

// allReports measures one scan that writes every report against the bare one.
func (c *config) allReports() error {
	plain, err := c.trace("", c.mb)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(c.dir, "reports-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bare := &contestant{name: "bare scan", argv: c.scan(c.bin, plain), bytes: size(plain)}
	all := []*contestant{bare}
	var every []string
	for _, r := range []struct{ flag, file string }{
		{"--json", "r.jsonl"}, {"--sarif", "r.sarif"}, {"--parquet", "tables"}, {"--html", "r.html"}, {"--junit", "r.xml"}, {"--markdown", "r.md"},
	} {
		args := []string{r.flag, filepath.Join(dir, r.file)}
		every = append(every, args...)
		all = append(all, c.beside(bare, "with "+r.flag, wantReports, args...))
	}
	last := c.beside(bare, "with all of them", wantReports, every...)
	if err := c.against("reports", append(all, last)); err != nil {
		return err
	}
	c.target(last.peak < wantReportsMiB<<20, "%s: peak of %d MiB, want under %d", last.name, last.peak>>20, wantReportsMiB)
	return nil
}

// beside is a scan of bare's file with more arguments.
func (c *config) beside(bare *contestant, name string, want float64, args ...string) *contestant {
	argv := append(append([]string{}, bare.argv[:len(bare.argv)-1]...), args...)
	return &contestant{name: name, argv: append(argv, bare.argv[len(bare.argv)-1]), bytes: bare.bytes, against: bare, want: want}
}

// against runs the contestants and prints them with their ratios.
func (c *config) against(title string, all []*contestant) error {
	if err := rounds(c.rounds, all); err != nil {
		return err
	}
	fmt.Printf("%s: %.0f MB, %d rounds\n\n", title, float64(all[0].bytes)/1e6, c.rounds)
	print(all)
	for _, k := range all[1:] {
		c.target(k.ratio(k.against) >= k.want, "%s: %.2f times %s, want %g", k.name, k.ratio(k.against), k.against.name, k.want)
	}
	return nil
}

// allowlist admits every generated call, by a closed schema of its arguments.
func allowlist() ([]byte, error) {
	type object = map[string]any
	schema := object{
		"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false,
		"properties": object{"path": object{"type": "string"}, "query": object{"type": "string"}, "limit": object{"type": "integer"}},
		"required":   []string{"path", "query", "limit"},
	}
	tools := object{}
	for _, name := range gen.Tools() {
		tools[name] = object{"action": "ENFORCE", "argsSchema": schema}
	}
	return json.Marshal(object{"version": "1.0.0", "posture": "default-deny", "tools": tools})
}
