package policy

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// host is one reading of the host in a URL-like value.
type host struct {
	name  string       // lower case, ASCII form, no trailing dot; for an address its text
	raw   string       // the name as it was spelled, for what is shown
	addrs []netip.Addr // the addresses that readers make of it; none for a DNS name
	port  string       // given, or the scheme's own; "" when unknown
}

// ports of the schemes that need no port.
var ports = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}

// hostReadings are the hosts that a value may lead to, by any reader that we
// know of: a URL, `//host`, `host/path`, `host:port`, `scheme:host` as browsers
// take it, white space left in or taken out, `\` as itself or as `/`. No entry
// means that the value has no host at all, as a bare path.
func hostReadings(value string) []host {
	var out []host
	var seen []authority // few enough to look through
	for _, text := range spacings(value) {
		for _, a := range authorities(text) {
			for _, end := range ends {
				auth := a.text
				if i := strings.IndexFunc(auth, end); i >= 0 {
					auth = auth[:i]
				}
				key := authority{a.scheme, auth}
				if auth == "" || slices.Contains(seen, key) {
					continue
				}
				seen = append(seen, key)
				out = append(out, readAuthority(auth, ports[a.scheme])...)
			}
		}
	}
	return out
}

// ends are the ways in which readers take a host to end: at white space of any
// script or of ASCII alone, at `\` or not.
var ends = []func(rune) bool{
	func(r rune) bool { return delimits(r) || unicode.IsSpace(r) },
	func(r rune) bool { return delimits(r) || unicode.IsSpace(r) || r == '\\' },
	func(r rune) bool { return delimits(r) },
	func(r rune) bool { return delimits(r) || r == '\\' },
}

// delimits says whether a rune ends a host for every reader.
func delimits(r rune) bool {
	return r == '/' || r == '?' || r == '#' || r < utf8.RuneSelf && unicode.IsSpace(r)
}

// spacings are the value with its outer white space cut, and again without the
// tabs and line breaks that browsers take out of a URL.
func spacings(value string) []string {
	value = strings.TrimFunc(value, func(r rune) bool { return r <= 0x20 || unicode.IsSpace(r) || r == 0xfeff })
	out := []string{value}
	if strings.ContainsAny(value, "\t\r\n") {
		out = append(out, strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(value))
	}
	return out
}

type authority struct{ scheme, text string }

// authorities finds where a host may begin.
func authorities(s string) []authority {
	scheme := ""
	if i := strings.IndexByte(s, ':'); i > 0 && isScheme(s[:i]) {
		scheme = strings.ToLower(s[:i])
		rest := s[i+1:]
		_, special := ports[scheme]
		switch {
		case special:
			// Browsers take any number of slashes of either kind here.
			return []authority{{scheme, strings.TrimLeft(rest, `/\`)}}
		case scheme == "file":
			// No host in a file URL is this host.
			if h := strings.TrimLeft(rest, `/\`); len(rest)-len(h) == 2 && h != "" {
				return []authority{{scheme, h}}
			}
			return []authority{{scheme, "localhost"}}
		case slashes(rest):
			return []authority{{scheme, strings.TrimLeft(rest, `/\`)}}
		}
		// else it is host:port, or user:password@host
	}
	if slashes(s) {
		return []authority{{"", strings.TrimLeft(s, `/\`)}}
	}
	out := []authority{{"", s}}
	if i := strings.Index(s, "://"); i > 0 && !strings.ContainsAny(s[:i], `/?#\`) {
		before := s[:i]
		at := strings.LastIndexFunc(before, func(r rune) bool {
			return r >= utf8.RuneSelf || !isScheme("a"+string(r))
		})
		out = append(out, authority{strings.ToLower(before[at+1:]), s[i+3:]})
	}
	return out
}

// slashes says whether a string begins with two slashes of either kind.
func slashes(s string) bool {
	return len(s) >= 2 && (s[0] == '/' || s[0] == '\\') && (s[1] == '/' || s[1] == '\\')
}

func isScheme(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return s != ""
}

// maxHost is longer than any DNS name, with room for escapes.
const maxHost = 2048

// readAuthority cuts userinfo and port and reads what is left, as it stands
// and, where that differs, with percent escapes decoded.
func readAuthority(auth, port string) []host {
	if i := strings.LastIndexByte(auth, '@'); i >= 0 {
		auth = auth[i+1:]
	}
	if len(auth) > maxHost {
		// Nothing resolves it: a name that no entry can allow.
		cut := strings.ToValidUTF8(auth[:maxHost], "")
		return []host{{name: cut, raw: cut}}
	}
	name, rest := auth, ""
	switch {
	case strings.HasPrefix(auth, "["):
		name = auth[1:]
		if i := strings.IndexByte(name, ']'); i >= 0 {
			name, rest = name[:i], name[i+1:]
		}
		if p, ok := strings.CutPrefix(rest, ":"); ok && p != "" {
			port = p
		}
		return []host{readHost(name, port)}
	case strings.Count(auth, ":") > 1:
		// An IPv6 address without brackets, perhaps with a port.
		out := []host{readHost(auth, port)}
		i := strings.LastIndexByte(auth, ':')
		if h := readHost(auth[:i], auth[i+1:]); len(h.addrs) > 0 {
			out = append(out, h)
		}
		if len(out[0].addrs) == 0 {
			// No address: the first colon ends the name for most readers.
			name, rest, _ = strings.Cut(auth, ":")
			out = append(out, readHost(name, rest))
		}
		return out
	}
	if n, p, ok := strings.Cut(auth, ":"); ok {
		name = n
		if p != "" {
			port = p
		}
	}
	out := []host{readHost(name, port)}
	if strings.Contains(name, "%") {
		if plain, err := url.PathUnescape(name); err == nil && plain != name {
			// What an escaped delimiter ends is a host as well.
			if i := strings.LastIndexByte(plain, '@'); i >= 0 {
				out = append(out, readHost(plain[i+1:], port))
			}
			if i := strings.IndexAny(plain, `/?#\:`); i >= 0 {
				plain = plain[:i]
			}
			out = append(out, readHost(plain, port))
		}
	}
	return out
}

// readHost reads a bare host name or address.
func readHost(name, port string) host {
	h := host{name: strings.TrimRight(ascii(name), "."), raw: spelled(name), port: port}
	if a, ok := address6(h.name); ok {
		h.name, h.addrs = a.String(), []netip.Addr{a}
		return h
	}
	h.addrs = addresses4(h.name)
	if len(h.addrs) > 0 {
		h.name = h.addrs[0].String()
	}
	return h
}

// mapping folds a host the way a browser does before it resolves it: full-width
// letters and dots, case, composed forms; the result is the ASCII form.
var mapping = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false), idna.CheckJoiners(false))

// spelled is a name as it was written, but for what the mapping takes for
// another way to write the same letters: in that form secrets are recognised.
func spelled(name string) string {
	if plainASCII(name) {
		return name
	}
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && (!unicode.IsGraphic(r) || unicode.Is(unicode.Variation_Selector, r)) {
			return -1
		}
		return r
	}, norm.NFKC.String(name))
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func ascii(name string) string {
	if plainASCII(name) {
		return strings.ToLower(name)
	}
	if a, err := mapping.ToASCII(name); err == nil {
		return strings.ToLower(a)
	}
	return strings.ToLower(strings.NewReplacer("。", ".", "．", ".", "｡", ".").Replace(name))
}
