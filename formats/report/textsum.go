package report

import (
	"fmt"
	"sort"
	"strings"

	"github.com/warden-trace/warden/analyze/ruleset"
)

type ruleText = ruleset.Rule

// Close writes the sum of the run: what was read, what was found, what the
// reader must know before he trusts it, and what to do next.
func (t *text) Close(s *Summary) error {
	if !t.o.Quiet {
		t.leave()
		if t.hidden > 0 {
			t.line(0, t.dim("... and "+count(t.hidden, "clean trace more", "clean traces more")))
		}
		if t.hiddenOut > 0 {
			t.line(0, t.dim("... and "+count(t.hiddenOut, "trace more whose findings do", "traces more whose findings do")+" not match --where"))
		}
		t.blank()
		t.sum(s)
	} else if s.Interrupted {
		t.line(0, t.red(interrupted))
	}
	return t.close()
}

func (t *text) sum(s *Summary) {
	read := fmt.Sprintf("%s in %s of %s, %s", count(s.Frames, "frame", "frames"),
		count(s.Sessions, "session", "sessions"), count(s.Traces, "trace", "traces"), size(s.Bytes))
	c := &s.Counts
	total := c.Block + c.Monitor + c.Note
	switch {
	case total+c.Accepted == 0 && c.LeftOut > 0:
		t.verdict(t.yellow, "nothing that matches:", leftOut(c.LeftOut)+"; read "+read)
	case s.Frames == 0:
		t.verdict(t.yellow, "nothing inspected:", read)
	case total+c.Accepted == 0 && s.Interrupted:
		t.verdict(t.yellow, "no findings so far;", "read "+read)
	case total+c.Accepted == 0:
		t.verdict(t.green, "clean:", "no findings; read "+read)
	default:
		t.verdict(t.strong, "read", read)
		if s.Traces > 1 {
			t.tiers(c)
		}
		found := []string{}
		if c.Block > 0 {
			found = append(found, t.red(thousands(c.Block)+" block"))
		} else {
			found = append(found, "no block findings")
		}
		if c.Monitor > 0 {
			found = append(found, t.yellow(thousands(c.Monitor)+" monitor"))
		}
		if c.Note > 0 {
			found = append(found, count(c.Note, "note", "notes"))
		}
		if c.Accepted > 0 {
			found = append(found, thousands(c.Accepted)+" accepted by the baseline")
		}
		if c.LeftOut > 0 {
			found = append(found, leftOut(c.LeftOut))
		}
		t.line(0, t.strong("found")+" "+strings.Join(found, ", "))
	}
	t.caveats(s)
	if t.unshown > 0 {
		t.say(t.dim, fmt.Sprintf("%s not shown in full: --json FILE writes all of them", count(t.unshown, "block finding is", "block findings are")))
	}
	if c.Note > 0 && !t.o.Verbose && total == c.Note {
		t.say(t.dim, "-v lists the notes")
	}
	// No time that the run took: the same input gives the same report.
	t.line(0, t.dim(fmt.Sprintf("exit %d", s.ExitCode)))
}

// verdict writes a coloured word and what follows it.
func (t *text) verdict(colour func(string) string, word, s string) {
	for i, l := range wrap(word+" "+s, t.o.Width) {
		if i == 0 {
			l = colour(word) + strings.TrimPrefix(l, word)
		}
		t.line(0, l)
	}
}

// caveats are what would make "clean" a lie if it were left out.
func (t *text) caveats(s *Summary) {
	var lesser []string
	for f := range t.fidelities {
		if f != "" && f != wire {
			lesser = append(lesser, f)
		}
	}
	sort.Strings(lesser)
	for _, f := range lesser {
		n := t.fidelities[f]
		t.say(t.yellow, fmt.Sprintf("%s %s: %s", count(n, "trace is", "traces are"), f, lacks(f)))
	}
	if t.damaged > 0 {
		t.say(t.yellow, fmt.Sprintf("%s damaged and was read as far as it went", count(t.damaged, "trace is", "traces are")))
	}
	if s.ParseErrors > 0 {
		t.say(t.yellow, count(s.ParseErrors, "line could", "lines could")+" not be read nor inspected (--allow-parse-errors makes that a notice)")
	}
	if n := s.Frames - s.Inspected; n > 0 && s.Inspected == 0 && s.Frames > 0 {
		t.say(t.yellow, "no frame held a tool's result: the catalog had nothing to inspect")
	}
	if s.Unrecognised > 0 {
		t.say(t.dim, count(s.Unrecognised, "file", "files")+" of no known form passed over")
	}
	if s.Interrupted {
		t.say(t.red, interrupted)
	}
}

// leftOut says of findings that they do not count, and why.
func leftOut(n int64) string {
	return count(n, "finding does", "findings do") + " not match --where"
}

// say writes a sentence of the sum, wrapped.
func (t *text) say(colour func(string) string, s string) {
	t.buf = t.wrapped(t.buf, 2, s, colour)
}

// lacks says what a fidelity means for a reader who hopes for "clean".
func lacks(fidelity string) string {
	switch fidelity {
	case "wire-elided":
		return "long messages were cut when they were recorded, and what was cut was not inspected"
	case "host-synthesised":
		return "rebuilt from an agent's transcript, so only what the transcript holds was inspected"
	case "metadata-only":
		return "it holds no messages, so nothing was inspected"
	}
	return "not a recording of the wire"
}

// size is a number of bytes for a person.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return count(n, "byte", "bytes")
	}
	f, i := float64(n)/unit, 0
	for f >= unit && i < 4 {
		f, i = f/unit, i+1
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGTP"[i])
}
