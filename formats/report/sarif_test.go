package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v2/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func sarifHandler(o SARIFOptions) func(*bytes.Buffer) Handler {
	return func(b *bytes.Buffer) Handler { return NewSARIF(b, o, testRun()) }
}

// uriChars are the characters of a URI reference (RFC 3986). The schema's own
// check lets blanks pass.
var uriChars = regexp.MustCompile(`^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#\[\]-]|%[0-9A-F]{2})+$`)

// validSARIF checks a log against the schema, URIs and all, and against what
// GitHub and the specification's text ask beyond it.
func validSARIF(t *testing.T, log []byte) *sarif.Run {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Fatalf("not valid: %v", err)
	}
	if why := unescaped(string(log)); why != "" {
		t.Errorf("the log holds %s", why)
	}
	r, err := sarif.FromBytes(log)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) != 1 {
		t.Fatalf("%d runs", len(r.Runs))
	}
	run := r.Runs[0]
	if run.Results == nil {
		t.Error("results are missing; a clean run has an empty list")
	}
	for _, rule := range run.Tool.Driver.Rules {
		if rule.Help == nil || *rule.Help.Text == "" || len(rule.Properties["tags"].([]any)) > 10 {
			t.Errorf("rule %s lacks help or has too many tags", rule.ID)
		}
	}
	for i, res := range run.Results {
		if len(res.Locations) != 1 || *res.Locations[0].PhysicalLocation.Region.StartLine < 1 {
			t.Fatalf("result %d has no location", i)
		}
		u, err := url.Parse(*res.Locations[0].PhysicalLocation.ArtifactLocation.URI)
		if err != nil || u.Host != "" || u.Scheme != "" && u.Scheme != "file" || !uriChars.MatchString(u.String()) {
			t.Errorf("result %d: uri %v: %v", i, u, err)
		}
		if len(*res.Message.Text) > 16<<10 {
			t.Errorf("result %d: a message of %d bytes", i, len(*res.Message.Text))
		}
		if got := run.Tool.Driver.Rules[*res.RuleIndex].ID; got != *res.RuleID {
			t.Errorf("result %d: index says %s, id says %s", i, got, *res.RuleID)
		}
	}
	return run
}

func TestSARIFGoldens(t *testing.T) {
	for _, c := range []struct {
		name  string
		story func(*testing.T, Handler)
	}{{"report.sarif", tell}, {"clean.sarif", nothing}} {
		t.Run(c.name, func(t *testing.T) {
			log := render(t, c.story, sarifHandler(SARIFOptions{}))
			golden(t, c.name, log)
			validSARIF(t, log)
		})
	}
}

// TestSchemaCanFail sees that the check above is one.
func TestSchemaCanFail(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	log := string(render(t, tell, sarifHandler(SARIFOptions{})))
	for _, c := range []struct{ old, new string }{
		{`"startLine":7`, `"startLine":0`},
		{`"level":"error"`, `"level":"bad"`},
		{`"ruleId"`, `"ruleID"`},
	} {
		broken := strings.Replace(log, c.old, c.new, 1)
		if broken == log {
			t.Fatalf("no %s in the log", c.old)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(broken))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("%s passes", c.new)
		}
	}
}

func TestSARIFLimit(t *testing.T) {
	log := render(t, func(t *testing.T, h Handler) {
		for i := range 6 {
			f := note()
			f.Line = int64(i + 1)
			h.Finding(f)
		}
		f := ansi()
		f.Line = 100
		h.Finding(f)
		f = phrase()
		f.Line = 101
		h.Finding(f)
		h.Close(&Summary{ExitCode: 1})
	}, sarifHandler(SARIFOptions{Limit: 4}))
	run := validSARIF(t, log)
	var lines []int
	for _, r := range run.Results {
		lines = append(lines, *r.Locations[0].PhysicalLocation.Region.StartLine)
	}
	// The two that matter most push out the last notes that were kept.
	if got, want := fmt.Sprint(lines), "[1 2 100 101]"; got != want {
		t.Errorf("kept lines %s, want %s", got, want)
	}
	notes := run.Invocations[0].ToolExecutionNotifications
	if len(notes) != 1 || !strings.Contains(*notes[0].Message.Text, "4 of 8 results are left out (0 block, 0 monitor, 4 note)") {
		t.Errorf("the notice is %s", mustJSON(notes))
	}
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestTraceURI(t *testing.T) {
	for _, c := range []struct{ name, root, want string }{
		{"a.jsonl", "", "a.jsonl"},
		{"./dir//a b.jsonl", "", "dir/a%20b.jsonl"},
		{"a#1%?.jsonl", "", "a%231%25%3F.jsonl"},
		{"c:x.jsonl", "", "c%3Ax.jsonl"},
		{"mailto:a/b", "", "mailto%3Aa/b"},
		{"żółć.jsonl", "", "%C5%BC%C3%B3%C5%82%C4%87.jsonl"},
		{"a\xff\x1b\n.jsonl", "", "a%FF%1B%0A.jsonl"},
		{"/var/log/a b.jsonl", "", "file:///var/log/a%20b.jsonl"},
		{"//host/share", "", "file:///host/share"},
		{"/repo/traces/a.jsonl", "/repo", "traces/a.jsonl"},
		{"/repo/traces/a.jsonl", "/repo/", "traces/a.jsonl"},
		{"/repository/a.jsonl", "/repo", "file:///repository/a.jsonl"},
		{"x.tar!dir/a.jsonl", "", "x.tar!dir/a.jsonl"},
		{`dir\a.jsonl`, "", "dir%5Ca.jsonl"},
		{"../up.jsonl", "", "../up.jsonl"},
		{"-", "", "stdin"},
		{"", "", "stdin"},
		{".", "", "."},
		{"<b>\"'&", "", "%3Cb%3E%22%27%26"},
	} {
		got := traceURI(c.name, c.root)
		if got != c.want {
			t.Errorf("traceURI(%q, %q) = %q, want %q", c.name, c.root, got, c.want)
		}
		if u, err := url.Parse(got); err != nil || !uriChars.MatchString(got) || u.Scheme != "" && u.Scheme != "file" || u.Host != "" {
			t.Errorf("%q is %#v, %v", got, u, err)
		}
	}
}

func TestSARIFManyProblems(t *testing.T) {
	log := render(t, func(t *testing.T, h Handler) {
		for i := range noteLimit + 5 {
			h.Problem(&Problem{Trace: "a", Line: int64(i), Message: "not JSON", Parse: true})
		}
		h.Close(&Summary{ExitCode: 130, Interrupted: true})
	}, sarifHandler(SARIFOptions{}))
	run := validSARIF(t, log)
	notes := run.Invocations[0].ToolExecutionNotifications
	if len(notes) != noteLimit+2 || *notes[noteLimit].Message.Text != "5 more notifications are left out" {
		t.Errorf("%d notifications", len(notes))
	}
	if *run.Invocations[0].ExecutionSuccessful {
		t.Error("an interrupted run is no success")
	}
}
