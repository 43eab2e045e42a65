package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"sort"
	"strconv"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
)

// JUnitOptions steer the JUnit report.
type JUnitOptions struct {
	// FailOn is the weakest tier whose findings are failures (--fail-on);
	// weaker ones are told in the suite's output. Never makes none a failure.
	FailOn analyze.Tier
	Never  bool
}

// Bounds of the JUnit report.
const (
	junitPerRule  = 20 // findings named in one test
	junitProblems = 25 // problems named in one test
)

// NewJUnit returns the JUnit XML handler: a suite for each trace, in it a test
// "readable" and one for each rule that judged it. The rules of the catalog
// judge every trace; of the other families only those are listed that found
// something, since they may not have been asked to look. Written to be valid
// for Jenkins' schema and for that of Ant's junitreport, which is the stricter:
// one failure a test, attributes that nobody needs, and output of the suite
// alone, where weaker findings and notices are told. A suite's time is what the
// recording lasted, never what reading it took.
func NewJUnit(w io.Writer, o JUnitOptions, run *Run) Handler {
	j := &junit{out: newOut(w), o: o, run: run, lens: newLens(run)}
	j.buf = append(j.buf, xml.Header+"<testsuites>\n"...)
	j.forget()
	return j
}

type junit struct {
	out
	o    JUnitOptions
	run  *Run
	lens *lens
	id   int64 // of the next suite

	current  string
	pending  bool
	rules    map[string]*junitRule
	problems bytes.Buffer
	aside    bytes.Buffer // what was found or noticed but is no failure
	bad      int64        // fatal problems of the trace in hand
	seen     int64
}

// junitRule is what one rule found in the trace in hand.
type junitRule struct {
	tier  analyze.Tier // of its strongest finding; a lock can weaken single ones
	fails int64        // findings that make it fail
	all   int64
	text  bytes.Buffer
}

func (j *junit) forget() {
	j.current, j.pending, j.bad, j.seen = "", false, 0, 0
	j.rules = map[string]*junitRule{}
	j.problems.Reset()
	j.aside.Reset()
}

func (j *junit) enter(trace string) {
	if j.pending && j.current != trace {
		// A trace that could not be opened has no summary.
		j.suite(&Trace{Name: j.current})
	}
	j.current, j.pending = trace, true
}

func (j *junit) fails(t analyze.Tier) bool { return !j.o.Never && t >= j.o.FailOn }

func (j *junit) Finding(f *analyze.Finding) error {
	j.enter(f.Trace)
	r := j.rules[f.Rule]
	if r == nil {
		r = &junitRule{}
		j.rules[f.Rule] = r
	}
	r.all++
	r.tier = max(r.tier, f.Tier)
	if j.fails(f.Tier) && !f.Accepted() {
		r.fails++
	}
	if r.all > junitPerRule {
		return nil
	}
	v := j.lens.view(f)
	b := &r.text
	b.WriteString(safe.String(v.trace))
	if f.Line > 0 {
		b.WriteString(":" + itoa(f.Line))
	}
	if f.Accepted() {
		b.WriteString(" [accepted by the baseline: " + justification(j.lens, f.Suppressed) + "]")
	}
	b.WriteString(": " + f.Tier.String() + ", " + f.Severity.String() + ", " + f.Action.String())
	if f.SubRule != "" {
		b.WriteString(", " + safe.String(safe.Limit(f.SubRule, maxName)))
	}
	if v.tool != "" {
		b.WriteString(", tool " + safe.String(safe.Limit(v.tool, 120)))
	}
	if id := v.id.shown(); id != "" {
		b.WriteString(", id " + safe.String(safe.Limit(id, 80)))
	}
	b.WriteString(": " + safe.String(safe.Limit(v.told(), 1000)))
	if v.snippet != "" {
		b.WriteString(" [" + safe.String(safe.Limit(v.snippet, 400)) + "]")
	}
	b.WriteByte('\n')
	return nil
}

func (j *junit) Problem(p *Problem) error {
	j.enter(p.Trace)
	if p.Fatal {
		j.bad++
	}
	if j.seen++; j.seen > junitProblems {
		return nil
	}
	if p.Line > 0 {
		j.problems.WriteString("line " + itoa(p.Line) + ": ")
	}
	j.problems.WriteString(safe.String(safe.Limit(j.lens.message.Raw(p.Message), 1000)) + "\n")
	return nil
}

func (j *junit) Trace(t *Trace) error {
	j.enter(t.Name)
	j.suite(t)
	return j.spill()
}

