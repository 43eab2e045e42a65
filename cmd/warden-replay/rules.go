package main

import (
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/replay/diff"
)

// openRules applies rule sets, one after the other, to the built-in rules.
func openRules(list []string) (*ruleset.Set, error) {
	set := ruleset.Builtin()
	for _, name := range list {
		next, err := diff.Open(set, name)
		if err != nil {
			return nil, program.Fail("a rule set is a file, builtin, calibrated, or REVISION:PATH of a file in git", "%w", err)
		}
		set = next
	}
	return set, nil
}
