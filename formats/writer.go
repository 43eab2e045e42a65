package formats

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// writer gathers from the head of a log whose directions are relative to the
// program that wrote it whether that is the client or the server. What is read
// is the peer's, and a hostile peer may say anything: only what the program sent
// decides.
//
//   - It sent what only clients send: it is the client, whatever the peer sent.
//   - Else it sent what only servers send, or answered a client's request with a
//     result, which no client does: it is the server.
//   - Else nobody knows, and each frame's direction is inferred from its method.
type writer struct {
	client, server bool            // sent what only that side sends
	peer           bool            // the peer sent what only clients send
	asked          map[string]bool // ids of the peer's requests: only a client's, and once
}

// oneSided are the methods that one side alone sends: true, the client.
var oneSided = map[string]bool{
	"initialize": true, "server/discover": true, "notifications/initialized": true,
	"tools/list": true, "tools/call": true,
	"resources/list": true, "resources/templates/list": true, "resources/read": true,
	"resources/subscribe": true, "resources/unsubscribe": true,
	"prompts/list": true, "prompts/get": true,
	"completion/complete": true, "logging/setLevel": true, "notifications/roots/list_changed": true,

	"sampling/createMessage": false, "elicitation/create": false, "roots/list": false,
	"notifications/message": false, "notifications/elicitation/complete": false,
	"notifications/tools/list_changed": false, "notifications/prompts/list_changed": false,
	"notifications/resources/list_changed": false, "notifications/resources/updated": false,
}

// see takes a frame, the writer's own where sent.
func (w *writer) see(frame []byte, sent bool) {
	if len(frame) == 0 || frame[0] != '{' {
		return
	}
	id, method, result := "", "", false
	for _, m := range topMembers(frame) {
		switch m.key {
		case "id":
			if key, ok := jsonrpc.IDKey(m.raw); ok {
				id = string(key)
			}
		case "method":
			if c, ok := jsonrpc.Unquote(nil, content(m.raw)); ok {
				method = string(c)
			}
		case "result":
			result = true
		}
	}
	clients, known := oneSided[method]
	switch {
	case method == "" && sent:
		w.server = w.server || result && id != "" && w.asked[id]
	case method == "":
	case sent:
		w.client = w.client || known && clients
		w.server = w.server || known && !clients
	default:
		w.peer = w.peer || known && clients
		if id != "" {
			if w.asked == nil {
				w.asked = make(map[string]bool)
			}
			_, twice := w.asked[id]
			w.asked[id] = known && clients && !twice
		}
	}
}

// sends is what the writer sends; twofold says that both sides, or the writer by
// itself, sent what only one of the two may.
func (w *writer) sends() (out analyze.Direction, twofold bool) {
	switch {
	case w.client:
		return analyze.ClientToServer, w.peer || w.server
	case w.server:
		return analyze.ServerToClient, false
	}
	return analyze.Unknown, false
}

// heldFrame is the frame of an envelope, as far as it can be told from its members.
func heldFrame(ms []member) []byte {
	var best []byte
	for _, m := range ms {
		switch envelopeKey([]byte(m.key)) {
		case keyVersion:
			return nil // a bare frame, whatever else it has
		case keyFrame, keyAlias:
			if best == nil || frameRank(m.raw) > frameRank(best) {
				best = m.raw
			}
		}
	}
	if in := jsonInside(best); in != nil {
		return in
	}
	return best
}
