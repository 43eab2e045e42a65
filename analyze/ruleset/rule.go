// Package ruleset holds the rules as data: the embedded built-in files, their
// loading, checking and merging. A reviewer can read every pattern, host,
// network, phrase and limit, and the text that explains each rule, in rules/.
package ruleset

import "github.com/warden-trace/warden/analyze"

// Rule is what a rule says of itself. The same text feeds `rules show`, SARIF
// and the HTML report.
type Rule struct {
	ID       string           // "WRD-RES-ANSI"
	Family   string           // "catalog", "secret", "policy", "allowlist", "profile", "lock"
	Title    string           // a few words
	Tier     analyze.Tier     // fixed tier (catalog.md, policy.md)
	Severity analyze.Severity // default severity
	Wider    bool             // off with --coverage spec
	What     string           // what it finds, one or two sentences
	Why      string           // why that matters
	Example  string           // a short sample that it finds (no live secret)
	Relax    string           // how to relax it, and where
	Source   string           // spec page or seed section
}
