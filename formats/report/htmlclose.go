package report

import (
	"cmp"
	"html"
	"slices"
	"strconv"

	"github.com/warden-trace/warden/formats/report/safe"
)

// keep takes a session that has ended, or a whole trace, into the list. Those
// without findings make room for others.
func (p *page) keep(s *htmlSession) {
	p.sessions = append(p.sessions, s)
	if len(p.sessions) >= 2*htmlSessions {
		p.prune()
	}
}

func (p *page) prune() {
	slices.SortStableFunc(p.sessions, func(a, b *htmlSession) int {
		return cmp.Or(-cmp.Compare(a.counts.Block, b.counts.Block), -cmp.Compare(a.counts.Monitor, b.counts.Monitor),
			-cmp.Compare(a.counts.Note, b.counts.Note), cmp.Compare(a.id, b.id))
	})
	if n := len(p.sessions) - htmlSessions; n > 0 {
		for _, s := range p.sessions[htmlSessions:] {
			if !s.whole {
				p.rest.sessions++
			}
		}
		p.sessions = p.sessions[:htmlSessions]
	}
	for _, s := range p.sessions[min(len(p.sessions), htmlTimelines):] {
		s.hist.cells = nil
	}
}

// Trace implements Handler.
func (p *page) Trace(t *Trace) error {
	p.begin()
	if p.open && p.trace == t.Name {
		p.keep(p.whole)
	}
	p.open = false
	if len(p.allTraces) >= htmlSessions {
		p.moreTraces++
		return p.err
	}
	p.allTraces = append(p.allTraces, htmlTrace{index: p.traceOf(t.Name), format: t.Format, fidelity: t.Fidelity, frames: t.Frames,
		inspected: t.Inspected, bytes: t.Bytes, parseErrors: t.ParseErrors, damaged: t.Incomplete && !t.Interrupted, counts: t.Counts,
		sessions: max(t.SessionsAll, int64(len(t.Sessions)))})
	p.last = nil
	return p.err
}

// Close implements Handler.
func (p *page) Close(s *Summary) error {
	p.begin()
	p.hand()
	p.render.stop()
	if s.Interrupted {
		p.problems = append(p.problems, htmlProblem{message: interrupted, fatal: true})
	}
	p.failed()
	p.prune()
	slices.SortStableFunc(p.sessions, func(a, b *htmlSession) int { return cmp.Compare(a.id, b.id) })
	p.buf = append(p.buf, `<script type="application/json" id="w-summary">`...)
	p.summary(s)
	p.buf = append(p.buf, "</script>\n"...)
	p.static(s)
	p.buf = append(append(append(p.buf, "<script>"...), htmlScript...), "</script>\n</body>\n</html>\n"...)
	return p.close()
}

// member begins a member of the summary.
func (p *page) member(key string) {
	p.buf = append(append(append(p.buf, ",\n\""...), key...), '"', ':')
}

func (p *page) ints(n ...int64) {
	for i, x := range n {
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		p.buf = strconv.AppendInt(p.buf, x, 10)
	}
}

// list appends [f(0),f(1),...].
func (p *page) list(n int, f func(i int)) {
	p.buf = append(p.buf, '[')
	for i := range n {
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		f(i)
	}
	p.buf = append(p.buf, ']')
}

func (p *page) str(s string) { p.buf = htmlString(p.buf, s) }

func (p *page) strs(s ...string) {
	for i, x := range s {
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		p.str(x)
	}
}

// summary appends all that the page shows besides findings and frames.
func (p *page) summary(s *Summary) {
	p.buf = append(p.buf, `{"run":[`...)
	p.strs(p.run.Version, p.run.Ruleset, p.run.Coverage.String())
	p.buf = append(p.buf, ']')
	p.member("totals")
	p.buf = append(p.buf, '[')
	p.ints(s.Traces, s.Sessions, s.Frames, s.Inspected, s.Bytes, s.ParseErrors, s.Counts.Block, s.Counts.Monitor, s.Counts.Note,
		int64(s.ExitCode), p.total, p.shown, p.accepted, p.rest.sessions, p.moreTraces, p.moreProblems)
	p.buf = append(p.buf, ']')
	p.member("traces")
	p.list(len(p.traces), func(i int) { p.str(p.traces[i]) })
	p.member("rules")
	ids := sortedRules(s.Counts.Rules)
	p.list(len(ids), func(i int) {
		p.buf = append(p.buf, '[')
		if r := p.run.Rule(ids[i]); r != nil {
			p.strs(ids[i], r.Title, r.What, r.Why, r.Relax)
			p.buf = append(p.buf, ',')
			p.ints(int64(r.Tier), int64(r.Severity), s.Counts.Rules[ids[i]])
		} else {
			p.strs(ids[i], "", "", "", "")
			p.buf = append(p.buf, ',')
			p.ints(0, 0, s.Counts.Rules[ids[i]])
		}
		p.buf = append(p.buf, ']')
	})
	p.member("tools")
	tools := p.sortedTools()
	p.list(len(tools), func(i int) {
		p.buf = append(p.buf, '[')
		p.str(tools[i].name)
		p.buf = append(p.buf, ',')
		p.ints(tools[i].calls, tools[i].block, tools[i].monitor, tools[i].note)
		p.buf = append(p.buf, ']')
	})
	p.member("problems")
	p.list(len(p.problems), func(i int) {
		x := &p.problems[i]
		p.buf = append(p.buf, '[')
		p.strs(x.trace, x.message)
		p.buf = append(p.buf, ',')
		fatal := int64(0)
		if x.fatal {
			fatal = 1
		}
		p.ints(x.line, fatal)
		p.buf = append(p.buf, ']')
	})
	p.member("files")
	p.list(len(p.allTraces), func(i int) {
		t := &p.allTraces[i]
		p.buf = append(p.buf, '[')
		p.strs(t.format, t.fidelity)
		p.buf = append(p.buf, ',')
		damaged := int64(0)
		if t.damaged {
			damaged = 1
		}
		p.ints(int64(t.index), t.frames, t.bytes, t.parseErrors, damaged, t.sessions, t.counts.Block, t.counts.Monitor, t.counts.Note)
		p.buf = append(p.buf, ']')
	})
	p.member("sessions")
	p.list(len(p.sessions), func(i int) { p.timeline(p.sessions[i]) })
	p.buf = append(p.buf, '}')
}

