package expect

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats/report/safe"
)

// Diff is what is not as expected.
type Diff struct {
	Missing    bool    // there is no expectation at all
	Lost       []Entry // expected and not found; Count is how many are lacking
	Unexpected []Entry // found, and no entry stands for them
	WantExit   int
	GotExit    int
	Problems   []string
}

// compare returns nil where everything is as expected.
func compare(want *Expectation, got *Got) *Diff {
	left := make([]int, len(want.Findings))
	order := make([]int, len(want.Findings))
	for i := range want.Findings {
		left[i], order[i] = want.Findings[i].Count, i
	}
	// The entries that say most take their findings first, so that a loose one
	// never takes what a strict one needs.
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(want.Findings[b].strictness(), want.Findings[a].strictness())
	})
	var more []analyze.Finding
	for i := range got.Findings {
		f := &got.Findings[i]
		at := slices.IndexFunc(order, func(k int) bool { return left[k] > 0 && want.Findings[k].fits(f) })
		if at < 0 {
			more = append(more, *f)
			continue
		}
		left[order[at]]--
	}
	d := &Diff{WantExit: *want.Exit, GotExit: got.Exit, Problems: got.Problems, Unexpected: Entries(more)}
	for i, n := range left {
		if n > 0 {
			e := want.Findings[i]
			e.Count = n
			d.Lost = append(d.Lost, e)
		}
	}
	if len(d.Lost) == 0 && len(d.Unexpected) == 0 && d.WantExit == d.GotExit {
		return nil
	}
	return d
}

func (e *Entry) strictness() int {
	n := 0
	for _, given := range []bool{e.SubRule != nil, e.Tool != nil, e.ID != nil, e.Pointer != nil, e.Block != nil} {
		if given {
			n++
		}
	}
	return n
}

// fits reports whether the entry stands for the finding.
func (e *Entry) fits(f *analyze.Finding) bool {
	switch {
	case e.Rule != f.Rule, e.Action != f.Action.String(),
		e.SubRule != nil && *e.SubRule != f.SubRule,
		e.Tool != nil && *e.Tool != f.Tool,
		e.Pointer != nil && *e.Pointer != f.Pointer,
		e.Block != nil && *e.Block != f.Block:
		return false
	}
	return e.ID == nil || sameID(e.ID, f.RPCID)
}

// sameID compares two ids by their JSON value.
func sameID(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	ka, oka := jsonrpc.IDKey(a)
	kb, okb := jsonrpc.IDKey(b)
	return oka && okb && ka == kb
}

// Entries writes findings as entries, those that are told apart by nothing an
// entry says joined to one.
func Entries(fs []analyze.Finding) []Entry {
	var out []Entry
	at := map[string]int{}
	for i := range fs {
		f := &fs[i]
		e := Entry{Rule: f.Rule, Pointer: &f.Pointer, Block: &f.Block, Action: f.Action.String(), Count: 1}
		if f.SubRule != "" {
			e.SubRule = &f.SubRule
		}
		if f.Tool != "" {
			e.Tool = &f.Tool
		}
		if len(f.RPCID) > 0 {
			e.ID = f.RPCID
		}
		key := e.String()
		if k, ok := at[key]; ok {
			out[k].Count++
			continue
		}
		at[key] = len(out)
		out = append(out, e)
	}
	return out
}

// String is the entry as a line of an expectation.
func (e *Entry) String() string { return string(e.append(nil)) }

func (e *Entry) append(b []byte) []byte {
	text := func(key, v string) { b = appendQuoted(append(b, `, "`+key+`": `...), v) }
	b = appendQuoted(append(b, `{"rule": `...), e.Rule)
	if e.SubRule != nil {
		text("sub_rule", *e.SubRule)
	}
	if e.Tool != nil {
		text("tool", *e.Tool)
	}
	if e.ID != nil {
		b = append(append(b, `, "id": `...), e.ID...)
	}
	if e.Pointer != nil {
		text("pointer", *e.Pointer)
	}
	if e.Block != nil {
		b = strconv.AppendInt(append(b, `, "block": `...), int64(*e.Block), 10)
	}
	text("action", e.Action)
	return append(strconv.AppendInt(append(b, `, "count": `...), int64(e.Count), 10), '}')
}

// Write prints the difference as a diff: what was expected with `-`, what was
// found with `+`, by place.
func (d *Diff) Write(w io.Writer, c *Case) error {
	var b bytes.Buffer
	name := safe.Name(c.Name)
	fmt.Fprintf(&b, "--- %s%s\n+++ what the rules find\n", name, Suffix)
	if d.Missing {
		b.WriteString("  there is no expectation; --update writes it\n")
	}
	type line struct {
		sign string
		e    *Entry
	}
	var lines []line
	for i := range d.Lost {
		lines = append(lines, line{"-", &d.Lost[i]})
	}
	for i := range d.Unexpected {
		lines = append(lines, line{"+", &d.Unexpected[i]})
	}
	slices.SortStableFunc(lines, func(x, y line) int {
		return cmp.Or(cmp.Compare(string(x.e.ID), string(y.e.ID)), cmp.Compare(deref(x.e.Pointer), deref(y.e.Pointer)), cmp.Compare(x.e.Rule, y.e.Rule))
	})
	const most = 200
	for i, l := range lines {
		if i == most {
			fmt.Fprintf(&b, "  ... and %d more\n", len(lines)-most)
			break
		}
		fmt.Fprintf(&b, "%s %s\n", l.sign, safe.String(safe.Limit(l.e.String(), 2048)))
	}
	if d.WantExit != d.GotExit {
		fmt.Fprintf(&b, "- \"exit\": %d\n+ \"exit\": %d\n", d.WantExit, d.GotExit)
	}
	for _, p := range d.Problems {
		fmt.Fprintf(&b, "  %s\n", safe.String(safe.Limit(p, 2048)))
	}
	_, err := w.Write(b.Bytes())
	return err
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
