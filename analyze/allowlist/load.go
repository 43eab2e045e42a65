package allowlist

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/faults"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Fault is one thing that is wrong with an allow-list file.
type Fault = faults.Fault

// Load reads an allow-list. The error joins all faults of the file, each a
// *Fault; no value of the file is ever shown.
func Load(name string, data []byte, limits Limits) (p *Policy, err error) {
	l := &loader{p: &Policy{Name: name, Limits: limits, tools: map[string]*tool{}}, data: data, faults: faults.List{File: name}}
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, &Fault{File: name, Text: "the file could not be read: an internal error"}
		}
	}()
	l.document()
	if l.faults.Empty() {
		l.compile()
	}
	if err := l.faults.Err(); err != nil {
		return nil, err
	}
	return l.p, nil
}

type loader struct {
	p      *Policy
	data   []byte
	faults faults.List
}

// fail notes a fault at a value of the file; v may be nil.
func (l *loader) fail(v *jsonrpc.Value, key, format string, args ...any) {
	line := 0
	if v != nil && !l.faults.Full() {
		// Raw points into data, so that its capacity gives its place.
		line = l.line(cap(l.data) - cap(v.Raw))
	}
	l.faults.Add(line, key, format, args...)
}

func (l *loader) line(offset int) int {
	if offset < 0 || offset > len(l.data) {
		return 0
	}
	return 1 + bytes.Count(l.data[:offset], []byte("\n"))
}

// document reads the file as a whole.
func (l *loader) document() {
	lim := l.p.Limits
	switch {
	case int64(len(l.data)) > lim.PolicyBytes:
		l.fail(nil, "", "the file has %d bytes (at most %d)", len(l.data), lim.PolicyBytes)
		return
	case bytes.HasPrefix(l.data, []byte("\xef\xbb\xbf")):
		l.fail(nil, "", "the file begins with a byte-order mark; remove it")
		return
	case !utf8.Valid(l.data):
		l.fail(nil, "", "the file is not valid UTF-8")
		return
	}
	root, err := jsonrpc.Decode(l.data, jsonrpc.DecodeOptions{
		MaxDepth: int(min(lim.PolicyDepth, 1<<30)), MaxNodes: int(min(lim.PolicyNodes, 1<<30)),
	})
	switch {
	case errors.Is(err, jsonrpc.ErrDepth):
		l.fail(nil, "", "nested too deep (at most %d)", lim.PolicyDepth)
		return
	case errors.Is(err, jsonrpc.ErrNodes):
		l.fail(nil, "", "too many values (at most %d)", lim.PolicyNodes)
		return
	case err != nil:
		line := 0
		if _, at, ok := strings.Cut(err.Error(), "at byte "); ok {
			n, _ := strconv.Atoi(at)
			line = l.line(n)
		}
		l.faults.Add(line, "", "this is no JSON: %v", err)
		return
	}
	s := look(root, bounds{depth: lim.PolicyDepth, nodes: lim.PolicyNodes, bytes: maxSafe, array: lim.PolicyArray, props: lim.PolicyProperties})
	switch {
	case s.over != "":
		l.fail(s.g[s.overAt].v, "", "%s", s.over)
		return
	case s.dangerous >= 0:
		l.fail(s.g[s.dangerous].v, "", "a key that reaches an object's prototype (__proto__, prototype, constructor)")
		return
	case s.number >= 0:
		l.fail(s.g[s.number].v, "", "a number too large for a double")
		return
	case s.repeated >= 0:
		l.fail(s.g[s.repeated].v, show(s.again), "stands twice in one object")
		return
	}
	l.top(root)
}

func (l *loader) top(root *jsonrpc.Value) {
	if root.Kind != jsonrpc.Object {
		l.fail(root, "", "must be an object with version, posture and tools, not %s", aOr(root.Kind))
		return
	}
	for _, m := range root.Members {
		switch m.Key {
		case "version":
			if s, ok := m.Value.IsString(); !ok || s != "1.0.0" {
				l.fail(m.Value, "version", `must be the string "1.0.0"`)
			}
		case "posture":
			if s, ok := m.Value.IsString(); !ok || s != "default-deny" {
				l.fail(m.Value, "posture", `must be the string "default-deny"`)
			}
		case "tools":
			l.tools(m.Value)
		default:
			l.fail(m.Value, show(m.Key), "unknown key (known: version, posture, tools)")
		}
	}
	for _, k := range []string{"version", "posture", "tools"} {
		if root.Get(k) == nil {
			l.fail(root, k, "is missing")
		}
	}
}

func (l *loader) tools(v *jsonrpc.Value) {
	if v.Kind != jsonrpc.Object {
		l.fail(v, "tools", "must be an object of tool names, not %s", aOr(v.Kind))
		return
	}
	for _, m := range v.Members {
		key := "tools." + showName(m.Key)
		if m.Key == "" {
			l.fail(m.Value, key, "a tool without a name")
			continue
		}
		if m.Value.Kind != jsonrpc.Object {
			l.fail(m.Value, key, "must be an object with action and argsSchema, not %s", aOr(m.Value.Kind))
			continue
		}
		t := &tool{name: m.Key}
		for _, f := range m.Value.Members {
			switch f.Key {
			case "action":
				s, ok := f.Value.IsString()
				if !ok || s != "ENFORCE" && s != "DENY" {
					l.fail(f.Value, key+".action", "must be ENFORCE or DENY")
				}
				t.enforce = s == "ENFORCE"
			case "argsSchema":
				t.args = l.schema(f.Value, key+".argsSchema", true)
			default:
				l.fail(f.Value, key+"."+show(f.Key), "unknown key (known: action, argsSchema)")
			}
		}
		for _, k := range []string{"action", "argsSchema"} {
			if m.Value.Get(k) == nil {
				l.fail(m.Value, key+"."+k, "is missing")
			}
		}
		l.p.tools[m.Key] = t
		l.p.order = append(l.p.order, m.Key)
	}
}

// aOr is a kind with its article.
func aOr(k jsonrpc.Kind) string {
	switch k {
	case jsonrpc.Null:
		return "null"
	case jsonrpc.Array, jsonrpc.Object:
		return "an " + k.String()
	}
	return "a " + k.String()
}
