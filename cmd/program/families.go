package program

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/allowlist"
	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/analyze/policy"
	"github.com/warden-trace/warden/analyze/profile"
	"github.com/warden-trace/warden/analyze/secret"
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
	all, err := limits(r.Limit)
	if err != nil {
		return nil, err
	}
	if err := allow(cfg, r, all); err != nil {
		return nil, err
	}
	return warnings, profiles(cfg, r, all)
}

// allow loads the allow-list and what belongs to it.
func allow(cfg *replay.Config, r *RuleFlags, all map[string]int64) error {
	limits := allowlist.DefaultLimits()
	for name, n := range all {
		if strings.HasPrefix(name, allowlist.LimitPrefix) {
			if err := limits.Set(name, strconv.FormatInt(n, 10)); err != nil {
				return Fail("", "--limit: %w", err)
			}
		}
	}
	if r.Allowlist == "" {
		switch {
		case r.MaxConcurrent != 0, r.RequestTimeout != 0, r.FilterTools, len(r.AllowParams) > 0:
			return Fail("give the allow-list too", "--max-concurrent, --request-timeout, --filter-tools and --allow-params belong to --allowlist")
		}
		return nil
	}
	if r.MaxConcurrent < 0 || r.RequestTimeout < 0 {
		return Fail("", "--max-concurrent and --request-timeout can't be negative")
	}
	data, err := readInput("--allowlist", r.Allowlist)
	if err != nil {
		return err
	}
	p, err := allowlist.Load(r.Allowlist, data, limits)
	if err != nil {
		return Fail("warden-inspect allowlist lint explains an allow-list", "--allowlist: %w", err)
	}
	cfg.Allow, cfg.AllowParams = p, r.AllowParams
	cfg.MaxConcurrent, cfg.RequestTimeout, cfg.FilterTools = r.MaxConcurrent, r.RequestTimeout, r.FilterTools
	return nil
}

func profiles(cfg *replay.Config, r *RuleFlags, all map[string]int64) error {
	binary := analyze.Inspection{Charset: analyze.CharsetBinary}
	o := profile.Options{Limits: map[string]int64{}, Audience: r.Audience,
		Catalog: func(text []byte) []analyze.Finding { return cfg.Catalog.Text(text, binary) }}
	if len(r.Ruleset) > 0 {
		var err error
		if o.Secrets, err = profile.SecretsOf(cfg.Rules); err != nil {
			return Fail("", "--ruleset: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, allowlist.LimitPrefix) {
			continue
		}
		if !slices.Contains(profile.LimitNames(), name) {
			hint := "known are " + strings.Join(profile.LimitNames(), ", ") + ", and those of the allow-list: " +
				allowlist.LimitPrefix + strings.Join(allowlist.LimitNames, ", "+allowlist.LimitPrefix)
			if slices.Contains(allowlist.LimitNames, name) {
				hint = "write " + allowlist.LimitPrefix + name
			}
			return Fail(hint, "--limit %q: unknown limit", secret.Scrub(name))
		}
		o.Limits[name] = all[name]
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
