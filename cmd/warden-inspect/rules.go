package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/replay/expect"
)

// rulesCmd is `warden-inspect rules`.
type rulesCmd struct {
	List rulesListCmd `cmd:"" help:"List all rules, or those that a corpus does not exercise."`
	Show rulesShowCmd `cmd:"" help:"Explain one rule: what it finds, why, an example, how to relax it and where."`
}

type rulesListCmd struct {
	CoverageOf string `placeholder:"DIR" help:"Scan the traces of DIR, each as its expectation says, and list the rules that none of them exercises; exit 1 if there are any."`
	Family     string `complete:"catalog,secret,policy,allowlist,profile,lock" placeholder:"NAME" help:"Only this family: catalog, secret, policy, allowlist, profile, lock."`
	rulesOf
	JSON   bool   `name:"json" help:"One JSON object a line."`
	Output string `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

// rulesOf names the rule sets in question.
type rulesOf struct {
	Ruleset []string `complete:"more" placeholder:"FILE" sep:"none" help:"The built-in rules and those that this file adds; or the name of a built-in set: calibrated."`
}

// set loads them, with a rule for each pattern of a file: there it has no text.
func (f *rulesOf) set() (*ruleset.Set, error) {
	set, err := program.RuleSets(nil, f.Ruleset)
	if err != nil {
		return nil, err
	}
	out := *set
	out.Rules = slices.Clone(set.Rules)
	at := len(out.Rules)
	for i := range out.Rules {
		if out.Rules[i].Family == "secret" {
			at = i + 1
		}
	}
	for i := range set.Secrets {
		if s := &set.Secrets[i]; set.Rule(s.ID) == nil {
			out.Rules = slices.Insert(out.Rules, at, ruleset.Rule{ID: s.ID, Family: "secret", Tier: analyze.Block, Severity: s.Severity,
				Title: "A pattern of a rule set file", What: "A match of the pattern below.",
				Relax: "`secret_echo_applies: false` for the tool in the lock. On the wire: `--redact-secret-echo` or `--no-block-secret-echo`."})
			at++
		}
	}
	return &out, nil
}

type rulesShowCmd struct {
	ID []string `complete:"rule" arg:"" name:"id" help:"Rule id, WRD-RES-ANSI for instance; any case."`
	rulesOf
	JSON   bool   `name:"json" help:"One JSON object a line."`
	Output string `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

// ruleJSON is a rule as --json writes it.
type ruleJSON struct {
	ID        string   `json:"id"`
	Family    string   `json:"family"`
	Title     string   `json:"title"`
	Tier      string   `json:"tier"`
	Severity  string   `json:"severity"`
	Level     string   `json:"level"`
	Wider     bool     `json:"wider"`
	What      string   `json:"what"`
	Why       string   `json:"why"`
	Example   string   `json:"example"`
	Relax     string   `json:"relax"`
	Source    string   `json:"source"`
	Pattern   string   `json:"pattern,omitempty"`
	Keywords  []string `json:"keywords,omitempty"`
	Elsewhere string   `json:"elsewhere,omitempty"`
}

func asJSON(s *ruleset.Set, r *ruleset.Rule) ruleJSON {
	out := ruleJSON{r.ID, r.Family, r.Title, r.Tier.String(), r.Severity.String(), r.Severity.Level(), r.Wider,
		r.What, r.Why, r.Example, r.Relax, r.Source, "", nil, expect.Elsewhere(r.ID)}
	if sec := s.Secret(r.ID); sec != nil {
		out.Pattern, out.Keywords = sec.Pattern, sec.Keywords
	}
	return out
}

// printTo runs f with what -o names.
func printTo(w *program.World, file string, f func(io.Writer) error) error {
	if file == "" {
		file = "-"
	}
	out, err := target.Create(file, w.Stdout)
	if err != nil {
		return err
	}
	if err := f(out); err != nil {
		out.Abort()
		return err
	}
	return out.Close()
}

// Run lists rules.
func (c *rulesListCmd) Run(w *program.World) error {
	set, err := c.set()
	if err != nil {
		return err
	}
	if c.CoverageOf != "" {
		return c.coverage(w, set)
	}
	n := 0
	err = printTo(w, c.Output, func(out io.Writer) error {
		last := ""
		for i := range set.Rules {
			r := &set.Rules[i]
			if c.Family != "" && r.Family != c.Family {
				continue
			}
			n++
			if c.JSON {
				if err := report.WriteJSONLine(out, asJSON(set, r)); err != nil {
					return err
				}
				continue
			}
			if r.Family != last {
				if last != "" {
					fmt.Fprintln(out)
				}
				last = r.Family
				fmt.Fprintln(out, familyNames[r.Family])
			}
			title := r.Title
			if r.Wider {
				title += " (wider: off with --coverage spec)"
			}
			if _, err := fmt.Fprintf(out, "  %-45s %-8s %-9s %s\n", r.ID, r.Tier, r.Severity, title); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && n == 0 {
		err = program.Fail("catalog, secret, policy, allowlist, profile and lock are families", "--family: no rule is of that family")
	}
	return err
}

var familyNames = map[string]string{
	"catalog":   "Results of tools: always on",
	"secret":    "Secrets: sub-rules of WRD-RES-SECRET-ECHO",
	"policy":    "Argument policy: --policy, and policy lint",
	"allowlist": "Call allow-list: --allowlist",
	"profile":   "Conformance profiles: --profile",
	"lock":      "Pinned tool surface: --lock, and the lock commands",
}

// coverage lists what the traces of a corpus do not exercise.
func (c *rulesListCmd) coverage(w *program.World, set *ruleset.Set) error {
	if err := (&program.Targets{Out: []program.Named{{Flag: "--output", Path: c.Output}}, Traces: []string{c.CoverageOf}}).Check(w); err != nil {
		return err
	}
	cases, err := expect.Find([]string{c.CoverageOf})
	if err != nil {
		return program.Fail("warden-replay test explains what is wrong with a corpus", "--coverage-of: %w", err)
	}
	cover := expect.NewCoverage(set)
	load := program.Recipes(w, set)
	var errs []error
	for _, x := range cases {
		got, err := x.Scan(load)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		cover.Add(got.Findings)
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	bare, all, elsewhere := 0, 0, map[string][]string{}
	err = printTo(w, c.Output, func(out io.Writer) error {
		for _, item := range cover.Items() {
			rule := set.Rule(item.Name)
			if item.Kind != "rule" && item.Kind != "pattern" || c.Family != "" && (rule == nil || rule.Family != c.Family) {
				continue
			}
			all++
			switch {
			case item.Count == 0 && item.Elsewhere == "":
				bare++
			case c.JSON:
			case item.Count == 0:
				elsewhere[item.Elsewhere] = append(elsewhere[item.Elsewhere], item.Name)
			}
			if c.JSON {
				if err := report.WriteJSONLine(out, item); err != nil {
					return err
				}
			} else if item.Count == 0 && item.Elsewhere == "" {
				fmt.Fprintf(out, "%s: no trace has a finding of it\n", item.Name)
			}
		}
		if c.JSON {
			return nil
		}
		return coverageEnd(out, cover, all, bare, len(cases), elsewhere)
	})
	if err != nil {
		return err
	}
	if bare > 0 {
		return program.Status(program.ExitFindings)
	}
	return nil
}

func coverageEnd(out io.Writer, cover *expect.Coverage, all, bare, traces int, elsewhere map[string][]string) error {
	away := 0
	for _, item := range cover.Items() {
		names := elsewhere[item.Elsewhere]
		if item.Elsewhere == "" || len(names) == 0 {
			continue
		}
		delete(elsewhere, item.Elsewhere)
		away += len(names)
		what := strings.Join(names, ", ")
		if len(names) > 4 {
			what = fmt.Sprintf("%s to %s (%d rules)", names[0], names[len(names)-1], len(names))
		}
		fmt.Fprintf(out, "%s: not by a scan; %s\n", what, item.Elsewhere)
	}
	_, err := fmt.Fprintf(out, "%s %d of %s; %d can't come from a scan, %s bare\n", program.Count(traces, "trace exercises", "traces exercise"), all-bare-away, program.Count(all, "rule", "rules"), away, program.Count(bare, "is", "are"))
	return err
}

// Run explains rules.
func (c *rulesShowCmd) Run(w *program.World) error {
	set, err := c.set()
	if err != nil {
		return err
	}
	var rules []*ruleset.Rule
	for _, id := range c.ID {
		r := set.Rule(strings.ToUpper(strings.TrimSpace(id)))
		if r == nil {
			return program.Fail(near(set, id), "no rule has the id %q", safe.Limit(id, 80))
		}
		rules = append(rules, r)
	}
	return printTo(w, c.Output, func(out io.Writer) error {
		for i, r := range rules {
			if c.JSON {
				if err := report.WriteJSONLine(out, asJSON(set, r)); err != nil {
					return err
				}
				continue
			}
			if i > 0 {
				fmt.Fprintln(out)
			}
			if _, err := out.Write(explain(set, r)); err != nil {
				return err
			}
		}
		return nil
	})
}

// near is a hint with the ids that hold what the user wrote, or a part of it.
func near(set *ruleset.Set, id string) string {
	words := strings.FieldsFunc(strings.ToUpper(id), func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	var best []string
	most := 1
	for i := range set.Rules {
		n := 0
		for _, word := range words {
			if len(word) > 2 && strings.Contains(set.Rules[i].ID, word) {
				n++
			}
		}
		if n > most {
			most, best = n, nil
		}
		if n == most {
			best = append(best, set.Rules[i].ID)
		}
	}
	if len(best) == 0 || len(best) > 5 {
		return "warden-inspect rules list names them all"
	}
	return "perhaps " + strings.Join(best, ", ")
}

// explain is a rule's page.
func explain(set *ruleset.Set, r *ruleset.Rule) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s\n", r.ID, r.Title)
	fmt.Fprintf(&b, "%s tier, %s severity (SARIF %s), family %s", r.Tier, r.Severity, r.Severity.Level(), r.Family)
	if r.Wider {
		b.WriteString(", off with --coverage spec")
	}
	b.WriteString("\n")
	part := func(head, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&b, "\n%s\n%s", head, wrapped(text))
		}
	}
	part("What it finds", r.What)
	part("Why it matters", r.Why)
	if r.Example != "" {
		fmt.Fprintf(&b, "\nExample\n  %s\n", strings.ReplaceAll(strings.TrimSpace(r.Example), "\n", "\n  "))
	}
	part("On the wire", onWire(r))
	part("How to relax it", r.Relax)
	if sec := set.Secret(r.ID); sec != nil {
		fmt.Fprintf(&b, "\nPattern (RE2)\n  %s\n", sec.Pattern)
	}
	part("Where it can be found", expect.Elsewhere(r.ID))
	part("Source", r.Source)
	return b.Bytes()
}

// onWire says what guard does about a finding by default.
func onWire(r *ruleset.Rule) string {
	switch {
	case strings.HasPrefix(r.ID, "WRD-DRIFT-"), strings.HasPrefix(r.ID, "POL-LINT-"):
		return ""
	case r.Tier == analyze.Note:
		return "Forwarded: a note never blocks."
	case r.Tier == analyze.Monitor:
		return "Forwarded: a monitor rule warns and does not block by itself."
	case r.ID == "WRD-RES-ANSI":
		return "Modified: the code points are cut out."
	}
	return "Blocked: an error takes its place."
}

// wrapped sets a paragraph in lines of 96 columns, indented.
func wrapped(text string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		switch {
		case width == 0:
			b.WriteString("  ")
			width = 2
		case width+1+len(word) > 96:
			b.WriteString("\n  ")
			width = 2
		default:
			b.WriteString(" ")
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	b.WriteString("\n")
	return b.String()
}
