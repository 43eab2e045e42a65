package report

import (
	"io"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
)

// githubLimit bounds the annotations of a run. GitHub shows ten of each kind a
// step; the rest stands in the log.
const githubLimit = 1000

// NewGitHub returns the handler for a GitHub Actions log: a workflow command
// for each block (error) and monitor (warning) finding and each problem, and
// with verbose each note, which GitHub shows at the file's line.
func NewGitHub(w io.Writer, verbose bool, run *Run) Handler {
	return &github{out: newOut(w), verbose: verbose, run: run, lens: newLens(run)}
}

type github struct {
	out
	verbose     bool
	run         *Run
	lens        *lens
	said, unset int64
}

func (g *github) Finding(f *analyze.Finding) error {
	if f.Accepted() {
		return nil
	}
	command := "notice"
	switch f.Tier {
	case analyze.Block:
		command = "error"
	case analyze.Monitor:
		command = "warning"
	default:
		if !g.verbose {
			return nil
		}
	}
	v := g.lens.view(f)
	title := f.Rule
	if v.tool != "" {
		title += " in tool " + safe.Limit(v.tool, 80)
	}
	text := safe.Limit(v.told(), 1000)
	if v.snippet != "" && !strings.Contains(text, v.snippet) {
		text += " [" + safe.Limit(v.snippet, 400) + "]"
	}
	return g.command(command, f.Trace, f.Line, f.Column, title, text)
}

func (g *github) Problem(p *Problem) error {
	command := "notice"
	if p.Fatal {
		command = "error"
	}
	return g.command(command, p.Trace, p.Line, 0, "trace not read whole", safe.Limit(g.lens.message.Raw(p.Message), 1000))
}

// command writes one workflow command on a line of its own.
func (g *github) command(name, trace string, line, column int64, title, text string) error {
	if g.said++; g.said > githubLimit {
		g.unset++
		return g.err
	}
	b := append(append(append(g.buf, "::"...), name...), ' ')
	if trace != "" {
		b = append(append(append(b, "file="...), githubProperty(g.lens.trace.Raw(trace))...), ',')
	}
	if line > 0 {
		b = append(append(append(b, "line="...), itoa(line)...), ',')
		if column > 0 {
			b = append(append(append(b, "col="...), itoa(column)...), ',')
		}
	}
	b = append(append(b, "title="...), githubProperty(title)...)
	b = append(append(b, "::"...), githubText(text)...)
	g.buf = append(b, '\n')
	return g.spill()
}

// githubText escapes the message of a workflow command.
func githubText(s string) string { return strings.ReplaceAll(safe.String(s), "%", "%25") }

// githubProperty escapes a property: what ends one must not stand in it.
var githubSpecial = strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C")

func githubProperty(s string) string { return githubSpecial.Replace(safe.String(s)) }

func (g *github) Trace(t *Trace) error {
	if t.Incomplete {
		g.command("warning", t.Name, 0, 0, "incomplete trace", "the trace is "+t.Lacks())
	}
	if t.Fidelity != "" && t.Fidelity != wire {
		return g.command("notice", t.Name, 0, 0, t.Fidelity, lacks(t.Fidelity))
	}
	return g.spill()
}

func (g *github) Close(s *Summary) error {
	if s.Interrupted {
		g.said = 0 // the bound is for what was found
		g.command("error", "", 0, 0, "interrupted", interrupted)
	}
	if g.unset > 0 {
		g.buf = append(g.buf, "::notice title=annotations left out::"+thousands(g.unset)+" more than the "+thousands(githubLimit)+" above; the JSONL report has all of them\n"...)
	}
	g.buf = append(g.buf, oneLineSum(s)+"\n"...)
	return g.close()
}

// oneLineSum is the run in one line.
func oneLineSum(s *Summary) string {
	c := &s.Counts
	apart := ""
	if c.Accepted > 0 {
		apart = ", " + thousands(c.Accepted) + " accepted by the baseline"
	}
	if c.LeftOut > 0 {
		apart += ", " + leftOut(c.LeftOut)
	}
	return "warden: " + count(c.Block, "block finding", "block findings") + ", " + thousands(c.Monitor) + " monitor, " +
		count(c.Note, "note", "notes") + " in " + count(s.Frames, "frame", "frames") + " of " +
		count(s.Traces, "trace", "traces") + apart + ", exit " + itoa(int64(s.ExitCode))
}

func (g *github) Abort() { g.abort() }
