package replay

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/analyze/policy"
)

// maxArguments bounds the values in a call's arguments that the policy reads.
// A call with more is judged by its name alone, and denied where a shape
// applies: in doubt a verdict denies (policy.md).
const maxArguments = 1 << 18

// policy judges a tool call by the argument policy.
func (j *judges) policy(m *Machine, p *Part, tool string) {
	l, known := j.looked(p, tool)
	if doubt, ok := l.Doubtful(known); ok && doubt&^l.spoken == 0 {
		m.addVerdicts(l.said, doubt)
		return
	}
	msg := &p.Msg
	names, raws := readings(msg, tool, j.cfg.Coverage)
	var args []*jsonrpc.Value
	tooMany := false
	for _, raw := range raws {
		if raw == nil {
			args = append(args, nil)
			continue
		}
		v, err := jsonrpc.Decode(raw, jsonrpc.DecodeOptions{Lenient: true, MaxNodes: maxArguments})
		if err != nil {
			tooMany = true
		}
		args = append(args, v)
	}
	vs := j.cfg.Policy.EvalReadings(names, args, j.shapesOf)
	for i := range vs {
		if v := &vs[i]; tooMany && v.Allow {
			v.Allow, v.Rule, v.Reason = false, denyRule(v.Shape), "the arguments hold too many values to be judged"
		}
	}
	m.addVerdicts(vs, policy.Everything)
}

// addVerdicts adds what verdicts on some of a call's shapes have to say.
func (m *Machine) addVerdicts(vs []policy.Verdict, of policy.ShapeSet) {
	for i := range vs {
		v := &vs[i]
		if v.Rule == "" || !of.Has(v.Shape) {
			continue
		}
		f := analyze.Finding{Rule: v.Rule, Tier: analyze.Block, Severity: analyze.High, Block: -1, Tool: v.Tool,
			Pointer: "/params/arguments" + v.Pointer, Message: v.Reason}
		if v.Allow {
			f.Tier, f.Severity = analyze.Note, analyze.Low
		}
		m.add(f)
	}
}

func denyRule(s policy.Shape) string {
	switch s {
	case policy.FilesystemWrite:
		return policy.RuleFSDeny
	case policy.ShellExec:
		return policy.RuleShellDeny
	case policy.HTTPRequest:
		return policy.RuleHTTPHostDeny
	}
	return policy.RuleSQLDeny
}

// readings are the names and the arguments that a call may have: one each, more
// where keys are repeated and coverage is full.
func readings(msg *jsonrpc.Message, tool string, cov analyze.Coverage) (names []string, args [][]byte) {
	if cov == analyze.Full && msg.Has&jsonrpc.Repeated != 0 {
		for _, a := range msg.Alt {
			switch a.Key {
			case "params/name":
				if len(a.Raw) >= 2 && a.Raw[0] == '"' {
					s, _ := jsonrpc.Unquote(nil, a.Raw[1:len(a.Raw)-1])
					names = append(names, string(s))
				}
			case "params/arguments":
				args = append(args, a.Raw)
			}
		}
	}
	if len(names) == 0 {
		names = []string{tool}
	}
	if len(args) == 0 {
		args = [][]byte{jsonrpc.Lookup(msg.Params, "arguments")}
	}
	return names, args
}

// shapesOf are the shapes that the lock, or a tools/list seen earlier in the
// session, gives a tool; nil where neither knows it.
func (j *judges) shapesOf(tool string) []policy.Shape {
	if j.cfg.Lock != nil {
		if caps, listed := j.cfg.Lock.Capabilities(tool); listed {
			return policy.FromCapabilities(caps)
		}
		return nil
	}
	return j.shapes[tool]
}

// learn keeps the shapes of the tools in a list, as a lock would give them.
func (j *judges) learn(result []byte) {
	jsonrpc.Elements(jsonrpc.Lookup(result, "tools"), func(entry []byte) bool {
		name, caps, ok := lock.EntryShapes(entry)
		if !ok || len(name) > maxKeptName {
			return true
		}
		if j.shapes == nil {
			j.shapes = make(map[string][]policy.Shape)
		}
		if _, known := j.shapes[name]; known || len(j.shapes) < maxShapes {
			j.shapes[name] = policy.FromCapabilities(caps)
		}
		return true
	})
}
