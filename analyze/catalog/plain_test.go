package catalog

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
)

// plainRules is the plain, slow reading of the catalog over one text: a loop or
// an expression a rule, nothing shared with the scanner. It is what the scanner
// is compared with.
type plainRules struct {
	set     *ruleset.Set
	deny    []string
	phrases []string
	wide    bool
}

// plainFinding is what the comparison looks at.
type plainFinding struct {
	rule, sub string
	spans     []analyze.Span
	matched   []string
}

func (f plainFinding) String() string {
	return fmt.Sprintf("%s %s %v %q", f.rule, f.sub, f.spans, f.matched)
}

// cps turns byte ranges into merged code-point spans.
func cps(t string, at [][2]int) (out []analyze.Span) {
	sort.Slice(at, func(i, j int) bool { return at[i][0] < at[j][0] || at[i][0] == at[j][0] && at[i][1] < at[j][1] })
	for _, x := range at {
		s := analyze.Span{Start: utf8.RuneCountInString(t[:x[0]]), End: utf8.RuneCountInString(t[:x[1]])}
		if n := len(out); n > 0 && s.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}

func (p *plainRules) all(t string) (out []plainFinding) {
	out = append(out, p.ansi(t)...)
	out = append(out, p.secrets(t)...)
	hosts := p.places(t)
	out = append(out, hosts...)
	out = append(out, p.inject(t)...)
	if p.wide {
		out = append(out, p.invisible(t)...)
	}
	return out
}

func (p *plainRules) ansi(t string) []plainFinding {
	var spans []analyze.Span
	i := 0
	for _, r := range t {
		if r < 0x20 && !strings.ContainsRune("\t\n\r", r) || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 {
			if n := len(spans); n > 0 && spans[n-1].End == i {
				spans[n-1].End++
			} else {
				spans = append(spans, analyze.Span{Start: i, End: i + 1})
			}
		}
		i++
	}
	if spans == nil {
		return nil
	}
	return []plainFinding{{rule: RuleANSI, spans: spans}}
}

var plainPiece = regexp.MustCompile(`[A-Za-z0-9+/_=-]+`)

// plainSequence is an escape sequence of a terminal, broken ones too.
var plainSequence = regexp.MustCompile("(?s)" +
	"(?:\x1b[\x00-\x17\x19\x1c-\x1f\x7f]*\\[|\u009b)[\x00-\x17\x19\x1c-\x3f\x7f]*[\x40-\x7e]?" +
	"|(?:\x1b[\x00-\x17\x19\x1c-\x1f\x7f]*\\]|\u009d)(?:8;[\x20-\x3a\x3c-\x7e]*;|[0-9]*;?)" +
	"|\x1b[\x00-\x17\x19\x1c-\x2f\x7f]*[\x30-\x7e]?")

// readings are the ways in which a text is read: as it stands and, in coverage
// full, with every byte of an escape sequence as a space.
func (p *plainRules) readings(t string) []string {
	if !p.wide {
		return []string{t}
	}
	blank := plainSequence.ReplaceAllStringFunc(t, func(s string) string { return strings.Repeat(" ", len(s)) })
	return []string{t, blank}
}

func (p *plainRules) secrets(t string) (out []plainFinding) {
	var vendor [][2]int
	add := func(id string, m [2]int) {
		out = append(out, plainFinding{rule: RuleSecret, sub: id, spans: cps(t, [][2]int{m}), matched: []string{plainForm(t[m[0]:m[1]])}})
	}
	byPlace := func(at [][2]int) [][2]int {
		slices.SortFunc(at, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
		return slices.Compact(at)
	}
	for _, s := range p.set.Secrets {
		var at [][2]int
		for _, r := range p.readings(t) {
			if !slices.ContainsFunc(s.Keywords, func(k string) bool { return strings.Contains(asciiLower(r), asciiLower(k)) }) {
				continue
			}
			for _, m := range regexp.MustCompile(s.Pattern).FindAllStringIndex(r, -1) {
				at = append(at, [2]int(m))
			}
		}
		for _, m := range byPlace(at) {
			vendor = append(vendor, m)
			add(s.ID, m)
		}
	}
	overlaps := func(m [2]int, with [][2]int) bool {
		return slices.ContainsFunc(with, func(v [2]int) bool { return v[0] < m[1] && m[0] < v[1] })
	}
	var pieces [][2]int
	rs := p.readings(t)
	for i := range rs {
		r := rs[len(rs)-1-i] // the one with blanks first: it knows better where a piece begins
		var more [][2]int
		for _, m := range plainPiece.FindAllStringIndex(r, -1) {
			if m := [2]int(m); plainRandom(r[m[0]:m[1]]) && !overlaps(m, pieces) {
				more = append(more, m)
			}
		}
		pieces = append(pieces, more...)
	}
	seen := map[string]bool{}
	for _, m := range byPlace(pieces) {
		piece := t[m[0]:m[1]]
		if !overlaps(m, vendor) && !seen[piece] {
			seen[piece] = true
			add(RuleEntropy, m)
		}
	}
	return out
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// plainRandom decides with whole numbers: H >= 4 is n^n >= 16^n * product of c^c.
func plainRandom(piece string) bool {
	n := len(piece)
	if n < 24 {
		return false
	}
	counts := map[byte]int64{}
	alnum := 0
	for i := range n {
		counts[piece[i]]++
		if c := rune(piece[i]); c < 0x80 && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
			alnum++
		}
	}
	if 5*alnum < 4*n {
		return false
	}
	power := func(b, e int64) *big.Int { return new(big.Int).Exp(big.NewInt(b), big.NewInt(e), nil) }
	right := power(16, int64(n))
	for _, c := range counts {
		right.Mul(right, power(c, c))
	}
	return power(int64(n), int64(n)).Cmp(right) >= 0
}

func plainForm(s string) string {
	r := []rune(s)
	length := fmt.Sprintf("(len=%d)", len(r))
	if len(r) <= 3 {
		length = "(len<=3)"
	}
	return string(r[:min(4, len(r)/2)]) + "…" + length
}

var (
	plainScheme  = regexp.MustCompile(`(?:^|[^A-Za-z0-9+.-])([Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp]|[Ww][Ss][Ss]?)$`)
	plainEnd     = regexp.MustCompile("^[/?# \"'`(){}<>|,;\\\\\u0000-\u001f\u007f-\u009f]")
	plainHosts   = regexp.MustCompile(`^([A-Za-z0-9.-]*)`)
	plainLetters = regexp.MustCompile("^[\\pL\\pN\\pM.\u3002\uff0e\uff61\u00ad\u034f\u180b-\u180d\u180f\u200b\u2060\u2064\U0001bca0-\U0001bca3\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef-]*")
	plainUser    = regexp.MustCompile(`^([A-Za-z0-9.-]*)(?:[^A-Za-z0-9.@:-]|:[0-9]+[^A-Za-z0-9_@])`)
	plainToken   = regexp.MustCompile(`(?:^|[^A-Za-z0-9._/-])([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)`)
	plainQuads   = regexp.MustCompile(`^\d{1,3}(?:\.\d{1,3}){3}(?:-\d{1,3}(?:\.\d{1,3}){3})*$`)
	plainSix     = regexp.MustCompile(`[0-9A-Fa-f:.]+`)
)

func (p *plainRules) inject(t string) []plainFinding {
	normal := func(s string) (runes []rune, from, to []int) {
		for i, r := range s {
			w := utf8.RuneLen(r)
			if r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029 {
				if n := len(runes); n > 0 && runes[n-1] == ' ' {
					to[n-1] = i + w
					continue
				}
				r = ' '
			}
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				if f < r {
					r = f
				}
			}
			runes, from, to = append(runes, r), append(from, i), append(to, i+w)
		}
		return runes, from, to
	}
	hit := map[string]bool{}
	var at [][2]int
	for _, r := range p.readings(t) {
		runes, from, to := normal(r)
		for _, ph := range p.phrases {
			want, _, _ := normal(strings.Trim(ph, " \t\r\n\u2028\u2029"))
			for i := 0; i+len(want) <= len(runes); i++ {
				if slices.Equal(runes[i:i+len(want)], want) {
					hit[ph] = true
					at = append(at, [2]int{from[i], to[i+len(want)-1]})
				}
			}
		}
	}
	if len(hit) == 0 {
		return nil
	}
	return []plainFinding{{rule: RulePhrase, spans: cps(t, at), matched: sorted(hit)}}
}

var (
	plainFlag = regexp.MustCompile("(?:\U0001F3F4\U000E0067\U000E0062(?:\U000E0065\U000E006E\U000E0067|\U000E0073\U000E0063\U000E0074|\U000E0077\U000E006C\U000E0073)\U000E007F)|[\U000E0000-\U000E007F]+")
	plainBidi = regexp.MustCompile("[\u202a-\u202e\u2066-\u2069]")
	plainRun  = regexp.MustCompile("[\u200b-\u200d\u2060\ufeff\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
)

func (p *plainRules) invisible(t string) []plainFinding {
	var at [][2]int
	for _, m := range plainFlag.FindAllStringIndex(t, -1) {
		if !strings.HasPrefix(t[m[0]:], "\U0001F3F4") {
			at = append(at, [2]int{m[0], m[1]})
		}
	}
	for _, m := range plainBidi.FindAllStringIndex(t, -1) {
		at = append(at, [2]int{m[0], m[1]})
	}
	for _, m := range plainRun.FindAllStringIndex(t, -1) {
		run := []rune(t[m[0]:m[1]])
		before, _ := utf8.DecodeLastRuneInString(t[:m[0]])
		if (run[0] == 0xfe0f || run[0] == 0xfe0e) && emoji(before) {
			m[0] += utf8.RuneLen(run[0])
			run = run[1:]
		}
		if len(run) >= 2 {
			at = append(at, [2]int{m[0], m[1]})
		}
	}
	if len(at) == 0 {
		return nil
	}
	return []plainFinding{{rule: RuleInvisible, spans: cps(t, at)}}
}
