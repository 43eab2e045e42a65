package formats

import (
	"bytes"
	"strings"

	"github.com/warden-trace/warden/analyze"
)

// key is a member of an envelope that the readers know (formats.md, "The
// canonical form", 3.1 d and 3.2).
type key uint8

const (
	keyNone key = iota
	keyDir
	keyTS
	keySession
	keySeq
	keyFrame
	keyAlias // other names for the frame
	keyRawB64
	keyFraming
	keyCandidate
	keyTruncated
	keyElided
	keyRedacted
	keySynthetic
	keyBatch
	keyHTTP
	keyMeta
	keyText
	keyBinaryB64
	keyBinaryLen
	keyOverCap
	keyUnderMeta // "_meta": may hold dir
	keyConn
	keyStatus
	keyHeader // mcp_method and others: an HTTP header that mcpsnoop kept
	keyVersion
	keyMessage // members of a bare frame
	keyCount
)

// envelopeKey knows the canonical form and its aliases.
func envelopeKey(k []byte) key {
	switch string(k) {
	case "direction", "dir":
		return keyDir
	case "ts", "timestamp", "time", "t":
		return keyTS
	case "session":
		return keySession
	case "seq":
		return keySeq
	case "frame":
		return keyFrame
	case "message", "raw", "payload", "data", "body", "msg", "json":
		return keyAlias
	case "raw_b64":
		return keyRawB64
	case "framing":
		return keyFraming
	case "candidate":
		return keyCandidate
	case "truncated":
		return keyTruncated
	case "elided":
		return keyElided
	case "redacted":
		return keyRedacted
	case "synthetic":
		return keySynthetic
	case "batch":
		return keyBatch
	case "http":
		return keyHTTP
	case "meta":
		return keyMeta
	case "text":
		return keyText
	case "binary_b64":
		return keyBinaryB64
	case "binary_len":
		return keyBinaryLen
	case "over_cap":
		return keyOverCap
	case "_meta":
		return keyUnderMeta
	case "jsonrpc":
		return keyVersion
	case "id", "method", "params", "result", "error":
		return keyMessage
	}
	return keyNone
}

// keyNames are how errors call the keys.
var keyNames = [keyCount]string{
	keyDir: "direction", keyTS: "ts", keySession: "session", keySeq: "seq", keyFrame: "frame", keyAlias: "message",
	keyRawB64: "raw_b64", keyFraming: "framing", keyCandidate: "candidate", keyTruncated: "truncated", keyElided: "elided",
	keyRedacted: "redacted", keySynthetic: "synthetic", keyBatch: "batch", keyHTTP: "http", keyMeta: "meta", keyText: "text",
	keyBinaryB64: "binary_b64", keyBinaryLen: "binary_len", keyOverCap: "over_cap", keyUnderMeta: "_meta", keyConn: "conn_id",
	keyStatus: "status",
}

// namesOf lists the keys of a set, as their form spells them.
func namesOf(set uint32, f form) string {
	var list []string
	for k := keyNone + 1; k < keyCount; k++ {
		if set>>k&1 == 0 {
			continue
		}
		name := keyNames[k]
		if f == formSnoop {
			switch k {
			case keyFrame:
				name = "raw"
			case keySession:
				name = "session_id"
			}
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// oddKey is the key that k would be in small letters, if it is none as it is and
// holds a frame or says what to make of it. To a reader that does not mind the
// case it is that key; to others it is nothing.
func oddKey(k []byte, f form) key {
	if len(k) > 10 {
		return keyNone
	}
	capital := false
	for _, c := range k {
		capital = capital || c >= 'A' && c <= 'Z'
	}
	if !capital {
		return keyNone
	}
	var of key
	if small := bytes.ToLower(k); f == formSnoop {
		of = snoopKey(small)
	} else {
		of = envelopeKey(small)
	}
	switch of {
	case keyDir, keyFrame, keyRawB64, keyCandidate, keyText, keyBinaryB64, keySession:
		return of
	}
	return keyNone
}

// snoopKey knows the members of an mcpsnoop envelope.
func snoopKey(k []byte) key {
	switch string(k) {
	case "direction":
		return keyDir
	case "ts":
		return keyTS
	case "session_id":
		return keySession
	case "conn_id":
		return keyConn
	case "seq":
		return keySeq
	case "raw":
		return keyFrame
	case "text":
		return keyText
	case "truncated":
		return keyTruncated
	case "redacted":
		return keyRedacted
	case "batch":
		return keyBatch
	case "status":
		return keyStatus
	case "auth_challenge", "mcp_method", "mcp_name", "mcp_protocol_version", "mcp_param_headers":
		return keyHeader
	case "jsonrpc":
		return keyVersion
	}
	return keyNone
}

// way is what a word for a direction says.
type way uint8

const (
	wayNone way = iota // no word for a direction, or one for a kind (request, response)
	wayC2S
	wayS2C
	wayOut // relative to the program that wrote the log
	wayIn
	wayStderr
	wayMeta
)

// wayOf reads a word for a direction, whatever its case.
func wayOf(word []byte) way {
	switch string(word) {
	case "c2s":
		return wayC2S
	case "s2c":
		return wayS2C
	}
	if len(word) > 24 {
		return wayNone
	}
	switch strings.ToLower(string(word)) {
	case "c2s", "client_to_server", "client-to-server", "client->server", "client", "fromclient", "from_client":
		return wayC2S
	case "s2c", "server_to_client", "server-to-client", "server->client", "server", "fromserver", "from_server", "fromagent", "from_agent":
		return wayS2C
	case "send", "sent", "out", "outbound", "outgoing", "write", "->":
		return wayOut
	case "recv", "receive", "received", "in", "inbound", "incoming", "read", "<-":
		return wayIn
	case "stderr":
		return wayStderr
	case "meta":
		return wayMeta
	}
	return wayNone
}

// direction turns a way into a direction; out is what the log's writer sends
// (Unknown when nobody knows: the session machine infers it).
func (w way) direction(out analyze.Direction) analyze.Direction {
	switch w {
	case wayC2S:
		return analyze.ClientToServer
	case wayS2C:
		return analyze.ServerToClient
	case wayOut:
		return out
	case wayIn:
		return out.Opposite()
	}
	return analyze.Unknown
}

// content is the inside of a raw JSON string; nil when it is none.
func content(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}

func isTrue(raw []byte) bool { return bytes.Equal(raw, []byte("true")) }
