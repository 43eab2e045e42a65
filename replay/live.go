package replay

import (
	"github.com/warden-trace/warden/analyze/allowlist"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// What only a live driver needs of the machine: time that passes without
// frames, an allow-list that is edited under it, and frames that must not wait.

// NextDeadline is the first moment, in Unix nanoseconds, at which Tick would
// find a call whose time has run out; ok is false while nothing waits. A live
// driver sets its timer by it.
func (m *Machine) NextDeadline() (at int64, ok bool) {
	if m.judges.allow == nil || m.cfg.RequestTimeout <= 0 {
		return 0, false
	}
	t, ok := m.judges.allow.NextDeadline()
	return t.UnixNano(), ok
}

// SetAllow judges this session's further calls by an allow-list that was read
// again (policy.md section 2, point 3). What is in flight stays in flight.
func (m *Machine) SetAllow(p *allowlist.Policy) {
	cfg := *m.cfg // shared with other sessions, which may go on with the old one
	cfg.Allow = p
	m.cfg, m.judges.cfg = &cfg, &cfg
	if m.judges.allow != nil {
		m.judges.allow.SetPolicy(p)
	}
}

// SetAllow is Machine.SetAllow for every open session and those to come.
func (s *Sessions) SetAllow(p *allowlist.Policy) {
	cfg := *s.cfg
	cfg.Allow = p
	s.cfg = &cfg
	for e := s.order.Front(); e != nil; e = e.Next() {
		e.Value.(*Session).Machine.SetAllow(p)
	}
}

// Control reports a frame that is one progress or cancellation notification.
// Step always forwards it, whatever the session's state, so a driver may do so
// before its turn (replay.md: never held).
func (f *Frame) Control() bool {
	return f.single && f.Has&(jsonrpc.Junk|jsonrpc.Repeated) == 0 && controls(&f.one[0].Msg)
}
