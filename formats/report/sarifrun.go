package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
)

// sarifSchema is the published address of the schema, for editors.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Close writes the log: the library makes its frame, with a place for the rules and
// one for the results, which are written there a line each. The log is never in
// memory as a whole.
func (s *sarifLog) Close(sum *Summary) error {
	run := &sarif.Run{
		Tool:        sarif.Tool{Driver: s.driver()},
		Invocations: []*sarif.Invocation{s.invocation(sum)},
		Results:     []*sarif.Result{},
		ColumnKind:  "unicodeCodePoints",
		PropertyBag: sarif.PropertyBag{Properties: sarif.Properties{
			"ruleset":      s.run.Ruleset,
			"coverage":     s.run.Coverage.String(),
			"traces":       sum.Traces,
			"sessions":     sum.Sessions,
			"frames":       sum.Frames,
			"inspected":    sum.Inspected,
			"parseErrors":  sum.ParseErrors,
			"resultsTotal": s.seq,
		}},
	}
	b, err := json.MarshalIndent(&sarif.Report{
		Version: string(sarif.Version210), Schema: sarifSchema, Runs: []*sarif.Run{run},
	}, "", " ")
	if err != nil {
		s.abort()
		return fmt.Errorf("sarif: %w", err)
	}
	// Quotes within strings are escaped, so these are the members and no text.
	head, rest, rules := bytes.Cut(b, []byte(`"rules": []`))
	between, tail, results := bytes.Cut(rest, []byte(`"results": []`))
	if !rules || !results {
		s.abort()
		return fmt.Errorf("sarif: the library left no place for rules and results")
	}
	s.buf = append(append(s.buf, head...), `"rules": [`...)
	if err := s.rules(); err != nil {
		s.abort()
		return fmt.Errorf("sarif: %w", err)
	}
	s.buf = append(append(append(s.buf, ']'), between...), `"results": [`...)
	s.results()
	s.buf = append(append(append(s.buf, ']'), tail...), '\n')
	return s.close()
}

// rules writes all rules, found or not.
func (s *sarifLog) rules() error {
	for i := range s.run.Rules {
		if i > 0 {
			s.buf = append(s.buf, ',')
		}
		b, err := json.Marshal(descriptor(&s.run.Rules[i]))
		if err != nil {
			return err
		}
		s.buf = append(append(s.buf, "\n      "...), b...)
	}
	if len(s.run.Rules) > 0 {
		s.buf = append(s.buf, "\n     "...)
	}
	return nil
}

// results writes the kept results in order of arrival.
func (s *sarifLog) results() {
	for first := true; ; first = false {
		next := -1
		for t := range s.kept {
			if len(s.kept[t]) > 0 && (next < 0 || s.kept[t][0].seq < s.kept[next][0].seq) {
				next = t
			}
		}
		if next < 0 {
			if !first {
				s.buf = append(s.buf, "\n   "...)
			}
			return
		}
		if !first {
			s.buf = append(s.buf, ',')
		}
		s.buf = append(append(s.buf, "\n    "...), s.kept[next][0].json...)
		s.kept[next] = s.kept[next][1:]
		if s.spill() != nil {
			return
		}
	}
}

// driver describes the program, all but its rules.
func (s *sarifLog) driver() *sarif.ToolComponent {
	return &sarif.ToolComponent{
		Name:    s.o.Program,
		Version: ptr(s.run.Version),
		Rules:   []*sarif.ReportingDescriptor{},
		PropertyBag: sarif.PropertyBag{Properties: sarif.Properties{
			"ruleset": s.run.Ruleset,
		}},
	}
}

// securitySeverity is the score that GitHub makes its own severity of.
var securitySeverity = map[analyze.Severity]string{
	analyze.Critical: "9.5", analyze.High: "8.0", analyze.Medium: "5.5", analyze.Low: "2.0",
}

