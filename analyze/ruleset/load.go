package ruleset

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"go.yaml.in/yaml/v3"
)

// Bounds of a ruleset file. A file beyond them is refused, not cut.
const (
	MaxFileBytes    = 4 << 20
	maxEntries      = 100_000 // of any one list
	maxPatternBytes = 2_000
	maxPhraseBytes  = 2_000
	maxHostBytes    = 1_000
	minKeyword      = 3
)

// Load reads a ruleset file: the shape of rules/catalog.yaml without `rules`.
// An unknown key, a wrong type, a repeated key or entry, an alias, or a pattern
// that does not compile is an error that names file, line and key; no value of
// the file is ever quoted in an error, since it may be a secret.
func Load(name string, data []byte) (*Set, error) { return parse(name, data, false) }

func parse(name string, data []byte, embedded bool) (*Set, error) {
	l := &loader{name: name, embedded: embedded}
	if len(data) > MaxFileBytes {
		return nil, fmt.Errorf("%s: %d bytes; a ruleset file may have at most %d", name, len(data), MaxFileBytes)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s: not valid UTF-8", name)
	}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&doc); err != nil {
		if len(bytes.TrimSpace(data)) == 0 || len(doc.Content) == 0 && strings.Contains(err.Error(), "EOF") {
			return nil, fmt.Errorf("%s: the file is empty", name)
		}
		return nil, fmt.Errorf("%s: not valid YAML (%s)", name, yamlPlace(err))
	}
	var more yaml.Node
	if err := dec.Decode(&more); err == nil {
		return nil, fmt.Errorf("%s:%d: more than one YAML document", name, more.Line)
	}
	if len(doc.Content) != 1 {
		return nil, fmt.Errorf("%s: the file is empty", name)
	}
	s := &Set{Name: name}
	l.set(doc.Content[0], s)
	return s, errors.Join(l.errs...)
}

var yamlLine = regexp.MustCompile(`line \d+`)

// yamlPlace keeps of a YAML error only the line: its text quotes the file.
func yamlPlace(err error) string {
	if p := yamlLine.FindString(err.Error()); p != "" {
		return p
	}
	return "syntax error"
}

// loader walks the YAML nodes itself: a decoder into structs would lose lines,
// follow aliases and forgive repeated keys. The walk is as deep as the schema.
type loader struct {
	name     string
	embedded bool
	errs     []error
}

// fail notes an error; the first few are enough.
func (l *loader) fail(n *yaml.Node, key, format string, args ...any) {
	if len(l.errs) < 20 {
		l.errs = append(l.errs, fmt.Errorf("%s:%d: %s: %s", l.name, n.Line, key, fmt.Sprintf(format, args...)))
	}
}

// each calls f for the members of a mapping, once a key.
func (l *loader) each(n *yaml.Node, at string, f func(key string, k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		l.fail(n, at, "expected a mapping, got %s", kind(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode || k.Tag != "!!str" || k.Alias != nil || k.Anchor != "" {
			l.fail(k, at, "keys must be plain strings")
			continue
		}
		if seen[k.Value] {
			l.fail(k, join(at, k.Value), "the key is there twice")
			continue
		}
		seen[k.Value] = true
		f(k.Value, k, v)
	}
}

// join extends the path of keys that an error names; a key that is no plain
// word is not repeated.
func join(at, key string) string {
	if !plainWord.MatchString(key) {
		key = "?"
	}
	if at == "" || at == "file" {
		return key
	}
	return at + "." + key
}

var plainWord = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,40}$`)

// list calls f for the elements of a sequence.
func (l *loader) list(n *yaml.Node, at string, f func(at string, v *yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		l.fail(n, at, "expected a list, got %s", kind(n))
		return
	}
	if len(n.Content) > maxEntries {
		l.fail(n, at, "%d entries; at most %d", len(n.Content), maxEntries)
		return
	}
	for i, v := range n.Content {
		f(fmt.Sprintf("%s[%d]", at, i), v)
	}
}

// text returns a non-empty string scalar.
func (l *loader) text(n *yaml.Node, at string, most int) string {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		l.fail(n, at, "expected a string, got %s", kind(n))
		return ""
	}
	switch {
	case strings.TrimSpace(n.Value) == "":
		l.fail(n, at, "is empty")
	case len(n.Value) > most:
		l.fail(n, at, "%d bytes; at most %d", len(n.Value), most)
	default:
		return n.Value
	}
	return ""
}

func (l *loader) texts(n *yaml.Node, at string, most int) []string {
	var out []string
	seen := map[string]bool{}
	l.list(n, at, func(at string, v *yaml.Node) {
		t := l.text(v, at, most)
		if t == "" {
			return
		}
		if seen[strings.ToLower(t)] {
			l.fail(v, at, "the entry is there twice")
			return
		}
		seen[strings.ToLower(t)] = true
		out = append(out, t)
	})
	return out
}

func (l *loader) number(n *yaml.Node, at string, lo, hi float64) float64 {
	var x float64
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float" || n.Decode(&x) != nil {
		l.fail(n, at, "expected a number, got %s", kind(n))
		return lo
	}
	if !(x >= lo && x <= hi) {
		l.fail(n, at, "must be between %g and %g", lo, hi)
		return lo
	}
	return x
}

// kind names what a node is, for errors.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias (aliases are not allowed here)"
	}
	switch n.Tag {
	case "!!str":
		return "a string"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "a boolean"
	case "!!null":
		return "nothing"
	}
	return "a value of another type"
}

func (l *loader) severity(n *yaml.Node, at string) analyze.Severity {
	for s := analyze.Low; s <= analyze.Critical; s++ {
		if n.Kind == yaml.ScalarNode && n.Value == s.String() {
			return s
		}
	}
	l.fail(n, at, "must be low, medium, high or critical")
	return analyze.Low
}

func (l *loader) tier(n *yaml.Node, at string) analyze.Tier {
	for t := analyze.Note; t <= analyze.Block; t++ {
		if n.Kind == yaml.ScalarNode && n.Value == t.String() {
			return t
		}
	}
	l.fail(n, at, "must be note, monitor or block")
	return analyze.Note
}

func (l *loader) prefix(n *yaml.Node, at string) (netip.Prefix, bool) {
	t := l.text(n, at, 100)
	if t == "" {
		return netip.Prefix{}, false
	}
	p, err := netip.ParsePrefix(t)
	if err != nil {
		l.fail(n, at, "is no network in CIDR form, such as 10.0.0.0/8")
		return p, false
	}
	if p != p.Masked() {
		l.fail(n, at, "has bits set behind its prefix length")
		return p, false
	}
	if p.Addr().Is4In6() {
		l.fail(n, at, "write an IPv4-mapped network as IPv4")
		return p, false
	}
	return p, true
}
