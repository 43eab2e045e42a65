package schemas

import (
	"errors"
	"maps"
	"math/bits"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// budget counts down while an instance is judged. The library has no such
// thing, and a small schema can ask for 2^60 steps (each of a chain of
// definitions referring twice to the next); so every subschema gets a format
// keyword of ours, which the library runs on each visit.
type budget struct {
	left int64
	// asked says that the verdict hung on something unknown: a pattern that is
	// not run, a reference that is not followed. answer is what that then said.
	asked, answer bool
}

// unknown is the answer of what can't be known in this run.
func (b *budget) unknown() bool {
	if b == nil {
		return true // our own meta-schemas are all known
	}
	b.asked = true
	return b.answer
}

var errBudget = errors.New("step budget used up")

func (b *budget) spend(n int64) {
	if b == nil {
		return
	}
	if b.left -= n; b.left < 0 {
		panic(errBudget)
	}
}

const stepsFormat = "warden-steps-"

// unknownFormat stands in the place of a reference that is not followed.
const unknownFormat = "warden-unknown"

var errUnknown = errors.New("not known")

// registerSteps makes one format for each power of two of a visit's price.
func registerSteps(c *jsonschema.Compiler, b *budget) {
	c.RegisterFormat(&jsonschema.Format{Name: unknownFormat, Validate: func(any) error {
		if b.unknown() {
			return nil
		}
		return errUnknown
	}})
	for i := range 24 {
		price := int64(1) << i
		c.RegisterFormat(&jsonschema.Format{
			Name:     stepsFormat + strconv.Itoa(i),
			Validate: func(any) error { b.spend(price); return nil },
		})
	}
}

// counted is what instrument learns on its way.
type counted struct {
	subschemas  int
	unevaluated bool
}

// instrument puts the step format into every place of doc that is or could be
// a schema. Formats are annotations here, in all dialects, so a format that
// was there is no loss. The work list replaces recursion.
//
// A reference to another document, or into data, is never followed: what it
// demands is unknown. lone says that in this dialect nothing beside a reference
// counts.
func instrument(doc any, lone bool) counted {
	var c counted
	here := idsOf(doc)
	work := []any{doc}
	loose := []any{}
	for len(work) > 0 || len(loose) > 0 {
		if len(work) == 0 {
			// Inside unknown keywords any object may be the target of a
			// reference, and nothing else looks at it.
			v := loose[len(loose)-1]
			loose = loose[:len(loose)-1]
			switch v := v.(type) {
			case map[string]any:
				work = append(work, v)
			case []any:
				loose = append(loose, v...)
			}
			continue
		}
		v := work[len(work)-1]
		work = work[:len(work)-1]
		m, ok := v.(map[string]any)
		if !ok {
			if a, ok := v.([]any); ok {
				work = append(work, a...)
			}
			continue
		}
		c.subschemas++
		price := 1
		unknown := false
		for key, val := range m {
			switch key {
			case "properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "dependencies":
				if sub, ok := val.(map[string]any); ok {
					for _, s := range sub {
						work = append(work, s)
					}
					price += len(sub)
				}
			case "allOf", "anyOf", "oneOf", "prefixItems", "items":
				if sub, ok := val.([]any); ok {
					price += len(sub)
				}
				work = append(work, val)
			case "not", "if", "then", "else", "additionalProperties", "additionalItems", "propertyNames",
				"contains", "contentSchema":
				work = append(work, val)
			case "unevaluatedProperties", "unevaluatedItems":
				c.unevaluated = true
				work = append(work, val)
			case "enum":
				// Each value is compared, and that costs more than a visit.
				price += 8 * width(val)
			case "const":
				price += 4 * width(val)
			case "required", "dependentRequired", "$vocabulary":
				price += width(val)
			case "$ref", "$dynamicRef", "$recursiveRef":
				if s, ok := val.(string); ok && (intoData(s) || !here.has(s)) {
					unknown = true
				}
			default:
				switch val.(type) {
				case map[string]any, []any:
					loose = append(loose, val)
				}
			}
		}
		if unknown {
			forget(m, lone)
		}
		setAside(m, "enum")
		setAside(m, "const")
		m["format"] = stepsFormat + strconv.Itoa(min(23, bits.Len(uint(price))))
	}
	return c
}

// forget puts the unknown in the place of a schema's references.
func forget(m map[string]any, lone bool) {
	for key := range m {
		switch key {
		case "$ref", "$dynamicRef", "$recursiveRef":
			delete(m, key)
		case "definitions", "$defs", "$id", "id", "$schema":
		default:
			if lone {
				delete(m, key)
			}
		}
	}
	all, _ := m["allOf"].([]any)
	m["allOf"] = append(all[:len(all):len(all)], map[string]any{"format": unknownFormat})
}

// ids are the names that a document gives itself and its parts.
type ids struct {
	given map[string]bool
	bases []*url.URL
}

// maxBases bounds the names that references are resolved against.
const maxBases = 16

func idsOf(doc any) ids {
	out := ids{given: map[string]bool{}}
	work := []any{doc}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		switch v := v.(type) {
		case []any:
			work = append(work, v...)
		case map[string]any:
			for key, val := range v {
				s, ok := val.(string)
				if !ok {
					work = append(work, val)
				} else if key == "$id" || key == "id" {
					s, _, _ = strings.Cut(s, "#")
					out.given[s] = true
					if u, err := url.Parse(s); err == nil && u.IsAbs() && len(out.bases) < maxBases {
						out.bases = append(out.bases, u)
					}
				}
			}
		}
	}
	for _, s := range slices.Collect(maps.Keys(out.given)) {
		if u, err := url.Parse(s); err == nil {
			for _, b := range out.bases {
				out.given[b.ResolveReference(u).String()] = true
			}
		}
	}
	return out
}

// has reports a reference that may stay within the document, or leads to a
// dialect's own schema, which the library has.
func (d ids) has(ref string) bool {
	ref, _, _ = strings.Cut(ref, "#")
	if ref == "" || d.given[ref] || strings.Contains(ref, "://json-schema.org/") {
		return true
	}
	u, err := url.Parse(ref)
	if err != nil {
		return false
	}
	for _, b := range d.bases {
		if d.given[b.ResolveReference(u).String()] {
			return true
		}
	}
	return false
}

// setAside moves a costly comparison one schema down. The library makes it
// before it looks at the format, so that a failure would never be counted.
func setAside(m map[string]any, keyword string) {
	val, ok := m[keyword]
	if !ok || width(val) <= 16 {
		return
	}
	all, _ := m["allOf"].([]any)
	m["allOf"] = append(all[:len(all):len(all)], map[string]any{keyword: val})
	delete(m, keyword)
}

// width is a rough count of the values in v, whose depth is bounded.
func width(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += width(e)
		}
	case []any:
		for _, e := range v {
			n += width(e)
		}
	case string:
		n += len(v) / 64
	}
	return n
}

// intoData reports a reference into the values of enum or const.
func intoData(ref string) bool {
	_, frag, _ := strings.Cut(ref, "#")
	if f, err := url.PathUnescape(frag); err == nil {
		frag = f
	}
	return strings.Contains(frag, "/enum/") || strings.Contains(frag, "/const") || strings.Contains(frag, "/$vocabulary")
}
