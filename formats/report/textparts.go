package report

import (
	"strconv"
	"strings"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// paint colours words with the eight colours that every terminal has; false
// leaves them.
type paint bool

func (p paint) with(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p paint) strong(s string) string { return p.with("1", s) }
func (p paint) dim(s string) string    { return p.with("2", s) }
func (p paint) red(s string) string    { return p.with("1;31", s) }
func (p paint) green(s string) string  { return p.with("32", s) }
func (p paint) yellow(s string) string { return p.with("33", s) }
func (p paint) cyan(s string) string   { return p.with("36", s) }

// tier colours s the way of a tier.
func (p paint) tier(t analyze.Tier, s string) string {
	switch t {
	case analyze.Block:
		return p.red(s)
	case analyze.Monitor:
		return p.yellow(s)
	}
	return p.dim(s)
}

func same(s string) string { return s }

const indents = "                        "

func (t *text) line(indent int, s string) {
	t.buf = append(t.buf, indents[:indent]...)
	t.buf = append(t.buf, s...)
	t.buf = append(t.buf, '\n')
	t.begun = true
}

// blank sets what follows apart from what was before, if anything was.
func (t *text) blank() {
	if t.begun {
		t.buf = append(t.buf, '\n')
	}
}

// name is a trace's name for a person.
func (t *text) name(trace string) string {
	if trace == "-" {
		return "standard input"
	}
	return safe.String(t.lens.trace.Raw(trace))
}

// place is file:line, kept whole so that a terminal can make it a link.
func (t *text) place(v *view) string {
	s := t.name(v.trace)
	if v.Line > 0 {
		s += ":" + itoa(v.Line)
	}
	return safe.String(s) // a file named ":" must not begin a runner's command
}

// wrapped appends text in lines that fit, indented, each given its colour.
func (t *text) wrapped(b []byte, indent int, s string, colour func(string) string) []byte {
	for _, l := range wrap(s, t.o.Width-indent) {
		b = append(b, indents[:indent]...)
		b = append(b, colour(l)...)
		b = append(b, '\n')
	}
	return b
}

// labelled appends "    label  text" with the text's further lines aligned.
func (t *text) labelled(b []byte, label, s string, colour func(string) string) []byte {
	const at = 16
	for i, l := range wrap(s, t.o.Width-at) {
		if i == 0 {
			b = append(b, "    "...)
			b = append(b, t.dim(label)...)
			b = append(b, indents[:at-4-len(label)]...)
		} else {
			b = append(b, indents[:at]...)
		}
		b = append(b, colour(l)...)
		b = append(b, '\n')
	}
	return b
}

// block lays out a block finding in full.
func (t *text) block(b []byte, f *analyze.Finding) []byte {
	v := t.lens.view(f)
	b = append(b, '\n')
	title := t.tier(f.Tier, f.Rule)
	if f.SubRule != "" {
		title += " " + t.strong(safe.String(safe.Limit(f.SubRule, maxName)))
	}
	b = append(b, "  "+title+"  "+f.Severity.String()+", "+f.Action.String()+"\n"...)
	b = append(b, "    "+t.cyan(t.place(v))+"\n"...)
	b = t.wrapped(b, 4, v.message, same)
	switch s := f.Suppressed; {
	case s != nil && s.Expired:
		b = t.labelled(b, "baseline", isOver(s)+": it counts again", t.yellow)
	case s != nil:
		b = t.labelled(b, "baseline", justification(t.lens, s), same)
	}
	if v.snippet != "" && !strings.Contains(v.message, v.snippet) {
		b = t.labelled(b, "evidence", safe.Limit(v.snippet, 400), same)
	}
	b = t.labelled(b, "call", t.call(v), same)
	if at := t.where(v); at != "" {
		b = t.labelled(b, "at", at, same)
	}
	if r := t.rule(f); r != nil && r.Relax != "" {
		advice := strings.TrimSpace(r.Relax)
		if t.advised[r.ID] {
			advice = "as above for " + r.ID
		}
		t.advised[r.ID] = true
		b = t.labelled(b, "what to do", advice, same)
	}
	return b
}

// rule is the rule whose advice goes with a finding: its own, which says all
// that can be done; that of the sub-rule where it has none.
func (t *text) rule(f *analyze.Finding) *ruleText {
	r := t.run.Rule(f.Rule)
	if (r == nil || r.Relax == "") && f.SubRule != "" {
		return t.run.Rule(f.SubRule)
	}
	return r
}

// call says which call a finding belongs to.
func (t *text) call(v *view) string {
	var parts []string
	if v.tool != "" {
		parts = append(parts, "tool "+safe.Limit(v.tool, 120))
	} else if v.method != "" {
		parts = append(parts, safe.Limit(v.method, 120))
	}
	if id := v.id.shown(); id != "" {
		parts = append(parts, "id "+safe.Limit(id, 80))
	}
	if d := v.Direction.String(); d != "" {
		parts = append(parts, d)
	}
	if v.Frame >= 0 {
		parts = append(parts, "frame "+itoa(int64(v.Frame)))
	}
	if v.session != "" {
		parts = append(parts, "session "+safe.Limit(v.session, 80))
	}
	if v.IsError {
		parts = append(parts, "result says isError")
	}
	if !v.TS.IsZero() {
		parts = append(parts, v.TS.UTC().Format("2006-01-02 15:04:05Z"))
	}
	return strings.Join(parts, ", ")
}

// where says which string of the frame it was.
func (t *text) where(v *view) string {
	s := safe.Limit(v.pointer, 300)
	for i, p := range v.Spans {
		switch {
		case i == 0 && s == "":
			return ""
		case i == 0:
			s += ", characters "
		case i == 5:
			return s + ", ..."
		default:
			s += ", "
		}
		s += strconv.Itoa(p.Start)
		if p.End > p.Start+1 {
			s += "-" + strconv.Itoa(p.End-1)
		}
	}
	return s
}

// oneLine lays out a monitor finding or a note: two short lines.
func (t *text) oneLine(b []byte, f *analyze.Finding) []byte {
	v := t.lens.view(f)
	place, tool := t.place(v), ""
	if v.tool != "" {
		tool = "tool " + safe.Cut(v.tool, 30)
	}
	b = append(b, "  "+t.tier(f.Tier, f.Rule)...)
	if used := 2 + len(f.Rule) + 2 + safe.Width(place); used <= t.o.Width {
		b = append(b, "  "+place...)
		if tool != "" && used+2+safe.Width(tool) <= t.o.Width {
			b = append(b, "  "+tool...)
			tool = ""
		}
	} else {
		b = append(b, "\n    "+place...)
	}
	b = append(b, '\n')
	msg := v.message
	if len(v.Matched) > 0 && !strings.Contains(msg, v.Matched[0]) {
		msg += ": " + t.lens.matched.Raw(v.Matched[0])
	}
	if tool != "" {
		msg = tool + ": " + msg
	}
	if s := f.Suppressed; s != nil {
		b = append(b, "    "+safe.Cut(justification(t.lens, s), t.o.Width-4)+"\n"...)
	}
	return append(b, "    "+safe.Cut(msg, t.o.Width-4)+"\n"...)
}

// sessions lists the sessions of a trace that has more than one, or whose one
// says something that the trace's line does not.
func (t *text) sessions(tr *Trace) {
	if len(tr.Sessions) == 0 {
		return
	}
	if s := &tr.Sessions[0]; len(tr.Sessions) == 1 && tr.SessionsAll <= 1 && s.Name == "" {
		if s.Server != "" || s.Protocol != "" {
			t.buf = t.wrapped(t.buf, 2, t.about(s), t.dim)
		}
		return
	}
	limit := sessionLimit
	if t.o.Verbose {
		limit = MaxSessions
	}
	for i := range tr.Sessions {
		if i == limit {
			break
		}
		s := &tr.Sessions[i]
		name := "#" + strconv.Itoa(s.Number)
		if s.Name != "" {
			name += " " + safe.Cut(t.lens.session.Raw(s.Name), 36)
		}
		facts := []fact{{count(s.Frames, "frame", "frames"), same}, {count(s.Calls, "call", "calls"), same}}
		if s.Fidelity != "" && s.Fidelity != wire {
			facts = append(facts, fact{s.Fidelity, t.yellow})
		}
		for _, c := range []struct {
			tier analyze.Tier
			n    int64
		}{{analyze.Block, s.Counts.Block}, {analyze.Monitor, s.Counts.Monitor}, {analyze.Note, s.Counts.Note}} {
			if c.n > 0 {
				facts = append(facts, fact{thousands(c.n) + " " + c.tier.String(), func(s string) string { return t.tier(c.tier, s) }})
			}
		}
		t.list(2, "session "+name, facts)
		if a := t.about(s); a != "" {
			t.buf = t.wrapped(t.buf, 4, a, t.dim)
		}
	}
	if n := max(tr.SessionsAll, int64(len(tr.Sessions))) - int64(min(limit, len(tr.Sessions))); n > 0 {
		t.line(2, t.dim("... and "+count(n, "session more", "sessions more")))
	}
}

// about is what a session says of itself: server, protocol, time.
func (t *text) about(s *Session) string {
	var parts []string
	if s.Server != "" {
		parts = append(parts, "server "+safe.Cut(t.lens.tool.Raw(s.Server), 30))
	}
	if s.Protocol != "" {
		parts = append(parts, "protocol "+safe.Cut(t.lens.method.Raw(s.Protocol), 16))
	}
	if !s.Start.IsZero() {
		when := s.Start.UTC().Format("2006-01-02 15:04Z")
		if d := s.End.Sub(s.Start).Round(time.Millisecond); d > 0 {
			switch {
			case d >= time.Minute:
				d = d.Round(time.Second)
			case d >= time.Second:
				d = d.Round(100 * time.Millisecond)
			}
			when += ", " + d.String()
		}
		parts = append(parts, when)
	}
	return strings.Join(parts, ", ")
}
