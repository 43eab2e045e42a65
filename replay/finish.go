package replay

import "github.com/warden-trace/warden/analyze"

// tick lets time pass: calls that ran out of it are answered.
func (m *Machine) tick(now int64) {}

// frameWide adds what is wrong with a message whatever it says.
func (m *Machine) frameWide(from int, dir analyze.Direction, p *Part) {}

// Close ends the session: what only shows at its end is found now.
func (m *Machine) Close() *Outcome {
	o := &m.out
	*o = Outcome{Findings: o.Findings[:0], Replies: o.Replies[:0], ToClient: o.ToClient[:0]}
	return o
}
