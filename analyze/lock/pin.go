package lock

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// ProvenanceVersion is the form of the pin's optional fields that we write.
const ProvenanceVersion = 1

func stamp(t time.Time) []byte { return quote(t.UTC().Format("2006-01-02T15:04:05Z")) }

func orNull(s string) []byte {
	if s == "" {
		return []byte("null")
	}
	return quote(s)
}

// newPin is the pin of a lock that is made now.
func newPin(s *Surface, o PinOptions, overall string) []byte {
	approved, at, digest := "false", []byte("null"), []byte("null")
	attestations := []byte("[]")
	if o.Approver != "" {
		approved, at, digest = "true", stamp(o.Now), quote(overall)
		attestations = append(append([]byte{'['}, attestation(o.Approver, "approver", "pin", o.Now, overall, o.Note)...), ']')
	}
	return object([]member{
		{"created_at", stamp(o.Now)},
		{"warden_version", quote(o.Version)},
		{"mcp_protocol_version", orNull(s.Protocol)},
		{"approved", []byte(approved)},
		{"approver", orNull(o.Approver)},
		{"approved_at", at},
		{"approved_digest", digest},
		{"provenance_version", []byte(strconv.Itoa(ProvenanceVersion))},
		{"pinner", object([]member{
			{"tool", quote("warden-inspect")},
			{"tool_version", quote(o.Version)},
			{"actor", orNull(o.Actor)},
			{"environment", orNull(o.Environment)},
		})},
		{"attestations", attestations},
	})
}

func attestation(actor, role, method string, now time.Time, digest, note string) []byte {
	return object([]member{
		{"actor", orNull(actor)},
		{"role", quote(role)},
		{"method", quote(method)},
		{"created_at", stamp(now)},
		{"bound_digest", quote(digest)},
		{"note", orNull(note)},
	})
}

// RotateOptions say who looked at the lock again.
type RotateOptions struct {
	Now      time.Time
	Approver string // "": attested by Actor, the approval stays as it was
	Actor    string
	Note     string
}

// Rotate appends an attestation that binds the lock as it is; with an approver
// the approval is renewed too. Entries and overall_digest stay as they were,
// and so do fields of the pin that we do not know. A lock from Parse that had
// faults is refused: read it with ParseStrict.
func Rotate(l *Lock, o RotateOptions) (*Lock, error) {
	if got := l.digest(); got != l.Overall {
		return nil, fmt.Errorf("%s: inconsistent lock: overall_digest does not recompute", l.Name)
	}
	if err := l.writable(); err != nil {
		return nil, err
	}
	old := l.doc.Get("pin")
	if old == nil || old.Kind != jsonrpc.Object {
		return nil, fmt.Errorf("%s: inconsistent lock: no pin", l.Name)
	}
	set := map[string][]byte{}
	who, role := o.Actor, "reviewer"
	if o.Approver != "" {
		who, role = o.Approver, "approver"
		set["approved"] = []byte("true")
		set["approver"] = quote(o.Approver)
		set["approved_at"] = stamp(o.Now)
		set["approved_digest"] = quote(l.Overall)
	}
	list := []byte{'['}
	if a := old.Get("attestations"); a != nil {
		for _, e := range a.Elems {
			list = append(append(list, e.Raw...), ',')
		}
	}
	list = append(list, attestation(who, role, "rotate", o.Now, l.Overall, o.Note)...)
	set["attestations"] = append(list, ']')
	set["rotated_at"] = stamp(o.Now)
	set["rotation_count"] = []byte(strconv.Itoa(l.Pin.Rotations + 1))

	var top []member
	for _, m := range l.doc.Members {
		raw := m.Value.Raw
		if m.Key == "pin" {
			raw = withFields(old, set, pinKeys)
		}
		top = append(top, member{m.Key, raw})
	}
	return ParseStrict(l.Name, object(top))
}

// pinKeys are the fields of a pin in the order in which they are written;
// fields that we do not know come after them.
var pinKeys = []string{
	"created_at", "warden_version", "mcp_protocol_version", "approved", "approver", "approved_at", "approved_digest",
	"provenance_version", "pinner", "attestations", "rotated_at", "rotation_count",
}

// withFields writes v with some fields set, known keys first and in order.
func withFields(v *jsonrpc.Value, set map[string][]byte, order []string) []byte {
	var out []member
	for _, k := range order {
		if raw, ok := set[k]; ok {
			out = append(out, member{k, raw})
		} else if old := v.Get(k); old != nil {
			out = append(out, member{k, old.Raw})
		}
	}
	for _, m := range v.Members {
		if !slices.Contains(order, m.Key) {
			out = append(out, member{m.Key, m.Value.Raw})
		}
	}
	return object(out)
}

// topKeys are the lock's own keys in the order in which they are written.
var topKeys = []string{
	"schema_version", "warden_version", "server", "tools", "resources", "prompts", "findings", "overall_digest", "pin",
}

var errBadInspection = errors.New("a bad inspection value can be read, but is not written")

// writable refuses inspection values that reading would fall back from.
func (l *Lock) writable() error {
	for _, t := range l.Tools {
		if len(t.Inspection.Invalid) > 0 {
			return fmt.Errorf("%s: tool %s: %s: %w", l.Name, label(t.Name), t.Inspection.Invalid[0], errBadInspection)
		}
	}
	return nil
}

// Write returns the lock as a file: UTF-8 JSON, two-space indent, one final
// newline. A lock with a bad inspection value is refused.
func Write(l *Lock) ([]byte, error) {
	if err := l.writable(); err != nil {
		return nil, err
	}
	v := jsontext.Value(withFields(l.doc, nil, topKeys))
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, fmt.Errorf("%s: can't be written as JSON: %w", l.Name, errNotJSON)
	}
	return append(v, '\n'), nil
}