func descriptor(r *ruleset.Rule) *sarif.ReportingDescriptor {
	title := r.Title
	if title == "" {
		title = r.ID
	}
	full := strings.TrimSpace(r.What + " " + r.Why)
	if full == "" {
		full = title
	}
	text, md := help(r, title)
	return &sarif.ReportingDescriptor{
		ID:               r.ID,
		Name:             ptr(pascal(r.ID)),
		ShortDescription: &sarif.MultiformatMessageString{Text: &title},
		FullDescription:  &sarif.MultiformatMessageString{Text: &full},
		Help:             &sarif.MultiformatMessageString{Text: &text, Markdown: &md},
		DefaultConfiguration: &sarif.ReportingConfiguration{
			Enabled: ptr(true), Level: r.Severity.Level(),
		},
		Properties: sarif.Properties{
			"tags":              tags(r),
			"precision":         precision(r.Tier),
			"problem.severity":  problemSeverity(r.Severity),
			"security-severity": securitySeverity[r.Severity],
			"tier":              r.Tier.String(),
			"severity":          r.Severity.String(),
		},
	}
}

func tags(r *ruleset.Rule) []string {
	t := []string{"security", "mcp", r.Tier.String()}
	if r.Family != "" {
		t = append(t, r.Family)
	}
	return t
}

// precision is how sure a rule is: a block is a fact about bytes, a monitor
// rule infers, a note only tells.
func precision(t analyze.Tier) string {
	if t == analyze.Block {
		return "high"
	}
	return "medium"
}

func problemSeverity(s analyze.Severity) string {
	switch s.Level() {
	case "error", "warning":
		return s.Level()
	}
	return "recommendation"
}

// help is a rule's text, plain and as Markdown.
func help(r *ruleset.Rule, title string) (text, md string) {
	var t, m strings.Builder
	t.WriteString(title)
	m.WriteString("## " + title)
	for _, part := range []struct{ head, body string }{
		{"What", r.What}, {"Why", r.Why}, {"Example", r.Example}, {"What to do", r.Relax},
	} {
		if part.body == "" {
			continue
		}
		t.WriteString("\n\n" + part.head + ": " + part.body)
		if part.head == "Example" {
			m.WriteString("\n\n**Example:**\n\n" + fence(part.body))
			continue
		}
		m.WriteString("\n\n**" + part.head + ":** " + part.body)
	}
	return t.String(), m.String()
}

// fence puts s in a code block that nothing in it can close.
func fence(s string) string {
	ticks := "```"
	for strings.Contains(s, ticks) {
		ticks += "`"
	}
	return ticks + "\n" + s + "\n" + ticks
}

// pascal is a rule's id as SARIF wants names: "WRD-RES-ANSI" is "WrdResAnsi".
func pascal(id string) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ' ' }) {
		b.WriteString(strings.ToUpper(w[:1]) + strings.ToLower(w[1:]))
	}
	return b.String()
}

func (s *sarifLog) invocation(sum *Summary) *sarif.Invocation {
	if n := s.dropped[analyze.Block] + s.dropped[analyze.Monitor] + s.dropped[analyze.Note]; n > 0 {
		s.notes = append(s.notes, notification("warning", "result-limit", fmt.Sprintf(
			"%d of %d results are left out (%d block, %d monitor, %d note): a run holds at most %d (--sarif-limit); the JSONL report has all of them",
			n, s.seq, s.dropped[analyze.Block], s.dropped[analyze.Monitor], s.dropped[analyze.Note], s.o.Limit)))
	}
	if s.notesLeft > 0 {
		s.notes = append(s.notes, notification("warning", "notification-limit",
			count(int64(s.notesLeft), "more notification is", "more notifications are")+" left out"))
	}
	if sum.Interrupted {
		s.notes = append(s.notes, notification("error", "interrupted", interrupted))
	}
	return &sarif.Invocation{
		ExecutionSuccessful:        ptr(!sum.Interrupted && sum.ExitCode != 2),
		ExitCode:                   &sum.ExitCode,
		ToolExecutionNotifications: s.notes,
	}
}
