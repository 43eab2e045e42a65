package allowlist

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Request is one tools/call as it was seen.
type Request struct {
	Frame        []byte   // the message's own bytes; of a batch, the element's
	Candidate    []byte   // the arguments that the agent produced, where the record has them
	HasCandidate bool     // a candidate is there, even if it is null
	AllowParams  []string // further members of params that are let through (--allow-params)
}

// Check judges one call: nil lets it through. The order is that of policy.md,
// section 2, and the first failure wins. Whatever goes wrong in here denies.
func (p *Policy) Check(r Request) (v *Violation) {
	defer func() {
		if recover() != nil {
			v = &Violation{Code: RuleInternal, Message: "the call could not be judged: an internal error"}
		}
	}()
	c := checker{p: p, limits: DefaultLimits()}
	if p != nil {
		c.limits = p.Limits
	}
	return c.run(r)
}

type checker struct {
	p      *Policy
	limits Limits

	frame, cand *jsonrpc.Value
	tool        string
	embedded    *jsonrpc.Value
}

func (c *checker) run(r Request) *Violation {
	fs, v := c.read(r.Frame, "the frame")
	if v != nil {
		return v
	}
	c.frame = fs.g[0].v
	c.tool, _ = c.frame.Get("params").Get("name").IsString()
	var cs survey
	if r.HasCandidate {
		if cs, v = c.read(r.Candidate, "the candidate"); v != nil {
			return v
		}
		c.cand = cs.g[0].v
	}
	for _, step := range []func(*survey, bool) *Violation{c.bounds, c.keys, c.numbers} {
		if v := step(&fs, false); v != nil {
			return v
		}
		if r.HasCandidate {
			if v := step(&cs, true); v != nil {
				return v
			}
		}
	}
	if v := c.envelope(&fs, r.AllowParams); v != nil {
		return v
	}
	if r.HasCandidate {
		switch {
		case c.cand.Kind != jsonrpc.Object:
			return c.deny(RuleInvalid, "", "the candidate arguments are no object")
		case cs.repeated >= 0:
			return c.deny(RuleInvalid, "", "the candidate arguments have a key twice")
		}
	}
	return c.decide(r.HasCandidate)
}

func (c *checker) deny(code, pointer, format string, args ...any) *Violation {
	return &Violation{Code: code, Tool: c.tool, Pointer: pointer, Message: fmt.Sprintf(format, args...)}
}

// read decodes and surveys one value. Text that only a lenient reader takes is
// read all the same, so that bounds and keys are judged first; `numbers` then
// refuses it.
func (c *checker) read(raw []byte, what string) (survey, *Violation) {
	l := c.limits
	o := jsonrpc.DecodeOptions{MaxDepth: int(min(l.InputDepth, 1<<30)), MaxNodes: int(min(l.InputNodes, 1<<30))}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	root, err := jsonrpc.Decode(raw, o)
	strict := err == nil
	if !strict {
		o.Lenient = true
		root, err = jsonrpc.Decode(raw, o)
	}
	switch {
	case errors.Is(err, jsonrpc.ErrDepth):
		return survey{}, c.deny(RuleResourceLimit, "", "%s is nested too deep (at most %d)", what, l.InputDepth)
	case errors.Is(err, jsonrpc.ErrNodes):
		return survey{}, c.deny(RuleResourceLimit, "", "%s has too many values (at most %d)", what, l.InputNodes)
	case err != nil:
		return survey{}, c.deny(RuleInvalid, "", "%s is no JSON", what)
	}
	s := look(root, bounds{l.InputDepth, l.InputNodes, l.InputBytes, l.InputArray, l.InputProperties})
	if !strict && s.number < 0 {
		s.number = 0
	}
	return s, nil
}

func where(s *survey, i int, cand bool) string {
	if cand {
		return "" // the frame has no such place
	}
	return s.g.pointer(i)
}

func source(cand bool) string {
	if cand {
		return "the candidate arguments hold "
	}
	return "the frame holds "
}

func (c *checker) bounds(s *survey, cand bool) *Violation {
	if s.over == "" {
		return nil
	}
	return c.deny(RuleResourceLimit, where(s, s.overAt, cand), "%s%s", source(cand), s.over)
}

