package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// limits are the numbers of the seed's limit registry (seed 002,
// x-ocu-limits), by the seed's own keys. All but the block count are bytes.
type limits struct {
	errorMessage    int64
	errorData       int64
	toolDescription int64
	instructions    int64
	callToolResult  int64
	contentBlocks   int64
	toolArguments   int64
}

func defaultLimits() limits {
	return limits{
		errorMessage:    1024,
		errorData:       4096,
		toolDescription: 8192,
		instructions:    8192,
		callToolResult:  1 << 20,
		contentBlocks:   256,
		toolArguments:   256 << 10,
	}
}

func (l *limits) byName() map[string]*int64 {
	return map[string]*int64{
		"maxErrorMessageBytes":    &l.errorMessage,
		"maxErrorDataBytes":       &l.errorData,
		"maxToolDescriptionBytes": &l.toolDescription,
		"maxInstructionsBytes":    &l.instructions,
		"maxCallToolResultBytes":  &l.callToolResult,
		"maxContentBlocks":        &l.contentBlocks,
		"maxToolArgumentsBytes":   &l.toolArguments,
	}
}

// LimitNames lists what `--limit NAME=N` may set here, sorted.
func LimitNames() []string {
	l := defaultLimits()
	return slices.Sorted(maps.Keys(l.byName()))
}

func limitsFrom(set map[string]int64) (limits, error) {
	l := defaultLimits()
	known := l.byName()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		p, ok := known[name]
		if !ok {
			return l, fmt.Errorf("unknown limit %q: known are %s", name, strings.Join(LimitNames(), ", "))
		}
		if set[name] < 0 {
			return l, fmt.Errorf("limit %s: %d is negative", name, set[name])
		}
		*p = set[name]
	}
	return l, nil
}
