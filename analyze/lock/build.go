package lock

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// PinOptions say who pins, when and with what.
type PinOptions struct {
	Version     string    // of this program
	Now         time.Time // becomes created_at
	Approver    string    // "": pinned, but not approved
	Note        string    // of the approval
	Actor       string    // who ran the program; "" where unknown
	Environment string    // "ci", "local"; "" where unknown
	Keep        *Lock     // a lock whose inspection values same-named tools keep; may be nil
}

// ErrNoTools says that a surface can't be pinned or compared because no
// complete tools/list was seen.
var ErrNoTools = errors.New("no complete tools/list was seen")

// Build pins a surface at the newest level. It refuses what can't be pinned
// with one meaning: entries that are no objects, have no name or share one,
// values that have no canonical form.
func Build(s *Surface, o PinOptions) (*Lock, error) { return build(s, o, Level) }

func build(s *Surface, o PinOptions, level int) (*Lock, error) {
	if s.Tools == nil {
		return nil, ErrNoTools
	}
	b := builder{level: level, keep: o.Keep, shadowed: map[string]bool{}, room: MaxBytes}
	tools, err := b.all("tools", s.Tools, "name", b.tool)
	if err != nil {
		return nil, err
	}
	resources, err := b.all("resources", s.Resources, "uri", b.resource)
	if err != nil {
		return nil, err
	}
	prompts, err := b.all("prompts", s.Prompts, "name", b.prompt)
	if err != nil {
		return nil, err
	}
	var server Launch
	if s.Server != nil {
		server = *s.Server
	}
	command := server.digest()
	overall, err := overallDigest(level, command, digests(tools), digests(resources), digests(prompts))
	if err != nil {
		return nil, err
	}
	where := []member{{"command", quote(server.Command)}, {"args", stringList(server.Args)}}
	if server.URL != "" {
		where = append(where, member{"url", quote(server.URL)})
	}
	doc := object([]member{
		{"schema_version", []byte(strconv.Itoa(level))},
		{"warden_version", quote(o.Version)},
		{"server", object(append(where, member{"command_digest", quote(command)}))},
		{"tools", entries(tools)},
		{"resources", entries(resources)},
		{"prompts", entries(prompts)},
		{"findings", []byte("[]")},
		{"overall_digest", quote(overall)},
		{"pin", newPin(s, o, overall)},
	})
	l, err := ParseStrict("lock", doc)
	if err != nil {
		return nil, fmt.Errorf("the surface makes no valid lock: %w", err)
	}
	l.shown = shown{server: s.Server != nil, resources: s.Resources != nil, prompts: s.Prompts != nil}
	l.opaque = b.shadowed
	return l, nil
}

// built is one finished entry.
type built struct {
	id, digest string
	raw        []byte
}

type builder struct {
	level    int
	keep     *Lock
	shadowed map[string]bool // tools whose skeleton hides a part of the schema
	room     int             // bytes that the lock may still grow by
}

var errTooLarge = fmt.Errorf("the lock would be larger than %d MiB", MaxBytes>>20)

