package profile

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/profile/schemas"
)

// envelope judges what JSON-RPC and the revision say of every message. MCP
// narrows JSON-RPC: ids are strings or integers, params and result are objects.
func envelope(m *jsonrpc.Message, v *verdicts) {
	switch ver := versionMember(m); {
	case ver == nil:
		v.fault("", `lacks "jsonrpc"`)
	case !stringIs(ver, "2.0"):
		v.fault("/jsonrpc", `is not "2.0"`)
	}
	result, errObj, method := m.Has&jsonrpc.HasResult != 0, m.Has&jsonrpc.HasError != 0, m.Has&jsonrpc.HasMethod != 0
	switch {
	case method && (result || errObj):
		v.fault("", "is a request and a response in one")
	case result && errObj:
		v.fault("", "has both result and error")
	case !method && !result && !errObj:
		v.fault("", "is neither a request nor a response")
	}
	if method && m.Method == nil {
		v.fault("/method", "is no string")
	}
	envelopeID(m, v)
	if m.Has&jsonrpc.HasParams != 0 && kindOf(m.Params) != jsonrpc.Object {
		v.fault("/params", "is no object")
	}
	if result && kindOf(m.Result) != jsonrpc.Object {
		v.fault("/result", "is no object")
	}
}

// envelopeID judges the id, and that there is one where the message needs one.
func envelopeID(m *jsonrpc.Message, v *verdicts) {
	has := m.Has&jsonrpc.HasID != 0
	if m.IsResponse() {
		switch {
		case !has:
			v.fault("", "is a response without an id")
		case bytes.Equal(m.ID, []byte("null")):
			// JSON-RPC wants null where the request could not be read.
			if !unreadableRequest(m) {
				v.fault("/id", "is null")
			}
		case !goodID(m):
			v.fault("/id", "is neither a string nor an integer")
		}
		return
	}
	switch {
	case has && !goodID(m):
		v.fault("/id", "is neither a string nor an integer")
	case has && bytes.HasPrefix(m.Method, []byte("notifications/")):
		v.fault("/id", "stands in a notification")
	case !has && needsID(m.Method):
		v.fault("", "is a request without an id")
	}
}

func needsID(method []byte) bool {
	switch string(method) {
	case "initialize", "ping", "tools/list", "tools/call":
		return true
	}
	return false
}

func goodID(m *jsonrpc.Message) bool {
	if m.Has&jsonrpc.BadID != 0 || len(m.ID) == 0 {
		return false
	}
	switch kindOf(m.ID) {
	case jsonrpc.String:
		return true
	case jsonrpc.Number:
		return isInteger(m.ID)
	}
	return false
}

// unreadableRequest reports an error that answers a request whose id could not
// be known.
func unreadableRequest(m *jsonrpc.Message) bool {
	if m.Has&jsonrpc.HasError == 0 {
		return false
	}
	o, ok := objectOf(m.Error)
	for ok {
		key, val, more := o.next()
		if !more {
			break
		}
		if string(key) == "code" {
			return sameNumber(val, "-32700") || sameNumber(val, "-32600")
		}
	}
	return false
}

// isInteger reports a number without a fraction, however it is spelled: 1.0
// and 10e-1 are integers to JSON Schema.
func isInteger(raw []byte) bool {
	plain := true
	for _, c := range raw {
		plain = plain && c != '.' && c|0x20 != 'e'
	}
	if plain {
		c := raw[len(raw)-1]
		return c >= '0' && c <= '9'
	}
	_, integer := schemas.Integer(raw)
	return integer
}

// sameNumber compares a raw number with one of ours by value.
func sameNumber(raw []byte, want string) bool {
	if string(raw) == want {
		return true
	}
	if kindOf(raw) != jsonrpc.Number {
		return false
	}
	s, integer := schemas.Integer(raw)
	return integer && s == want
}

// versionMember is the raw value of the member "jsonrpc"; nil when there is
// none. Nearly every frame begins with it.
func versionMember(m *jsonrpc.Message) []byte {
	raw := m.Raw
	const usual = `{"jsonrpc":"2.0"`
	if bytes.HasPrefix(raw, []byte(usual)) {
		return raw[len(`{"jsonrpc":`):len(usual)]
	}
	o, ok := objectOf(raw)
	var last []byte
	for ok {
		key, at, more := o.key()
		if !more {
			break
		}
		if o.i = knownEnd(m, at); o.i <= at {
			break
		}
		if string(key) == "jsonrpc" {
			if last = raw[at:o.i]; m.Has&jsonrpc.Ambiguous == 0 {
				break // there is no other
			}
		}
	}
	return last
}

// knownEnd is the end of the value at an offset of the message: of the large
// ones its reader has told it.
func knownEnd(m *jsonrpc.Message, at int) int {
	for _, v := range [...][]byte{m.Result, m.Params, m.Error} {
		if len(v) > 0 && at < len(m.Raw) && &v[0] == &m.Raw[at] {
			return at + len(v)
		}
	}
	return valueEnd(m.Raw, at)
}

// offered features are tools and the base protocol; these belong to the
// others of the revision (seed 002, server-capabilities-pinned).
var features = []struct{ prefix, name string }{
	{"resources/", "resources"},
	{"notifications/resources/", "resources"},
	{"prompts/", "prompts"},
	{"notifications/prompts/", "prompts"},
	{"sampling/", "sampling"},
	{"logging/", "logging"},
	{"notifications/message", "logging"},
	{"completion/", "completion"},
	{"elicitation/", "elicitation"},
	{"notifications/elicitation/", "elicitation"},
	{"roots/", "roots"},
	{"notifications/roots/", "roots"},
}

// notOffered names the feature that a method belongs to and that the profile
// does not offer; "" for all other methods, unknown ones too.
func notOffered(method string) string {
	for _, f := range features {
		if strings.HasSuffix(f.prefix, "/") && strings.HasPrefix(method, f.prefix) || method == f.prefix {
			return f.name
		}
	}
	return ""
}

// shapeOf judges a value, decoded within bounds, against a part of the
// revision. at is the value's own pointer.
func shapeOf(def, at string, raw []byte, v *verdicts) {
	doc, err := jsonrpc.Decode(raw, smallValue)
	if err != nil {
		v.fault(at, "is too large or too deep to check")
		return
	}
	shapeOfValue(def, at, doc, v)
}

func shapeOfValue(def, at string, doc *jsonrpc.Value, v *verdicts) {
	for i, f := range schemas.CheckAll(baseSchemas()[def], schemas.Any(doc)) {
		if i == 6 {
			break
		}
		v.fault(at+f.Pointer, f.Reason)
	}
}

// smallValue bounds what is decoded whole.
var smallValue = jsonrpc.DecodeOptions{MaxDepth: schemas.MaxDepth, MaxNodes: 100_000, Lenient: true}

func itoa(n int) string { return strconv.Itoa(n) }
