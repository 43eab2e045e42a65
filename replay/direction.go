package replay

import (
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// direction infers which way a bare message travels (protocol.md, "Direction
// of a bare frame").
func (m *Machine) direction(msg *jsonrpc.Message) analyze.Direction {
	if msg.Has&jsonrpc.HasMethod != 0 && !msg.IsResponse() {
		return m.methodDirection(msg)
	}
	k, ok := key(msg.ID)
	if !ok {
		return analyze.ServerToClient
	}
	fromClient, fromServer := m.client.get(k), m.server.get(k)
	switch {
	case msg.Has&jsonrpc.HasMethod != 0 && fromClient == nil && fromServer == nil:
		return m.methodDirection(msg) // a result that nobody asked for beside a method
	case fromServer == nil:
		return analyze.ServerToClient
	case fromClient == nil:
		return analyze.ClientToServer
	case fromServer.seq > fromClient.seq: // the nearest request wins
		return analyze.ClientToServer
	}
	return analyze.ServerToClient
}

func (m *Machine) methodDirection(msg *jsonrpc.Message) analyze.Direction {
	method := string(msg.Method)
	switch method {
	case "sampling/createMessage", "elicitation/create", "roots/list",
		"notifications/message", "notifications/resources/updated", "notifications/elicitation/complete":
		return analyze.ServerToClient
	case "notifications/progress":
		if k, ok := paramKey(msg.Params, "progressToken"); ok && m.serverToken(k) {
			return analyze.ClientToServer
		}
		return analyze.ServerToClient
	case "notifications/cancelled":
		// The side that asked is the side that cancels.
		k, ok := paramKey(msg.Params, "requestId")
		if ok && m.client.get(k) == nil && m.server.get(k) != nil {
			return analyze.ServerToClient
		}
		return analyze.ClientToServer
	}
	if strings.HasPrefix(method, "notifications/tasks") ||
		strings.HasPrefix(method, "notifications/") && strings.HasSuffix(method, "/list_changed") &&
			method != "notifications/roots/list_changed" {
		return analyze.ServerToClient
	}
	return analyze.ClientToServer
}

// paramKey reads one member of params as an id-like value.
func paramKey(params []byte, name string) (jsonrpc.Key, bool) {
	return key(jsonrpc.Lookup(params, name))
}

// serverToken reports a progress token that a server's request in flight gave.
func (m *Machine) serverToken(k jsonrpc.Key) bool {
	found := false
	m.server.each(func(c *call) { found = found || c.token == k && k != "" })
	return found
}
