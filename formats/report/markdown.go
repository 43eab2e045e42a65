package report

import (
	"io"
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
)

// Bounds of the Markdown report. A comment on a pull request holds 65,536
// characters.
const (
	markdownRows    = 32 << 10 // bytes of the table of findings
	markdownRemarks = 8 << 10  // bytes of the remarks on traces
)

// NewMarkdown returns the handler for a pull request's comment or a job's
// summary: what was found by rule, the block findings in a table, and what a
// reader must know before he trusts it. No text of a trace can become markup,
// a link or a mention.
func NewMarkdown(w io.Writer, run *Run) Handler {
	return &markdown{out: newOut(w), run: run, lens: newLens(run)}
}

type markdown struct {
	out
	run  *Run
	lens *lens

	rows    []byte
	unshown int64
	about   []byte // remarks on traces
	more    int64  // of them, left out
}

func (m *markdown) Finding(f *analyze.Finding) error {
	if f.Tier != analyze.Block || f.Accepted() {
		return nil
	}
	if len(m.rows) >= markdownRows {
		m.unshown++
		return nil
	}
	v := m.lens.view(f)
	rule := code(f.Rule, 60)
	if f.SubRule != "" {
		rule += "<br>" + code(f.SubRule, 60)
	}
	where := code(place(v), 120)
	if id := v.id.shown(); id != "" {
		where += "<br>id " + code(id, 40)
	}
	tool := ""
	if v.tool != "" {
		tool = code(v.tool, 60)
	}
	what := code(v.told(), 240)
	if v.snippet != "" && !strings.Contains(v.message, v.snippet) {
		what += "<br>" + code(v.snippet, 120)
	}
	m.rows = append(m.rows, "| "+rule+" | "+where+" | "+tool+" | "+f.Action.String()+" | "+what+" |\n"...)
	return nil
}

// place is file:line.
func place(v *view) string {
	if v.Line > 0 {
		return v.trace + ":" + itoa(v.Line)
	}
	return v.trace
}

func (m *markdown) Problem(p *Problem) error {
	where := p.Trace
	switch {
	case p.Trace == "":
		where = "the run"
	case p.Line > 0:
		where += ":" + itoa(p.Line)
	}
	mark := "notice"
	if p.Fatal {
		mark = "**error**"
	}
	m.remark(code(m.lens.trace.Raw(where), 200) + " " + mark + ": " + code(m.lens.message.Raw(p.Message), 300))
	return nil
}

func (m *markdown) Trace(t *Trace) error {
	if t.Incomplete {
		m.remark(code(m.lens.trace.Raw(t.Name), 200) + " is " + t.Lacks())
	}
	if t.Fidelity != "" && t.Fidelity != wire {
		m.remark(code(m.lens.trace.Raw(t.Name), 200) + " is " + code(t.Fidelity, 40) + ": " + lacks(t.Fidelity))
	}
	return nil
}

func (m *markdown) remark(s string) {
	if len(m.about) >= markdownRemarks {
		m.more++
		return
	}
	m.about = append(m.about, "- "+s+"\n"...)
}

func (m *markdown) Close(s *Summary) error {
	c := &s.Counts
	total := c.Block + c.Monitor + c.Note
	head := "no findings"
	switch {
	case c.Block > 0:
		head = count(c.Block, "block finding", "block findings")
	case s.Frames == 0 && c.LeftOut == 0:
		head = "nothing inspected"
	case total > 0:
		head = "no block findings"
	case c.LeftOut > 0:
		head = "nothing that matches"
	}
	if s.Interrupted {
		head += " so far"
	}
	b := append(m.buf, "### warden: "+head+"\n\n"...)
	b = append(b, count(s.Frames, "frame", "frames")+" in "+count(s.Sessions, "session", "sessions")+" of "+
		count(s.Traces, "trace", "traces")+", "+size(s.Bytes)+"; exit "+strconv.Itoa(s.ExitCode)+".\n"...)
	if c.Accepted > 0 {
		b = append(b, "\n"+count(c.Accepted, "finding", "findings")+" accepted by the baseline.\n"...)
	}
	if c.LeftOut > 0 {
		b = append(b, "\n"+leftOut(c.LeftOut)+".\n"...)
	}
	if s.Interrupted {
		b = append(b, "\n**The run was interrupted: this is what was found until then.**\n"...)
	}
	if total > 0 {
		b = append(b, "\n| rule | tier | findings |\n|---|---|---:|\n"...)
		for _, tier := range [...]analyze.Tier{analyze.Block, analyze.Monitor, analyze.Note} {
			for _, id := range sortedRules(c.Rules) {
				own, title := analyze.Note, ""
				if r := m.run.Rule(id); r != nil {
					own, title = r.Tier, " "+plainMarkdown(r.Title)
				}
				if own == tier {
					b = append(b, "| "+code(id, 60)+title+" | "+tier.String()+" | "+thousands(c.Rules[id])+" |\n"...)
				}
			}
		}
	}
	if len(m.rows) > 0 {
		b = append(b, "\n<details open><summary>Block findings</summary>\n\n| rule | where | tool | action | what |\n|---|---|---|---|---|\n"...)
		b = append(b, m.rows...)
		if m.unshown > 0 {
			b = append(b, "\n"+thousands(m.unshown)+" more are not shown; the JSONL report has all of them.\n"...)
		}
		b = append(b, "\n</details>\n"...)
	}
	if len(m.about) > 0 || s.ParseErrors > 0 || s.Unrecognised > 0 {
		b = append(b, "\n**Before you trust this:**\n\n"...)
		b = append(b, m.about...)
		if m.more > 0 {
			b = append(b, "- ... and "+count(m.more, "more remark", "more remarks")+"\n"...)
		}
		if s.ParseErrors > 0 {
			b = append(b, "- "+count(s.ParseErrors, "line", "lines")+" could not be read nor inspected\n"...)
		}
		if s.Unrecognised > 0 {
			b = append(b, "- "+count(s.Unrecognised, "file", "files")+" of no known form passed over\n"...)
		}
	}
	m.buf = append(b, "\n<sub>warden "+code(m.run.Version, 60)+", rules "+code(m.run.Ruleset, 80)+", coverage "+m.run.Coverage.String()+"</sub>\n"...)
	return m.close()
}

func (m *markdown) Abort() { m.abort() }

// code is text of a trace in Markdown: within <code>, where mentions and
// references are left alone, with every ASCII character that means something
// to Markdown or HTML as a numeric entity, which can't be markup by the rules
// of CommonMark, nor end a table's cell, nor begin an address.
func code(s string, width int) string {
	return "<code>" + entities(safe.Cut(s, width)) + "</code>"
}

// plainMarkdown is our own text outside of code.
func plainMarkdown(s string) string { return entities(safe.String(s)) }

func entities(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 0x80, c == ' ', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			c == '/', c == ',', c == '-', c == '.' && (i == 0 || s[i-1]|0x20 != 'w'):
			b.WriteByte(c)
		default:
			b.WriteString("&#" + strconv.Itoa(int(c)) + ";")
		}
	}
	return b.String()
}
