package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
)

// TextOptions say how the text report looks.
type TextOptions struct {
	Color   bool // the caller has looked at the terminal, NO_COLOR and --color
	Verbose bool // list notes too, every clean trace, and more sessions
	Quiet   bool // one line a block finding, and problems; nothing when clean
	Width   int  // columns; 0: 80
	Limit   int  // block findings shown in full; 0: 200
}

// Bounds on what the text report holds in memory and shows.
const (
	fullLimit    = 200  // block findings in full
	briefLimit   = 100  // monitor findings on one line each
	verboseLimit = 1000 // the same, and notes, with Verbose
	problemLimit = 25   // problems a trace
	sessionLimit = 8    // sessions a trace; all that are named with Verbose
	cleanLimit   = 40   // traces without findings on a line of their own
)

// NewText returns the report for people: a section for each trace (how many
// frames, calls and findings, by session; then each block finding in full, the
// monitor findings on a line each, notes counted), and the sum of the run. It
// is written a trace at a time and holds a bounded number of findings.
func NewText(w io.Writer, o TextOptions, run *Run) Handler {
	if o.Width <= 0 {
		o.Width = 80
	}
	if o.Limit <= 0 {
		o.Limit = fullLimit
	}
	t := &text{out: newOut(w), o: o, run: run, lens: newLens(run), paint: paint(o.Color)}
	t.full.left, t.brief.left, t.notes.left = o.Limit, briefLimit, 0
	if o.Verbose {
		t.brief.left, t.notes.left = max(verboseLimit, o.Limit), max(verboseLimit, o.Limit)
	}
	t.fidelities = map[string]int64{}
	return t
}

// section is the findings of one kind of the trace in hand, already laid out.
type section struct {
	b     []byte
	left  int   // how many more may be shown, in the whole run
	shown int64 // of this trace
	all   int64 // of this trace
}

func (s *section) reset() { s.b, s.shown, s.all = s.b[:0], 0, 0 }

type text struct {
	out
	paint
	o    TextOptions
	run  *Run
	lens *lens

	current            string // trace that the sections belong to
	full, brief, notes section
	problems           section

	clean      int64 // traces without findings so far
	hidden     int64 // of these, not named
	incomplete int64
	fidelities map[string]int64 // traces by fidelity
	unshown    int64            // block findings not shown in full
	begun      bool
}

// enter closes the section of a trace that never got its summary because it
// could not be opened.
func (t *text) enter(trace string) {
	if t.current != trace {
		t.leave()
		t.current = trace
		t.problems.left = problemLimit
	}
}

// leave writes what is pending of a trace without a summary.
func (t *text) leave() {
	if t.problems.all > 0 || t.full.all+t.brief.all+t.notes.all > 0 {
		t.blank()
		t.line(0, t.strong(t.name(t.current)))
		t.body()
	}
	t.forget()
}

func (t *text) forget() {
	t.current = ""
	t.full.reset()
	t.brief.reset()
	t.notes.reset()
	t.problems.reset()
}

func (t *text) Finding(f *analyze.Finding) error {
	t.enter(f.Trace)
	if t.o.Quiet {
		return t.terse(f)
	}
	s := &t.notes
	switch f.Tier {
	case analyze.Block:
		s = &t.full
	case analyze.Monitor:
		s = &t.brief
	}
	s.all++
	if s.left == 0 {
		return nil
	}
	s.left--
	s.shown++
	if f.Tier == analyze.Block {
		s.b = t.block(s.b, f)
	} else {
		s.b = t.oneLine(s.b, f)
	}
	return nil
}

// terse is the quiet form: block findings alone, at once.
func (t *text) terse(f *analyze.Finding) error {
	if f.Tier != analyze.Block {
		return nil
	}
	v := t.lens.view(f)
	t.buf = append(t.buf, t.place(v)...)
	t.buf = append(t.buf, ": "...)
	t.buf = append(t.buf, t.red(f.Rule)...)
	if f.SubRule != "" {
		t.buf = append(t.buf, " ("+safe.String(f.SubRule)+")"...)
	}
	if v.tool != "" {
		t.buf = append(t.buf, " tool "+safe.String(v.tool)...)
	}
	t.buf = append(t.buf, ": "+safe.String(v.message)+"\n"...)
	return t.spill()
}

func (t *text) Problem(p *Problem) error {
	t.enter(p.Trace)
	where := t.name(p.Trace)
	if p.Line > 0 {
		where = safe.String(where + ":" + itoa(p.Line))
	}
	mark := t.yellow("notice")
	if p.Fatal {
		mark = t.red("error")
	}
	if t.o.Quiet {
		if p.Fatal {
			t.buf = append(t.buf, where+": "+mark+": "+safe.String(t.lens.message.Raw(p.Message))+"\n"...)
		}
		return t.spill()
	}
	s := &t.problems
	s.all++
	if s.left == 0 {
		return nil
	}
	s.left--
	s.shown++
	s.b = append(s.b, "  "+mark+"  "...)
	if p.Line > 0 {
		s.b = append(s.b, where...)
		s.b = append(s.b, '\n')
		s.b = t.wrapped(s.b, 4, t.lens.message.Raw(p.Message), same)
		return nil
	}
	lines := wrap(t.lens.message.Raw(p.Message), t.o.Width-10)
	s.b = append(s.b, strings.Join(lines, "\n          ")...)
	s.b = append(s.b, '\n')
	return nil
}

