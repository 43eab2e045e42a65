package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay/offline"
	"github.com/warden-trace/warden/replay/stats"
)

// statsCmd is `warden-inspect stats`.
type statsCmd struct {
	ruled
	program.WhereFlag

	JSON bool `name:"json" help:"One JSON object instead of text." group:"Output"`
	Top  int  `default:"50" placeholder:"N" help:"Methods and tools that the text lists (${default})." group:"Output"`
}

// Help is what --help says beside the flags.
func (statsCmd) Help() string {
	return `Sums up recordings. A call that was retried or became a task is one call, timed
from its first request to its result. Percentiles are exact up to 8192 values of
a kind and within one percent beyond.

Examples:
  warden-inspect stats session.jsonl
  warden-inspect stats corpus/ --where 'ts >= "2026-08-01"'
  warden-inspect stats big.jsonl.zst --json | jq '.tools[] | select(.latency_ms.p99 > 1000)'`
}

// Run reads the traces and sums up.
func (c *statsCmd) Run(w *program.World) error {
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
	s := stats.New()
	if err = r.read(offline.Options{Where: filter, Fingerprints: program.NeedsFingerprints(filter), Observe: s.Observe}); err == nil {
		v := statsView{name: safe.Namer{Scrub: r.hide, Max: 512}, top: c.Top}
		if c.JSON {
			_, err = out.Write(v.json(nil, s, r.sum))
		} else {
			_, err = out.Write([]byte(v.text(s, r.sum)))
		}
	}
	return r.finish(out, err)
}

// statsView writes sums.
type statsView struct {
	name safe.Namer
	top  int
}

func (v *statsView) text(s *stats.Stats, sum *report.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s, in %s of %s\n", program.Count(s.Frames, "frame", "frames"), program.Count(s.Bytes, "byte", "bytes"), program.Count(s.Calls, "tool call", "tool calls"),
		program.Count(s.Sessions, "session", "sessions"), program.Count(sum.Traces, "trace", "traces"))
	if s.First != 0 {
		fmt.Fprintf(&b, "from %s to %s, %s\n", clock(s.First), clock(s.Last), seconds(s.Last-s.First))
	}
	fmt.Fprintf(&b, "frame size  median %d, 90%% %d, 99%% %d, largest %s\n", s.Size.Quantile(.5), s.Size.Quantile(.9), s.Size.Quantile(.99), program.Count(s.Size.Max, "byte", "bytes"))
	b.WriteString("frames      " + countsOf(s.Directions) + "\n            " + countsOf(s.Types) + "\n")
	if methods := s.Methods(); len(methods) > 0 {
		rows := [][]string{{"method", "dir", "requests", "notes", "errors", "lost", "bytes", "p50 ms", "p90 ms", "p99 ms", "max ms"}}
		for _, m := range methods[:min(len(methods), v.top)] {
			rows = append(rows, append([]string{v.cell(m.Name, 40), m.Direction.String(), number(m.Requests), number(m.Notifications),
				number(m.Errors), number(m.Unanswered), number(m.Size.Sum + m.Answer.Sum)}, times(&m.Latency)...))
		}
		table(&b, rows, 2, len(methods)-v.top)
	}
	if tools := s.Tools(); len(tools) > 0 {
		rows := [][]string{{"tool", "calls", "tool errors", "rpc errors", "cancelled", "lost", "answer p50", "max bytes", "p50 ms", "p90 ms", "p99 ms", "max ms"}}
		for _, t := range tools[:min(len(tools), v.top)] {
			rows = append(rows, append([]string{v.cell(t.Name, 40), number(t.Calls), number(t.ToolErrors), number(t.RPCErrors), number(t.Cancelled),
				number(t.Unanswered), number(t.Response.Quantile(.5)), number(t.Response.Max)}, times(&t.Latency)...))
		}
		table(&b, rows, 1, len(tools)-v.top)
	}
	if sum.Interrupted {
		b.WriteString("\ninterrupted: these are the sums of what was read until then\n")
	}
	return b.String()
}

// cell is a name of a trace in a table.
func (v *statsView) cell(s string, width int) string {
	if s == "" {
		return "(none)"
	}
	return safe.Cut(v.name.Raw(s), width)
}

// times are the cells of a latency; empty where none is known.
func times(s *stats.Sketch) []string {
	if s.N == 0 {
		return []string{"", "", "", ""}
	}
	return []string{millis(s.Quantile(.5)), millis(s.Quantile(.9)), millis(s.Quantile(.99)), millis(s.Max)}
}

