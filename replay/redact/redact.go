// Package redact replaces the secrets of a recording by made-up values of the
// same form and length that the rules find all the same, so that a copy can be
// shared and still shows what was found (product.md, `redact`). The same secret
// always becomes the same value, in every frame and file of a run, whatever its
// spelling in JSON; all other bytes stay.
//
// What is replaced in a match are ASCII letters and digits, each by another of
// its kind. The first characters stay, those that reports show of a secret
// anyway, and so does what a pattern asks for by the letter.
package redact

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/analyze/terminal"
)

// Redactor replaces secrets. It holds memory of its own: one a goroutine.
type Redactor struct {
	catalog  *catalog.Catalog
	patterns *secret.Patterns
	finder   *secret.Finder
	entropy  *secret.Entropy
	key      []byte
	least    int // bytes below which nothing is a secret

	fakes map[string][]byte // secret -> value, as long as there is room
	fixed map[string]int64  // rule -> matches that allow no other value

	from, to int // where secrets must end to be counted; the same: anywhere

	// Replaced counts secrets that were replaced, and Unsure the texts in which
	// a replacement could not keep all findings as they were.
	Replaced, Unsure int64
}

// Options steer a Redactor.
type Options struct {
	Catalog *catalog.Catalog
	Rules   *ruleset.Set // whose patterns are secrets
	// Salt makes the made-up values different from those of other salts. Without
	// the salt nobody can check a guess of a secret against its value.
	Salt string
}

// New returns a redactor.
func New(o Options) (*Redactor, error) {
	p, err := secret.Compile(o.Rules.Secrets)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte("warden redact\x00" + o.Salt))
	e := secret.NewEntropy(o.Rules.Entropy)
	return &Redactor{catalog: o.Catalog, patterns: p, finder: p.NewFinder(), entropy: e, key: key[:], least: min(p.Shortest(), e.MinLength()),
		fakes: map[string][]byte{}, fixed: map[string]int64{}}, nil
}

// Fixed says of which rules matches were left as they are, since their pattern
// is one fixed text (the head of a private key, say), and how many.
func (r *Redactor) Fixed() []string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(r.fixed)) {
		out = append(out, fmt.Sprintf("%s: %d", id, r.fixed[id]))
	}
	return out
}

// span is a match in a text: the bytes [start, end). pattern is -1 for a random
// piece.
type span struct{ start, end, pattern int }

// find returns all matches of the secret rules in a decoded text, in order.
func (r *Redactor) find(t []byte) []span {
	if len(t) < r.least {
		return nil
	}
	var out []span
	for _, m := range r.finder.Secrets(r.entropy, t) {
		if m.End > m.Start {
			out = append(out, span{m.Start, m.End, m.Pattern})
		}
	}
	slices.SortFunc(out, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		if a.end != b.end {
			return b.end - a.end
		}
		return a.pattern - b.pattern
	})
	return out
}

// text returns a decoded text with its secrets replaced, byte for byte as long
// as before; nil where it has none. still marks bytes that must not change
// (escapes of JSON within the text), nil for none.
func (r *Redactor) text(t []byte, still []bool) []byte {
	found := r.find(t)
	if len(found) == 0 {
		return nil
	}
	found = append(found, r.keyBodies(t, found)...)
	slices.SortStableFunc(found, func(a, b span) int { return a.start - b.start })
	out, seen := bytes.Clone(t), t
	if terminal.Holds(t) {
		seen = terminal.Blanked(nil, t)
	}
	was := r.Replaced
	if !r.apart(t, seen, out, found) {
		copy(out, t)
		r.Replaced = was
		for i := 0; i < len(found); {
			// Matches that overlap are replaced together.
			j, end := overlapping(found, i)
			r.group(t, seen, out, found[i:j], found[i].start, end)
			i = j
		}
	}
	more := again(t, found)
	for _, m := range more {
		r.group(t, seen, out, []span{m}, m.start, m.end)
	}
	for i := range still {
		if still[i] {
			out[i] = t[i]
		}
	}
	if !r.same(t, out) {
		r.mend(t, out, append(found, more...))
	}
	if bytes.Equal(out, t) {
		return nil
	}
	return out
}

// overlapping is the end of the matches that overlap from found[i] on: in found,
// and in the text.
func overlapping(found []span, i int) (j, end int) {
	j, end = i+1, found[i].end
	for ; j < len(found) && found[j].start < end; j++ {
		end = max(end, found[j].end)
	}
	return j, end
}

// apart replaces a vendor's secret apart from the random pieces that reach into
// it, so that it becomes what it becomes elsewhere, and then what is left of the
// pieces, but for the name in name=secret. It reports false where there is no such
// match, or another that overlaps.
func (r *Redactor) apart(t, seen, out []byte, found []span) bool {
	mixed := false
	for i := 0; i < len(found); {
		j, _ := overlapping(found, i)
		vendors, reach := 0, 0
		for _, m := range found[i:j] {
			if m.pattern != -1 {
				if vendors > 0 && m.start < reach || m.pattern == keyBody && j > i+1 {
					return false
				}
				vendors++
				reach = m.end
			}
		}
		mixed = mixed || vendors > 0 && j-i > 1
		i = j
	}
	if !mixed {
		return false
	}
	fixed := maps.Clone(r.fixed)
	for i := 0; i < len(found); {
		j, end := overlapping(found, i)
		at := found[i].start // as far as it is done
		vendor := false
		rest := func(a, b int) {
			if a < b && len(r.find(t[a:b])) > 0 {
				copy(out[a:b], r.fake(t, seen, []span{{a, b, -1}}, a, b))
			}
		}
		for k := i; k < j; k++ {
			m := found[k]
			if m.pattern == -1 {
				continue
			}
			rest(at, m.start)
			g := []span{m}
			first := k
			for first > i && found[first-1].start == m.start {
				first--
			}
			for _, p := range found[first:j] {
				if p.start >= m.end {
					break
				}
				if p.pattern == -1 && p.end <= m.end {
					g = append(g, p) // one that shows where the secret is cut: its head stays too
				}
			}
			r.group(t, seen, out, g, m.start, m.end)
			at, vendor = m.end, true
		}
		if vendor {
			rest(at, end)
		} else {
			r.group(t, seen, out, found[i:j], found[i].start, end)
		}
		i = j
	}
	if !r.same(t, out) {
		r.fixed = fixed
		return false
	}
	return true
}

// group replaces the matches of t[start:end) in out; seen is t as a terminal shows
// it.
func (r *Redactor) group(t, seen, out []byte, g []span, start, end int) {
	v := r.fake(t, seen, g, start, end)
	told := r.from == r.to || end > r.from && end <= r.to
	if string(v) != string(t[start:end]) {
		if told {
			r.Replaced++
		}
		copy(out[start:end], v)
		return
	}
	for _, m := range g {
		if m.pattern >= 0 && told {
			r.fixed[r.patterns.ID(m.pattern)]++
		}
	}
}