func (t *text) Trace(tr *Trace) error {
	t.enter(tr.Name)
	defer t.forget()
	if tr.Incomplete {
		t.incomplete++
	}
	t.fidelities[tr.Fidelity]++
	if t.o.Quiet {
		return t.spill()
	}
	c := &tr.Counts
	if c.Block+c.Monitor+c.Note == 0 && t.problems.all == 0 && !tr.Incomplete {
		t.clean++
		if !t.o.Verbose && t.clean > cleanLimit {
			t.hidden++
			return t.spill()
		}
		if t.clean == 1 || len(tr.Sessions) > 1 {
			t.blank()
		}
		t.head(tr, "clean")
		if t.o.Verbose {
			t.sessions(tr)
		}
		return t.spill()
	}
	t.blank()
	t.head(tr, "")
	t.tiers(c)
	t.sessions(tr)
	t.body()
	return t.spill()
}

// head is the line of a trace: name, form, fidelity where it is not the wire,
// and size.
func (t *text) head(tr *Trace, verdict string) {
	var facts []fact
	if verdict != "" {
		facts = append(facts, fact{verdict, t.green})
	}
	var calls int64
	for i := range tr.Sessions {
		calls += tr.Sessions[i].Calls
	}
	facts = append(facts, fact{count(tr.Frames, "frame", "frames"), same})
	if tr.SessionsAll <= int64(len(tr.Sessions)) {
		facts = append(facts, fact{count(calls, "call", "calls"), same})
	}
	if n := max(tr.SessionsAll, int64(len(tr.Sessions))); n != 1 {
		facts = append(facts, fact{count(n, "session", "sessions"), same})
	}
	if tr.Fidelity != "" && tr.Fidelity != wire {
		facts = append(facts, fact{tr.Fidelity, t.yellow})
	}
	if tr.Incomplete {
		facts = append(facts, fact{"incomplete: damaged, read as far as it went", t.red})
	}
	if tr.ParseErrors > 0 {
		facts = append(facts, fact{count(tr.ParseErrors, "line not read", "lines not read"), t.yellow})
	}
	t.list(t.name(tr.Name), facts)
}

// list writes a name and facts about it, on the name's line as far as there is
// room. The name is never broken.
func (t *text) list(name string, facts []fact) {
	line, used := t.strong(name), safe.Width(name)
	for i, f := range facts {
		sep := ", "
		if i == 0 {
			sep = "  "
		}
		if w := safe.Width(f.s); used+len(sep)+w+1 > t.o.Width {
			if i > 0 {
				line += ","
			}
			t.line(0, line)
			line, used = "  "+f.colour(f.s), 2+w
		} else {
			line, used = line+sep+f.colour(f.s), used+len(sep)+w
		}
	}
	t.line(0, line)
}

// fact is a few words and their colour.
type fact struct {
	s      string
	colour func(string) string
}

// wire is the fidelity that needs no word.
const wire = "wire"

// tiers is the small table of findings by tier and rule.
func (t *text) tiers(c *Counts) {
	byTier := map[analyze.Tier][]string{}
	for _, id := range sortedRules(c.Rules) {
		tier := analyze.Note
		if r := t.run.Rule(id); r != nil {
			tier = r.Tier
		}
		byTier[tier] = append(byTier[tier], id+" "+thousands(c.Rules[id]))
	}
	for _, row := range []struct {
		tier analyze.Tier
		n    int64
	}{{analyze.Block, c.Block}, {analyze.Monitor, c.Monitor}, {analyze.Note, c.Note}} {
		if row.n == 0 && len(byTier[row.tier]) == 0 {
			continue
		}
		label := fmt.Sprintf("%-7s %6s", row.tier, thousands(row.n))
		for i, l := range wrap(strings.Join(byTier[row.tier], ", "), t.o.Width-18) {
			if i == 0 {
				t.line(2, t.tier(row.tier, label)+"  "+l)
			} else {
				t.line(18, l)
			}
		}
		if len(byTier[row.tier]) == 0 {
			t.line(2, t.tier(row.tier, label))
		}
	}
}

// body writes the findings and problems of the trace in hand.
func (t *text) body() {
	t.put(&t.problems, "more problems")
	t.put(&t.full, "more block findings")
	if t.brief.shown > 0 {
		t.blank()
	}
	t.put(&t.brief, "more monitor findings")
	if t.o.Verbose {
		if t.notes.shown > 0 {
			t.blank()
		}
		t.put(&t.notes, "more notes")
	}
	t.unshown += t.full.all - t.full.shown
}

func (t *text) put(s *section, more string) {
	t.buf = append(t.buf, s.b...)
	if n := s.all - s.shown; n > 0 {
		t.line(2, t.dim("... and "+thousands(n)+" "+more))
	}
}

func (t *text) Abort() { t.abort() }
