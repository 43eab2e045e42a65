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
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/warden-trace/warden/analyze"
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

// maxFakes bounds the memory for values; beyond it they are made again.
const maxFakes = 1 << 16

// fake is the value for the secret t[start:end).
func (r *Redactor) fake(t, seen []byte, g []span, start, end int) []byte {
	name := string(t[start:end])
	if v, ok := r.fakes[name]; ok {
		return v
	}
	// One byte on either side decides about word boundaries.
	a, b := max(start-1, 0), min(end+1, len(t))
	window := bytes.Clone(t[a:b])
	want := r.find(window)
	if len(want) == 0 { // a match that only a terminal's reader sees
		copy(window, seen[a:b])
		want = r.find(window)
	}
	free := make([]bool, end-start)
	for i := range free { // what a sequence holds stays
		free[i] = class(t[start+i]) != 0 && seen[start+i] == t[start+i]
	}
	for _, m := range g {
		if m.pattern == keyBody {
			continue
		}
		for k := range min(4, (m.end-m.start)/2) {
			free[m.start-start+k] = false
		}
	}
	v := r.draw(window, start-a, end-a, free, want)
	if v == nil {
		v = []byte(name)
	}
	for i := range v {
		if !free[i] {
			v[i] = t[start+i]
		}
	}
	if len(r.fakes) < maxFakes {
		r.fakes[name] = v
	}
	return v
}

// tries is how many values are drawn before letters are held fast.
const tries = 24

// draw finds a value for window[a:b) that the rules find just as before. It
// changes the free characters; where the pattern wants some of them by the
// letter, these are found out and stay.
func (r *Redactor) draw(window []byte, a, b int, free []bool, want []span) []byte {
	original := bytes.Clone(window[a:b])
	fits := func() bool { return slices.Equal(r.find(window), want) }
	for n := range tries {
		r.fill(window[a:b], original, free, n)
		if !bytes.Equal(window[a:b], original) && fits() {
			return bytes.Clone(window[a:b])
		}
	}
	// Random pieces that no finding tells of may come and go.
	want = told(want)
	fits = func() bool { return slices.Equal(told(r.find(window)), want) }
	for n := range tries {
		r.fill(window[a:b], original, free, n)
		if !bytes.Equal(window[a:b], original) && fits() {
			return bytes.Clone(window[a:b])
		}
	}
	// Which characters can change at all? From the left, by halves: what can
	// change as a whole does.
	keep := make([]bool, len(free))
	copy(window[a:b], original)
	stack := [][2]int{{0, len(free)}}
	for budget := max(64, min(4096, 16<<20/(len(free)+1))); len(stack) > 0 && budget > 0; budget-- {
		lo, hi := stack[len(stack)-1][0], stack[len(stack)-1][1]
		stack = stack[:len(stack)-1]
		ok := false
		for n := range 3 {
			r.fillPart(window[a:b], original, free, lo, hi, n)
			if ok = fits(); ok {
				break
			}
		}
		if ok {
			for i := lo; i < hi; i++ {
				keep[i] = true
			}
			continue
		}
		copy(window[a+lo:a+hi], original[lo:hi])
		if hi-lo > 1 {
			mid := (lo + hi) / 2
			stack = append(stack, [2]int{mid, hi}, [2]int{lo, mid})
		}
	}
	if bytes.Equal(window[a:b], original) || !fits() {
		return nil
	}
	return bytes.Clone(window[a:b])
}

// fill writes the nth value of the secret.
func (r *Redactor) fill(dst, original []byte, free []bool, n int) {
	r.fillPart(dst, original, free, 0, len(dst), n)
}

func (r *Redactor) fillPart(dst, original []byte, free []bool, lo, hi, n int) {
	s := r.values(original, n)
	for i := lo; i < hi; i++ {
		if free[i] {
			dst[i] = other(original[i], byte(s.Uint64()>>32))
		}
	}
}

// values is a source of bytes that depend on the key, the secret and n alone.
func (r *Redactor) values(original []byte, n int) *rand.ChaCha8 {
	h := hmac.New(sha256.New, r.key)
	h.Write(original)
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(n)))
	return rand.NewChaCha8([32]byte(h.Sum(nil)))
}

// class is the size of the kind that c can be replaced within; 0 for none.
func class(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return 10
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return 26
	}
	return 0
}

// other is another character of the kind of c, never c itself.
func other(c, v byte) byte {
	base, n := byte('0'), byte(10)
	switch {
	case c >= 'a':
		base, n = 'a', 26
	case c >= 'A':
		base, n = 'A', 26
	}
	return base + (c-base+1+v%(n-1))%n
}

// told drops the random pieces that overlap a vendor's match: no finding tells
// of them (catalog.md), so they may come and go.
func told(all []span) []span {
	reach := 0 // of the vendors' matches so far
	var out []span
	for i, m := range all {
		if m.pattern >= 0 {
			reach = max(reach, m.end)
			out = append(out, m)
			continue
		}
		over := m.start < reach
		for k := i + 1; k < len(all) && all[k].start < m.end && !over; k++ {
			over = all[k].pattern >= 0
		}
		if !over {
			out = append(out, m)
		}
	}
	return out
}

// same reports that the catalog says the same of two texts, and that they have
// the same secrets at the same places.
func (r *Redactor) same(t, u []byte) bool {
	if !slices.Equal(told(r.find(t)), told(r.find(u))) {
		return false
	}
	binary := analyze.Inspection{Charset: analyze.CharsetBinary}
	a, b := r.catalog.Text(t, binary), r.catalog.Text(u, binary)
	return slices.EqualFunc(a, b, func(x, y analyze.Finding) bool {
		return x.Rule == y.Rule && x.SubRule == y.SubRule && x.Message == y.Message && slices.Equal(x.Spans, y.Spans) && slices.Equal(x.Matched, y.Matched)
	})
}
