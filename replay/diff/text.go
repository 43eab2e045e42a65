package diff

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
)

// Names are what the two rule sets are called in reports.
type Names struct{ Base, Head string }

var marks = map[Sign]string{Plus: "+", Minus: "-", Tilde: "~"}

// cut bounds and cleans what comes from a trace.
func cut(s string, most int) string { return safe.Name(safe.Limit(s, most)) }

// allOfThem is where to look for what a report for people leaves out.
const allOfThem = "--json FILE, or --format json, has all of them"

// WriteText writes the summary for a person.
func (s *Summary) WriteText(w io.Writer, n Names) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "base  %s  %s\nhead  %s  %s\n\n", cut(n.Base, 200), s.Base.Hash, cut(n.Head, 200), s.Head.Hash)
	s.textEdits(&b)
	for _, r := range s.Rules {
		fmt.Fprintf(&b, "%s: %d added, %d removed, %d changed (%d with base, %d with head)\n", r.name(), r.Added, r.Removed, r.Changed, r.Base, r.Head)
		for i := range r.Samples {
			r.Samples[i].text(&b)
		}
		for _, sign := range []Sign{Plus, Minus, Tilde} {
			if more := r.of(sign) - MaxSamples; more > 0 {
				fmt.Fprintf(&b, "  %s ... and %d more; %s\n", marks[sign], more, allOfThem)
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString(s.total() + "\n")
	_, err := w.Write(b.Bytes())
	return err
}

func (s *Summary) textEdits(b *bytes.Buffer) {
	if len(s.Edits) == 0 {
		b.WriteString("the rules are the same\n\n")
		return
	}
	fmt.Fprintf(b, "%s of the rules, and what each does here\n", plural(int64(len(s.Edits)), "edit"))
	const most = 50
	for i, e := range s.Edits {
		if i == most {
			fmt.Fprintf(b, "  ... and %d more; %s\n", len(s.Edits)-most, allOfThem)
			break
		}
		fmt.Fprintf(b, "  %s %s: %s\n", marks[e.Sign], cut(e.String(), 200), e.effect())
	}
	b.WriteByte('\n')
}

// effect says how many changes an edit made.
func (e *Edit) effect() string {
	var parts []string
	for _, p := range []struct {
		n    int64
		sign Sign
	}{{e.Added, Plus}, {e.Removed, Minus}, {e.Changed, Tilde}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", plural(p.n, "finding"), p.sign))
		}
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (r *RuleSummary) name() string {
	if r.SubRule != "" {
		return r.Rule + " " + r.SubRule
	}
	return r.Rule
}

func (r *RuleSummary) of(sign Sign) int64 {
	return map[Sign]int64{Plus: r.Added, Minus: r.Removed, Tilde: r.Changed}[sign]
}

func (x *Sample) text(b *bytes.Buffer) {
	fmt.Fprintf(b, "  %s %s: %s, %s\n", marks[x.Sign], where(&x.Finding), x.Tier, x.Action)
	fmt.Fprintf(b, "      %s\n", cut(evidence(&x.Finding), 400))
	if x.Was != "" {
		fmt.Fprintf(b, "      was: %s\n", cut(x.Was, 400))
	}
	fmt.Fprintf(b, "      because: %s\n", because(x.Cause))
}

// where is the place of a finding: file, line, tool, id, pointer.
func where(f *analyze.Finding) string {
	s := safe.String(safe.Limit(f.Trace, 500)) // trace paths are never redacted
	if f.Line > 0 {
		s += fmt.Sprintf(":%d", f.Line)
	}
	if f.Session != "" {
		s += " session " + cut(f.Session, 100)
	}
	if f.Tool != "" {
		s += " tool " + cut(f.Tool, 100)
	}
	if len(f.RPCID) > 0 {
		s += " id " + cut(string(f.RPCID), 80)
	}
	if f.Pointer != "" {
		s += " " + cut(f.Pointer, 200)
	}
	return s
}

// evidence is what was found, and the redacted text around it.
func evidence(f *analyze.Finding) string {
	if f.Snippet == "" || strings.Contains(f.Message, f.Snippet) {
		return f.Message
	}
	return f.Message + " [" + f.Snippet + "]"
}

func because(cause []*Edit) string {
	if len(cause) == 0 {
		return "no edit of the rules explains it"
	}
	var names []string
	for i, e := range cause {
		if i == 3 {
			names = append(names, fmt.Sprintf("%d more", len(cause)-i))
			break
		}
		names = append(names, cut(e.String(), 200))
	}
	if len(cause) > 1 {
		return "one of: " + strings.Join(names, "; ")
	}
	return names[0]
}

func (s *Summary) total() string {
	t := fmt.Sprintf("%s, %s, %s: %s with base, %d with head; %d added, %d removed, %d changed",
		plural(s.Traces, "trace"), plural(s.Sessions, "session"), plural(s.Frames, "frame"), plural(s.Base.Findings, "finding"), s.Head.Findings, s.Added, s.Removed, s.Changed)
	for _, l := range s.lacks() {
		t += "; " + l
	}
	return t
}

// lacks says what the sums are not about: every report has to say it.
func (s *Summary) lacks() (list []string) {
	if s.ParseErrors > 0 {
		list = append(list, plural(s.ParseErrors, "line")+" unreadable")
	}
	if s.Fatal {
		list = append(list, "not everything could be read")
	}
	if s.Interrupted {
		list = append(list, "interrupted: this is what differs until then")
	}
	return list
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
