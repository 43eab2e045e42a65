package diff

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
)

// Change is a finding that one rule set has and the other has not, or has
// otherwise.
type Change struct {
	Sign Sign
	Base *analyze.Finding // nil for Plus
	Head *analyze.Finding // nil for Minus
	// Fields are what differs in a changed finding: tier, severity, action,
	// matched.
	Fields []string
	// Cause are the edits that made it, as far as they can be told apart.
	Cause []*Edit
}

// Finding is the finding as it is now, or as it was.
func (c *Change) Finding() *analyze.Finding {
	if c.Head != nil {
		return c.Head
	}
	return c.Base
}

// same reports that two findings are one: of a rule, in a text, and for secrets
// at the same characters.
func same(a, b *analyze.Finding) bool {
	return a.Rule == b.Rule && a.SubRule == b.SubRule && a.Block == b.Block && a.Pointer == b.Pointer &&
		(a.Rule != catalog.RuleSecret || slices.Equal(a.Spans, b.Spans))
}

func fields(a, b *analyze.Finding) (out []string) {
	if a.Tier != b.Tier {
		out = append(out, "tier")
	}
	if a.Severity != b.Severity {
		out = append(out, "severity")
	}
	if a.Action != b.Action {
		out = append(out, "action")
	}
	if !slices.Equal(a.Matched, b.Matched) {
		out = append(out, "matched")
	}
	return out
}

// pair compares what the two sets found in one frame. Both lists are in the
// order of the catalog, so that looking on from the last match makes the common
// case linear.
func pair(base, head []analyze.Finding) (out []*Change) {
	used := make([]bool, len(head))
	from := 0
	for i := range base {
		a := &base[i]
		at := -1
		for k := range head {
			j := (from + k) % len(head)
			if !used[j] && same(a, &head[j]) {
				at = j
				break
			}
			// A frame of very many findings is compared by place alone.
			if k >= nearBy && len(head) > 4*nearBy {
				break
			}
		}
		if at < 0 {
			out = append(out, &Change{Sign: Minus, Base: a})
			continue
		}
		used[at] = true
		from = at + 1
		if f := fields(a, &head[at]); f != nil {
			out = append(out, &Change{Sign: Tilde, Base: a, Head: &head[at], Fields: f})
		}
	}
	for j := range head {
		if !used[j] {
			out = append(out, &Change{Sign: Plus, Head: &head[j]})
		}
	}
	return out
}

// nearBy bounds the search for a finding's other half.
const nearBy = 1000

// causes finds the edits behind the changes of one frame.
func causes(edits []*Edit, changes []*Change) {
	if len(edits) == 1 {
		for _, c := range changes {
			c.Cause = edits
		}
		return
	}
	for _, c := range changes {
		c.Cause = direct(edits, c)
	}
	for _, c := range changes {
		if c.Cause != nil {
			continue
		}
		// What an edit does to one finding of a text it does through others: a
		// vendor's match takes a random piece's place, a host's a URL's.
		for _, by := range changes {
			if by.Finding().Pointer == c.Finding().Pointer {
				c.Cause = union(c.Cause, direct(edits, by))
			}
		}
		if c.Cause == nil {
			for _, by := range changes {
				c.Cause = union(c.Cause, direct(edits, by))
			}
		}
		if c.Cause == nil {
			c.Cause = section(edits, c.Finding())
		}
	}
}

// direct are the edits of the very entries that a change is about.
func direct(edits []*Edit, c *Change) (out []*Edit) {
	f := c.Finding()
	moved := moved(c)
	for _, e := range edits {
		hit := false
		switch e.Section {
		case "rule":
			hit = e.Name == f.Rule && c.Sign == Tilde
		case "secret":
			hit = e.Name == f.SubRule
		case "entropy":
			hit = f.SubRule == catalog.RuleEntropy
		case "host":
			hit = f.Rule == catalog.RuleDomain && has(moved, e.Name)
		case "phrase":
			hit = f.Rule == catalog.RulePhrase && has(moved, e.Name)
		case "network":
			hit = f.Rule == catalog.RuleIP && inside(e.Name, moved)
		}
		if hit {
			out = append(out, e)
		}
	}
	return out
}

// section are all edits that could be behind a finding of its rule.
func section(edits []*Edit, f *analyze.Finding) (out []*Edit) {
	of := map[string]string{catalog.RuleURL: "host", catalog.RuleDomain: "host", catalog.RuleIP: "network", catalog.RulePhrase: "phrase", catalog.RuleSecret: "secret"}[f.Rule]
	for _, e := range edits {
		if e.Section == of {
			out = append(out, e)
		}
	}
	if out == nil {
		return edits
	}
	return out
}

// moved are the entries that only one side matched.
func moved(c *Change) (out []string) {
	var a, b []string
	if c.Base != nil {
		a = c.Base.Matched
	}
	if c.Head != nil {
		b = c.Head.Matched
	}
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	for _, x := range b {
		if !slices.Contains(a, x) {
			out = append(out, x)
		}
	}
	return out
}

func has(list []string, s string) bool {
	return slices.ContainsFunc(list, func(x string) bool { return strings.EqualFold(x, s) })
}

func inside(cidr string, addrs []string) bool {
	p, err := netip.ParsePrefix(cidr)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(addrs, func(s string) bool {
		a, err := netip.ParseAddr(s)
		return err == nil && p.Contains(a)
	})
}

func union(a, b []*Edit) []*Edit {
	for _, e := range b {
		if !slices.Contains(a, e) {
			a = append(slices.Clip(a), e)
		}
	}
	return a
}
