package allowlist

import (
	"math"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// schema is an admitted schema: what the library checks (in doc) and what has
// to be exact and is checked here.
type schema struct {
	kind     string // the one type
	props    map[string]*schema
	few      []property // of props, where these are few enough to be gone through
	required []string
	items    *schema
	low      *bound
	high     *bound
	multiple *decimal
	enum     map[string]bool // canonical texts; nil without the keyword
	constant *string         // canonical text
	unique   bool
	sizes    sizes    // of strings and arrays
	pattern  *pattern // nil: none
	needed   bool     // the object that has it requires it

	doc   map[string]any // the library's part
	check validator      // the library's compiled form; at a tool's root only
}

// sizes are the least and most of a string's characters or an array's items.
type sizes struct{ least, most int }

func (s sizes) hold(n int) bool { return n >= s.least && n <= s.most }

// bound is one end of an interval of numbers.
type bound struct {
	at      decimal
	open    bool // exclusive
	keyword string
}

// keywords says which types a keyword fits; "" is every type.
var keywords = map[string]string{
	"$schema": "", "title": "", "description": "", "type": "", "enum": "", "const": "",
	"properties": "object", "required": "object", "additionalProperties": "object",
	"items": "array", "minItems": "array", "maxItems": "array", "uniqueItems": "array",
	"minLength": "string", "maxLength": "string", "pattern": "string",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number", "multipleOf": "number",
}

const draft07 = "http://json-schema.org/draft-07/schema"

// schema admits one schema of the closed subset. Its depth is bounded by that
// of the file.
func (l *loader) schema(v *jsonrpc.Value, key string, root bool) *schema {
	s := &schema{doc: map[string]any{}, sizes: sizes{most: math.MaxInt}}
	if v.Kind != jsonrpc.Object {
		l.fail(v, key, "a schema must be an object, not %s", aOr(v.Kind))
		return s
	}
	t := v.Get("type")
	name, ok := t.IsString()
	switch {
	case t == nil:
		l.fail(v, key+".type", "is missing; every schema has one type")
		return s
	case !ok || !oneOf(name, "null", "boolean", "object", "array", "number", "integer", "string"):
		l.fail(t, key+".type", "must be one of null, boolean, object, array, number, integer, string")
		return s
	case root && name != "object":
		l.fail(t, key+".type", "must be object: arguments are one")
	}
	s.kind = name
	s.doc["type"] = name
	for _, m := range v.Members {
		fits, known := keywords[m.Key]
		at := key + "." + show(m.Key)
		switch {
		case !known:
			l.fail(m.Value, at, "is not in the closed subset of draft-07")
		case fits != "" && fits != s.kind && (fits != "number" || s.kind != "integer"):
			l.fail(m.Value, at, "does not fit type %s", s.kind)
		default:
			l.keyword(s, m.Key, m.Value, at)
		}
	}
	l.complete(s, v, key)
	return s
}

func oneOf(s string, list ...string) bool {
	for _, x := range list {
		if s == x {
			return true
		}
	}
	return false
}

// keyword reads one keyword that fits its schema.
func (l *loader) keyword(s *schema, name string, v *jsonrpc.Value, key string) {
	switch name {
	case "type": // read before the others
	case "$schema":
		if u, ok := v.IsString(); !ok || strings.TrimSuffix(u, "#") != draft07 {
			l.fail(v, key, "must be %s#", draft07)
		}
	case "title", "description":
		if v.Kind != jsonrpc.String {
			l.fail(v, key, "must be a string")
		}
	case "enum":
		if v.Kind != jsonrpc.Array || len(v.Elems) == 0 {
			l.fail(v, key, "must be an array that is not empty")
			return
		}
		s.enum = map[string]bool{}
		for _, e := range v.Elems {
			s.enum[canonical(e)] = true
		}
	case "const":
		c := canonical(v)
		s.constant = &c
	case "properties":
		l.properties(s, v, key)
	case "required":
		l.required(s, v, key)
	case "additionalProperties":
		if v.Kind != jsonrpc.Bool || v.True {
			l.fail(v, key, "must be false")
		}
		s.doc[name] = false
	case "items":
		s.items = l.schema(v, key, false)
		s.doc[name] = s.items.doc
	case "uniqueItems":
		if v.Kind != jsonrpc.Bool {
			l.fail(v, key, "must be true or false")
		}
		s.unique = v.True
	case "minItems", "maxItems", "minLength", "maxLength":
		n, ok := count(v)
		switch {
		case !ok:
			l.fail(v, key, "must be a whole number of 0 or more")
			return
		case strings.HasPrefix(name, "min"):
			s.sizes.least = n
		default:
			s.sizes.most = n
		}
		s.doc[name] = n
	case "pattern":
		text, ok := v.IsString()
		if !ok {
			l.fail(v, key, "must be a string")
			return
		}
		p, err := parsePattern(text, l.p.Limits.Pattern)
		if err != nil {
			l.fail(v, key, "%v", err)
			return
		}
		s.pattern, s.doc[name] = p, text
	default:
		l.number(s, name, v, key)
	}
}

// count reads a size as the library takes it; beyond an int it is the largest.
func count(v *jsonrpc.Value) (int, bool) {
	if v.Kind != jsonrpc.Number {
		return 0, false
	}
	d := parseDecimal(string(v.Raw))
	switch {
	case d.neg || !d.integer():
		return 0, false
	case d.exp+int64(len(d.digits)) > 9:
		return 1 << 30, true
	}
	n := 0
	for _, c := range d.digits + strings.Repeat("0", int(d.exp)) {
		n = n*10 + int(c-'0')
	}
	return n, true
}

func (l *loader) properties(s *schema, v *jsonrpc.Value, key string) {
	if v.Kind != jsonrpc.Object {
		l.fail(v, key, "must be an object of schemas, not %s", aOr(v.Kind))
		return
	}
	s.props = map[string]*schema{}
	docs := map[string]any{}
	for _, m := range v.Members {
		p := l.schema(m.Value, key+"."+show(m.Key), false)
		s.props[m.Key] = p
		docs[m.Key] = p.doc
	}
	s.doc["properties"] = docs
	if len(s.props) <= fewProperties {
		for name, p := range s.props {
			s.few = append(s.few, property{name, p})
		}
	}
}

// fewProperties is up to how many going through them takes less than a map.
const fewProperties = 6

type property struct {
	name   string
	schema *schema
}

// quickly gives the schema of an object's member, nil for none.
func (s *schema) quickly(name []byte) *schema {
	if len(s.few) == 0 {
		return s.props[string(name)]
	}
	for i := range s.few {
		if s.few[i].name == string(name) {
			return s.few[i].schema
		}
	}
	return nil
}

func (l *loader) required(s *schema, v *jsonrpc.Value, key string) {
	if v.Kind != jsonrpc.Array {
		l.fail(v, key, "must be an array of property names, not %s", aOr(v.Kind))
		return
	}
	seen := map[string]bool{}
	list := []any{}
	for _, e := range v.Elems {
		name, ok := e.IsString()
		switch {
		case !ok:
			l.fail(e, key, "must hold strings alone")
		case seen[name]:
			l.fail(e, key, "names %s twice", show(name))
		default:
			s.required = append(s.required, name)
			list = append(list, name)
		}
		seen[name] = true
	}
	s.doc["required"] = list
}

// complete checks what keywords need of each other.
func (l *loader) complete(s *schema, v *jsonrpc.Value, key string) {
	switch s.kind {
	case "object":
		if v.Get("properties") == nil {
			l.fail(v, key+".properties", "is missing; an object names its properties")
		}
		if v.Get("additionalProperties") == nil {
			l.fail(v, key+".additionalProperties", "is missing; write false")
		}
		for _, name := range s.required {
			switch p := s.props[name]; {
			case p != nil:
				p.needed = true
			case s.props != nil:
				l.fail(v, key+".required", "names %s, which properties does not have", show(name))
			}
		}
	case "array":
		if v.Get("items") == nil {
			l.fail(v, key+".items", "is missing; an array has one schema for its items")
		}
	}
	for _, pair := range [][2]string{{"minItems", "maxItems"}, {"minLength", "maxLength"}} {
		lo, ok1 := s.doc[pair[0]].(int)
		hi, ok2 := s.doc[pair[1]].(int)
		if ok1 && ok2 && lo > hi {
			l.fail(v.Get(pair[0]), key, "%s is more than %s, so that nothing fits", pair[0], pair[1])
		}
	}
	if s.kind == "number" || s.kind == "integer" {
		l.interval(s, v, key)
	}
}
