package main

import (
	"strconv"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay"
)

// abortLine is the JSON line on standard error that says why a strict session
// ended (replay.md): the site and the kind of the fault in fixed words, the
// tool and the id that it was about, sizes of an over-cap frame. Nothing of an
// argument, a result or an error's text.
func abortLine(a *replay.Abort, limit int) string {
	b := []byte(`{"event":"strict_abort"`)
	text := func(key, s string) {
		b = append(append(append(b, `,"`...), key...), `":`...)
		if s == "" {
			b = append(b, "null"...)
			return
		}
		b = jsonrpc.AppendQuoted(b, safe.String(safe.Limit(secret.Scrub(s), 256)))
	}
	text("site", a.Site)
	text("tool", a.Tool)
	text("exc_type", a.Type)
	b = append(b, `,"rpc_id":`...)
	if n := len(a.RPCID); n > 0 && n <= 32 && isNumber(a.RPCID) {
		b = append(b, a.RPCID...)
	} else if s, ok := jsonrpc.Unquote(nil, inner(a.RPCID)); ok && len(s) > 0 {
		b = jsonrpc.AppendQuoted(b, safe.String(safe.Limit(secret.Scrub(string(s)), 256)))
	} else {
		b = append(b, "null"...)
	}
	if a.Size > 0 {
		b = strconv.AppendInt(append(b, `,"size":`...), a.Size, 10)
		b = strconv.AppendInt(append(b, `,"cap":`...), int64(limit), 10)
	}
	return string(append(b, "}\n"...))
}

func isNumber(b []byte) bool {
	for _, c := range b {
		if !(c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E') {
			return false
		}
	}
	return true
}

// inner is what stands between the quotes of a JSON string; nil for another
// value.
func inner(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}
