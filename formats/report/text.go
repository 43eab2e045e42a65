package report

import (
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
		t.accepted.left = max(verboseLimit, o.Limit)
	}
	t.fidelities, t.advised = map[string]int64{}, map[string]bool{}
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
	entered            bool   // there is one
	full, brief, notes section
	accepted           section // by the baseline
	problems           section
	advised            map[string]bool // rules whose advice this trace's section has

	clean      int64 // traces without findings so far
	hidden     int64 // of these, not named
	hiddenOut  int64 // the same, of those whose findings --where left out
	damaged    int64
	fidelities map[string]int64 // traces by fidelity
	unshown    int64            // block findings not shown in full
	begun      bool
}

// enter closes the section of a trace that never got its summary because it
// could not be opened.
func (t *text) enter(trace string) {
	if !t.entered || t.current != trace {
		t.leave()
		t.current, t.entered = trace, true
		t.problems.left = problemLimit
	}
}

// leave writes what is pending of a trace without a summary.
func (t *text) leave() {
	if t.problems.all > 0 || t.full.all+t.brief.all+t.notes.all+t.accepted.all > 0 {
		t.blank()
		if t.current != "" { // else a problem of the run, which has no place
			t.line(0, t.strong(t.name(t.current)))
		}
		t.body()
	}
	t.forget()
}

func (t *text) forget() {
	t.current, t.entered = "", false
	clear(t.advised)
	t.full.reset()
	t.brief.reset()
	t.notes.reset()
	t.accepted.reset()
	t.problems.reset()
}

func (t *text) Finding(f *analyze.Finding) error {
	t.enter(f.Trace)
	if t.o.Quiet {
		return t.terse(f)
	}
	s := &t.notes
	switch {
	case f.Accepted():
		s = &t.accepted
	case f.Tier == analyze.Block:
		s = &t.full
	case f.Tier == analyze.Monitor:
		s = &t.brief
	}
	s.all++
	if s.left == 0 {
		return nil
	}
	s.left--
	s.shown++
	if s == &t.full {
		s.b = t.block(s.b, f)
	} else {
		s.b = t.oneLine(s.b, f)
	}
	return nil
}

// terse is the quiet form: block findings alone, at once.
func (t *text) terse(f *analyze.Finding) error {
	if f.Tier != analyze.Block || f.Accepted() {
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
	t.buf = append(t.buf, ": "+safe.String(v.told())+"\n"...)
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
			if where != "" {
				where += ": "
			}
			t.buf = append(t.buf, where+mark+": "+safe.String(t.lens.message.Raw(p.Message))+"\n"...)
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
	if t.accepted.all > 0 {
		t.blank()
		t.line(2, t.dim(count(t.accepted.all, "finding", "findings")+" accepted by the baseline"))
		t.buf = append(t.buf, t.accepted.b...)
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
