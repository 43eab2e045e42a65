package catalog

import (
	"bytes"
	"net/netip"
	"strings"
)

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
