package catalog

import (
	"fmt"
	"math/big"
	"net/netip"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
	"golang.org/x/net/idna"
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

// places covers the rules about hosts.
func (p *plainRules) places(text string) (out []plainFinding) {
	entries, addrs := map[string]bool{}, map[netip.Addr]bool{}
	var domains, ips, urls [][2]int
	for _, t := range p.readings(text) {
		p.placesIn(t, entries, addrs, &domains, &ips, &urls)
	}
	slices.SortFunc(urls, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	urls = slices.Compact(urls)
	if len(entries) > 0 {
		out = append(out, plainFinding{rule: RuleDomain, spans: cps(text, domains), matched: sorted(entries)})
	}
	if len(addrs) > 0 {
		var list []netip.Addr
		for a := range addrs {
			list = append(list, a)
		}
		slices.SortFunc(list, netip.Addr.Compare)
		var names []string
		for _, a := range list {
			names = append(names, a.String())
		}
		out = append(out, plainFinding{rule: RuleIP, spans: cps(text, ips), matched: names})
	}
	if len(urls) > 0 {
		out = append(out, plainFinding{rule: RuleURL, spans: cps(text, urls), matched: []string{fmt.Sprint(len(urls))}})
	}
	return out
}

// placesIn collects what one reading of a text holds.
func (p *plainRules) placesIn(t string, entries map[string]bool, addrs map[netip.Addr]bool, domains, ips, urls *[][2]int) {
	host := func(h string, at, end int, path string, bare bool) bool {
		hit := false
		for _, e := range p.deny {
			eh, ep, _ := strings.Cut(e, "/")
			eh = strings.TrimSuffix(strings.ToLower(eh), ".")
			if ep != "" && (bare || !strings.HasPrefix(path, "/"+ep)) {
				continue
			}
			forms := []string{eh}
			if p.wide {
				forms = append(forms, plainASCII(eh))
			}
			for _, f := range forms {
				if h == f || strings.HasSuffix(h, "."+f) {
					hit = true
					if ep != "" {
						ep = "/" + ep
					}
					entries[eh+ep] = true
					*domains = append(*domains, [2]int{at, end})
					break
				}
			}
		}
		return hit
	}
	addr := func(a netip.Addr, at, end int) {
		a = a.Unmap()
		for _, n := range p.set.Networks {
			if n.CIDR.Contains(a) {
				addrs[a] = true
				*ips = append(*ips, [2]int{at, end})
				return
			}
		}
	}
	for i := 0; ; {
		k := strings.Index(t[i:], "://")
		if k < 0 {
			break
		}
		i += k
		m := plainScheme.FindStringSubmatchIndex(t[max(0, i-6):i])
		from := i + 3
		i++
		if m == nil {
			continue
		}
		start := max(0, from-3-6) + m[2]
		end, open := from, 0
		for end < len(t) && !plainEnd.MatchString(t[end:]) {
			if t[end] == '[' {
				open++
			} else if t[end] == ']' {
				if open == 0 {
					break
				}
				open--
			}
			end++
		}
		if end == from {
			continue
		}
		if !p.authority(t, from, end, host, addr) {
			*urls = append(*urls, [2]int{start, end})
		}
	}
	for _, m := range plainToken.FindAllStringSubmatchIndex(t, -1) {
		tok := t[m[2]:m[3]]
		host(asciiLower(tok), m[2], m[3], "", true)
		if plainQuads.MatchString(tok) {
			at := m[2]
			for _, q := range strings.Split(tok, "-") {
				if a, err := netip.ParseAddr(q); err == nil {
					addr(a, at, at+len(q))
				}
				at += len(q) + 1
			}
		}
	}
	for _, m := range plainSix.FindAllStringIndex(t, -1) {
		lit := strings.TrimRight(t[m[0]:m[1]], ".")
		if strings.HasSuffix(lit, ":") && !strings.HasSuffix(lit, "::") {
			lit = lit[:len(lit)-1]
		}
		if m[0] > 0 && word(t[m[0]-1]) || m[1] < len(t) && word(t[m[1]]) || strings.Count(lit, ":") < 2 {
			continue
		}
		if a, err := netip.ParseAddr(lit); err == nil {
			addr(a, m[0], m[0]+len(lit))
		}
	}
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func sorted(m map[string]bool) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// authority judges one authority; it reports whether a listed host was found.
func (p *plainRules) authority(t string, from, end int, host func(h string, at, end int, path string, bare bool) bool, addr func(a netip.Addr, at, end int)) bool {
	listed := false
	prose := func(at int, re *regexp.Regexp) {
		short := t[at:at]
		if m := re.FindStringSubmatch(t[at:end]); m != nil && p.wide {
			short = strings.TrimRight(m[1], ".")
		}
		if short == "" {
			return
		}
		if host(strings.ToLower(short), at, at+len(short), t[end:], false) {
			listed = true
		}
		if a, ok := plainNumber(short); ok {
			addr(a, at, at+len(short))
		}
	}
	if i := strings.LastIndexByte(t[from:end], '@'); i >= 0 {
		prose(from, plainUser)
		from += i + 1
	}
	h := t[from:end]
	if strings.HasPrefix(h, "[") && strings.Contains(h, "]") {
		from++
		h = t[from : from+strings.IndexByte(t[from:end], ']')]
		lit, _, _ := strings.Cut(h, "%")
		if a, err := netip.ParseAddr(lit); err == nil {
			addr(a, from, from+len(h))
		}
		return listed
	}
	h, _, _ = strings.Cut(h, ":")
	h = strings.TrimRight(h, ".")
	at, to := from, from+len(h)
	if h == "" {
		return listed
	}
	path := t[end:]
	if a, err := netip.ParseAddr(h); err == nil && a.Is4() {
		addr(a, at, to)
	}
	if host(strings.ToLower(h), at, to, path, false) {
		listed = true
	}
	if !p.wide {
		return listed
	}
	prose(from, plainHosts)
	for _, re := range []*regexp.Regexp{regexp.MustCompile(`(?s)^.*$`), plainLetters} {
		if re == plainLetters && regexp.MustCompile(`^[^%\x80-\x{10ffff}]*$`).MatchString(h) {
			continue // the same as in prose
		}
		name := strings.TrimRight(plainASCII(re.FindString(plainPercent(h))), ".")
		if name == "" {
			continue
		}
		if host(name, at, to, path, false) {
			listed = true
		}
		if a, ok := plainNumber(name); ok {
			addr(a, at, to)
		}
	}
	return listed
}

func plainPercent(h string) string {
	out := regexp.MustCompile(`%[0-9A-Fa-f]{2}`).ReplaceAllStringFunc(h, func(x string) string {
		var b byte
		fmt.Sscanf(x[1:], "%02x", &b)
		return string([]byte{b})
	})
	return strings.ToValidUTF8(out, "\uFFFD")
}

func plainASCII(h string) string {
	h = regexp.MustCompile("[\u00ad\u034f\u180b-\u180d\u180f\u200b\u2060\u2064\U0001bca0-\U0001bca3\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]+").ReplaceAllString(h, "")
	if utf8.RuneCountInString(h) > 253 {
		return "\x00"
	}
	for _, l := range regexp.MustCompile("[.\u3002\uff0e\uff61]").Split(h, -1) {
		if utf8.RuneCountInString(l) > 63 {
			return "\x00"
		}
	}
	a, _ := idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false),
		idna.CheckJoiners(false), idna.VerifyDNSLength(false)).ToASCII(h)
	return strings.ToLower(a)
}

// plainNumber reads a host in a number form of IPv4 with big numbers.
func plainNumber(h string) (netip.Addr, bool) {
	parts := strings.Split(h, ".")
	if len(parts) > 4 || len(h) > 64 {
		return netip.Addr{}, false
	}
	sum := new(big.Int)
	for i, p := range parts {
		v := new(big.Int)
		ok := true
		switch {
		case regexp.MustCompile(`^0[xX][0-9A-Fa-f]*$`).MatchString(p):
			_, ok = v.SetString("0"+p[2:], 16)
		case regexp.MustCompile(`^0[0-7]*$`).MatchString(p):
			_, ok = v.SetString(p, 8)
		case regexp.MustCompile(`^[1-9][0-9]*$`).MatchString(p):
			_, ok = v.SetString(p, 10)
		default:
			ok = false
		}
		width := uint(8)
		shift := uint(24 - 8*i)
		if i == len(parts)-1 {
			width, shift = uint(8*(5-len(parts))), 0
		}
		if !ok || v.BitLen() > int(width) {
			return netip.Addr{}, false
		}
		sum.Add(sum, v.Lsh(v, shift))
	}
	b := sum.FillBytes(make([]byte, 4))
	return netip.AddrFrom4([4]byte(b)), true
}

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
