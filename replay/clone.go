package replay

import (
	"maps"
	"slices"
)

// Clone returns a machine in the same state that goes on by itself, so that a
// driver can come back to a frame without replaying the whole session. ok is
// false where an armed allow-list or profile keeps state that can't be copied;
// such a session is replayed from its start.
func (m *Machine) Clone() (c *Machine, ok bool) {
	if m.judges.allow != nil || len(m.judges.profiles) > 0 {
		return nil, false
	}
	c = &Machine{cfg: m.cfg, seq: m.seq, now: m.now, enforcing: m.enforcing, handshaken: m.handshaken,
		protocol: m.protocol, serverName: m.serverName, awaiting: maps.Clone(m.awaiting), place: m.place}
	c.client.copy(&m.client)
	c.server.copy(&m.server)
	c.tasks = tasks{max: m.tasks.max, m: maps.Clone(m.tasks.m), order: slices.Clone(m.tasks.order)}
	c.judges = judges{cfg: m.judges.cfg, call: new(flatCall), gate: m.judges.gate.Clone(), shapes: maps.Clone(m.judges.shapes)}
	return c, true
}

// Weight is about how much of the session a clone holds: requests in flight and
// tasks.
func (m *Machine) Weight() int {
	return m.client.len() + m.server.len() + len(m.tasks.m) + len(m.judges.shapes)
}

// copy makes p hold the requests of q, in the same order of arrival.
func (p *pending) copy(q *pending) {
	p.init(q.max)
	q.each(func(c *call) { p.add(*c) })
}