// all builds the entries of one list, sorted by id.
func (b *builder) all(list string, raw [][]byte, id string, one func(string, *jsonrpc.Value) ([]member, error)) ([]built, error) {
	out := make([]built, 0, len(raw))
	for i, r := range raw {
		where := fmt.Sprintf("%s[%d]", list, i)
		if err := canonicalEntry(r); err != nil {
			return nil, fmt.Errorf("%s can't be hashed: %w", where, err)
		}
		v, err := jsonrpc.Decode(r, jsonrpc.DecodeOptions{MaxDepth: maxDepth + 2, MaxNodes: maxNodes})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		name, ok := v.Get(id).IsString()
		if !ok {
			return nil, fmt.Errorf("%s has no %s", where, id)
		}
		where += " " + labelOf(list, name)
		if variant(v, entryKeys[list]) {
			return nil, fmt.Errorf("%s %w", where, ErrAmbiguous)
		}
		ms, err := one(name, v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		digest, err := Hash(object(ms))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		e := built{name, digest, object(append(ms, member{"entry_digest", quote(digest)}))}
		if b.room -= len(e.raw); b.room < 0 {
			return nil, errTooLarge
		}
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(x, y built) int { return cmp.Compare(x.id, y.id) })
	for i := 1; i < len(out); i++ {
		if out[i].id == out[i-1].id {
			return nil, fmt.Errorf("%s: %s is listed twice", list, labelOf(list, out[i].id))
		}
	}
	return out, nil
}

func (b *builder) tool(name string, v *jsonrpc.Value) ([]member, error) {
	h, err := hashTool(v, b.level)
	if err != nil {
		return nil, err
	}
	input := v.Get("inputSchema")
	var caps []string
	for _, c := range Shapes(name, properties(input)) {
		caps = append(caps, string(c))
	}
	ms := []member{
		{"name", quote(name)},
		{"description_hash", quote(h.description)},
		{"input_schema_hash", quote(h.input)},
		{"capabilities", stringList(caps)},
	}
	if b.level >= 2 {
		sk, err := b.skeleton(name, input)
		if err != nil {
			return nil, fmt.Errorf("inputSchema: %w", err)
		}
		ms = append(ms, member{"schema_skeleton", sk})
	}
	if b.level >= 4 {
		output := v.Get("outputSchema")
		sk := []byte("null")
		if present(output) {
			if sk, err = b.skeleton(name, output); err != nil {
				return nil, fmt.Errorf("outputSchema: %w", err)
			}
		}
		ms = append(ms,
			member{"annotations_hash", quote(h.annotations)},
			member{"output_schema_hash", quote(h.output)},
			member{"output_schema_skeleton", sk})
	}
	if t, ok := b.keep.Tool(name); ok && t.inspection != nil {
		ms = append(ms, member{"inspection", t.inspection.Raw})
	}
	return ms, nil
}

func (b *builder) skeleton(name string, schema *jsonrpc.Value) ([]byte, error) {
	s, err := skeletonOf(schema, b.level)
	if err != nil {
		return nil, err
	}
	if s.shadowed {
		b.shadowed[name] = true
	}
	return s.json(), nil
}

func (b *builder) resource(uri string, v *jsonrpc.Value) ([]member, error) {
	desc, err := hashOr(v.Get("description"), `""`)
	if err != nil {
		return nil, err
	}
	name, _ := v.Get("name").IsString()
	mime := []byte("null")
	if s, ok := v.Get("mimeType").IsString(); ok {
		mime = quote(s)
	}
	return []member{
		{"uri", quote(uri)},
		{"name", quote(name)},
		{"description_hash", quote(desc)},
		{"mime_type", mime},
	}, nil
}

func (b *builder) prompt(name string, v *jsonrpc.Value) ([]member, error) {
	desc, err := hashOr(v.Get("description"), `""`)
	if err != nil {
		return nil, err
	}
	args, err := hashOr(v.Get("arguments"), `[]`)
	if err != nil {
		return nil, err
	}
	return []member{
		{"name", quote(name)},
		{"description_hash", quote(desc)},
		{"arguments_hash", quote(args)},
	}, nil
}

// toolHashes are what the gate compares.
type toolHashes struct{ description, input, annotations, output string }

// hashTool hashes the parts of a tools/list entry (lock.md, "Digests").
func hashTool(v *jsonrpc.Value, level int) (h toolHashes, err error) {
	if h.description, err = hashOr(v.Get("description"), `""`); err != nil {
		return h, fmt.Errorf("description: %w", err)
	}
	if h.input, err = hashOr(v.Get("inputSchema"), `{}`); err != nil {
		return h, fmt.Errorf("inputSchema: %w", err)
	}
	if level < 4 {
		return h, nil
	}
	if h.annotations, err = hashObject(v.Get("annotations")); err != nil {
		return h, fmt.Errorf("annotations: %w", err)
	}
	if h.output, err = hashObject(v.Get("outputSchema")); err != nil {
		return h, fmt.Errorf("outputSchema: %w", err)
	}
	return h, nil
}

// hashOr hashes a value; absent and null count as the given one.
func hashOr(v *jsonrpc.Value, absent string) (string, error) {
	if !present(v) {
		return Hash([]byte(absent))
	}
	return Hash(v.Raw)
}

var errNoObject = errors.New("neither an object nor null")

// hashObject hashes an object; absent and null are JSON null.
func hashObject(v *jsonrpc.Value) (string, error) {
	if !present(v) {
		return Hash([]byte("null"))
	}
	if v.Kind != jsonrpc.Object {
		return "", errNoObject
	}
	return Hash(v.Raw)
}

func entries(list []built) []byte {
	b := []byte{'['}
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, e.raw...)
	}
	return append(b, ']')
}

func digests(list []built) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.digest
	}
	return out
}

func overallDigest(level int, command string, tools, resources, prompts []string) (string, error) {
	return Hash(object([]member{
		{"schema_version", []byte(strconv.Itoa(level))},
		{"server", object([]member{{"command_digest", quote(command)}})},
		{"tools", stringList(tools)},
		{"resources", stringList(resources)},
		{"prompts", stringList(prompts)},
	}))
}

// digest recomputes the overall digest from the lock's entries.
func (l *Lock) digest() string {
	var tools, resources, prompts []string
	for _, t := range l.Tools {
		tools = append(tools, t.EntryDigest)
	}
	for _, r := range l.Resources {
		resources = append(resources, r.EntryDigest)
	}
	for _, p := range l.Prompts {
		prompts = append(prompts, p.EntryDigest)
	}
	h, err := overallDigest(l.Level, l.Server.Digest, tools, resources, prompts)
	if err != nil {
		return ""
	}
	return h
}
