package diff

import (
	"slices"

	"github.com/warden-trace/warden/analyze/ruleset"
)

// Union returns rules that find something in every text in which one of two rule
// sets does. What they find there is of no use: the same pattern may be in it
// twice.
func Union(base, head *ruleset.Set) *ruleset.Set {
	u := *base
	u.Name = "both"
	u.Secrets = slices.Clone(base.Secrets)
	for _, s := range head.Secrets {
		if old := base.Secret(s.ID); old != nil {
			if old.Pattern == s.Pattern && slices.Equal(old.Keywords, s.Keywords) {
				continue
			}
			s.ID += "-HEAD"
		}
		u.Secrets = append(u.Secrets, s)
	}
	u.Hosts = slices.Concat(base.Hosts, head.Hosts)
	u.Phrases = slices.Concat(base.Phrases, head.Phrases)
	u.Networks = slices.Concat(base.Networks, head.Networks)
	u.Entropy.MinLength = min(base.Entropy.MinLength, head.Entropy.MinLength)
	u.Entropy.MinBits = min(base.Entropy.MinBits, head.Entropy.MinBits)
	u.Entropy.MinAlnum = min(base.Entropy.MinAlnum, head.Entropy.MinAlnum)
	if base.Calibration != head.Calibration {
		u.Calibration = nil
	}
	return &u
}
