package replay

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// control sees progress and cancellation, which always pass.
func (j *judges) control(m *Machine, ev *Event, dir analyze.Direction, p *Part) {
	j.frame(m, ev, dir, p, nil)
}

// unreadable judges a frame that is no message.
func (j *judges) unreadable(m *Machine, ev *Event, why string) {}

// overCap judges a request that is too large to read.
func (j *judges) overCap(m *Machine, ev *Event, dir analyze.Direction, msg *jsonrpc.Message, tool string) {
}

// answered judges whether an answer may still be delivered.
func (j *judges) answered(m *Machine, ev *Event, p *Part, c *call) (decision, bool) {
	return decision{}, false
}
