package replay

import (
	"github.com/warden-trace/warden/analyze/policy"
	"github.com/warden-trace/warden/analyze/recent"
)

// toolRules are what the rules say of a tool, whatever it is called with.
type toolRules struct {
	name   string
	locked bool            // the lock lists it
	known  policy.ShapeSet // as far as is known without the session
	policy policy.Of
}

// rules makes what the rules say of a tool.
func (c *Config) rules(tool string) (t toolRules) {
	t.name, t.known = tool, c.known(tool)
	_, t.locked = c.Lock.Tool(tool)
	if c.Policy != nil {
		t.policy = c.Policy.Of(tool)
	}
	return t
}

// toolBits is for more tools than the sessions of a recording call together.
const toolBits = 8

// tools keeps the rules of the tools that were called last.
type tools struct {
	cfg  *Config
	last [1 << toolBits]toolRules
	long toolRules // the last one with a name that is not kept
}

// rules gives what c's rules say of a tool. The result is valid until the next
// call.
func (f *flatCall) rules(c *Config, name []byte) *toolRules {
	if f.tools == nil || f.tools.cfg != c {
		f.tools = &tools{cfg: c}
	}
	t := f.tools
	if len(name) == 0 || len(name) > maxInterns {
		t.long = c.rules(bounded(name))
		return &t.long
	}
	e := &t.last[recent.Slot(name, toolBits)]
	if e.name != string(name) {
		*e = c.rules(bounded(name))
	}
	return e
}
