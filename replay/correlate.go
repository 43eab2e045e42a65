package replay

import (
	"crypto/sha256"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Bounds on what is kept of a request in flight, so that the bound on their
// number bounds memory too: a peer may send ids and names of any length.
const (
	maxKeptKey  = 128
	maxKeptName = 4096
	maxKeptID   = 4096
)

// key is the bounded form of an id: long ones are kept as their hash.
func key(raw []byte) (jsonrpc.Key, bool) {
	k, ok := jsonrpc.IDKey(raw)
	if ok && len(k) > maxKeptKey {
		h := sha256.Sum256([]byte(k))
		k = jsonrpc.Key("#" + string(h[:]))
	}
	return k, ok
}

// correlate begins a message: it keeps the key of its id, and takes the request
// that a response answers out of flight. With several readings of the id (a
// repeated key), any that fits counts.
func (m *Machine) correlate(dir analyze.Direction, msg *jsonrpc.Message) *call {
	m.id.key, m.id.ok = key(msg.ID)
	if !msg.IsResponse() {
		return nil
	}
	p := m.asked(dir)
	if p == nil {
		return nil
	}
	var c *call
	if m.id.ok {
		c = p.take(m.id.key)
	}
	if m.cfg.Coverage == analyze.Full {
		for _, a := range msg.Alt {
			if a.Key != "id" {
				continue
			}
			if k, ok := key(a.Raw); ok {
				if o := p.take(k); o != nil && (c == nil || c.kind == kindOther) {
					c = o
				}
			}
		}
	}
	return c
}

// asked is the requests that a message in this direction may answer.
func (m *Machine) asked(dir analyze.Direction) *pending {
	switch dir {
	case analyze.ServerToClient:
		return &m.client
	case analyze.ClientToServer:
		return &m.server
	}
	return nil
}

// register puts a forwarded request in flight.
func (m *Machine) register(ev *Event, dir analyze.Direction, msg *jsonrpc.Message, kind callKind, tool string) {
	if !m.id.ok {
		return
	}
	c := call{key: m.id.key, kind: kind, method: m.out.Method, tool: tool, seq: m.seq, ts: ev.TS, place: ev.Place,
		strict: msg.Has&jsonrpc.Repeated != 0}
	if msg.Has&jsonrpc.HasCursor != 0 {
		c.cursor, _ = jsonrpc.LookupString(msg.Params, "cursor")
		c.cursor = c.cursor[:min(len(c.cursor), maxKeptName)]
	}
	if len(msg.ID) <= maxKeptID {
		c.id = append([]byte(nil), msg.ID...)
	}
	if dir == analyze.ServerToClient {
		c.token = progressToken(msg)
		m.server.add(c)
		return
	}
	m.client.add(c)
}

func progressToken(msg *jsonrpc.Message) jsonrpc.Key {
	if msg.Has&jsonrpc.HasMeta == 0 {
		return ""
	}
	k, _ := key(jsonrpc.Lookup(msg.Params, "_meta", "progressToken"))
	return k
}
