package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
	"github.com/warden-trace/warden/replay/where"
)

// framesCmd is `warden-inspect frames`.
type framesCmd struct {
	ruled
	program.WhereFlag

	JSON bool `name:"json" help:"JSONL, one object a frame, instead of text." group:"Output"`
}

// Help is what --help says beside the flags.
func (framesCmd) Help() string {
	return `Lists frames, one a line: number within the session, direction, time since the
session began, what it is, method, tool, id, size, verdict and rules.

Examples:
  warden-inspect frames session.jsonl
  warden-inspect frames session.jsonl --where 'tool == "read_file" and size > 4096'
  warden-inspect frames corpus/ --where 'verdict != "forward"' --json | jq .rules`
}

// Run lists the frames.
func (c *framesCmd) Run(w *program.World) error {
	if done, err := c.Explain(w); done || err != nil {
		return err
	}
	r, err := c.prepare(w, &c.RuleFlags)
	if err != nil {
		return err
	}
	filter, err := c.Filter(r.cfg.Rules)
	if err != nil {
		return err
	}
	out, err := c.out(w)
	if err != nil {
		return err
	}
	l := &frameList{out: out, hide: r.hide, json: c.JSON}
	err = r.read(offline.Options{Where: filter, Fingerprints: program.NeedsFingerprints(filter), Observe: func(o *offline.Observation) {
		l.clock(o)
		if o.Record != nil && o.Matched {
			l.frame(o)
		}
	}})
	if err == nil {
		err = l.err
	}
	return r.finish(out, err)
}

// frameList writes frames.
type frameList struct {
	out  *target.File
	hide func(string) string
	json bool

	names   [4]safe.Namer // session, method, tool, id
	ready   bool
	trace   string
	session string
	any     bool
	began   map[*replay.Session]int64 // first time of each session that goes on
	env     where.Env
	buf     []byte
	err     error
}

// clock notes when sessions begin, whether or not their first frame is listed.
func (l *frameList) clock(o *offline.Observation) {
	if o.Record == nil {
		delete(l.began, o.Session) // its end
		return
	}
	if o.Record.TS == 0 {
		return
	}
	if _, ok := l.began[o.Session]; !ok {
		if l.began == nil {
			l.began = make(map[*replay.Session]int64)
		}
		l.began[o.Session] = o.Record.TS
	}
}

func (l *frameList) frame(o *offline.Observation) {
	if !l.ready {
		l.ready = true
		for i := range l.names {
			l.names[i] = safe.Namer{Scrub: l.hide, Max: 512}
		}
	}
	o.Env(&l.env, false)
	if l.json {
		l.buf = l.object(l.buf[:0], o)
	} else {
		l.buf = l.line(l.buf[:0], o)
	}
	if _, err := l.out.Write(l.buf); err != nil && l.err == nil {
		l.err = err
	}
}

// line is a frame for a person.
func (l *frameList) line(b []byte, o *offline.Observation) []byte {
	e := &l.env
	if !l.any || e.Trace != l.trace || e.Session != l.session {
		if l.any {
			b = append(b, '\n')
		}
		l.any, l.trace, l.session = true, e.Trace, e.Session
		b = append(b, safe.String(e.Trace)...)
		if e.Session != "" {
			b = append(b, ", session "+safe.String(l.names[0].Raw(e.Session))...)
		}
		b = append(b, '\n')
	}
	when := ""
	if o.Record.TS != 0 {
		when = "+" + seconds(o.Record.TS-l.began[o.Session])
	}
	dir := e.Direction
	if dir == "" {
		dir = "?"
	}
	b = right(b, strconv.Itoa(e.Frame), 7)
	b = left(append(b, ' '), dir, 3)
	b = right(append(b, ' '), when, 11)
	b = left(append(b, ' ', ' '), e.Type, 12)
	b = left(append(b, ' '), safe.Cut(l.names[1].Raw(e.Method), 28), 28)
	b = left(append(b, ' '), safe.Cut(l.names[2].Raw(e.Tool), 20), 20)
	b = left(append(b, ' '), safe.Cut(l.id(), 12), 12)
	b = right(append(b, ' '), strconv.Itoa(e.Size), 9)
	for _, word := range l.remarks(o) {
		b = append(append(b, ' ', ' '), word...)
	}
	return append(b, '\n')
}

