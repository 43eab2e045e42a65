package catalog

import (
	"bytes"
	"net/netip"
)

// dot looks at a dot between two characters: the last dot of a listed host, or
// the first of an internal address, begins the work on a bare token.
func (s *textScan) dot(p int) {
	if p < s.tokenEnd || p == 0 {
		return
	}
	f := s.full
	var before byte
	if p >= 2 {
		before = f[p-2]
	}
	if s.c.deny.maybe(before, f[p-1], f[p+1], f[p+2]) {
		s.token(p)
		return
	}
	if isDigit(f[p-1]) && isDigit(f[p+1]) {
		v := int(f[p-1] - '0')
		if isDigit(before) {
			v += 10 * int(before-'0')
			if p >= 3 && isDigit(f[p-3]) {
				v += 100 * int(f[p-3]-'0')
			}
		}
		if v < 256 && s.c.nets.first[v] {
			s.token(p)
		}
	}
}

// token judges the bare dotted token in the run of host characters around p
// (catalog.md, "WRD-RES-EXFIL-DOMAIN"). A run holds at most one: it begins
// where the run does, and goes to the first place where two dots meet.
func (s *textScan) token(p int) {
	t := s.t
	a, e := p, p+1
	for a > s.tokenEnd && hostChar[t[a-1]] {
		a--
	}
	for e < len(t) && hostChar[t[e]] {
		e++
	}
	s.tokenEnd = e
	if t[a] == '.' || a > 0 && (t[a-1] == '_' || t[a-1] == '/') {
		return
	}
	tok := t[a:e]
	if i := bytes.Index(tok, twoDots); i >= 0 {
		tok = tok[:i]
	}
	tok = bytes.TrimSuffix(tok, oneDot)
	if bytes.IndexByte(tok, '.') < 0 {
		return // one label is no host
	}
	if s.domain(tok, a, nil) {
		s.found |= foundDomain
	}
	if !isDigit(tok[0]) {
		return
	}
	if bytes.IndexByte(tok, '-') < 0 {
		if ip, ok := quad(tok); ok {
			s.address(ip, a, a+len(tok))
		}
		return
	}
	// Dotted quads joined by hyphens: a range of addresses.
	for from := 0; from <= len(tok); {
		to := from + 16
		if i := bytes.IndexByte(tok[from:min(len(tok), to)], '-'); i >= 0 {
			to = from + i
		}
		if to = min(to, len(tok)); !quadShape(tok[from:to]) || to < len(tok) && tok[to] != '-' {
			return
		}
		from = to + 1
	}
	for from := 0; from < len(tok); {
		to := len(tok)
		if i := bytes.IndexByte(tok[from:], '-'); i >= 0 {
			to = from + i
		}
		if ip, ok := quad(tok[from:to]); ok {
			s.address(ip, a+from, a+to)
		}
		from = to + 1
	}
}

var twoDots, oneDot = []byte(".."), []byte(".")

// domain looks a host up in the denylist; path is what follows it in a scheme
// URL, nil for a bare token. It reports whether an entry matches.
func (s *textScan) domain(host []byte, at int, path []byte) bool {
	if !s.c.deny.maybeHost(host) {
		return false
	}
	var buf [256]byte
	low := append(buf[:0], host...)
	for i, c := range low {
		low[i] = lower(c)
	}
	return s.listed(low, at, at+len(host), path)
}

// listed looks a lower-case host up in the denylist.
func (s *textScan) listed(low []byte, start, end int, path []byte) bool {
	hit := false
	s.c.deny.match(low, func(i int32) bool {
		e := &s.c.deny.entries[i]
		if e.Path != "" && (len(path) < len(e.Path) || string(path[:len(e.Path)]) != e.Path) {
			return true
		}
		hit = true
		s.all.domain(i, start, end)
		return true
	})
	return hit
}

// address judges an IP address that stands at [start, end).
func (s *textScan) address(ip netip.Addr, start, end int) {
	ip = ip.WithZone("").Unmap()
	i := s.c.nets.find(ip)
	if i < 0 {
		return
	}
	s.found |= foundIP
	s.all.address(ip, i, start, end)
}

// six judges the bare IPv6 literal around the colon at p: a run of hexadecimal
// digits, colons and dots that no letter, digit or underscore touches. Dots at
// its end are full stops, one colon there is punctuation.
func (s *textScan) six(p int) {
	if p < s.sixEnd {
		return
	}
	t := s.t
	a, e := p, p+1
	for a > s.sixEnd && sixChar[t[a-1]] {
		a--
	}
	for e < len(t) && sixChar[t[e]] {
		e++
	}
	s.sixEnd = e
	if e-a < 2 {
		return
	}
	if a > 0 && wordChar[t[a-1]] || e < len(t) && wordChar[t[e]] {
		return
	}
	lit := bytes.TrimRight(t[a:e], ".")
	if n := len(lit); n > 2 && lit[n-1] == ':' && lit[n-2] != ':' {
		lit = lit[:n-1]
	}
	if len(lit) < 2 || len(lit) > 45 {
		return
	}
	if colons := bytes.Count(lit, oneColon); colons > 8 || !bytes.Contains(lit, twoColons) &&
		(colons < 6 || colons == 6 && bytes.IndexByte(lit, '.') < 0) {
		return // too few groups, or too many
	}
	if ip, err := netip.ParseAddr(string(lit)); err == nil && ip.Is6() {
		s.address(ip, a, a+len(lit))
	}
}

var oneColon, twoColons = []byte(":"), []byte("::")

// sixChar are the bytes of an IPv6 literal.
var sixChar = func() (out [256]bool) {
	for c := range out {
		out[c] = isHex(byte(c)) || c == ':' || c == '.'
	}
	return out
}()
