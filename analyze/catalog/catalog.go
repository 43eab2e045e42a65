// Package catalog finds what is wrong with the output of tools: the rules
// WRD-RES-* and WRD-SEC-* (catalog.md).
//
// Work is split in two. The hot half, Scanner.Message, runs over every frame and
// only says which texts of it break which rules. Each text is decoded where it
// has escapes and then read once: a kernel turns 64 bytes at a time into masks of
// byte classes, and the places that the masks point at are checked where they
// stand, on their few bytes. The cold half, Catalog.Findings, reads the few texts
// with a hit again, by the same code, to say where and what.
//
// No rule reads the same bytes again and again, whatever the text: a scan that
// must look back or ahead remembers where the last one ended.
package catalog

import (
	"fmt"
	"sync"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/analyze/secret"
)

// Options say what a catalog looks for.
type Options struct {
	Rules    *ruleset.Set     // nil: the built-in rules
	Denylist []ListEntry      // more hosts (ParseDenylist)
	Phrases  []string         // more phrases (ParsePhrases)
	Coverage analyze.Coverage // spec turns the wider rules off
	Portable bool             // use no vector code
}

// Catalog is a compiled rule set. It is immutable and shared by goroutines.
type Catalog struct {
	rules    *ruleset.Set
	hash     string
	wide     bool
	deny     *denylist
	nets     *networks
	phrases  []phrase
	patterns *secret.Patterns
	entropy  *secret.Entropy
	spare    *secret.Spare // nil: every random piece counts
	clues    *clues
	tables   *tables
	backend  backend
	cold     sync.Pool // of *Scanner, for Findings and Redact
}

// New compiles a catalog.
func New(o Options) (*Catalog, error) {
	set := o.Rules
	if set == nil {
		set = ruleset.Builtin()
	}
	c := &Catalog{wide: o.Coverage == analyze.Full, nets: newNetworks(set.Networks)}
	var err error
	if c.patterns, err = secret.Compile(set.Secrets); err != nil {
		return nil, fmt.Errorf("ruleset %s: %w", set.Name, err)
	}
	if set.Entropy.MinLength < 16 {
		// The scanner looks for two full lanes of eight characters; shorter runs
		// need not have them.
		return nil, fmt.Errorf("ruleset %s: entropy.min_length must be 24 at least", set.Name)
	}
	c.entropy = secret.NewEntropy(set.Entropy)
	c.spare = secret.NewSpare(set.Calibration)
	effective := &ruleset.Set{Hosts: set.Hosts, Phrases: set.Phrases}
	var entries []ListEntry
	for _, h := range set.Hosts {
		entries = append(entries, NewListEntry(h))
	}
	for _, e := range o.Denylist {
		entries = append(entries, e)
		effective.Hosts = append(effective.Hosts[:len(effective.Hosts):len(effective.Hosts)], e.Text)
	}
	c.deny = newDenylist(entries, c.wide)
	effective.Phrases = append(effective.Phrases[:len(effective.Phrases):len(effective.Phrases)], o.Phrases...)
	c.addPhrases(effective.Phrases)
	c.clues = newClues(c.listClues())
	c.tables = newTables(c.clues, c.wide)
	if c.backend = fastest; o.Portable {
		c.backend = portable
	}
	whole := *set
	whole.Hosts, whole.Phrases = effective.Hosts, effective.Phrases
	c.rules, c.hash = set, whole.Hash()
	c.cold.New = func() any { return c.NewScanner() }
	return c, nil
}

// Hash is the hash of the rules together with the added hosts and phrases:
// ruleset.Set.Hash of all that is compiled here.
func (c *Catalog) Hash() string { return c.hash }

// addPhrases compiles phrases; two that fold to the same are one.
func (c *Catalog) addPhrases(list []string) {
	seen := map[string]bool{}
	for _, p := range list {
		runes := collapse(p)
		if len(runes) == 0 || seen[string(runes)] {
			continue
		}
		seen[string(runes)] = true
		c.phrases = append(c.phrases, newPhrase(p, runes))
	}
}

func (c *Catalog) listClues() (out []clue) {
	for i := range c.phrases {
		sets, at, back := phraseClue(&c.phrases[i])
		out = append(out, clue{sets: sets, find: []finder{{phrase: int32(i), at: at, back: back}}})
	}
	for _, sc := range c.patterns.Clues() {
		sets, at, _ := pick(sc.Sets)
		out = append(out, clue{sets: sets, find: []finder{{phrase: -1, secret: &sc, back: int32(at)}}})
	}
	return out
}
