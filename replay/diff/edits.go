package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze/ruleset"
)

// Sign says what an edit does.
type Sign string

// Signs.
const (
	Plus  Sign = "added"
	Minus Sign = "removed"
	Tilde Sign = "changed"
)

// Edit is one difference between two rule sets.
type Edit struct {
	Section string `json:"section"` // secret, host, network, phrase, entropy, rule
	Sign    Sign   `json:"sign"`
	Name    string `json:"name"`             // the id, or the entry itself
	Detail  string `json:"detail,omitempty"` // what of it changed

	Added   int64 `json:"findings_added"`
	Removed int64 `json:"findings_removed"`
	Changed int64 `json:"findings_changed"`
}

// String is the edit in a few words.
func (e *Edit) String() string {
	s := e.Section + " " + e.Name + " " + string(e.Sign)
	if e.Section == "entropy" {
		s = "entropy " + string(e.Sign)
	}
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	return s
}

// Edits lists the differences between two rule sets, in the order of the file:
// secrets, hosts, networks, phrases, entropy, rules.
func Edits(base, head *ruleset.Set) (out []*Edit) {
	put := func(section string, sign Sign, name, detail string) {
		out = append(out, &Edit{Section: section, Sign: sign, Name: name, Detail: detail})
	}
	for i := range base.Secrets {
		a := &base.Secrets[i]
		b := head.Secret(a.ID)
		if b == nil {
			put("secret", Minus, a.ID, "")
			continue
		}
		var what []string
		if a.Pattern != b.Pattern {
			what = append(what, "pattern")
		}
		if !slices.Equal(a.Keywords, b.Keywords) {
			what = append(what, "keywords")
		}
		if a.Severity != b.Severity {
			what = append(what, fmt.Sprintf("severity %s to %s", a.Severity, b.Severity))
		}
		if len(what) > 0 {
			put("secret", Tilde, a.ID, strings.Join(what, ", "))
		}
	}
	for i := range head.Secrets {
		if id := head.Secrets[i].ID; base.Secret(id) == nil {
			put("secret", Plus, id, "")
		}
	}
	lists("host", base.Hosts, head.Hosts, put)
	networks := func(s *ruleset.Set) (out []string) {
		for _, n := range s.Networks {
			out = append(out, n.CIDR.String())
		}
		return out
	}
	lists("network", networks(base), networks(head), put)
	lists("phrase", base.Phrases, head.Phrases, put)
	if detail := entropyEdit(base, head); detail != "" {
		put("entropy", Tilde, "WRD-SEC-ENTROPY", detail)
	}
	for i := range base.Rules {
		a := &base.Rules[i]
		if b := head.Rule(a.ID); b != nil && (a.Tier != b.Tier || a.Severity != b.Severity) {
			put("rule", Tilde, a.ID, fmt.Sprintf("%s %s to %s %s", a.Tier, a.Severity, b.Tier, b.Severity))
		}
	}
	return out
}

func lists(section string, base, head []string, put func(string, Sign, string, string)) {
	has := func(list []string) map[string]bool {
		m := make(map[string]bool, len(list))
		for _, x := range list {
			m[strings.ToLower(x)] = true
		}
		return m
	}
	in := has(head)
	for _, x := range base {
		if !in[strings.ToLower(x)] {
			put(section, Minus, x, "")
		}
	}
	in = has(base)
	for _, x := range head {
		if !in[strings.ToLower(x)] {
			put(section, Plus, x, "")
		}
	}
}

func entropyEdit(base, head *ruleset.Set) string {
	a, b := base.Entropy, head.Entropy
	var what []string
	if a.MinLength != b.MinLength {
		what = append(what, fmt.Sprintf("min_length %d to %d", a.MinLength, b.MinLength))
	}
	if a.MinBits != b.MinBits {
		what = append(what, fmt.Sprintf("min_bits %g to %g", a.MinBits, b.MinBits))
	}
	if a.MinAlnum != b.MinAlnum {
		what = append(what, fmt.Sprintf("min_alnum %g to %g", a.MinAlnum, b.MinAlnum))
	}
	if (base.Calibration == nil) != (head.Calibration == nil) {
		what = append(what, map[bool]string{true: "calibration on", false: "calibration off"}[head.Calibration != nil])
	}
	return strings.Join(what, ", ")
}
