package program

import (
	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/analyze/policy"
	"github.com/warden-trace/warden/analyze/profile"
	"github.com/warden-trace/warden/replay"
)

// families loads the verdict families that the flags arm.
func families(cfg *replay.Config, r *RuleFlags) (warnings []string, err error) {
	if r.Lock != "" {
		data, err := readInput("--lock", r.Lock)
		if err != nil {
			return nil, err
		}
		l, warn, err := lock.Parse(r.Lock, data)
		if err != nil {
			return nil, Fail("warden-inspect lock pin makes a new one", "--lock: %w", err)
		}
		cfg.Lock = l
		for _, s := range warn {
			warnings = append(warnings, string(s))
		}
	}
	if r.Policy != "" {
		data, err := readInput("--policy", r.Policy)
		if err != nil {
			return nil, err
		}
		p, err := policy.Load(r.Policy, data)
		if err != nil {
			return nil, Fail("warden-inspect policy lint explains a policy", "--policy: %w", err)
		}
		p.Coverage = cfg.Coverage
		cfg.Policy = p
	}
	return warnings, profiles(cfg, r)
}

func profiles(cfg *replay.Config, r *RuleFlags) error {
	all, err := limits(r.Limit)
	if err != nil {
		return err
	}
	o := profile.Options{Limits: map[string]int64{}, Audience: r.Audience}
	for name, n := range all {
		o.Limits[name] = n
	}
	for _, name := range r.Profile {
		p, err := profile.New(name, o)
		if err != nil {
			return Fail("", "--profile: %w", err)
		}
		cfg.Profiles = append(cfg.Profiles, p)
	}
	return nil
}
