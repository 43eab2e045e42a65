package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/cmd/program"
)

// The README names every member of a finding.
func TestReadmeNamesTheMembersOfFindings(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "Findings are `")
	text, _, _ = strings.Cut(text, "\n\n")
	var out bytes.Buffer
	Run(&program.World{Args: []string{"../../corpus/sessions/review.jsonl", "--format", "json"}, Stdout: &out, Stderr: &out,
		Getenv: func(string) string { return "" }, Now: time.Now})
	var finding map[string]any
	if err := json.NewDecoder(&out).Decode(&finding); err != nil || finding["kind"] != "result-finding" {
		t.Fatalf("%v %v", finding, err)
	}
	delete(finding, "kind")
	for key := range finding {
		if !strings.Contains(text, "`"+key+"`") {
			t.Errorf("the README lacks %s", key)
		}
	}
}
