package ruleset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Merge returns s with what add adds. A ruleset can only add: one that removes
// an entry, replaces a pattern, sets other entropy parameters or stands alone
// (`extends: none`) is refused (product.md, "rulesets"); relaxing is the lock's
// work, comparing is Amend's.
func (s *Set) Merge(add *Set) (*Set, error) {
	const hint = "; a ruleset can only add (relax a tool in the lock; compare rulesets with `warden-replay diff`)"
	switch {
	case add.standalone:
		return nil, fmt.Errorf("%s: extends: none drops the built-in rules%s", add.place("extends"), hint)
	case !add.remove.empty():
		return nil, fmt.Errorf("%s: remove: takes rules away%s", add.place("remove"), hint)
	case add.hasEntropy && add.Entropy != s.Entropy:
		return nil, fmt.Errorf("%s: entropy: changes the entropy rule%s", add.place("entropy"), hint)
	}
	for i := range add.Secrets {
		if old := s.Secret(add.Secrets[i].ID); old != nil && !sameSecret(old, &add.Secrets[i]) {
			return nil, fmt.Errorf("%s: secrets: %s would replace a pattern that is there already%s", add.place(old.ID), old.ID, hint)
		}
		if s.Rule(add.Secrets[i].ID) != nil && s.Secret(add.Secrets[i].ID) == nil {
			return nil, fmt.Errorf("%s: secrets: %s is the id of a rule", add.place(add.Secrets[i].ID), add.Secrets[i].ID)
		}
	}
	return s.union(add), nil
}

// Amend returns s as changed by a file that may also remove and loosen, or, with
// `extends: none`, that file alone with the built-in rule texts: the two sides of
// a comparison.
func (s *Set) Amend(by *Set) *Set {
	base := *s
	if by.standalone {
		base = Set{Name: s.Name, Rules: s.Rules, Entropy: s.Entropy}
	}
	drop := &by.remove
	out := &Set{Name: s.Name, Rules: s.Rules, Entropy: base.Entropy, Calibration: base.Calibration}
	for _, sec := range base.Secrets {
		if !slices.Contains(drop.Secrets, sec.ID) && by.Secret(sec.ID) == nil {
			out.Secrets = append(out.Secrets, sec)
		}
	}
	for _, h := range base.Hosts {
		if !containsFold(drop.Hosts, h) {
			out.Hosts = append(out.Hosts, h)
		}
	}
	for _, n := range base.Networks {
		if !slices.Contains(drop.Networks, n.CIDR.String()) {
			out.Networks = append(out.Networks, n)
		}
	}
	for _, p := range base.Phrases {
		if !containsFold(drop.Phrases, p) {
			out.Phrases = append(out.Phrases, p)
		}
	}
	out = out.union(by)
	if by.hasEntropy {
		out.Entropy = by.Entropy
	}
	return out
}

// union appends what is not there yet.
func (s *Set) union(add *Set) *Set {
	out := *s
	out.remove, out.standalone, out.lines = Removals{}, false, nil
	if add.Name != "" {
		out.Name = s.Name + "+" + add.Name
	}
	out.Secrets = slices.Clone(s.Secrets)
	for _, sec := range add.Secrets {
		if s.Secret(sec.ID) == nil {
			out.Secrets = append(out.Secrets, sec)
		}
	}
	out.Hosts = appendNew(s.Hosts, add.Hosts)
	out.Phrases = appendNew(s.Phrases, add.Phrases)
	out.Networks = slices.Clone(s.Networks)
	seen := map[string]bool{}
	for _, n := range s.Networks {
		seen[n.CIDR.String()] = true
	}
	for _, n := range add.Networks {
		if !seen[n.CIDR.String()] {
			out.Networks = append(out.Networks, n)
		}
	}
	return &out
}

func appendNew(old, add []string) []string {
	out := slices.Clone(old)
	seen := map[string]bool{}
	for _, x := range old {
		seen[strings.ToLower(x)] = true
	}
	for _, x := range add {
		if k := strings.ToLower(x); !seen[k] {
			seen[k] = true
			out = append(out, x)
		}
	}
	return out
}

func containsFold(list []string, s string) bool {
	return slices.ContainsFunc(list, func(x string) bool { return strings.EqualFold(x, s) })
}

func sameSecret(a, b *Secret) bool {
	return a.Pattern == b.Pattern && a.Severity == b.Severity && slices.Equal(a.Keywords, b.Keywords)
}

// Hash is "sha256:" and the digest of everything that changes verdicts: the
// data, and of each rule its id, tier, severity and coverage; not the texts and
// not the set's name.
func (s *Set) Hash() string {
	type rule struct {
		ID, Tier, Severity string
		Wider              bool
	}
	type secret struct {
		ID, Pattern string
		Keywords    []string
		Severity    string
	}
	type network struct{ CIDR, Label string }
	var v struct {
		Entropy  Entropy
		Secrets  []secret
		Hosts    []string
		Networks []network
		Phrases  []string
		Rules    []rule
		// Left out where there is none, so that it changes no other hash.
		Calibration *Calibration `json:",omitempty"`
	}
	v.Entropy, v.Hosts, v.Phrases, v.Calibration = s.Entropy, s.Hosts, s.Phrases, s.Calibration
	for _, x := range s.Secrets {
		v.Secrets = append(v.Secrets, secret{x.ID, x.Pattern, x.Keywords, x.Severity.String()})
	}
	for _, x := range s.Networks {
		v.Networks = append(v.Networks, network{x.CIDR.String(), x.Label})
	}
	for _, x := range s.Rules {
		v.Rules = append(v.Rules, rule{x.ID, x.Tier.String(), x.Severity.String(), x.Wider})
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, numbers and booleans only
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
