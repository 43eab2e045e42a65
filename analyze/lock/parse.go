package lock

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Warning is a sentence about a lock that is read all the same.
type Warning string

// Parse reads a lock for scan, guard and policy: its entries count even where
// a required field is missing or a digest does not recompute (a digest is no
// signature); that is one warning for the whole lock. Bad JSON, an unknown
// level, no tools, and a file over the bounds are errors. name is the file's
// name for messages, which never show a value of the lock.
func Parse(name string, data []byte) (*Lock, []Warning, error) {
	l, f, err := parse(name, data)
	if err != nil {
		return nil, nil, err
	}
	if f.n == 0 {
		return l, nil, nil
	}
	more := ""
	if f.n > 1 {
		more = fmt.Sprintf(" (and %d more)", f.n-1)
	}
	return l, []Warning{Warning(fmt.Sprintf("%s: %s%s; its entries are used all the same, \"lock verify\" lists what is wrong", name, f.list[0], more))}, nil
}

// ParseStrict reads a lock for the lock commands: any fault is an error.
func ParseStrict(name string, data []byte) (*Lock, error) {
	l, f, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	if f.n > 0 {
		return nil, f.err(name)
	}
	return l, nil
}

// Verify lists what is wrong with a lock: required fields that are missing and
// digests that do not recompute. At most 100 are named, n counts all. The
// error is that of Parse.
func Verify(name string, data []byte) (list []string, n int, err error) {
	_, f, err := parse(name, data)
	if err != nil {
		return nil, 0, err
	}
	return f.list, f.n, nil
}

// faults are what a lock command refuses.
type faults struct {
	list []string
	n    int
}

func (f *faults) add(format string, args ...any) {
	f.n++
	if len(f.list) < 100 {
		f.list = append(f.list, fmt.Sprintf(format, args...))
	}
}

func (f *faults) err(name string) error {
	shown := f.list[:min(5, len(f.list))]
	more := ""
	if f.n > len(shown) {
		more = fmt.Sprintf("; and %d more", f.n-len(shown))
	}
	return fmt.Errorf("%s: inconsistent lock: %s%s", name, strings.Join(shown, "; "), more)
}

