package replay

import (
	"bytes"
	"sort"
)

// State is what a machine knows of its session at one moment, copied out for a
// reader. Texts are as the trace has them: whoever shows them escapes them.
type State struct {
	Frames     int64 // events so far
	Enforcing  bool  // a tools/call was seen
	Handshaken bool  // a client's initialize was seen
	Protocol   string
	Server     string
	Gate       string   // "off" (no lock), "idle" or "armed"
	Client     []Flight // requests of the client in flight, oldest first
	ServerOwn  []Flight // requests of the server in flight, oldest first
	Tasks      []Task   // oldest first
	Retries    int      // results that wait for the client's retry
}

// Flight is a request without its answer.
type Flight struct {
	ID     []byte // raw JSON token; nil if too long to keep
	Method string
	Tool   string
	TS     int64 // Unix nanoseconds; 0: unknown
	Place  Place
}

// Task is a task with the tool whose call began it.
type Task struct{ ID, Tool string }

// State returns the machine's state.
func (m *Machine) State() State {
	s := State{Frames: m.seq, Enforcing: m.enforcing, Handshaken: m.handshaken, Protocol: m.protocol,
		Server: m.serverName, Gate: "off", Client: m.client.flights(), ServerOwn: m.server.flights()}
	if g := m.judges.gate; g != nil {
		s.Gate = "idle"
		if g.Armed() {
			s.Gate = "armed"
		}
	}
	for _, id := range m.tasks.order {
		if tool, ok := m.tasks.m[id]; ok {
			s.Tasks = append(s.Tasks, Task{id, tool})
		}
	}
	tools := make([]string, 0, len(m.awaiting))
	for t := range m.awaiting {
		tools = append(tools, t)
	}
	sort.Strings(tools)
	for _, t := range tools {
		s.Retries += m.awaiting[t]
	}
	return s
}

func (p *pending) flights() []Flight {
	out := make([]Flight, 0, p.len())
	p.each(func(c *call) {
		out = append(out, Flight{ID: bytes.Clone(c.id), Method: c.method, Tool: c.tool, TS: c.ts, Place: c.place})
	})
	return out
}
