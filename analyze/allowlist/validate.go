package allowlist

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// The library validates what a schema says of structure: types, properties,
// required names, items, sizes, patterns. What it says of values (bounds,
// divisors, enum, const, unique items) is validated here, since numbers have to
// compare as exact decimals at any size for the price of reading them. To the
// library a number is a stand-in that says whether it is whole.

type validator = *jsonschema.Schema

// compile hands the admitted schemas to the library.
func (l *loader) compile() {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) {
		return parsePattern(text, l.p.Limits.Pattern)
	})
	for i, name := range l.p.order {
		t := l.p.tools[name]
		at := "mem:///tool/" + strconv.Itoa(i) + "/" + url.PathEscape("args")
		if err := c.AddResource(at, t.args.doc); err != nil {
			l.fail(nil, "tools."+showName(name)+".argsSchema", "the schema library refuses it")
			continue
		}
		s, err := c.Compile(at)
		if err != nil {
			l.fail(nil, "tools."+showName(name)+".argsSchema", "the schema library refuses it")
			continue
		}
		t.args.check = s
	}
}

// noLoader makes sure that no schema is ever fetched from anywhere.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("schemas are never loaded") }

// fault is where and why a value fails its schema.
type fault struct {
	pointer string
	keyword string
}

// validate checks arguments (nil: none, which is an empty object). Of several
// faults the first by pointer and keyword comes back, nil for none.
func (s *schema) validate(v *jsonrpc.Value) *fault {
	if v == nil {
		v = &jsonrpc.Value{Kind: jsonrpc.Object}
	}
	if err := s.check.Validate(s.stand(v)); err != nil {
		var ve *jsonschema.ValidationError
		if !errors.As(err, &ve) {
			panic("allowlist: the schema library failed: " + fmt.Sprintf("%T", err))
		}
		return first(ve)
	}
	return s.exact(v, "")
}

// stand makes the library's picture of a value. It follows the schema, so that
// its depth is the schema's whatever the value's.
func (s *schema) stand(v *jsonrpc.Value) any {
	switch v.Kind {
	case jsonrpc.Bool:
		return v.True
	case jsonrpc.String:
		return v.Str
	case jsonrpc.Number:
		if parseDecimal(string(v.Raw)).integer() {
			return json.Number("0")
		}
		return json.Number("0.5")
	case jsonrpc.Array:
		out := make([]any, len(v.Elems))
		if s != nil && s.items != nil {
			for i, e := range v.Elems {
				out[i] = s.items.stand(e)
			}
		}
		return out
	case jsonrpc.Object:
		out := make(map[string]any, len(v.Members))
		for _, m := range v.Members {
			if p := s.property(m.Key); p != nil {
				out[m.Key] = p.stand(m.Value)
			} else {
				out[m.Key] = nil // refused by its name alone
			}
		}
		return out
	}
	return nil
}

func (s *schema) property(name string) *schema {
	if s == nil {
		return nil
	}
	return s.props[name]
}

// first finds the leaf of the library's error tree with the least pointer and
// keyword, so that the answer does not hang on the order of a map.
func first(ve *jsonschema.ValidationError) *fault {
	var best *fault
	stack := []*jsonschema.ValidationError{ve}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], e.Causes...)
		if len(e.Causes) > 0 {
			continue
		}
		f := &fault{keyword: "type"}
		if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
			f.keyword = path[0]
		}
		for _, step := range e.InstanceLocation {
			f.pointer += "/" + escape(scrub(step))
		}
		if k, ok := e.ErrorKind.(*kind.Required); ok && len(k.Missing) > 0 {
			f.keyword = "required"
		}
		if best == nil || f.pointer < best.pointer || f.pointer == best.pointer && f.keyword < best.keyword {
			best = f
		}
	}
	return best
}

// exact checks what needs exact numbers, on a value whose structure fits.
func (s *schema) exact(v *jsonrpc.Value, at string) *fault {
	if s.constant != nil || s.enum != nil {
		c := canonical(v)
		if s.constant != nil && c != *s.constant {
			return &fault{at, "const"}
		}
		if s.enum != nil && !s.enum[c] {
			return &fault{at, "enum"}
		}
	}
	switch v.Kind {
	case jsonrpc.Number:
		if k := s.numberFault(parseDecimal(string(v.Raw))); k != "" {
			return &fault{at, k}
		}
	case jsonrpc.Array:
		if s.unique {
			seen := make(map[string]bool, len(v.Elems))
			for _, e := range v.Elems {
				c := canonical(e)
				if seen[c] {
					return &fault{at, "uniqueItems"}
				}
				seen[c] = true
			}
		}
		for i, e := range v.Elems {
			if f := s.items.exact(e, at+"/"+strconv.Itoa(i)); f != nil {
				return f
			}
		}
	case jsonrpc.Object:
		order := slices.Clone(v.Members)
		slices.SortFunc(order, func(a, b jsonrpc.Pair) int { return compareKeys(a.Key, b.Key) })
		for _, m := range order {
			if f := s.props[m.Key].exact(m.Value, at+"/"+escape(scrub(m.Key))); f != nil {
				return f
			}
		}
	}
	return nil
}

func compareKeys(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// numberFault names the keyword that a number fails, "" for none.
func (s *schema) numberFault(d decimal) string {
	if s.low != nil {
		if c := d.cmp(s.low.at); c < 0 || c == 0 && s.low.open {
			return s.low.keyword
		}
	}
	if s.high != nil {
		if c := d.cmp(s.high.at); c > 0 || c == 0 && s.high.open {
			return s.high.keyword
		}
	}
	if s.multiple != nil && !d.multipleOf(*s.multiple) {
		return "multipleOf"
	}
	return ""
}