// timeline appends a session with its buckets.
func (p *page) timeline(s *htmlSession) {
	whole, timed := int64(0), int64(0)
	if s.whole {
		whole = 1
	}
	if s.timed {
		timed = 1
	}
	p.buf = append(p.buf, '[')
	p.strs(s.shown, s.server, s.protocol)
	p.buf = append(p.buf, ',')
	p.ints(int64(s.id), int64(s.trace), whole, s.frames, s.calls, s.counts.Block, s.counts.Monitor, s.counts.Note, micros(s.start), micros(s.end), timed)
	h := &s.hist
	width := int64(1) << h.shift
	p.buf = append(p.buf, ',')
	if s.timed {
		p.buf = strconv.AppendFloat(p.buf, float64(h.lo<<h.shift)/1000, 'f', -1, 64)
		p.buf = strconv.AppendFloat(append(p.buf, ','), float64(width)/1000, 'f', -1, 64)
	} else {
		p.ints(h.lo<<h.shift, width)
	}
	p.buf = append(p.buf, ',')
	p.list(len(h.cells), func(i int) {
		c := h.cells[i]
		if c == (cell{}) {
			p.buf = append(p.buf, '0')
			return
		}
		p.buf = append(p.buf, '[')
		p.ints(int64(c.toServer), int64(c.toClient), int64(c.block), int64(c.monitor), int64(c.note))
		p.buf = append(p.buf, ']')
	})
	p.buf = append(p.buf, ']')
}

func (p *page) sortedTools() []*toolSum {
	out := make([]*toolSum, 0, len(p.tools))
	for _, t := range p.tools {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *toolSum) int {
		return cmp.Or(-cmp.Compare(a.block, b.block), -cmp.Compare(a.monitor, b.monitor), -cmp.Compare(a.note, b.note),
			-cmp.Compare(a.calls, b.calls), cmp.Compare(a.name, b.name))
	})
	return out
}

// static appends what a reader without script sees, and a printer of the sums.
func (p *page) static(s *Summary) {
	b := append(p.buf, `<div id="app"></div><main id="static"><h1>warden report</h1><p>`...)
	b = append(b, itoa(s.Counts.Block)+" block, "+itoa(s.Counts.Monitor)+" monitor, "+count(s.Counts.Note, "note finding", "note findings")+" in "+
		count(s.Frames, "frame", "frames")+", "+count(s.Sessions, "session", "sessions")+", "+count(s.Traces, "trace", "traces")+". Exit code "+strconv.Itoa(s.ExitCode)+".</p>"...)
	if s.Interrupted {
		b = append(b, "<p>"+interrupted+".</p>"...)
	}
	b = append(b, "<noscript><p>This browser runs no script: the timeline, the findings and the frames are not shown. --json writes them as text.</p></noscript>"...)
	b = append(b, "<h2>Findings by rule</h2><table><thead><tr><th scope=\"col\">Rule</th><th scope=\"col\">What</th><th scope=\"col\">Findings</th></tr></thead><tbody>"...)
	for _, id := range sortedRules(s.Counts.Rules) {
		title := ""
		if r := p.run.Rule(id); r != nil {
			title = r.Title
		}
		b = append(b, "<tr><td>"+html.EscapeString(safe.String(id))+"</td><td>"+html.EscapeString(safe.String(title))+"</td><td>"+itoa(s.Counts.Rules[id])+"</td></tr>"...)
	}
	p.buf = append(b, "</tbody></table></main>\n"...)
}
