package drive

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
)

// Pointer is a JSON Pointer whose segments may be "*", which stands for any
// one. It covers everything below it.
type Pointer []string

// ParsePointer reads /a/*/b as RFC 6901 has it.
func ParsePointer(s string) (Pointer, error) {
	if s != "" && s[0] != '/' {
		return nil, fmt.Errorf("%q is no JSON Pointer: it must begin with /", safe.Name(s))
	}
	var p Pointer
	for _, seg := range strings.Split(s, "/")[1:] {
		if strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(seg), "~") {
			return nil, fmt.Errorf("%q: after ~ only 0 or 1 may stand", safe.Name(s))
		}
		p = append(p, strings.NewReplacer("~1", "/", "~0", "~").Replace(seg))
	}
	return p, nil
}

func (p Pointer) covers(at []string) bool {
	if len(p) > len(at) {
		return false
	}
	for i, seg := range p {
		if seg != "*" && seg != at[i] {
			return false
		}
	}
	return true
}

// Bounds of a comparison: beyond them an answer is compared by its bytes.
const (
	maxDepth = 512
	maxNodes = 2_000_000
	// maxShown is how many differences of one answer are told; more say
	// nothing new.
	maxShown = 20
)

// pair is two values that stand at the same place.
type pair struct {
	at   []string
	a, b *jsonrpc.Value
}

// compare tells where two answers differ, apart from ids, times and what is
// ignored.
func (d *Driver) compare(recorded, live []byte, tell func(pointer, recorded, live, note string) error) error {
	o := jsonrpc.DecodeOptions{MaxDepth: maxDepth, MaxNodes: maxNodes, Lenient: true}
	a, err1 := jsonrpc.Decode(recorded, o)
	b, err2 := jsonrpc.Decode(live, o)
	if err1 != nil || err2 != nil {
		if bytes.Equal(recorded, live) {
			return nil
		}
		x, y, note := apart(recorded, live)
		return tell("", x, y, note)
	}
	told := 0
	stack := []pair{{nil, a, b}}
	for len(stack) > 0 && told < maxShown {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if d.ignored(p.at) || same(p.a, p.b) {
			continue
		}
		if p.a != nil && p.b != nil && p.a.Kind == p.b.Kind && (p.a.Kind == jsonrpc.Object || p.a.Kind == jsonrpc.Array) {
			below := children(p)
			for i := len(below) - 1; i >= 0; i-- {
				stack = append(stack, below[i])
			}
			continue
		}
		told++
		var x, y, note string
		if p.a == nil || p.b == nil {
			x, y = shown(p.a), shown(p.b)
		} else {
			x, y, note = apart(p.a.Raw, p.b.Raw)
		}
		if err := tell(pointer(p.at), x, y, note); err != nil {
			return err
		}
	}
	return nil
}

// children pairs the members or elements of two containers: by key, the last of
// each, in the recording's order, then what only the live one has.
func children(p pair) (out []pair) {
	at := func(seg string) []string { return append(p.at[:len(p.at):len(p.at)], seg) }
	if p.a.Kind == jsonrpc.Array {
		for i := range max(len(p.a.Elems), len(p.b.Elems)) {
			var x, y *jsonrpc.Value
			if i < len(p.a.Elems) {
				x = p.a.Elems[i]
			}
			if i < len(p.b.Elems) {
				y = p.b.Elems[i]
			}
			out = append(out, pair{at(strconv.Itoa(i)), x, y})
		}
		return out
	}
	last := func(ms []jsonrpc.Pair) map[string]*jsonrpc.Value {
		m := make(map[string]*jsonrpc.Value, len(ms))
		for _, x := range ms {
			m[x.Key] = x.Value
		}
		return m
	}
	x, y := last(p.a.Members), last(p.b.Members)
	done := make(map[string]bool, len(x))
	for _, list := range [][]jsonrpc.Pair{p.a.Members, p.b.Members} {
		for _, m := range list {
			if !done[m.Key] {
				done[m.Key] = true
				out = append(out, pair{at(m.Key), x[m.Key], y[m.Key]})
			}
		}
	}
	return out
}

func (d *Driver) ignored(at []string) bool {
	if len(at) == 1 && (at[0] == "id" || at[0] == "jsonrpc") {
		return true
	}
	for _, p := range d.Ignore {
		if p.covers(at) {
			return true
		}
	}
	return false
}

// same compares leaves: strings apart from the times and ids in them, numbers
// by value where that is spelt otherwise, and apart from times.
func same(a, b *jsonrpc.Value) bool {
	if a == nil || b == nil || a.Kind != b.Kind {
		return false
	}
	if bytes.Equal(a.Raw, b.Raw) {
		return true
	}
	switch a.Kind {
	case jsonrpc.String:
		return a.Str == b.Str || mask(a.Str) == mask(b.Str)
	case jsonrpc.Number:
		return sameNumber(string(a.Raw), string(b.Raw))
	}
	return false
}

func sameNumber(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && (x == y && len(a) < 16 && len(b) < 16 || epoch(x) && epoch(y))
}

// epoch reports a number that is a time of our days: from 2020 to 2100, in
// seconds, milli-, micro- or nanoseconds.
func epoch(x float64) bool {
	for _, unit := range []float64{1, 1e3, 1e6, 1e9} {
		if s := x / unit; s >= 1_577_836_800 && s < 4_102_444_800 {
			return true
		}
	}
	return false
}

// masked are times and ids within texts: what differs from run to run.
var masked = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?` +
	`|[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?: ?[AP]M)?` +
	`|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:[0-9]{1,2} [A-Z][a-z]{2}|[A-Z][a-z]{2} [0-9]{1,2}),? [0-9]{4}` +
	`|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)

func mask(s string) string { return masked.ReplaceAllString(s, "<>") }

func pointer(at []string) string {
	var b strings.Builder
	for _, seg := range at {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(seg))
	}
	return b.String()
}

func shown(v *jsonrpc.Value) string {
	if v == nil {
		return "nothing"
	}
	return show(v.Raw)
}

// apart shows two values that differ: from the beginning, or, where that is alike,
// from shortly before they part. The note is for values that are shown alike.
func apart(recorded, live []byte) (x, y, note string) {
	const before, after = 20, 400 // bytes around the place where they part
	x, y = show(recorded), show(live)
	if x != y {
		return x, y, ""
	}
	a, b := secret.Scrub(string(recorded)), secret.Scrub(string(live))
	if a == b {
		return x, y, "differs within a redacted secret"
	}
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	for from = max(from-before, 0); from > 0 && !utf8.RuneStart(a[from]); from-- {
	}
	cut := func(s string) string { return "…" + safe.Limit(safe.String(s[from:min(from+after, len(s))]), most) }
	return cut(a), cut(b), ""
}

// most is how many bytes of a value are shown.
const most = 200

// show is the beginning of a value, with secrets redacted and nothing raw.
func show(raw []byte) string {
	head := string(raw[:min(len(raw), 2*most)])
	return safe.Limit(safe.String(secret.Scrub(head)), most)
}
