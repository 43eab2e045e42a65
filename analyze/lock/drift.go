package lock

import (
	"cmp"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze"
)

// Drift is one difference between a lock and a surface, or between two locks.
// Its JSON keys are fixed (lock.md, "Drift").
type Drift struct {
	Class    string           `json:"drift_class"`
	Severity analyze.Severity `json:"-"`
	Target   string           `json:"target"` // "tools/NAME", "server", "pin/approved_digest", ...
	Detail   string           `json:"detail"` // what differs; no secret, values cut
}

// Rule is the id that reports show: "WRD-DRIFT-" and the class in upper case.
func (d Drift) Rule() string { return "WRD-DRIFT-" + strings.ToUpper(d.Class) }

// Tier is block for critical and high, monitor for medium, note for low
// (policy.md).
func (d Drift) Tier() analyze.Tier {
	switch d.Severity {
	case analyze.Critical, analyze.High:
		return analyze.Block
	case analyze.Medium:
		return analyze.Monitor
	}
	return analyze.Note
}

// Finding is the drift as reports take it. Target and detail tell two drifts
// of one class apart, so a baseline can accept the one and not the other.
func (d Drift) Finding() analyze.Finding {
	f := analyze.Finding{
		Rule:     d.Rule(),
		Tier:     d.Tier(),
		Severity: d.Severity,
		Action:   analyze.Passed,
		Block:    -1,
		Message:  d.Target + ": " + d.Detail,
		Matched:  []string{d.Target, d.Detail},
		Place:    analyze.Place{Frame: -1},
	}
	if name, ok := strings.CutPrefix(d.Target, "tools/"); ok {
		f.Tool = name
	}
	return f
}

// classes are all drift classes with their severities. Those of input schemas
// are there again for output schemas, with schema-out- in front.
var classes = func() map[string]analyze.Severity {
	m := map[string]analyze.Severity{
		"server-identity":            analyze.Critical,
		"tool-added":                 analyze.High,
		"tool-removed":               analyze.Medium,
		"capability-added":           analyze.High,
		"capability-removed":         analyze.Medium,
		"tool-annotations-modified":  analyze.High,
		"description-modified":       analyze.Low,
		"inspection-policy-modified": analyze.Medium,
		"resource-added":             analyze.Medium,
		"resource-removed":           analyze.Low,
		"resource-modified":          analyze.Low,
		"prompt-added":               analyze.Medium,
		"prompt-removed":             analyze.Low,
		"prompt-modified":            analyze.Low,
		"unapproved-change":          analyze.High,
		"schema-version-migrated":    analyze.Low,
		"schema-out-added":           analyze.Medium,
		"schema-out-removed":         analyze.High,
	}
	for class, sev := range map[string]analyze.Severity{
		"required-removed":             analyze.High,
		"property-removed":             analyze.Medium,
		"required-unconstrained-added": analyze.High,
		"required-added":               analyze.Medium,
		"unconstrained-added":          analyze.High,
		"property-added":               analyze.Low,
		"type-broadened":               analyze.High,
		"type-narrowed":                analyze.Low,
		"type-changed":                 analyze.Medium,
		"enum-widened":                 analyze.High,
		"enum-narrowed":                analyze.Low,
		"enum-removed":                 analyze.High,
		"enum-added":                   analyze.Low,
		"constraint-relaxed":           analyze.Medium,
		"constraint-tightened":         analyze.Low,
		"additional-props-opened":      analyze.High,
		"cosmetic-modified":            analyze.Low,
		"modified":                     analyze.High,
	} {
		m["schema-"+class] = sev
		m["schema-out-"+class] = sev
	}
	return m
}()

// Classes lists all drift classes, sorted.
func Classes() []string {
	out := make([]string, 0, len(classes))
	for c := range classes {
		out = append(out, c)
	}
	slices.Sort(out)
	return out
}

// SeverityOf is the severity of a drift class.
func SeverityOf(class string) (analyze.Severity, bool) {
	s, ok := classes[class]
	return s, ok
}

// drifts collects items.
type drifts []Drift

func (d *drifts) add(class, target, detail string) {
	*d = append(*d, Drift{Class: class, Severity: classes[class], Target: target, Detail: detail})
}

// sorted orders by target, class, detail and drops what is said twice.
func (d drifts) sorted() []Drift {
	slices.SortFunc(d, func(a, b Drift) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(d)
}