func millis(ns int64) string { return strconv.FormatFloat(float64(ns)/1e6, 'f', 3, 64) }
func number(n int64) string  { return strconv.FormatInt(n, 10) }
func clock(ns int64) string  { return time.Unix(0, ns).UTC().Format("2006-01-02 15:04:05Z") }

func countsOf(m map[string]int64) string {
	var parts []string
	for _, k := range sortedKeys(m) {
		parts = append(parts, number(m[k])+" "+k)
	}
	return strings.Join(parts, ", ")
}

func sortedKeys(m map[string]int64) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// table writes rows; the first words columns are set left, the others right.
func table(b *strings.Builder, rows [][]string, words, more int) {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], safe.Width(c))
		}
	}
	b.WriteByte('\n')
	for _, r := range rows {
		var line []byte
		for i, c := range r {
			if i > 0 {
				line = append(line, ' ', ' ')
			}
			if i < words {
				line = left(line, c, widths[i])
			} else {
				line = right(line, c, widths[i])
			}
		}
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	if more > 0 {
		fmt.Fprintf(b, "... and %d more (--top)\n", more)
	}
}

// json is the sums as one object.
func (v *statsView) json(b []byte, s *stats.Stats, sum *report.Summary) []byte {
	b = fmt.Appendf(b, `{"kind":"stats","traces":%d,"sessions":%d,"frames":%d,"bytes":%d,"calls":%d,"parse_errors":%d,"interrupted":%t`, sum.Traces, s.Sessions, s.Frames, s.Bytes, s.Calls, sum.ParseErrors, sum.Interrupted)
	if s.First != 0 {
		b = fmt.Appendf(b, `,"first":%q,"last":%q`, time.Unix(0, s.First).UTC().Format(time.RFC3339Nano), time.Unix(0, s.Last).UTC().Format(time.RFC3339Nano))
	}
	b = members(append(b, `,"directions":`...), s.Directions)
	b = members(append(b, `,"types":`...), s.Types)
	b = sketch(append(b, `,"size":`...), &s.Size, 1)
	b = append(b, `,"methods":[`...)
	for i, m := range s.Methods() {
		if i > 0 {
			b = append(b, ',')
		}
		b = report.AppendJSON(append(b, `{"method":`...), v.name.Raw(m.Name))
		b = fmt.Appendf(b, `,"direction":%q,"requests":%d,"notifications":%d,"errors":%d,"unanswered":%d`, m.Direction, m.Requests, m.Notifications, m.Errors, m.Unanswered)
		b = sketch(append(b, `,"size":`...), &m.Size, 1)
		b = sketch(append(b, `,"answer":`...), &m.Answer, 1)
		b = append(sketch(append(b, `,"latency_ms":`...), &m.Latency, 1e6), '}')
	}
	b = append(b, `],"tools":[`...)
	for i, t := range s.Tools() {
		if i > 0 {
			b = append(b, ',')
		}
		b = report.AppendJSON(append(b, `{"tool":`...), v.name.Raw(t.Name))
		b = fmt.Appendf(b, `,"calls":%d,"round_trips":%d,"tool_errors":%d,"rpc_errors":%d,"cancelled":%d,"unanswered":%d`, t.Calls, t.Rounds, t.ToolErrors, t.RPCErrors, t.Cancelled, t.Unanswered)
		b = sketch(append(b, `,"request":`...), &t.Request, 1)
		b = sketch(append(b, `,"response":`...), &t.Response, 1)
		b = append(sketch(append(b, `,"latency_ms":`...), &t.Latency, 1e6), '}')
	}
	return append(b, "]}\n"...)
}

func members(b []byte, m map[string]int64) []byte {
	b = append(b, '{')
	for i, k := range sortedKeys(m) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(report.AppendJSON(b, k), ':'), m[k], 10)
	}
	return append(b, '}')
}

// sketch writes numbers, divided by unit, or null for none.
func sketch(b []byte, s *stats.Sketch, unit float64) []byte {
	if s.N == 0 {
		return append(b, "null"...)
	}
	f := func(n int64) string { return strconv.FormatFloat(float64(n)/unit, 'f', -1, 64) }
	return fmt.Appendf(b, `{"count":%d,"sum":%s,"min":%s,"mean":%s,"p50":%s,"p90":%s,"p99":%s,"max":%s,"exact":%t}`,
		s.N, f(s.Sum), f(s.Min), f(s.Mean()), f(s.Quantile(.5)), f(s.Quantile(.9)), f(s.Quantile(.99)), f(s.Max), s.Exact())
}
