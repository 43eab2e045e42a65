package policy

import (
	"slices"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/lock"
)

// Verdict is what the policy says of one shape of one call.
type Verdict struct {
	Tool       string `json:"tool"`
	Shape      Shape  `json:"shape"`
	Allow      bool   `json:"allow"`
	Note       bool   `json:"note"`       // allowed, with something to say
	Rule       string `json:"rule"`       // "" when there is nothing to say
	Reason     string `json:"reason"`     // names a path, host or word, never whole arguments
	Constraint string `json:"constraint"` // the key that decided, e.g. "deny_paths"
	Pointer    string `json:"pointer"`    // JSON Pointer within the arguments; "" is the whole
}

// Finding turns a verdict into a finding about the request; ok is false when
// it has nothing to say. The session machine fills in the rest. The pointer is
// that of the frame, /params/arguments and on.
func (v Verdict) Finding() (f analyze.Finding, ok bool) {
	if v.Rule == "" {
		return f, false
	}
	f = analyze.Finding{
		Rule: v.Rule, Tier: analyze.Block, Severity: analyze.High,
		Direction: analyze.ClientToServer, Tool: v.Tool, Block: -1,
		Pointer: "/params/arguments" + v.Pointer, Message: v.Reason,
	}
	if v.Allow {
		f.Tier, f.Severity = analyze.Note, analyze.Low
	}
	return f, true
}

// call is one call under judgement.
type call struct {
	tool     string
	args     tree
	coverage analyze.Coverage
	at       int // the argument that the verdict in hand is about
}

// full says whether the wider rows are on.
func (c *call) full() bool { return c.coverage == analyze.Full }

// Eval judges one call: one verdict a shape, in the order of Shapes. args are
// the decoded arguments, nil when the call has none. known are the shapes that the
// lock (or a tools/list seen earlier) gives the tool, nil where neither knows
// the tool: then its name and its arguments decide. What the policy declares
// for the tool comes on top. A repeated key is judged in every occurrence.
func (p *Policy) Eval(tool string, args *jsonrpc.Value, known []Shape) []Verdict {
	t := flatten(args)
	var keys lock.Hint
	for _, k := range t.keys() {
		keys |= lock.HintOf(k)
	}
	return p.eval(tool, t, shapes(SetOf(known), p.declared(tool), guessed(lock.HintOf(tool), keys)))
}

// EvalOnly is Eval for some of a call's shapes, as Look.Doubtful gives them.
func (p *Policy) EvalOnly(tool string, args *jsonrpc.Value, shapes ShapeSet) []Verdict {
	return p.eval(tool, flatten(args), shapes)
}

func (p *Policy) eval(tool string, args tree, shapes ShapeSet) []Verdict {
	c := call{tool: tool, args: args, coverage: p.Coverage}
	rules := p.effective(tool)
	var out []Verdict
	for _, s := range Shapes {
		if !shapes.Has(s) {
			continue
		}
		v := Verdict{Tool: tool, Shape: s, Allow: true}
		switch s {
		case FilesystemWrite:
			c.fs(&v, rules.fs)
		case ShellExec:
			c.shell(&v, rules.shell)
		case HTTPRequest:
			c.http(&v, rules.http)
		case SQLQuery:
			c.sql(&v, rules.sql)
		}
		if v.Rule != "" {
			v.Pointer = c.args.pointer(c.at)
		}
		out = append(out, v)
	}
	return out
}

// maxReadings is how many tool names of one ambiguous frame are judged one by
// one. A frame with more is denied outright: no client means that.
const maxReadings = 16

// EvalReadings judges a frame that can be read in several ways, because a key
// of it is repeated: every name that the call may have, each with all
// arguments that it may have. One deny among the readings is enough. At most
// one verdict a shape comes back, a deny before a note before an allow.
// shapesFor gives the shapes of a tool as for Eval; it may be nil.
func (p *Policy) EvalReadings(tools []string, args []*jsonrpc.Value, shapesFor func(tool string) []Shape) []Verdict {
	if len(tools) == 1 && len(args) == 1 { // one reading, as nearly always
		var shapes []Shape
		if shapesFor != nil {
			shapes = shapesFor(tools[0])
		}
		return p.Eval(tools[0], args[0], shapes)
	}
	tools = slices.Compact(slices.Sorted(slices.Values(tools)))
	many := len(tools) > maxReadings
	if many {
		tools = tools[:maxReadings]
	}
	args = slices.DeleteFunc(slices.Clone(args), func(v *jsonrpc.Value) bool { return v == nil })
	// All readings of the arguments beside each other: every one is judged.
	all := &jsonrpc.Value{Kind: jsonrpc.Array, Elems: args}
	if len(args) == 1 {
		all = args[0]
	} else if len(args) == 0 {
		all = nil
	}
	best := map[Shape]Verdict{}
	for _, t := range tools {
		var shapes []Shape
		if shapesFor != nil {
			shapes = shapesFor(t)
		}
		for _, v := range p.Eval(t, all, shapes) {
			if old, ok := best[v.Shape]; !ok || v.rank() > old.rank() {
				if len(args) > 1 {
					v.Pointer = "" // which of them it is depends on the reader
				}
				best[v.Shape] = v
			}
		}
	}
	if many {
		best[ShellExec] = Verdict{
			Tool: tools[0], Shape: ShellExec, Rule: RuleShellDeny,
			Reason: "the call names more tools than can be judged", Constraint: "allow",
		}
	}
	var out []Verdict
	for _, s := range Shapes {
		if v, ok := best[s]; ok {
			out = append(out, v)
		}
	}
	return out
}

func (v Verdict) rank() int {
	switch {
	case !v.Allow:
		return 2
	case v.Note:
		return 1
	}
	return 0
}

// deny settles a verdict; at is the argument's place, which becomes a pointer
// only now: on deep arguments pointers are what costs.
func (c *call) deny(v *Verdict, rule, constraint string, at int, reason string) {
	v.Allow, v.Note = false, false
	v.Rule, v.Constraint, v.Reason = rule, constraint, reason
	c.at = at
}