// decode reads a bounded document and refuses what has two readings.
func decode(name string, data []byte) (*jsonrpc.Value, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: larger than the %d MiB that a lock may have", name, MaxBytes>>20)
	}
	// What is hashed is held against the rules of hashing where that is done; a
	// field that nobody hashes may hold any number.
	if err := readable(data, maxDepth, false); err != nil {
		var p *placed
		if errors.As(err, &p) {
			line, col := position(data, p.offset)
			return nil, fmt.Errorf("%s:%d:%d: %w", name, line, col, p.err)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	v, err := jsonrpc.Decode(data, jsonrpc.DecodeOptions{MaxDepth: maxDepth + 1, MaxNodes: maxNodes})
	if errors.Is(err, jsonrpc.ErrNodes) {
		return nil, fmt.Errorf("%s: more than the %d values that a lock may have", name, maxNodes)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

func parse(name string, data []byte) (*Lock, *faults, error) {
	doc, err := decode(name, data)
	if err != nil {
		return nil, nil, err
	}
	if doc.Kind != jsonrpc.Object {
		return nil, nil, fmt.Errorf("%s: a lock is a JSON object, not %s", name, doc.Kind)
	}
	l := &Lock{Name: name, doc: doc, tools: map[string]int{}, shown: shown{true, true, true}}
	if l.Level, err = level(name, doc.Get("schema_version")); err != nil {
		return nil, nil, err
	}
	tools := doc.Get("tools")
	if tools == nil || tools.Kind != jsonrpc.Array {
		return nil, nil, fmt.Errorf("%s: no tools: \"tools\" must be an array", name)
	}
	f := &faults{}
	c := checker{f: f, where: "", v: doc}
	c.str("warden_version", false)
	l.Server = readServer(c.sub("server"))
	l.readTools(f, tools)
	l.readResources(f, c.list("resources"))
	l.readPrompts(f, c.list("prompts"))
	c.list("findings")
	l.Overall = c.digest("overall_digest", false)
	l.Pin = readPin(c.sub("pin"))
	if f.n == 0 {
		// With an entry in doubt the sum of all says nothing new.
		if want := l.digest(); want != l.Overall {
			f.add("overall_digest does not recompute")
		}
	}
	return l, f, nil
}

func level(name string, v *jsonrpc.Value) (int, error) {
	if v != nil && v.Kind == jsonrpc.Number && len(v.Raw) == 1 && v.Raw[0] >= '1' && v.Raw[0] <= '0'+Level {
		return int(v.Raw[0] - '0'), nil
	}
	if v == nil {
		return 0, fmt.Errorf("%s: no schema_version: not a lock", name)
	}
	return 0, fmt.Errorf("%s: unknown schema_version: levels 1 to %d are read", name, Level)
}

func readServer(c checker) Server {
	var s Server
	if c.v == nil {
		return s
	}
	s.Command = c.str("command", c.v.Get("url") != nil)
	for i, a := range c.list("args") {
		arg, ok := a.IsString()
		if !ok {
			c.f.add("%s.args[%d] is no string", c.where, i)
		}
		s.Args = append(s.Args, arg)
	}
	if u := c.v.Get("url"); present(u) {
		s.URL = c.str("url", false)
	}
	s.Digest = c.digest("command_digest", false)
	if s.Digest != "" && s.Digest != launch(s).digest() {
		c.f.add("%s.command_digest does not recompute", c.where)
	}
	return s
}

func launch(s Server) Launch { return Launch{Command: s.Command, Args: s.Args, URL: s.URL} }

func (l *Lock) readTools(f *faults, tools *jsonrpc.Value) {
	for i, v := range tools.Elems {
		c, name, ok := entry(f, "tools", i, v, "name")
		if !ok {
			continue
		}
		t := Tool{Name: name, entry: v}
		t.DescriptionHash = c.digest("description_hash", false)
		t.InputSchemaHash = c.digest("input_schema_hash", false)
		list := c.kind("capabilities", jsonrpc.Array, false)
		t.unclear = list == nil
		if list != nil {
			for j, e := range list.Elems {
				s, ok := e.IsString()
				if !ok || !Capability(s).known() {
					c.f.add("%s.capabilities[%d] is no capability", c.where, j)
					t.unclear = true
				}
				if ok {
					t.Capabilities = append(t.Capabilities, Capability(s))
				}
			}
		}
		if l.Level >= 2 {
			t.skeleton = c.obj("schema_skeleton", false)
		}
		if l.Level >= 4 {
			t.AnnotationsHash = c.digest("annotations_hash", false)
			t.OutputSchemaHash = c.digest("output_schema_hash", false)
			t.output = c.obj("output_schema_skeleton", true)
		}
		t.inspection = v.Get("inspection")
		t.Inspection = inspectionOf(t.inspection)
		t.EntryDigest = c.entryDigest()
		if _, twice := l.tools[name]; twice {
			f.add("%s is there twice", c.where)
			continue // the first one counts
		}
		l.tools[name] = len(l.Tools)
		l.Tools = append(l.Tools, t)
	}
	slices.SortFunc(l.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	for i, t := range l.Tools {
		l.tools[t.Name] = i
	}
}

func (l *Lock) readResources(f *faults, list []*jsonrpc.Value) {
	seen := map[string]bool{}
	for i, v := range list {
		c, uri, ok := entry(f, "resources", i, v, "uri")
		if !ok {
			continue
		}
		c.str("name", false)
		c.digest("description_hash", false)
		c.str("mime_type", true)
		r := Resource{URI: uri, EntryDigest: c.entryDigest(), entry: v}
		if seen[uri] {
			f.add("%s is there twice", c.where)
			continue
		}
		seen[uri] = true
		l.Resources = append(l.Resources, r)
	}
	slices.SortFunc(l.Resources, func(a, b Resource) int { return strings.Compare(a.URI, b.URI) })
}

func (l *Lock) readPrompts(f *faults, list []*jsonrpc.Value) {
	seen := map[string]bool{}
	for i, v := range list {
		c, name, ok := entry(f, "prompts", i, v, "name")
		if !ok {
			continue
		}
		c.digest("description_hash", false)
		c.digest("arguments_hash", false)
		p := Prompt{Name: name, EntryDigest: c.entryDigest(), entry: v}
		if seen[name] {
			f.add("%s is there twice", c.where)
			continue
		}
		seen[name] = true
		l.Prompts = append(l.Prompts, p)
	}
	slices.SortFunc(l.Prompts, func(a, b Prompt) int { return strings.Compare(a.Name, b.Name) })
}

func readPin(c checker) Pin {
	var p Pin
	if c.v == nil {
		return p
	}
	p.CreatedAt = c.str("created_at", false)
	p.WardenVersion = c.str("warden_version", false)
	p.ProtocolVersion = c.str("mcp_protocol_version", true)
	p.Approved = c.boolean("approved")
	p.Approver = c.str("approver", true)
	p.ApprovedAt = c.str("approved_at", true)
	p.ApprovedDigest = c.digest("approved_digest", true)
	if a := c.v.Get("attestations"); present(a) {
		if a.Kind != jsonrpc.Array {
			c.f.add("%s.attestations is no array", c.where)
		}
		p.Attestations = len(a.Elems)
	}
	if n := c.v.Get("rotation_count"); present(n) {
		count, ok := smallInt(n)
		if !ok {
			c.f.add("%s.rotation_count is no count", c.where)
		}
		p.Rotations = count
	}
	return p
}

// smallInt reads a count of at most nine digits.
func smallInt(v *jsonrpc.Value) (int, bool) {
	if v.Kind != jsonrpc.Number {
		return 0, false
	}
	return index(string(v.Raw))
}