// remarks are the words behind a frame: what is not as usual.
func (l *frameList) remarks(o *offline.Observation) (out []string) {
	e := &l.env
	if e.Verdict != "forward" {
		out = append(out, e.Verdict)
	}
	if e.Error {
		out = append(out, "error")
	}
	out = append(out, lacking(e)...)
	seen := map[string]bool{}
	for i := range o.Matching {
		rule := o.Matching[i].Rule
		if !seen[rule] {
			seen[rule] = true
			out = append(out, safe.String(rule))
		}
	}
	return out
}

func lacking(e *where.Env) (out []string) {
	for _, f := range []struct {
		on   bool
		name string
	}{{e.Truncated, "truncated"}, {e.Elided, "elided"}, {e.Redacted, "redacted"}, {e.Synthetic, "synthetic"}} {
		if f.on {
			out = append(out, f.name)
		}
	}
	return out
}

// id is the frame's id for a person.
func (l *frameList) id() string {
	switch id := l.env.ID.(type) {
	case string:
		return strconv.Quote(l.names[3].Raw(id))
	case int:
		return strconv.Itoa(id)
	case float64:
		return strconv.FormatFloat(id, 'g', -1, 64)
	}
	return ""
}

// object is a frame as JSON.
func (l *frameList) object(b []byte, o *offline.Observation) []byte {
	e := &l.env
	text := func(key, s string) {
		b = report.AppendJSON(append(append(append(b, ',', '"'), key...), '"', ':'), s)
	}
	number := func(key string, n int) {
		b = strconv.AppendInt(append(append(append(b, ',', '"'), key...), '"', ':'), int64(n), 10)
	}
	list := func(key string, all []string) {
		b = append(append(append(b, ',', '"'), key...), `":[`...)
		for i, s := range all {
			if i > 0 {
				b = append(b, ',')
			}
			b = report.AppendJSON(b, s)
		}
		b = append(b, ']')
	}
	b = append(b, `{"kind":"frame"`...)
	text("trace", e.Trace)
	text("session", l.names[0].Raw(e.Session))
	number("frame", e.Frame)
	number("line", e.Line)
	number("offset", e.Offset)
	b = append(b, `,"ts":`...)
	if e.TS.IsZero() {
		b = append(b, "null"...)
	} else {
		b = append(e.TS.AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
	}
	text("direction", e.Direction)
	text("type", e.Type)
	text("method", l.names[1].Raw(e.Method))
	text("tool", l.names[2].Raw(e.Tool))
	b = append(b, `,"rpc_id":`...)
	switch id := e.ID.(type) {
	case string:
		b = report.AppendJSON(b, l.names[3].Raw(id))
	case nil:
		b = append(b, "null"...)
	default:
		b = append(b, l.id()...)
	}
	number("size", e.Size)
	b = strconv.AppendBool(append(b, `,"error":`...), e.Error)
	text("verdict", e.Verdict)
	list("flags", lacking(e))
	rules := make([]string, 0, len(o.Matching))
	for i := range o.Matching {
		rules = append(rules, o.Matching[i].Rule)
	}
	list("rules", rules)
	return append(b, "}\n"...)
}

// seconds is a length of time in nanoseconds, with milliseconds.
func seconds(ns int64) string { return strconv.FormatFloat(float64(ns)/1e9, 'f', 3, 64) + "s" }

func left(b []byte, s string, width int) []byte {
	b = append(b, s...)
	return pad(b, width-safe.Width(s))
}

func right(b []byte, s string, width int) []byte {
	return append(pad(b, width-safe.Width(s)), s...)
}

func pad(b []byte, n int) []byte {
	if n <= 0 {
		return b
	}
	return append(b, strings.Repeat(" ", n)...)
}
