package lock

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Against compares a surface with the lock, at the lock's level. Lists that
// the surface does not show (nil) are not compared, nor is a launch command
// that the surface or the lock does not tell. A surface that can't be pinned
// (see Build) is an error.
func (l *Lock) Against(s *Surface) ([]Drift, error) {
	cur, err := build(s, PinOptions{Keep: l}, l.Level)
	if err != nil {
		return nil, err
	}
	d := compare(l, cur)
	if l.Pin.Approved && l.Level < Level {
		d.migrated(l.Level)
	}
	return d.sorted(), nil
}

// Diff compares two locks, the first being the baseline. Locks of different
// levels are compared in what both hold.
func Diff(base, cur *Lock) []Drift {
	d := compare(base, cur)
	d.unapproved(cur)
	if base.Pin.Approved && base.Level < Level && cur.Level == Level {
		d.migrated(base.Level)
	}
	return d.sorted()
}

func (d *drifts) migrated(level int) {
	d.add("schema-version-migrated", "schema_version",
		fmt.Sprintf("level %d→%d: approve the lock again to cover annotations and output schemas", level, Level))
}

// unapproved says that a lock is no longer what was approved.
func (d *drifts) unapproved(l *Lock) {
	if !l.Pin.Approved {
		return
	}
	if got := l.digest(); got != l.Pin.ApprovedDigest {
		d.add("unapproved-change", "pin/approved_digest",
			fmt.Sprintf("approved %s, now %s", short(l.Pin.ApprovedDigest), short(got)))
	}
}

// short is enough of a digest to compare by eye.
func short(digest string) string {
	if !isDigest(digest) {
		return "nothing"
	}
	return digest[:len("sha256:")+12]
}

func compare(base, cur *Lock) *drifts {
	d := &drifts{}
	d.unapproved(base)
	if launch(base.Server).known() && cur.shown.server && base.Server.Digest != cur.Server.Digest {
		d.add("server-identity", "server", identity(base.Server, cur.Server))
	}
	for _, t := range base.Tools {
		now, ok := cur.Tool(t.Name)
		if !ok {
			d.add("tool-removed", target("tools", t.Name), "in the lock, but no longer listed")
			continue
		}
		d.tool(base, cur, &t, now)
	}
	for _, t := range cur.Tools {
		if _, ok := base.Tool(t.Name); !ok {
			d.add("tool-added", target("tools", t.Name), added(t.Capabilities))
		}
	}
	if base.shown.resources && cur.shown.resources {
		d.entries("resource", pinnedResources(base), pinnedResources(cur))
	}
	if base.shown.prompts && cur.shown.prompts {
		d.entries("prompt", pinnedPrompts(base), pinnedPrompts(cur))
	}
	return d
}

// target names an entry. A name that looks like a secret is not shown.
func target(list, name string) string {
	if list == "resources" {
		return list + "/" + hidden(name)
	}
	return list + "/" + plain(name)
}

func identity(a, b Server) string {
	what := fmt.Sprintf("command digest %s→%s", short(a.Digest), short(b.Digest))
	if x, y := launch(a).String(), launch(b).String(); x != y {
		what = fmt.Sprintf("%s→%s, %s", cut(x, 40), cut(y, 40), what)
	}
	return what
}

func added(caps []Capability) string {
	if len(caps) == 0 {
		return "listed, but not in the lock"
	}
	s := make([]string, len(caps))
	for i, c := range caps {
		s[i] = hidden(string(c))
	}
	return "listed, but not in the lock; can do " + strings.Join(s, ", ")
}

func (d *drifts) tool(base, cur *Lock, a, b *Tool) {
	at := target("tools", a.Name)
	sameCaps := true
	for _, c := range b.Capabilities {
		if !slices.Contains(a.Capabilities, c) {
			d.add("capability-added", at, hidden(string(c)))
			sameCaps = false
		}
	}
	for _, c := range a.Capabilities {
		if !slices.Contains(b.Capabilities, c) {
			d.add("capability-removed", at, hidden(string(c)))
			sameCaps = false
		}
	}
	sameInput := a.InputSchemaHash == b.InputSchemaHash
	if !sameInput {
		d.schema("schema-", at, a.skeleton, b.skeleton, cur.opaque[b.Name])
	}
	if sameInput && sameCaps && a.DescriptionHash != b.DescriptionHash {
		d.add("description-modified", at, "the description is another one")
	}
	if !sameValue(a.inspection, b.inspection) {
		d.add("inspection-policy-modified", at, "inspection values differ")
	}
	if base.Level < 4 || cur.Level < 4 {
		return
	}
	if a.AnnotationsHash != b.AnnotationsHash {
		d.add("tool-annotations-modified", at, "annotations differ (values are not shown; a hint grants nothing)")
	}
	if a.OutputSchemaHash == b.OutputSchemaHash {
		return
	}
	switch {
	case a.OutputSchemaHash == nullHash:
		d.add("schema-out-added", at, "an output schema where there was none")
	case b.OutputSchemaHash == nullHash:
		d.add("schema-out-removed", at, "the output schema is gone")
	default:
		d.schema("schema-out-", at, a.output, b.output, cur.opaque[b.Name])
	}
}

// nullHash is the hash of an absent output schema.
var nullHash, _ = Hash([]byte("null"))

// sameValue compares two values by their canonical form; absent is not null.
func sameValue(a, b *jsonrpc.Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(canonOrRaw(a), canonOrRaw(b))
}

func canonOrRaw(v *jsonrpc.Value) []byte {
	if c, err := Canon(v.Raw); err == nil {
		return c
	}
	return v.Raw
}

// pinned is a resource or prompt by its identity.
type pinned struct{ id, digest string }

func pinnedResources(l *Lock) []pinned {
	out := make([]pinned, len(l.Resources))
	for i, r := range l.Resources {
		out[i] = pinned{r.URI, r.EntryDigest}
	}
	return out
}

func pinnedPrompts(l *Lock) []pinned {
	out := make([]pinned, len(l.Prompts))
	for i, p := range l.Prompts {
		out[i] = pinned{p.Name, p.EntryDigest}
	}
	return out
}

// entries compares two sorted lists of resources or prompts.
func (d *drifts) entries(kind string, a, b []pinned) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].id < b[0].id:
			d.add(kind+"-removed", target(kind+"s", a[0].id), "in the lock, but no longer listed")
			a = a[1:]
		case len(a) == 0 || b[0].id < a[0].id:
			d.add(kind+"-added", target(kind+"s", b[0].id), "listed, but not in the lock")
			b = b[1:]
		default:
			if a[0].digest != b[0].digest {
				d.add(kind+"-modified", target(kind+"s", a[0].id), "the entry differs from the lock")
			}
			a, b = a[1:], b[1:]
		}
	}
}
