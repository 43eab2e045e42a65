package replay

import (
	"slices"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/policy"
	"github.com/warden-trace/warden/analyze/profile"
)

// ahead is what can be said of a message before its session is known. Frames of
// a recording are examined side by side and judged one after the other, so
// whatever is found out here is off the path that all of them share. The machine
// asks the same functions where nobody has looked ahead, and says the same.
type ahead struct {
	by      *Config // whose rules; nil: nobody has looked
	tool    string  // of a tool call, as Machine.name gives it
	allowed bool    // a tool call that the allow-list lets through for certain
	locked  bool    // a tool call that the lock lists
	looked  looked
	facts   [maxFacts]profile.Facts
}

// maxFacts is the number of profiles that are asked ahead; there are no more.
const maxFacts = 2

// looked is what the policy makes of a call's arguments.
type looked struct {
	policy.Look
	known  policy.ShapeSet  // of the tool, as far as is known without the session
	spoken policy.ShapeSet  // shapes of which said has all that is to be said
	said   []policy.Verdict // those with something to say
}

// Examiner returns an examiner that also looks ahead by c's rules. Its frames
// may be fed to any machine; those with other rules judge them in full.
func (c *Config) Examiner() *Examiner {
	x := NewExaminer(c.Catalog, c.Coverage)
	if c.Policy != nil || c.Allow != nil || len(c.Profiles) > 0 {
		x.cfg = c
	}
	return x
}

// ahead looks ahead at a message that has one reading.
func (x *Examiner) ahead(p *Part) {
	msg, a := &p.Msg, &p.ahead
	if msg.Has&jsonrpc.Ambiguous != 0 || msg.Alt != nil {
		return
	}
	defer func() {
		if recover() != nil {
			*a = ahead{} // the machine will meet the fault in its turn, and tell of it
		}
		x.call.done()
	}()
	var flat *jsonrpc.Flat
	if msg.Has&jsonrpc.HasMethod != 0 && kindOf(msg.Method) == kindCall {
		t := x.call.rules(x.cfg, msg.Name)
		a.tool, a.locked = t.name, t.locked
		flat = x.call.of(msg)
		a.allowed = x.cfg.surely(msg, &x.call)
		if x.cfg.Policy != nil {
			a.looked = x.cfg.look(msg, &x.call, t, t.known)
			a.looked.light()
		}
	}
	for i := range min(len(x.cfg.Profiles), maxFacts) {
		a.facts[i] = x.cfg.Profiles[i].Facts(msg, flat)
	}
	a.by = x.cfg
}

// surely reports a tool call that the allow-list lets through for certain.
func (c *Config) surely(msg *jsonrpc.Message, call *flatCall) bool {
	if c.Allow == nil {
		return false
	}
	f := call.of(msg)
	return f != nil && c.Allow.Surely(f, c.AllowParams)
}

// known is what the lock says of a tool's shapes.
func (c *Config) known(tool string) policy.ShapeSet {
	if c.Lock != nil {
		if caps, listed := c.Lock.Capabilities(tool); listed {
			return policy.SetFrom(caps)
		}
	}
	return policy.Guess
}

// look judges the arguments of an ordinary call; of every other one it says
// nothing.
func (c *Config) look(msg *jsonrpc.Message, call *flatCall, t *toolRules, known policy.ShapeSet) (l looked) {
	f := call.of(msg)
	if f == nil {
		return l
	}
	params := f.Find(0, "params")
	if params < 0 {
		return l
	}
	i := f.Find(params, "arguments")
	if i < 0 {
		return l
	}
	l.Look, l.known = t.policy.Look(f, i, known), known
	doubt, ok := l.Doubtful(known)
	if !ok || doubt == 0 {
		return l
	}
	v, err := jsonrpc.Decode(f.Bytes(&f.Nodes[i]), jsonrpc.DecodeOptions{})
	if err != nil {
		return l
	}
	l.spoken = doubt
	l.said = slices.DeleteFunc(c.Policy.EvalOnly(t.name, v, doubt), func(v policy.Verdict) bool { return v.Rule == "" })
	return l
}

// light drops what is too much to be carried along: calls may be short, and
// frames without number wait for their turn.
func (l *looked) light() {
	switch {
	case len(l.said) > 1:
		l.said, l.spoken = nil, 0
	case cap(l.said) > 1:
		l.said = slices.Clone(l.said)
	}
}

// looked gives what the policy makes of a call, from ahead where that is enough.
// The result is valid until the next call.
func (j *judges) looked(p *Part, tool string) (l *looked, known policy.ShapeSet) {
	l = &p.ahead.looked
	ours := p.ahead.by == j.cfg
	switch {
	case j.cfg.Lock == nil:
		known = policy.SetOf(j.shapes[tool])
	case ours:
		known = l.known
	default:
		known = j.cfg.known(tool)
	}
	if ours {
		if doubt, ok := l.Doubtful(known); ok && doubt&^l.spoken == 0 || !l.Known {
			return l, known
		}
	}
	// Not looked at, or not at a shape that the session has shown to be the tool's,
	// or with more to say than is carried along.
	j.call.looked = j.cfg.look(&p.Msg, j.call, j.call.rules(j.cfg, p.Msg.Name), known)
	return &j.call.looked, known
}