// judged are the rules that have a test in the trace in hand, in catalog order,
// and those that the catalog does not know after it.
func (j *junit) judged(read bool) []string {
	var ids []string
	known := map[string]bool{}
	for i := range j.run.Rules {
		r := &j.run.Rules[i]
		known[r.ID] = true
		always := read && r.Family == "catalog" && r.Tier > analyze.Note && (!r.Wider || j.run.Coverage == analyze.Full)
		if always || j.rules[r.ID] != nil {
			ids = append(ids, r.ID)
		}
	}
	at := len(ids)
	for id := range j.rules {
		if !known[id] {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids[at:])
	return ids
}

// suite writes the trace in hand.
func (j *junit) suite(t *Trace) {
	// A trace that was opened has a form; of another no rule has seen anything.
	ids := j.judged(t.Format != "" || t.Frames > 0)
	failures, errors := 0, 0
	for _, id := range ids {
		if r := j.rules[id]; r != nil && r.fails > 0 {
			failures++
		}
	}
	if j.bad > 0 || t.Incomplete {
		errors = 1
	}
	start, length := time.Unix(0, 0), time.Duration(0)
	for i := range t.Sessions {
		s := &t.Sessions[i]
		if !s.Start.IsZero() && (start.Unix() == 0 || s.Start.Before(start)) {
			start = s.Start
		}
		if d := s.End.Sub(s.Start); !s.Start.IsZero() && d > 0 {
			length += d
		}
	}
	name := j.lens.trace.Raw(t.Name)
	if name == "" {
		name = "the run" // problems of no trace
	}
	b := append(j.buf, `<testsuite`...)
	b = attr(b, "name", name)
	b = attr(b, "package", "warden")
	b = attr(b, "id", itoa(j.id))
	b = attr(b, "timestamp", start.UTC().Format("2006-01-02T15:04:05"))
	b = attr(b, "hostname", "localhost")
	b = attr(b, "tests", strconv.Itoa(len(ids)+1))
	b = attr(b, "failures", strconv.Itoa(failures))
	b = attr(b, "errors", strconv.Itoa(errors))
	b = attr(b, "time", strconv.FormatFloat(length.Seconds(), 'f', 3, 64))
	b = append(b, ">\n <properties>\n"...)
	for _, p := range [...][2]string{
		{"version", j.run.Version}, {"ruleset", j.run.Ruleset}, {"coverage", j.run.Coverage.String()},
		{"format", t.Format}, {"fidelity", t.Fidelity},
		{"frames", itoa(t.Frames)}, {"inspected", itoa(t.Inspected)}, {"sessions", itoa(t.SessionsAll)},
	} {
		b = append(attr(attr(append(b, "  <property"...), "name", p[0]), "value", p[1]), "/>\n"...)
	}
	b = append(b, " </properties>\n"...)
	b = j.readable(b, name, t)
	for _, id := range ids {
		b = j.test(b, name, id)
	}
	b = escapeXML(append(b, " <system-out>"...), j.aside.String())
	j.buf = append(b, "</system-out>\n <system-err></system-err>\n</testsuite>\n"...)
	j.id++
	j.forget()
}

// readable is the test that a trace could be read to its end.
func (j *junit) readable(b []byte, trace string, t *Trace) []byte {
	b = testcase(b, trace, "readable")
	text := j.problems.String()
	if more := j.seen - junitProblems; more > 0 {
		text += "... and " + thousands(more) + " more\n"
	}
	switch {
	case j.bad > 0 || t.Incomplete:
		what := count(j.bad, "problem", "problems")
		switch {
		case t.Interrupted:
			what = "the run was interrupted: read as far as that"
		case t.Incomplete:
			what = "damaged: read as far as it went"
		}
		b = attr(append(b, ">\n  <error"...), "message", what)
		b = append(attr(b, "type", "unreadable"), '>')
		b = append(escapeXML(b, text), "</error>\n </testcase>\n"...)
	default:
		j.aside.WriteString(text)
		b = append(b, "/>\n"...)
	}
	return b
}

// test is the test of one rule.
func (j *junit) test(b []byte, trace, id string) []byte {
	b = testcase(b, trace, id)
	r := j.rules[id]
	if r == nil {
		return append(b, "/>\n"...)
	}
	text := r.text.String()
	if more := r.all - junitPerRule; more > 0 {
		text += "... and " + thousands(more) + " more\n"
	}
	if r.fails == 0 {
		j.aside.WriteString(id + ":\n" + text)
		return append(b, "/>\n"...)
	}
	if rule := j.run.Rule(id); rule != nil && rule.Relax != "" {
		text += "What to do: " + safe.String(rule.Relax) + "\n"
	}
	b = attr(append(b, ">\n  <failure"...), "message", count(r.all, "finding", "findings"))
	b = append(attr(b, "type", r.tier.String()), '>')
	return append(escapeXML(b, text), "</failure>\n </testcase>\n"...)
}

func testcase(b []byte, trace, name string) []byte {
	b = attr(append(b, " <testcase"...), "classname", trace)
	return attr(attr(b, "name", name), "time", "0")
}

// attr appends an attribute; its value is made safe here.
func attr(b []byte, name, value string) []byte {
	b = append(append(append(b, ' '), name...), `="`...)
	return append(escapeXML(b, safe.String(value)), '"')
}

// escapeXML appends s for text or an attribute. What XML 1.0 has no way to
// write, control characters above all, never gets here: package safe has made
// it visible.
func escapeXML(b []byte, s string) []byte {
	var w bytes.Buffer
	// Line feeds are ours and stay what they are in text.
	for i, line := range bytes.Split([]byte(s), []byte("\n")) {
		if i > 0 {
			w.WriteByte('\n')
		}
		xml.EscapeText(&w, line)
	}
	return append(b, w.Bytes()...)
}

func (j *junit) Close(s *Summary) error {
	if s.Interrupted {
		j.Problem(&Problem{Message: interrupted, Fatal: true})
	}
	if j.pending {
		j.suite(&Trace{Name: j.current})
	}
	j.buf = append(j.buf, "</testsuites>\n"...)
	return j.close()
}

func (j *junit) Abort() { j.abort() }
