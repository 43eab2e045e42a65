package profile

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// digest is the same for two values that JSON calls equal: the order of keys,
// white space, escapes and the spelling of numbers do not count. The value's
// depth has been bounded by who decoded it.
func digest(v *jsonrpc.Value) [sha256.Size]byte {
	h := sha256.New()
	digestInto(h, v)
	return [sha256.Size]byte(h.Sum(nil))
}

func digestInto(h hash.Hash, v *jsonrpc.Value) {
	kind := []byte{byte(v.Kind)}
	switch v.Kind {
	case jsonrpc.Null:
		h.Write(kind)
	case jsonrpc.Bool:
		if v.True {
			kind[0] |= 0x80
		}
		h.Write(kind)
	case jsonrpc.Number:
		h.Write(kind)
		if k, ok := jsonrpc.IDKey(v.Raw); ok {
			digestString(h, string(k))
		} else {
			digestString(h, string(v.Raw))
		}
	case jsonrpc.String:
		h.Write(kind)
		digestString(h, v.Str)
	case jsonrpc.Array:
		h.Write(kind)
		digestLen(h, len(v.Elems))
		for _, e := range v.Elems {
			digestInto(h, e)
		}
	case jsonrpc.Object:
		h.Write(kind)
		ms := slices.Clone(v.Members)
		slices.SortStableFunc(ms, func(a, b jsonrpc.Pair) int { return cmp.Compare(a.Key, b.Key) })
		digestLen(h, len(ms))
		for _, m := range ms {
			digestString(h, m.Key)
			digestInto(h, m.Value)
		}
	}
}

func digestString(h hash.Hash, s string) {
	digestLen(h, len(s))
	h.Write([]byte(s))
}

func digestLen(h hash.Hash, n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}
