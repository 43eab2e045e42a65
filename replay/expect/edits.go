package expect

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
)

// mutants lists the single edits of a rule set.
func mutants(base *ruleset.Set) (out []Mutant) {
	add := func(edit string, change func(s *ruleset.Set)) {
		s := *base
		change(&s)
		out = append(out, Mutant{Edit: edit, set: &s})
	}
	for i := range base.Secrets {
		sec := &base.Secrets[i]
		add("drop secret pattern "+sec.ID, func(s *ruleset.Set) { s.Secrets = without(s.Secrets, i) })
		for k, w := range sec.Keywords {
			if len(sec.Keywords) > 1 {
				add(sec.ID+": drop keyword "+w, func(s *ruleset.Set) {
					s.Secrets = slices.Clone(s.Secrets)
					s.Secrets[i].Keywords = without(s.Secrets[i].Keywords, k)
				})
			}
		}
		for _, m := range patternEdits(sec.Pattern) {
			add(sec.ID+": "+m.what, func(s *ruleset.Set) {
				s.Secrets = slices.Clone(s.Secrets)
				s.Secrets[i].Pattern = m.expr
			})
		}
	}
	for i, h := range base.Hosts {
		add("drop host "+h, func(s *ruleset.Set) { s.Hosts = without(s.Hosts, i) })
		if host, path, ok := strings.Cut(h, "/"); ok {
			add("host "+h+": drop the path", func(s *ruleset.Set) { s.Hosts = with(s.Hosts, i, host) })
			if at := strings.LastIndexByte(path, '/'); at > 0 {
				add("host "+h+": drop the path's end", func(s *ruleset.Set) { s.Hosts = with(s.Hosts, i, host+"/"+path[:at]) })
			}
		}
	}
	for i, n := range base.Networks {
		add("drop network "+n.CIDR.String(), func(s *ruleset.Set) { s.Networks = without(s.Networks, i) })
		for _, p := range resized(n.CIDR) {
			add(fmt.Sprintf("network %s: make it %s", n.CIDR, p), func(s *ruleset.Set) {
				s.Networks = with(s.Networks, i, ruleset.Network{CIDR: p, Label: n.Label})
			})
		}
	}
	for i, p := range base.Phrases {
		add("drop phrase "+p, func(s *ruleset.Set) { s.Phrases = without(s.Phrases, i) })
		words := strings.Split(p, " ")
		for k, w := range words {
			if rest := strings.Join(without(words, k), " "); rest != "" && len(words) > 1 {
				add(fmt.Sprintf("phrase %s: drop the word %s", p, w), func(s *ruleset.Set) { s.Phrases = with(s.Phrases, i, rest) })
			}
		}
	}
	e := base.Entropy
	for _, d := range []int{-1, 1} {
		add(fmt.Sprintf("entropy: min_length %d", e.MinLength+d), func(s *ruleset.Set) { s.Entropy.MinLength += d })
	}
	for _, d := range []float64{-0.1, 0.1} {
		add(fmt.Sprintf("entropy: min_bits %g", round(e.MinBits+d)), func(s *ruleset.Set) { s.Entropy.MinBits = round(s.Entropy.MinBits + d) })
		add(fmt.Sprintf("entropy: min_alnum %g", round(e.MinAlnum+d)), func(s *ruleset.Set) { s.Entropy.MinAlnum = round(s.Entropy.MinAlnum + d) })
	}
	for i := range base.Rules {
		r := &base.Rules[i]
		if r.Family != "catalog" || r.Tier == analyze.Note {
			continue // the others' tiers are their families' own
		}
		add(fmt.Sprintf("%s: tier %s", r.ID, r.Tier-1), func(s *ruleset.Set) {
			s.Rules = slices.Clone(s.Rules)
			s.Rules[i].Tier--
		})
	}
	return out
}

func round(x float64) float64 { return math.Round(x*1000) / 1000 }

func without[T any](list []T, i int) []T { return slices.Delete(slices.Clone(list), i, i+1) }

func with[T any](list []T, i int, x T) []T {
	list = slices.Clone(list)
	list[i] = x
	return list
}

// resized are the networks twice and half as large.
func resized(p netip.Prefix) (out []netip.Prefix) {
	for _, bits := range []int{p.Bits() - 1, p.Bits() + 1} {
		if q, err := p.Addr().Prefix(bits); err == nil {
			out = append(out, q)
		}
	}
	return out
}
