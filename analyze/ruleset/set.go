package ruleset

import (
	"embed"
	"fmt"
	"net/netip"
	"path"
	"sort"
	"sync"

	"github.com/warden-trace/warden/analyze"
)

// Set is a set of rules: the data of the result catalog and the texts of all
// rules. A Set is not changed once it is made; Merge and Amend return new ones.
type Set struct {
	Name     string
	Secrets  []Secret // in table order, which is the order of findings
	Hosts    []string // denylist: "host" or "host/path", lower case
	Networks []Network
	Phrases  []string
	Entropy  Entropy
	Rules    []Rule // in catalog order

	// Calibration spares runs that WRD-SEC-ENTROPY would find; nil: none.
	Calibration *Calibration

	standalone bool           // extends: none
	remove     Removals       // what an amending file takes away
	hasEntropy bool           // the file set entropy parameters
	lines      map[string]int // where the file has its keys, and its secrets by id
}

// Secret is a vendor pattern (catalog.md, "WRD-RES-SECRET-ECHO").
type Secret struct {
	ID       string
	Pattern  string   // RE2, case-sensitive unless it says otherwise
	Keywords []string // the pattern is tried only in texts that hold one of these, ASCII case ignored
	Severity analyze.Severity
}

// Network is an address range of WRD-RES-EXFIL-IP-LITERAL.
type Network struct {
	CIDR  netip.Prefix
	Label string
}

// Entropy holds the parameters of WRD-SEC-ENTROPY.
type Entropy struct {
	MinLength int     // characters
	MinBits   float64 // bits a character
	MinAlnum  float64 // share of ASCII letters and digits, 0 to 1
}

// Removals lists what a ruleset file takes away. Merge refuses such a file;
// Amend, for comparing rulesets, takes it (product.md, "rulesets").
type Removals struct {
	Secrets  []string // ids
	Hosts    []string
	Networks []string // CIDRs
	Phrases  []string
}

func (r *Removals) empty() bool {
	return len(r.Secrets)+len(r.Hosts)+len(r.Networks)+len(r.Phrases) == 0
}

//go:embed rules/*.yaml
var files embed.FS

// families orders the rules of different files: the order of reports.
var families = []string{"catalog", "secret", "policy", "allowlist", "profile", "lock"}

// Builtin returns the rules that the program ships, from the embedded files in
// rules/. The same *Set every time: it is shared and must not be changed.
func Builtin() *Set { return builtin() }

var builtin = sync.OnceValue(func() *Set {
	s, err := loadEmbedded()
	if err != nil {
		// The embedded files are part of the program and loaded by its tests.
		panic(err)
	}
	return s
})

func loadEmbedded() (*Set, error) {
	names, err := files.ReadDir("rules")
	if err != nil {
		return nil, err
	}
	all := &Set{Name: "builtin"}
	seen := map[string]string{}
	for _, e := range names {
		name := path.Join("rules", e.Name())
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := parse(name, data, true)
		if err != nil {
			return nil, err
		}
		if s.hasEntropy {
			all.Entropy, all.hasEntropy = s.Entropy, true
		}
		all.Secrets = append(all.Secrets, s.Secrets...)
		all.Hosts = append(all.Hosts, s.Hosts...)
		all.Networks = append(all.Networks, s.Networks...)
		all.Phrases = append(all.Phrases, s.Phrases...)
		for _, r := range s.Rules {
			if other, dup := seen[r.ID]; dup {
				return nil, fmt.Errorf("%s: rule %s is already in %s", name, r.ID, other)
			}
			seen[r.ID] = name
			all.Rules = append(all.Rules, r)
		}
	}
	rank := map[string]int{}
	for i, f := range families {
		rank[f] = i
	}
	sort.SliceStable(all.Rules, func(i, j int) bool { return rank[all.Rules[i].Family] < rank[all.Rules[j].Family] })
	return all, nil
}

// Rule returns the rule with that id, or nil.
func (s *Set) Rule(id string) *Rule {
	for i := range s.Rules {
		if s.Rules[i].ID == id {
			return &s.Rules[i]
		}
	}
	return nil
}

// Secret returns the vendor pattern with that id, or nil.
func (s *Set) Secret(id string) *Secret {
	for i := range s.Secrets {
		if s.Secrets[i].ID == id {
			return &s.Secrets[i]
		}
	}
	return nil
}
