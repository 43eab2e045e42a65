package policy

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/warden-trace/warden/analyze/faults"
)

// Bounds of a policy file. One over them is refused before it costs anything.
const (
	MaxBytes   = 1 << 20 // bytes of the file
	maxNodes   = 100_000 // values read, aliases followed
	maxNesting = 64      // open flow brackets
)

// Fault is one thing that is wrong with a policy file.
type Fault = faults.Fault

// Load reads a policy. The error joins all faults of the file, each a *Fault
// with line and key. No value of the file is ever shown: it could be a secret.
func Load(name string, data []byte) (p *Policy, err error) {
	l := &loader{p: &Policy{Name: name, tools: map[string]*tool{}}, faults: faults.List{File: name}}
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, &Fault{File: name, Text: "the YAML reader gave up on this file"}
		}
	}()
	root := l.parse(data)
	if root != nil {
		l.policy(root)
	}
	if err := l.faults.Err(); err != nil {
		return nil, err
	}
	return l.p, nil
}

type loader struct {
	p      *Policy
	faults faults.List
	nodes  int
}

func (l *loader) fail(n *yaml.Node, key, format string, args ...any) {
	line := 0
	if n != nil {
		line = n.Line
	}
	l.faults.Add(line, key, format, args...)
}

// parse gives the one document's root, or nil with the fault noted.
func (l *loader) parse(data []byte) *yaml.Node {
	if len(data) > MaxBytes {
		l.fail(nil, "", "the file has %d bytes (at most %d)", len(data), MaxBytes)
		return nil
	}
	if at := tooDeep(data); at >= 0 {
		l.fail(&yaml.Node{Line: lineOf(data, at)}, "", "nested too deep")
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		l.fail(nil, "", "the file is empty; it needs at least `version: 1`")
		return nil
	case err != nil:
		l.fail(&yaml.Node{Line: errorLine(err, data)}, "", "this is no YAML")
		return nil
	}
	var second yaml.Node
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		l.fail(&second, "", "a second YAML document; a policy is one")
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		l.fail(nil, "", "this is no YAML mapping")
		return nil
	}
	return doc.Content[0]
}

// tooDeep is where brackets of the flow style are nested deeper than the bound,
// -1 for nowhere. Quotes and comments are not looked at: the bound is far above
// any policy.
func tooDeep(data []byte) int {
	depth := 0
	for i, c := range data {
		switch c {
		case '[', '{':
			if depth++; depth > maxNesting {
				return i
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return -1
}

func lineOf(data []byte, at int) int { return 1 + bytes.Count(data[:at], []byte("\n")) }

// errorLine is the line that a YAML error is about. Its text is not used
// further, as it may hold pieces of the file. The library leaves out the number
// of the first line, and for bytes that it can't take and unknown anchors any.
func errorLine(err error, data []byte) int {
	text := err.Error()
	_, rest, ok := strings.Cut(text, "line ")
	if !ok {
		at := -1
		if _, anchor, ok := strings.Cut(text, "unknown anchor '"); ok {
			anchor, _, _ = strings.Cut(anchor, "'")
			at = bytes.Index(data, []byte("*"+anchor))
		} else if strings.Contains(text, "control characters") || strings.Contains(text, "UTF-8") {
			at = unreadable(data)
		}
		return lineOf(data, max(at, 0))
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	n, _ := strconv.Atoi(rest[:end])
	return n
}

// unreadable is where the first character stands that YAML does not take, -1
// for nowhere.
func unreadable(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 || r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85 {
			return i
		}
		i += n
	}
	return -1
}

// member is one key of a mapping with its value, aliases followed.
type member struct {
	key   string
	at    *yaml.Node // the key's node
	value *yaml.Node
}

// mapping reads a mapping with string keys, each once.
func (l *loader) mapping(n *yaml.Node, key string) []member {
	n = l.follow(n)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.MappingNode || n.ShortTag() != "!!map" {
		l.fail(n, key, "must be a mapping, not %s", kindOf(n))
		return nil
	}
	seen := map[string]int{}
	var out []member
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := l.follow(n.Content[i])
		if k == nil {
			return out
		}
		if k.Kind != yaml.ScalarNode || k.ShortTag() != "!!str" {
			l.fail(n.Content[i], key, "a key that is %s; keys are strings", kindOf(k))
			continue
		}
		if line, ok := seen[k.Value]; ok {
			l.fail(n.Content[i], join(key, k.Value), "stands twice, first on line %d", line)
			continue
		}
		seen[k.Value] = n.Content[i].Line
		out = append(out, member{k.Value, n.Content[i], n.Content[i+1]})
	}
	return out
}

// follow resolves aliases and counts what is read, so that aliases of aliases
// cost no more than the bound.
func (l *loader) follow(n *yaml.Node) *yaml.Node {
	for hops := 0; ; hops++ {
		l.nodes++
		if l.nodes > maxNodes || hops > maxNesting {
			if l.nodes <= maxNodes+1 || hops > maxNesting {
				l.fail(n, "", "too many values (at most %d, aliases counted each time)", maxNodes)
			}
			return nil
		}
		if n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "empty"
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	case "!!str":
		return "a string"
	}
	return "a value of another type"
}

// join makes a dotted key path. Keys come from the file and are shown safely.
func join(path, key string) string {
	switch path {
	case "":
		return show(key)
	case "tools":
		return path + "." + showName(key)
	}
	return path + "." + show(key)
}
