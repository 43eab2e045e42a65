package formats

import (
	"bytes"
	"strings"
)

const (
	nameBare      = "bare frames"
	nameCanonical = "canonical JSON lines"
	nameAlias     = "envelopes of another recorder"
)

// framedHead reports a header block with Content-Length at the very start.
func framedHead(b []byte) bool {
	h := readHeaders(b, maxHeaderBlock)
	return h.end > 0 && h.length >= 0
}

// classify tells what an object (or array) at the start of b is by its
// top-level keys; b may be cut anywhere.
func classify(b []byte, cut bool) (form, string, error) {
	if b[0] == '[' {
		inner, _ := trimSpace(b[1:])
		if len(inner) == 0 || inner[0] != '{' {
			return formNone, "", nil
		}
		return classifyArray(topMembers(inner))
	}
	ms := topMembers(b)
	has := map[string][]byte{}
	for _, m := range ms {
		has[m.key] = m.raw
	}
	in := func(keys ...string) bool {
		for _, k := range keys {
			if has[k] == nil {
				return false
			}
		}
		return true
	}
	str := func(k string) string { return string(content(has[k])) }
	dir := in("direction") || in("dir")
	switch {
	case in("jsonrpc"):
		return formLines, nameBare, nil
	case in("session_id", "seq", "direction"):
		return formSnoop, formNames[formSnoop], nil
	case in("direction", "frame"), dir && (in("raw_b64") || in("binary_b64") || in("binary_len") || in("over_cap") || in("http") || in("text") && (str("direction") == "c2s" || str("direction") == "s2c")):
		return formLines, nameCanonical, nil
	case in("meta") && bytes.Contains(has["meta"], []byte(`"warden_trace"`)):
		return formLines, nameCanonical, nil
	}
	for _, a := range []string{"frame", "message", "raw", "payload", "data", "body", "msg", "json"} {
		v := has[a]
		if v == nil {
			continue
		}
		if rpcInside(v) || dir && (v[0] == '{' || v[0] == '[' || v[0] == '"' && len(v) > 1 && v[1] == '{') {
			if a == "frame" {
				return formLines, nameCanonical, nil
			}
			return formLines, nameAlias, nil
		}
	}
	if err := foreignObject(has, in, str); err != nil {
		return formNone, "", err
	}
	if in("id") && (in("method") || in("result") || in("error")) || in("method", "params") || cut && (in("method") || in("result")) {
		return formLines, nameBare, nil
	}
	return formNone, "", nil
}

// rpcInside reports a value that holds a frame, as an object or in a string.
func rpcInside(v []byte) bool {
	switch v[0] {
	case '{':
		for _, m := range topMembers(v) {
			if m.key == "jsonrpc" {
				return true
			}
		}
	case '"':
		return bytes.Contains(v[:min(len(v), 4096)], []byte(`\"jsonrpc\"`))
	}
	return false
}

func unsupported(form string) error { return &UnsupportedError{Form: form} }

// foreignObject knows JSON of other tools that is not read (yet).
func foreignObject(has map[string][]byte, in func(...string) bool, str func(string) string) error {
	typ := str("type")
	switch {
	case in("log") && bytes.Contains(has["log"], []byte(`"entries"`)):
		return unsupported("HAR")
	case in("interactions", "metadata"):
		return unsupported("mcp-recorder cassette")
	case in("resourceSpans"):
		return unsupported("OTLP JSON")
	case in("timestamp", "type", "payload"):
		return unsupported("Codex rollout")
	case typ == "thread.started", strings.HasPrefix(typ, "item."), in("id", "msg") && has["msg"][0] == '{' && bytes.Contains(has["msg"], []byte(`"type"`)):
		return unsupported("Codex exec output")
	case in("sessionId", "projectHash"):
		return unsupported("Gemini CLI session")
	case in("v", "seq", "prev_hash"):
		return unsupported("pipelock evidence")
	case in("type") && (in("uuid") || in("session_id") || in("sessionId")):
		return unsupported("Claude Code transcript")
	case in("_rpcLogs"):
		return unsupported("MCPJam export")
	case strings.HasPrefix(typ, "mcp_") && in("outcome"):
		return unsupported("toolhive audit log")
	case (in("debug") || in("error")) && in("sessionId", "cwd"):
		return &UnsupportedError{Form: "Claude Code debug log", MetadataOnly: true,
			Advice: "it holds no arguments and no results; the transcript is under ~/.claude/projects"}
	}
	return nil
}

func classifyArray(ms []member) (form, string, error) {
	has := map[string]bool{}
	for _, m := range ms {
		has[m.key] = true
	}
	switch {
	case has["jsonrpc"]:
		return formLines, nameBare, nil
	case has["message"] && has["direction"]:
		return formNone, "", unsupported("MCP Inspector export")
	case has["payload"] && has["direction"]:
		return formNone, "", unsupported("MCPJam export")
	case has["type"] && (has["session_id"] || has["message"] || has["subtype"]):
		return formNone, "", unsupported("Claude Code stream-json array")
	case has["resourceSpans"]:
		return formNone, "", unsupported("OTLP JSON")
	}
	return formNone, "", nil
}