func (c *checker) keys(s *survey, cand bool) *Violation {
	if s.dangerous < 0 {
		return nil
	}
	return c.deny(RuleDangerousKey, where(s, s.dangerous, cand), "%sa key that reaches an object's prototype", source(cand))
}

func (c *checker) numbers(s *survey, cand bool) *Violation {
	if s.number < 0 {
		return nil
	}
	return c.deny(RuleNonJSON, where(s, s.number, cand), "%sa number that no double holds, or text that is not valid Unicode", source(cand))
}

// envelope asks for exactly what the seed's envelope has.
func (c *checker) envelope(s *survey, allowed []string) *Violation {
	if c.frame.Kind != jsonrpc.Object {
		return c.deny(RuleInvalid, "", "the frame is no object")
	}
	if s.repeated >= 0 {
		return c.deny(RuleInvalid, s.g.pointer(s.repeated), "key %s stands twice", show(s.again))
	}
	for _, m := range c.frame.Members {
		ok := true
		switch m.Key {
		case "jsonrpc":
			ok = m.Value.Kind == jsonrpc.String && m.Value.Str == "2.0"
		case "id":
			ok = m.Value.Kind == jsonrpc.Number || m.Value.Kind == jsonrpc.String && m.Value.Str != ""
		case "method":
			ok = m.Value.Kind == jsonrpc.String && m.Value.Str == "tools/call"
		case "params":
			ok = m.Value.Kind == jsonrpc.Object
		default:
			return c.deny(RuleInvalid, cut("/"+escape(scrub(m.Key))), "member %s is no part of a tools/call", show(m.Key))
		}
		if !ok {
			return c.deny(RuleInvalid, "/"+m.Key, "%s is not what a tools/call has there", m.Key)
		}
	}
	for _, k := range []string{"jsonrpc", "id", "method", "params"} {
		if c.frame.Get(k) == nil {
			return c.deny(RuleInvalid, "", "%s is missing", k)
		}
	}
	params := c.frame.Get("params")
	for _, m := range params.Members {
		ok := true
		switch m.Key {
		case "name":
			ok = m.Value.Kind == jsonrpc.String && m.Value.Str != ""
		case "arguments":
			ok = m.Value.Kind == jsonrpc.Object
			c.embedded = m.Value
		case "_meta":
			ok = m.Value.Kind == jsonrpc.Object
		default:
			if !slices.Contains(allowed, m.Key) {
				return c.deny(RuleInvalid, cut("/params/"+escape(scrub(m.Key))), "params.%s is no part of a tools/call (--allow-params admits one)", show(m.Key))
			}
		}
		if !ok {
			return c.deny(RuleInvalid, "/params/"+m.Key, "params.%s is not what a tools/call has there", m.Key)
		}
	}
	if params.Get("name") == nil {
		return c.deny(RuleInvalid, "/params", "params.name is missing")
	}
	return nil
}

// decide asks the list itself.
func (c *checker) decide(hasCandidate bool) *Violation {
	switch {
	case c.p == nil || c.p.broken == RuleUnavailable:
		return c.deny(RuleUnavailable, "", "the allow-list can't be read, so nothing is allowed")
	case c.p.broken != "":
		return c.deny(c.p.broken, "", "the allow-list is invalid, so nothing is allowed")
	}
	t := c.p.tools[c.tool]
	switch {
	case t == nil:
		return c.deny(RuleUnauthorized, "/params/name", "tool %s is not in the allow-list", showName(c.tool))
	case !t.enforce:
		return c.deny(RuleNotEnforced, "/params/name", "tool %s is listed with an action other than ENFORCE", showName(c.tool))
	}
	args := c.embedded
	if hasCandidate {
		if c.embedded != nil && canonical(c.embedded) != canonical(c.cand) {
			return c.deny(RuleMutation, "/params/arguments", "the arguments in the frame are not those that the agent produced")
		}
		args = c.cand
	}
	if f := t.args.validate(args); f != nil {
		v := c.deny(RuleArguments, "", "the arguments fail %s at \"%s\"", f.keyword, shorten(f.pointer))
		v.Keyword = f.keyword
		if c.embedded != nil {
			v.Pointer = cut("/params/arguments" + f.pointer)
		}
		return v
	}
	return nil
}
