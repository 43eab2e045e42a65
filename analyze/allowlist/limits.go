package allowlist

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits are the seed's resource limits. The zero value is not usable; begin
// with DefaultLimits.
type Limits struct {
	PolicyBytes      int64 // bytes of the policy file
	PolicyDepth      int64 // the root has depth 1
	PolicyNodes      int64 // every value counts
	PolicyArray      int64 // elements of one array
	PolicyProperties int64 // members of one object
	Pattern          int64 // characters of a pattern
	InputDepth       int64
	InputNodes       int64
	InputBytes       int64 // UTF-8 bytes of all strings and keys
	InputArray       int64
	InputProperties  int64
}

// DefaultLimits are those of policy.md, section 2.
func DefaultLimits() Limits {
	return Limits{
		PolicyBytes: 1 << 20, PolicyDepth: 32, PolicyNodes: 10_000, PolicyArray: 1000, PolicyProperties: 1000,
		Pattern: 128, InputDepth: 32, InputNodes: 10_000, InputBytes: 1 << 20, InputArray: 10_000, InputProperties: 1000,
	}
}

// LimitPrefix stands before the limits' names on the command line.
const LimitPrefix = "guwah."

// maxSafe is the largest integer that every JSON reader keeps exact.
const maxSafe = 1<<53 - 1

func (l *Limits) byName() map[string]*int64 {
	return map[string]*int64{
		"maxPolicyBytes": &l.PolicyBytes, "maxPolicyDepth": &l.PolicyDepth, "maxPolicyNodes": &l.PolicyNodes,
		"maxPolicyArrayLength": &l.PolicyArray, "maxPolicyObjectProperties": &l.PolicyProperties,
		"maxPatternLength": &l.Pattern, "maxInputDepth": &l.InputDepth, "maxInputNodes": &l.InputNodes,
		"maxInputBytes": &l.InputBytes, "maxArrayLength": &l.InputArray, "maxObjectProperties": &l.InputProperties,
	}
}

// LimitNames are the names that Set knows, in the order of policy.md.
var LimitNames = []string{
	"maxPolicyBytes", "maxPolicyDepth", "maxPolicyNodes", "maxPolicyArrayLength", "maxPolicyObjectProperties",
	"maxPatternLength", "maxInputDepth", "maxInputNodes", "maxInputBytes", "maxArrayLength", "maxObjectProperties",
}

// Set changes one limit, as `--limit guwah.NAME=N` does; the prefix may be
// missing. value is a positive safe integer in plain digits.
func (l *Limits) Set(name, value string) error {
	p := l.byName()[strings.TrimPrefix(name, LimitPrefix)]
	if p == nil {
		return fmt.Errorf("--limit %s: unknown limit (known: %s%s)", show(name), LimitPrefix, strings.Join(LimitNames, ", "+LimitPrefix))
	}
	n, err := strconv.ParseUint(value, 10, 63)
	if err != nil || n == 0 || n > maxSafe {
		return fmt.Errorf("--limit %s: must be a whole number from 1 to %d", show(name), int64(maxSafe))
	}
	*p = int64(n)
	return nil
}
