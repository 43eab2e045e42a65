package report

import (
	"fmt"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
)

func (t *text) Trace(tr *Trace) error {
	t.enter(tr.Name)
	defer t.forget()
	if tr.Incomplete && !tr.Interrupted {
		t.damaged++
	}
	t.fidelities[tr.Fidelity]++
	if t.o.Quiet {
		return t.spill()
	}
	c := &tr.Counts
	if c.Block+c.Monitor+c.Note+c.Accepted == 0 && t.problems.all == 0 && !tr.Incomplete {
		t.clean++
		if !t.o.Verbose && t.clean > cleanLimit {
			if c.LeftOut > 0 {
				t.hiddenOut++
			} else {
				t.hidden++
			}
			return t.spill()
		}
		if t.clean == 1 || len(tr.Sessions) > 1 {
			t.blank()
		}
		t.head(tr, c.LeftOut == 0 && tr.Frames > 0) // of nothing nothing is clean
		if t.o.Verbose {
			t.sessions(tr)
		}
		return t.spill()
	}
	t.blank()
	t.head(tr, false)
	t.tiers(c)
	t.sessions(tr)
	t.body()
	return t.spill()
}

// head is the line of a trace: name, form, fidelity where it is not the wire,
// and size.
func (t *text) head(tr *Trace, clean bool) {
	var facts []fact
	if clean {
		facts = append(facts, fact{"clean", t.green})
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
	switch {
	case tr.Interrupted:
		facts = append(facts, fact{"incomplete: the run was interrupted", t.red})
	case tr.Incomplete:
		facts = append(facts, fact{"incomplete: damaged, read as far as it went", t.red})
	}
	if tr.ParseErrors > 0 {
		facts = append(facts, fact{count(tr.ParseErrors, "line not read", "lines not read"), t.yellow})
	}
	if n := tr.Counts.LeftOut; n > 0 {
		facts = append(facts, fact{leftOut(n), t.yellow})
	}
	t.list(0, t.name(tr.Name), facts)
}

// list writes a name and facts about it, on the name's line as far as there is
// room. The name is never broken.
func (t *text) list(indent int, name string, facts []fact) {
	line, used := t.strong(name), indent+safe.Width(name)
	for i, f := range facts {
		sep := ", "
		if i == 0 {
			sep = "  "
		}
		if w := safe.Width(f.s); used+len(sep)+w+1 > t.o.Width {
			if i > 0 {
				line += ","
			}
			t.line(indent, line)
			line, used = "  "+f.colour(f.s), indent+2+w
		} else {
			line, used = line+sep+f.colour(f.s), used+len(sep)+w
		}
	}
	t.line(indent, line)
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
		for i, l := range wrapItems(byTier[row.tier], t.o.Width-18) {
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
