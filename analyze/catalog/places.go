package catalog

import (
	"bytes"
	"net/netip"
	"strings"
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

// colons looks at a colon that another colon or a slash follows.
func (s *textScan) colons(p int) {
	if p+1 >= len(s.t) {
		return
	}
	if s.t[p+1] == ':' {
		s.six(p)
		return
	}
	if p+2 < len(s.t) && s.t[p+2] == '/' {
		s.url(p)
	}
}

// scheme reports whether one of the schemes ends at p, and where it begins. A
// scheme begins where no character of a scheme stands before it.
func (s *textScan) scheme(p int) (int, bool) {
	if p == 0 || s.t[p-1]|0x20 != 'p' && s.t[p-1]|0x20 != 's' {
		return 0, false // what no scheme ends in
	}
	a := p
	for a > 0 && p-a < 6 && schemeChar[s.t[a-1]] {
		a--
	}
	name := s.t[a:p]
	var low [6]byte
	for i, c := range name {
		low[i] = lower(c)
	}
	switch string(low[:len(name)]) {
	case "http", "https", "ftp", "ws", "wss":
		return a, true
	}
	return 0, false
}

// url judges the scheme URL whose "://" stands at p. An authority can't hold a
// slash, so no two of them overlap by more than a scheme's name.
func (s *textScan) url(p int) {
	start, ok := s.scheme(p)
	if !ok {
		return
	}
	if s.raw != nil && (start == 0 || !schemeChar[s.raw[start-1]]) {
		return // the first reading has seen this one
	}
	t := s.t
	a := p + 3
	e := a
	at, colon, bracket, open := -1, -1, -1, 0
scan:
	for ; e < len(t); e++ {
		c := t[e]
		if inside[c] {
			continue
		}
		switch {
		case ends[c], c == 0xc2 && e+1 < len(t) && t[e+1] < 0xa0:
			break scan // where no URL goes on: the latter are the C1 controls
		case c == '@':
			at, colon, bracket = e, -1, -1
		case c == ':':
			if colon < 0 {
				colon = e
			}
		case c == '[':
			open++
		case c == ']':
			if open == 0 {
				break scan
			}
			open--
			if bracket < 0 {
				bracket = e
			}
		}
	}
	if e == a {
		return
	}
	hostStart, hostEnd := a, e
	if at >= 0 {
		hostStart = at + 1
	}
	six := hostStart < e && t[hostStart] == '[' && bracket > 0
	switch {
	case six:
		hostStart, hostEnd = hostStart+1, bracket
	case colon >= 0:
		hostEnd = colon
	}
	listed := s.host(t[hostStart:hostEnd], hostStart, six, e)
	if at >= 0 && s.c.wide {
		if n := shaped(t[a:e]); !userName(t[a+n:e]) && s.prose(t[a:a+n], a, t[e:]) {
			listed = true
		}
	}
	switch {
	case listed:
		s.found |= foundDomain
	default:
		s.found |= foundURL
		s.all.url(start, e)
	}
}

// host judges the host of a scheme URL whose authority ends at e.
func (s *textScan) host(host []byte, at int, six bool, e int) (listed bool) {
	if len(host) == 0 {
		return false
	}
	end := at + len(host)
	if six {
		if i := bytes.IndexByte(host, '%'); i >= 0 {
			host = host[:i]
		}
		if len(host) <= 45 {
			if ip, err := netip.ParseAddr(string(host)); err == nil && ip.Zone() == "" {
				s.address(ip, at, end)
			}
		}
		return false
	}
	// The root's dot, and any more that some client would cut, are no part of
	// what matches.
	host = bytes.TrimRight(host, ".")
	end = at + len(host)
	if len(host) == 0 {
		return false
	}
	path := s.t[e:]
	s.number(host, at)
	n := shaped(host)
	if n == len(host) {
		return s.domain(host, at, path)
	}
	if s.c.wide {
		listed = s.prose(host[:n], at, path)
	}
	if plainHost(host) {
		return s.domain(host, at, path) || listed
	}
	// Compared as it stands, and as a browser would read it.
	if plainBytes(host) {
		listed = s.domain(host, at, path) || listed
	} else if s.listed(bytes.ToLower(host), at, end, path) {
		listed = true
	}
	if !s.c.wide {
		return listed
	}
	s.name = unpercent(s.name[:0], host)
	host = s.name
	if s.browser(host, at, end, path) {
		listed = true
	}
	if n := lettered(host); n < len(host) && s.browser(host[:n], at, end, path) {
		listed = true
	}
	return listed
}

// browser judges a decoded host as browsers would read it.
func (s *textScan) browser(host []byte, at, end int, path []byte) bool {
	if plainBytes(host) {
		return s.ascii(host, at, end, path)
	}
	name, ok := browserHost(host, s.c.deny.ascii)
	if !ok {
		return false
	}
	name = strings.TrimRight(name, ".")
	if ip, ok := numberHost(name); ok {
		s.address(ip, at, end)
	}
	return s.listed([]byte(name), at, end, path)
}

// ascii is browser for a host of ASCII, which they only put in lower case.
func (s *textScan) ascii(host []byte, at, end int, path []byte) bool {
	if !fitsASCII(host) {
		return false
	}
	host = bytes.TrimRight(host, ".")
	if len(host) == 0 {
		return false
	}
	if isDigit(host[0]) {
		if ip, ok := numberHost(strings.ToLower(string(host))); ok {
			s.address(ip, at, end)
		}
	}
	if !s.c.deny.maybeHost(host) {
		return false
	}
	return s.listed(bytes.ToLower(host), at, end, path)
}

// prose judges what of a host, or of an authority, is shaped like one, for a
// reader who finds URLs in prose: a mark that closes a sentence or an emphasis,
// the next parameter of a query end the host for them.
func (s *textScan) prose(short []byte, at int, path []byte) bool {
	short = bytes.TrimRight(short, ".")
	if len(short) == 0 {
		return false
	}
	s.number(short, at)
	return s.domain(short, at, path)
}

// userName reports that rest, which stands behind what is shaped like a host and
// goes on to an `@`, leaves that a user's name: it is the `@`, or a password
// that is no port with something behind it.
func userName(rest []byte) bool {
	if rest[0] != ':' {
		return rest[0] == '@'
	}
	n := 1
	for isDigit(rest[n]) {
		n++
	}
	return n == 1 || rest[n] == '@' || wordChar[rest[n]]
}

// number judges a host in one of the forms of an IPv4 address.
func (s *textScan) number(host []byte, at int) {
	if !isDigit(host[0]) {
		return
	}
	if ip, ok := quad(host); ok {
		s.address(ip, at, at+len(host))
	} else if s.c.wide && len(host) <= 64 {
		if ip, ok := numberHost(strings.ToLower(string(host))); ok {
			s.address(ip, at, at+len(host))
		}
	}
}

// shaped is how many of a host's first bytes are ASCII letters, digits, hyphens
// and dots.
func shaped(host []byte) int {
	for i, c := range host {
		if !hostChar[c] {
			return i
		}
	}
	return len(host)
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
