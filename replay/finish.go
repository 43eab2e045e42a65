package replay

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// frameWide adds what is wrong with a message whatever it says.
func (m *Machine) frameWide(from int, dir analyze.Direction, p *Part) {
	if p.Msg.Has&jsonrpc.Ambiguous == 0 && (p.Msg.Has&jsonrpc.HasMethod == 0 || !p.Msg.IsResponse()) {
		return
	}
	for i := from; i < len(m.out.Findings); i++ {
		if m.out.Findings[i].Rule == catalog.RuleAmbiguous {
			return // the catalog has said it of a result
		}
	}
	if f, ok := m.cfg.Catalog.Ambiguous(&p.Msg); ok {
		n := len(m.out.Findings)
		m.add(f)
		m.settle(n, dir, &p.Msg, m.out.Method, m.out.Tool)
	}
}

// Close ends the session: what only shows at its end is found now.
func (m *Machine) Close() *Outcome {
	o := &m.out
	*o = Outcome{Findings: o.Findings[:0], Replies: o.Replies[:0], ToClient: o.ToClient[:0]}
	for _, s := range m.judges.profiles {
		m.addAll(s.Close())
	}
	m.observed(0, analyze.Unknown)
	return o
}
