package catalog

import (
	"fmt"
	"math/big"
	"net/netip"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
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
