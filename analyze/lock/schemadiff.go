package lock

import (
	"bytes"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// schema compares two skeletons of a schema whose hashes differ, one item a
// fact. prefix is "schema-" or "schema-out-". shadowed says that the new
// skeleton does not show all of its schema.
func (d *drifts) schema(prefix, at string, a, b *jsonrpc.Value, shadowed bool) {
	before, now := shapes(a), shapes(b)
	if before == nil || now == nil {
		d.add(prefix+"modified", at, "the schema differs, and one side has no skeleton to say how")
		return
	}
	c := schemaDiff{d: d, prefix: prefix, at: at}
	c.root(before)
	c.root(now)
	for path, o := range before {
		if n, ok := now[path]; ok {
			c.both(path, o, n)
		} else if o.required {
			c.add("required-removed", path, "is gone (was required)")
		} else {
			c.add("property-removed", path, "is gone")
		}
	}
	for path, n := range now {
		if _, ok := before[path]; !ok {
			c.added(path, n)
		}
	}
	if c.n > 0 {
		return
	}
	switch {
	case shadowed:
		d.add(prefix+"modified", at, "the schema differs where two properties share one path")
	case sameValue(a, b):
		d.add(prefix+"cosmetic-modified", at, "the schema's text differs, its constraints do not")
	default:
		d.add(prefix+"modified", at, "the schema differs")
	}
}

type schemaDiff struct {
	d          *drifts
	prefix, at string
	n          int
}

// root gives an absent schema the root that it amounts to, so that the first
// real schema is judged by what it lets through.
func (c *schemaDiff) root(m map[string]shape) {
	if len(m) == 0 {
		m[rootPath] = anything
	}
}

func (c *schemaDiff) add(class, path, detail string) {
	c.n++
	if path != rootPath {
		detail = hidden(path) + ": " + detail
	}
	c.d.add(c.prefix+class, c.at, detail)
}

func (c *schemaDiff) added(path string, n shape) {
	switch loose := n.unconstrained(); {
	case n.opaque() != "":
		// What it lets through can't be seen.
		if n.required {
			c.add("required-unconstrained-added", path, "new, required, behind a reference")
		} else {
			c.add("unconstrained-added", path, "new, behind a reference")
		}
	case n.required && loose:
		c.add("required-unconstrained-added", path, "new, required, without a constraint")
	case n.required:
		c.add("required-added", path, "new, required")
	case loose:
		c.add("unconstrained-added", path, "new, without a constraint")
	default:
		c.add("property-added", path, "new, type "+n.typeText())
	}
}

func (c *schemaDiff) both(path string, o, n shape) {
	if o.required && !n.required {
		c.add("constraint-relaxed", path, "required→optional")
	}
	if !o.required && n.required {
		c.add("constraint-tightened", path, "optional→required")
	}
	if x, y := o.opaque(), n.opaque(); x != "" || y != "" {
		if x != y {
			c.add("modified", path, "a part behind a reference is another one")
		}
		return
	}
	c.types(path, o, n)
	c.enums(path, o, n)
	keys := map[string]bool{}
	for k := range o.limits {
		keys[k] = true
	}
	for k := range n.limits {
		keys[k] = true
	}
	for k := range keys {
		c.limit(path, k, o.limits[k], n.limits[k])
	}
}

func (c *schemaDiff) types(path string, o, n shape) {
	if o.typed == n.typed && slices.Equal(o.types, n.types) {
		return
	}
	detail := "type " + o.typeText() + "→" + n.typeText()
	within := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(t string) bool { return !slices.Contains(b, t) })
	}
	switch {
	case o.typed && !n.typed:
		c.add("type-broadened", path, detail)
	case !o.typed:
		c.add("type-narrowed", path, detail)
	case within(o.types, n.types):
		c.add("type-broadened", path, detail)
	case within(n.types, o.types):
		c.add("type-narrowed", path, detail)
	default:
		c.add("type-changed", path, detail)
	}
}

func (c *schemaDiff) enums(path string, o, n shape) {
	switch {
	case o.enum == nil && n.enum == nil:
	case n.enum == nil:
		c.add("enum-removed", path, "enum is gone")
	case o.enum == nil:
		c.add("enum-added", path, "enum is new")
	default:
		more, fewer := without(n.enum, o.enum), without(o.enum, n.enum)
		if len(more) > 0 {
			c.add("enum-widened", path, "enum has more: "+members(more))
		} else if len(fewer) > 0 {
			c.add("enum-narrowed", path, "enum has no more: "+members(fewer))
		}
	}
}

// without are the members of a that b lacks, by canonical form.
func without(a, b map[string][]byte) []string {
	var out []string
	for k := range a {
		if _, ok := b[k]; !ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

func members(list []string) string {
	shown := make([]string, 0, 3)
	for _, m := range list[:min(3, len(list))] {
		shown = append(shown, shownValue([]byte(m)))
	}
	s := strings.Join(shown, ", ")
	if len(list) > 3 {
		s += ", …"
	}
	return s
}

func (c *schemaDiff) limit(path, key string, o, n *jsonrpc.Value) {
	if sameValue(o, n) {
		return
	}
	show := func(v *jsonrpc.Value) string {
		if v == nil {
			return "none"
		}
		return shownValue(canonOrRaw(v))
	}
	name := key
	if !slices.Contains(constraintKeys, key) && key != "additionalProperties" {
		name = hidden(key)
	}
	detail := name + " " + show(o) + "→" + show(n)
	if key == "additionalProperties" {
		c.additional(path, detail, o, n)
		return
	}
	switch {
	case o == nil:
		c.add("constraint-tightened", path, detail)
	case n == nil || loosened(key, o, n):
		c.add("constraint-relaxed", path, detail)
	default:
		c.add("constraint-tightened", path, detail)
	}
}

// additional judges additionalProperties: false lets nothing through, true
// everything, a schema something.
func (c *schemaDiff) additional(path, detail string, o, n *jsonrpc.Value) {
	is := func(v *jsonrpc.Value, word string) bool { return v != nil && bytes.Equal(v.Raw, []byte(word)) }
	switch {
	case is(o, "false"):
		c.add("additional-props-opened", path, detail)
	case is(n, "false") || is(o, "true"):
		c.add("constraint-tightened", path, detail)
	default:
		c.add("constraint-relaxed", path, detail)
	}
}
