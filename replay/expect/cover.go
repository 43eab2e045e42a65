package expect

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
)

// Coverage says what of a rule set the findings of a corpus have exercised.
type Coverage struct {
	set      *ruleset.Set
	rules    map[string]int
	hosts    map[string]int
	phrases  map[string]int
	networks map[netip.Prefix]int
}

// NewCoverage returns an empty coverage of a rule set.
func NewCoverage(set *ruleset.Set) *Coverage {
	return &Coverage{set: set, rules: map[string]int{}, hosts: map[string]int{}, phrases: map[string]int{}, networks: map[netip.Prefix]int{}}
}

// Add counts the findings of a trace.
func (c *Coverage) Add(fs []analyze.Finding) {
	for i := range fs {
		f := &fs[i]
		c.rules[f.Rule]++
		if f.SubRule != "" {
			c.rules[f.SubRule]++
		}
		switch f.Rule {
		case "WRD-RES-EXFIL-DOMAIN":
			for _, m := range f.Matched {
				c.hosts[strings.ToLower(m)]++
			}
		case "WRD-RES-INJECT-PHRASE":
			for _, m := range f.Matched {
				c.phrases[strings.ToLower(m)]++
			}
		case "WRD-RES-EXFIL-IP-LITERAL":
			for _, m := range f.Matched {
				if a, err := netip.ParseAddr(m); err == nil {
					c.address(a)
				}
			}
		}
	}
}

func (c *Coverage) address(a netip.Addr) {
	for _, n := range c.set.Networks {
		if n.CIDR.Contains(a) {
			c.networks[n.CIDR]++
		}
	}
}

// Item is a rule or an entry of one.
type Item struct {
	Kind  string `json:"kind"`  // rule, pattern, host, network, phrase
	Name  string `json:"name"`  // its id, or the entry itself
	Count int    `json:"count"` // findings
	// Elsewhere says how the rule is covered where no scan of a trace can find
	// it; "" for what a trace can.
	Elsewhere string `json:"elsewhere,omitempty"`
}

// Items lists all rules and entries in the order of the rule set.
func (c *Coverage) Items() []Item {
	var out []Item
	for i := range c.set.Rules {
		r := &c.set.Rules[i]
		kind := "rule"
		if r.Family == "secret" {
			kind = "pattern"
		}
		out = append(out, Item{kind, r.ID, c.rules[r.ID], Elsewhere(r.ID)})
	}
	for i := range c.set.Secrets {
		if id := c.set.Secrets[i].ID; c.set.Rule(id) == nil {
			out = append(out, Item{"pattern", id, c.rules[id], ""})
		}
	}
	for _, h := range c.set.Hosts {
		out = append(out, Item{"host", h, c.hosts[strings.ToLower(h)], ""})
	}
	for _, n := range c.set.Networks {
		out = append(out, Item{"network", n.CIDR.String(), c.networks[n.CIDR], ""})
	}
	for _, p := range c.set.Phrases {
		out = append(out, Item{"phrase", p, c.phrases[strings.ToLower(p)], ""})
	}
	return out
}

// Bare lists what no trace exercises, of what a trace can.
func (c *Coverage) Bare() []Item {
	return slices.DeleteFunc(c.Items(), func(i Item) bool { return i.Count > 0 || i.Elsewhere != "" })
}

// Elsewhere says how a rule is covered that no scan of a trace can find, "" for
// all others.
func Elsewhere(id string) string {
	switch {
	case id == "GWH-POLICY-UNAVAILABLE", id == "GWH-POLICY-INVALID":
		return "an allow-list that is missing or broken ends the run before a trace is read (exit 2): the tests of analyze/allowlist and of `allowlist lint`"
	case id == "GWH-INTERNAL-VALIDATION-ERROR":
		return "it stands for a fault inside the check itself: no input is known that reaches it"
	case strings.HasPrefix(id, "WRD-DRIFT-"):
		return "`lock check`, `lock diff` and `lock verify` find it, comparing two surfaces: the tests of analyze/lock have a case for each class"
	case strings.HasPrefix(id, "POL-LINT-"):
		return "`policy lint` finds it, reading a policy: the tests of analyze/policy"
	}
	return ""
}
