package lock

import (
	"fmt"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// checker reads the fields of one object of a lock and notes what is missing
// or of the wrong type. Its messages name places, never values.
type checker struct {
	f     *faults
	where string // "" for the top
	v     *jsonrpc.Value
}

func (c checker) path(key string) string {
	if c.where == "" {
		return key
	}
	return c.where + "." + key
}

// get returns a field; a missing one, or one that is null where it may not be,
// is a fault.
func (c checker) get(key string, nullable bool) *jsonrpc.Value {
	v := c.v.Get(key)
	switch {
	case v == nil:
		c.f.add("%s is missing", c.path(key))
	case v.Kind == jsonrpc.Null && !nullable:
		c.f.add("%s is null", c.path(key))
		v = nil
	}
	return v
}

func (c checker) kind(key string, k jsonrpc.Kind, nullable bool) *jsonrpc.Value {
	v := c.get(key, nullable)
	if v == nil || v.Kind == jsonrpc.Null {
		return nil
	}
	if v.Kind != k {
		c.f.add("%s must be of type %s, not %s", c.path(key), k, v.Kind)
		return nil
	}
	return v
}

func (c checker) str(key string, nullable bool) string {
	if v := c.kind(key, jsonrpc.String, nullable); v != nil {
		return v.Str
	}
	return ""
}

func (c checker) boolean(key string) bool {
	v := c.kind(key, jsonrpc.Bool, false)
	return v != nil && v.True
}

func (c checker) obj(key string, nullable bool) *jsonrpc.Value {
	return c.kind(key, jsonrpc.Object, nullable)
}

func (c checker) list(key string) []*jsonrpc.Value {
	if v := c.kind(key, jsonrpc.Array, false); v != nil {
		return v.Elems
	}
	return nil
}

func (c checker) sub(key string) checker {
	return checker{f: c.f, where: c.path(key), v: c.obj(key, false)}
}

// digest reads "sha256:" and 64 lower-case hex digits.
func (c checker) digest(key string, nullable bool) string {
	s := c.str(key, nullable)
	if s != "" && !isDigest(s) {
		c.f.add("%s is no sha256 digest", c.path(key))
	}
	return s
}

func isDigest(s string) bool {
	const prefix = "sha256:"
	if len(s) != len(prefix)+64 || s[:len(prefix)] != prefix {
		return false
	}
	for _, c := range []byte(s[len(prefix):]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// entryDigest reads entry_digest and checks it against the entry without it.
func (c checker) entryDigest() string {
	s := c.digest("entry_digest", false)
	if s == "" {
		return ""
	}
	if want, err := hashWithout(c.v, "entry_digest"); err != nil {
		c.f.add("%s can't be hashed: %v", c.where, err)
	} else if want != s {
		c.f.add("%s.entry_digest does not recompute", c.where)
	}
	return s
}

// entry begins the reading of one entry of a list; ok is false for one that is
// no object or has no identity.
func entry(f *faults, list string, i int, v *jsonrpc.Value, id string) (c checker, name string, ok bool) {
	where := fmt.Sprintf("%s[%d]", list, i)
	if v.Kind != jsonrpc.Object {
		f.add("%s is no object", where)
		return c, "", false
	}
	name, ok = v.Get(id).IsString()
	if !ok {
		f.add("%s has no %s", where, id)
		return c, "", false
	}
	return checker{f: f, where: where + " " + labelOf(list, name), v: v}, name, true
}

// hashWithout hashes an object without one of its members.
func hashWithout(v *jsonrpc.Value, key string) (string, error) {
	ms := make([]member, 0, len(v.Members))
	for _, m := range v.Members {
		if m.Key != key {
			ms = append(ms, member{m.Key, m.Value.Raw})
		}
	}
	return Hash(object(ms))
}
