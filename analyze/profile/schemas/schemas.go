// Package schemas checks and runs JSON Schemas that a server sent: hostile
// until shown otherwise. A schema is admitted only within bounds of size and
// depth, read in the dialect that it declares, checked against that dialect's
// meta-schema, and run with a budget of steps. Nothing is ever loaded from
// outside: what a reference to another document demands is unknown, as is what a
// pattern outside of regular languages matches. All else of such a schema is
// judged, and an instance whose verdict hangs on the unknown is refused.
package schemas

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Bounds of a schema and of an instance.
const (
	MaxDepth         = 200
	MaxSchemaBytes   = 512 << 10
	MaxSchemaNodes   = 20_000
	maxSubschemas    = 3_000
	MaxInstanceBytes = 16 << 20
	maxInstanceNodes = 1_000_000
	// maxUnevaluated bounds instances of schemas that use unevaluated*: the
	// library copies the set of names at each step for them.
	maxUnevaluated = 5_000
)

// Fault says what is wrong with a schema or an instance: a JSON Pointer into
// it, and words that hold no value of it.
type Fault struct {
	Pointer string
	Keyword string // the schema keyword that failed; "" for bounds
	Reason  string
}

// Schema is an admitted schema. It is safe for use by several goroutines, one
// at a time.
type Schema struct {
	// Open says that the schema is valid but nothing of it can be judged: the
	// library could not resolve a reference.
	Open bool

	mu          sync.Mutex
	steps       *budget
	quick, full *jsonschema.Schema
	unevaluated bool
}

const (
	base      = "urn:warden:tool"
	baseQuick = "urn:warden:quick"
)

// Admit checks a schema and readies it for instances. Just one of the results
// is not nil.
func Admit(raw []byte) (*Schema, *Fault) {
	if len(raw) > MaxSchemaBytes {
		return nil, &Fault{Reason: fmt.Sprintf("is larger than %d bytes and is not checked", MaxSchemaBytes)}
	}
	v, err := jsonrpc.Decode(raw, jsonrpc.DecodeOptions{MaxDepth: MaxDepth, MaxNodes: MaxSchemaNodes, Lenient: true})
	if err != nil {
		return nil, &Fault{Reason: boundWords(err)}
	}
	draft, fault := dialect(v)
	if fault != nil {
		return nil, fault
	}
	doc := Any(v)
	if fault := checkMeta(draft, doc); fault != nil {
		return nil, fault
	}
	return ready(draft, doc)
}

func boundWords(err error) string {
	switch {
	case errors.Is(err, jsonrpc.ErrDepth):
		return fmt.Sprintf("is nested deeper than %d and is not checked", MaxDepth)
	case errors.Is(err, jsonrpc.ErrNodes):
		return "holds too many values and is not checked"
	}
	return "is not readable JSON"
}

// dialect is the draft that a schema declares; 2020-12 when it declares none.
func dialect(v *jsonrpc.Value) (*jsonschema.Draft, *Fault) {
	decl := v.Get("$schema")
	if decl == nil {
		return jsonschema.Draft2020, nil
	}
	s, ok := decl.IsString()
	if !ok {
		return nil, &Fault{Pointer: "/$schema", Keyword: "$schema", Reason: "$schema is no string"}
	}
	s = strings.TrimSuffix(s, "#")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "http://"), "https://")
	switch s {
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/schema":
		return jsonschema.Draft2020, nil
	case "json-schema.org/draft/2019-09/schema":
		return jsonschema.Draft2019, nil
	case "json-schema.org/draft-07/schema":
		return jsonschema.Draft7, nil
	case "json-schema.org/draft-06/schema":
		return jsonschema.Draft6, nil
	case "json-schema.org/draft-04/schema":
		return jsonschema.Draft4, nil
	}
	return nil, &Fault{Pointer: "/$schema", Keyword: "$schema", Reason: "declares a dialect that is not known here"}
}

// metas holds the compiled meta-schemas; they never change.
var metas sync.Map // *jsonschema.Draft -> *jsonschema.Schema

func metaOf(d *jsonschema.Draft) (*jsonschema.Schema, error) {
	if s, ok := metas.Load(d); ok {
		return s.(*jsonschema.Schema), nil
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) { return newPattern(s, nil) })
	c.AssertFormat()
	for _, name := range []string{"uri", "uri-reference", "iri", "iri-reference"} {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	s, err := c.Compile(d.String())
	if err != nil {
		return nil, err
	}
	metas.Store(d, s)
	return s, nil
}

// checkMeta checks a schema against its dialect's meta-schema.
func checkMeta(d *jsonschema.Draft, doc any) *Fault {
	meta, err := metaOf(d)
	if err != nil {
		return &Fault{Reason: "its dialect's meta-schema can't be read"}
	}
	if err := meta.Validate(doc); err != nil {
		f := first(err)
		f.Reason = "is not valid in its dialect: " + f.Reason
		return f
	}
	return nil
}

// ready compiles a schema twice: once plainly for the pointer of a failure,
// once behind a double negation, where the library stops at the first failure
// and keeps no list of them.
func ready(d *jsonschema.Draft, doc any) (*Schema, *Fault) {
	in := instrument(doc, d == jsonschema.Draft4 || d == jsonschema.Draft6 || d == jsonschema.Draft7)
	if in.subschemas > maxSubschemas {
		return nil, &Fault{Reason: fmt.Sprintf("has more than %d subschemas and is not checked", maxSubschemas)}
	}
	s := &Schema{steps: &budget{}, unevaluated: in.unevaluated}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(d)
	loader := &noLoader{}
	c.UseLoader(loader)
	c.UseRegexpEngine(func(src string) (jsonschema.Regexp, error) {
		return newPattern(src, s.steps)
	})
	c.AssertFormat()
	registerSteps(c, s.steps)
	if err := c.AddResource(base, doc); err != nil {
		return nil, &Fault{Reason: "can't be read as a schema"}
	}
	full, err := c.Compile(base)
	if err != nil {
		return s.refuse(err)
	}
	quick := map[string]any{"not": map[string]any{"not": map[string]any{"$ref": base}}}
	if err := c.AddResource(baseQuick, quick); err != nil {
		return nil, &Fault{Reason: "can't be read as a schema"}
	}
	if s.quick, err = c.Compile(baseQuick); err != nil {
		return s.refuse(err)
	}
	s.full = full
	return s, nil
}

// refuse tells a reference to elsewhere, which leaves a schema open, from a
// fault within it.
func (s *Schema) refuse(err error) (*Schema, *Fault) {
	var (
		load    *jsonschema.LoadURLError
		pointer *jsonschema.JSONPointerNotFoundError
		anchor  *jsonschema.AnchorNotFoundError
		regex   *jsonschema.InvalidRegexError
	)
	switch {
	case errors.As(err, &load):
		s.Open = true
		return s, nil
	case errors.As(err, &pointer):
		return nil, &Fault{Keyword: "$ref", Reason: "refers to a place that it does not have"}
	case errors.As(err, &anchor):
		return nil, &Fault{Keyword: "$ref", Reason: "refers to an anchor that it does not have"}
	case errors.As(err, &regex):
		return nil, &Fault{Keyword: "pattern", Reason: "has a pattern that is no regular expression"}
	}
	return nil, &Fault{Reason: "can't be compiled"}
}

// noLoader loads nothing: references never leave the document.
type noLoader struct{}

var errNoNetwork = errors.New("other documents are not loaded")

func (noLoader) Load(string) (any, error) { return nil, errNoNetwork }
