package lock

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// inspectionOf reads a tool entry's inspection. Absent and null mean the
// strictest; a bad value falls back to strict with a message that names the
// key and never the value.
func inspectionOf(v *jsonrpc.Value) analyze.Inspection {
	var in analyze.Inspection
	if v == nil || v.Kind == jsonrpc.Null {
		return in
	}
	if v.Kind != jsonrpc.Object {
		in.Invalid = append(in.Invalid, "inspection in the lock is no object: strict defaults are used")
		return in
	}
	if c := v.Get("expected_output_charset"); present(c) {
		switch s, _ := c.IsString(); s {
		case "text":
		case "extended":
			in.Charset = analyze.CharsetExtended
		case "binary-ok":
			in.Charset = analyze.CharsetBinary
		default:
			in.Invalid = append(in.Invalid, `expected_output_charset in the lock is none of text, extended, binary-ok: text is used`)
		}
	}
	if u := v.Get("may_return_urls"); present(u) {
		if u.Kind == jsonrpc.Bool {
			in.MayReturnURLs = u.True
		} else {
			in.Invalid = append(in.Invalid, "may_return_urls in the lock is no boolean: false is used")
		}
	}
	if s := v.Get("secret_echo_applies"); present(s) {
		if s.Kind == jsonrpc.Bool {
			in.SecretsOff = !s.True
		} else {
			in.Invalid = append(in.Invalid, "secret_echo_applies in the lock is no boolean: true is used")
		}
	}
	return in
}

func present(v *jsonrpc.Value) bool { return v != nil && v.Kind != jsonrpc.Null }
