package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
)

// compileHost reads an entry of allow_hosts: a name, an address, `*.name`, a
// star within a label; each may carry a port.
func compileHost(text string) (hostEntry, error) {
	e := hostEntry{text: text}
	t := strings.TrimSpace(text)
	switch {
	case t == "":
		return e, errors.New("an empty entry")
	case strings.Contains(t, "://"):
		return e, errors.New("write the host alone, without a scheme")
	case strings.ContainsFunc(t, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`/\?#@`, r)
	}):
		return e, errors.New("write the host alone, without path, user or white space")
	case t == "*" || strings.HasPrefix(t, "*:"):
		return e, errors.New("`*` would allow every host; leave allow_hosts out for that")
	case len(t) > maxHost:
		return e, fmt.Errorf("an entry of %d bytes", len(t))
	}
	name := t
	switch {
	case strings.HasPrefix(t, "["):
		end := strings.IndexByte(t, ']')
		if end < 0 {
			return e, errors.New("`[` without `]`")
		}
		name = t[1:end]
		if rest := t[end+1:]; rest != "" {
			p, ok := strings.CutPrefix(rest, ":")
			if !ok {
				return e, errors.New("something other than a port behind `]`")
			}
			e.port = p
		}
		if _, ok := address6(name); !ok {
			return e, errors.New("no IPv6 address between the brackets")
		}
	case strings.Count(t, ":") > 1:
		if _, ok := address6(t); !ok {
			return e, errors.New("no IPv6 address; put one with a port into brackets")
		}
	default:
		var ok bool
		if name, e.port, ok = strings.Cut(t, ":"); ok && e.port == "" {
			return e, errors.New("a colon without a port")
		}
	}
	if e.port != "" {
		n, err := strconv.ParseUint(e.port, 10, 16)
		if err != nil {
			return e, errors.New("the port is no number up to 65535")
		}
		e.port = strconv.FormatUint(n, 10)
	}
	if rest, ok := strings.CutPrefix(name, "*."); ok && !strings.Contains(rest, "*") {
		e.sub = true
		name = rest
	}
	if strings.ContainsAny(name, "*?") {
		g, err := compileGlob(ascii(strings.TrimRight(name, ".")), '.')
		if err != nil {
			return e, err
		}
		e.glob = g
		return e, nil
	}
	e.host = readHost(name, e.port)
	if e.host.name == "" {
		return e, errors.New("no host in the entry")
	}
	if e.sub && len(e.host.addrs) > 0 {
		return e, errors.New("`*.` before an address")
	}
	return e, nil
}

// compileCIDR reads an entry of deny_cidrs: a range with its length. A range
// of IPv4-mapped addresses becomes the IPv4 range that it means.
func compileCIDR(text string) (netip.Prefix, error) {
	t := strings.TrimSpace(text)
	p, err := netip.ParsePrefix(t)
	if err != nil {
		return p, errors.New("no CIDR range; write it as 10.0.0.0/8 or fd00::/8, one address as 10.0.0.5/32")
	}
	if p != p.Masked() {
		return p, fmt.Errorf("the range has bits set beyond its length /%d; write the first address of the range", p.Bits())
	}
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p, nil
}
