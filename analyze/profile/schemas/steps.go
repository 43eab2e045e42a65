package schemas

import (
	"errors"
	"math/bits"
	"net/url"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// budget counts down while an instance is judged. The library has no such
// thing, and a small schema can ask for 2^60 steps (each of a chain of
// definitions referring twice to the next); so every subschema gets a format
// keyword of ours, which the library runs on each visit.
type budget struct{ left int64 }

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

// registerSteps makes one format for each power of two of a visit's price.
func registerSteps(c *jsonschema.Compiler, b *budget) {
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
	open        bool // a reference into data, which can't be counted
}

// instrument puts the step format into every place of doc that is or could be
// a schema. Formats are annotations here, in all dialects, so a format that
// was there is no loss. The work list replaces recursion.
func instrument(doc any) counted {
	var c counted
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
				if s, ok := val.(string); ok && intoData(s) {
					c.open = true
				}
			default:
				switch val.(type) {
				case map[string]any, []any:
					loose = append(loose, val)
				}
			}
		}
		setAside(m, "enum")
		setAside(m, "const")
		m["format"] = stepsFormat + strconv.Itoa(min(23, bits.Len(uint(price))))
	}
	return c
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
