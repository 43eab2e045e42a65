package replay

import (
	"strconv"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
)

// Error codes of replay.md, "What a block sends".
const (
	codeVerdict   = -32001
	codeLifecycle = -32002
	codeStrict    = -32003
)

// refusal is the error that a block puts on the wire.
type refusal struct {
	code    int
	message string
	stage   string // "request", "response", "list_changed", "lifecycle", "strict_abort"
	rule    string
	tool    string
	reason  string
	guwah   string // the allow-list's own code
	site    string
}

// frame writes the JSON-RPC error for an id as it came. No secret, argument or
// result text gets in: the reason is a finding's message, the tool is scrubbed.
func (r *refusal) frame(id []byte) []byte {
	b := append([]byte(nil), `{"jsonrpc":"2.0","id":`...)
	if len(id) == 0 {
		id = []byte("null")
	}
	b = append(b, id...)
	b = append(b, `,"error":{"code":`...)
	b = strconv.AppendInt(b, int64(r.code), 10)
	b = append(b, `,"message":`...)
	b = jsonrpc.AppendQuoted(b, r.message)
	b = append(b, `,"data":{"warden":true,"stage":`...)
	b = jsonrpc.AppendQuoted(b, r.stage)
	for _, m := range [...][2]string{
		{"rule", r.rule}, {"tool", secret.Scrub(r.tool)}, {"reason", secret.Scrub(r.reason)},
		{"guwahCode", r.guwah}, {"site", r.site},
	} {
		if m[1] == "" {
			continue
		}
		b = append(b, ',', '"')
		b = append(b, m[0]...)
		b = append(b, '"', ':')
		b = jsonrpc.AppendQuoted(b, m[1])
	}
	return append(b, "}}}"...)
}

// worst picks the finding that a block names: the most severe, then the first,
// which is catalog order.
func worst(fs []analyze.Finding, of func(*analyze.Finding) bool) *analyze.Finding {
	var w *analyze.Finding
	for i := range fs {
		if f := &fs[i]; of(f) && (w == nil || f.Severity > w.Severity) {
			w = f
		}
	}
	return w
}

// mark adds result._meta.warden to a message whose strings were edited: the
// last _meta object gets it, an older `warden` in it is replaced. It fails
// where _meta is no object or stands twice, or the result is no object of its
// own: then the block must be an error (replay.md, "What a block sends").
// path leads to the object that holds _meta ("result", or "params", "result").
func mark(raw []byte, rules []string, path ...string) ([]byte, bool) {
	at, obj := 0, raw
	for _, key := range path {
		v, start, n := member(obj, key)
		if n != 1 {
			return nil, false
		}
		obj, at = v, at+start
	}
	marker := append([]byte(nil), `{"modified":true,"rules":[`...)
	for i, r := range rules {
		if i > 0 {
			marker = append(marker, ',')
		}
		marker = jsonrpc.AppendQuoted(marker, r)
	}
	marker = append(marker, "]}"...)

	if len(obj) == 0 || obj[0] != '{' {
		return nil, false
	}
	meta, start, n := member(obj, "_meta")
	switch {
	case n == 0:
		whole := append([]byte(`"_meta":{"warden":`), marker...)
		return insert(raw, at, obj, append(whole, '}')), true
	case n > 1 || meta[0] != '{':
		return nil, false
	}
	at += start
	old, start, n := member(meta, "warden")
	switch n {
	case 0:
		return insert(raw, at, meta, append([]byte(`"warden":`), marker...)), true
	case 1:
		out := append([]byte(nil), raw[:at+start]...)
		out = append(out, marker...)
		return append(out, raw[at+start+len(old):]...), true
	}
	return nil, false
}

// member finds a key in an object: its last value, where that starts, and how
// often the key stands.
func member(obj []byte, key string) (value []byte, start, n int) {
	jsonrpc.Each(obj, func(k string, v []byte, at int) bool {
		if k == key {
			value, start, n = v, at, n+1
		}
		return true
	})
	return value, start, n
}

// insert adds a member at the end of the object that stands at raw[at:].
func insert(raw []byte, at int, obj, member []byte) []byte {
	end := at + len(obj) - 1
	empty := true
	jsonrpc.Each(obj, func(string, []byte, int) bool { empty = false; return false })
	out := append([]byte(nil), raw[:end]...)
	if !empty {
		out = append(out, ',')
	}
	out = append(out, member...)
	return append(out, raw[end:]...)
}
