package policy

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze"
)

// network is a range that deny_private denies.
type network struct {
	prefix netip.Prefix
	label  string
	wider  bool // denied in full coverage alone
}

// private is the catalog's table of internal addresses, and the wider ranges
// of policy.md, section 1.
var private = []network{
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local", false},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback", false},
	{netip.MustParsePrefix("10.0.0.0/8"), "RFC 1918", false},
	{netip.MustParsePrefix("172.16.0.0/12"), "RFC 1918", false},
	{netip.MustParsePrefix("192.168.0.0/16"), "RFC 1918", false},
	{netip.MustParsePrefix("::1/128"), "loopback", false},
	{netip.MustParsePrefix("fc00::/7"), "ULA", false},
	{netip.MustParsePrefix("fe80::/10"), "link-local", false},
	{netip.MustParsePrefix("0.0.0.0/8"), "this network", true},
	{netip.MustParsePrefix("::/128"), "unspecified", true},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared address space", true},
}

var (
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	sixTo4  = netip.MustParsePrefix("2002::/16")
	compat4 = netip.MustParsePrefix("::/96")
)

// internal names the range that makes an address internal.
func internal(a netip.Addr, cov analyze.Coverage) (network, bool) {
	for _, f := range forms(a, cov == analyze.Full) {
		for _, n := range private {
			if (!n.wider || cov == analyze.Full) && n.prefix.Contains(f) {
				return n, true
			}
		}
	}
	return network{}, false
}

// forms are an address and the IPv4 addresses that it carries: a mapped one
// always; compatible, NAT64 and 6to4 ones in the wider reading.
func forms(a netip.Addr, wider bool) []netip.Addr {
	a = a.WithZone("")
	if a.Is4() {
		return []netip.Addr{a}
	}
	out := []netip.Addr{a}
	b := a.As16()
	switch {
	case a.Is4In6():
		out = append(out, a.Unmap())
	case !wider:
	case nat64.Contains(a), compat4.Contains(a) && a != netip.IPv6Loopback() && a != netip.IPv6Unspecified():
		out = append(out, netip.AddrFrom4([4]byte(b[12:16])))
	case sixTo4.Contains(a):
		out = append(out, netip.AddrFrom4([4]byte(b[2:6])))
	}
	return out
}

// inCIDRs names the entry of deny_cidrs that holds an address, in any of its
// forms.
func inCIDRs(a netip.Addr, cidrs []netip.Prefix) (netip.Prefix, bool) {
	fs := forms(a, true)
	if a.Is4() {
		fs = append(fs, netip.AddrFrom16(a.As16())) // for entries that are written as mapped ranges
	}
	for _, p := range cidrs {
		for _, f := range fs {
			if p.Contains(f) {
				return p, true
			}
		}
	}
	return netip.Prefix{}, false
}

// address6 reads an IPv6 address, its zone cut (`%25eth0` in a URL).
func address6(s string) (netip.Addr, bool) {
	if !strings.Contains(s, ":") {
		return netip.Addr{}, false
	}
	if i := strings.IndexByte(s, '%'); i >= 0 {
		s = s[:i]
	}
	a, err := netip.ParseAddr(s)
	return a, err == nil
}

// addresses4 reads an IPv4 address in every number form: one to four parts,
// decimal, octal or hexadecimal, the last part filling what is left. A part
// with leading zeros is octal for some readers and decimal for others, so there
// may be two results.
func addresses4(s string) []netip.Addr {
	parts := strings.Split(s, ".")
	if len(parts) > 4 || s == "" {
		return nil
	}
	var out []netip.Addr
	for _, octal := range []bool{true, false} {
		if a, ok := number4(parts, octal); ok && (len(out) == 0 || out[0] != a) {
			out = append(out, a)
		}
	}
	return out
}

func number4(parts []string, octal bool) (netip.Addr, bool) {
	var sum uint64
	for i, p := range parts {
		n, ok := part4(p, octal)
		if !ok {
			return netip.Addr{}, false
		}
		if last := i == len(parts)-1; last {
			if n >= 1<<(8*(4-uint(i))) {
				return netip.Addr{}, false
			}
			sum |= n
		} else {
			if n > 255 {
				return netip.Addr{}, false
			}
			sum |= n << (8 * (3 - uint(i)))
		}
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

// part4 reads one part of a number form. "0x" alone is 0, as in browsers.
func part4(p string, octal bool) (uint64, bool) {
	base := 10
	switch {
	case p == "":
		return 0, false
	case len(p) >= 2 && p[0] == '0' && p[1]|0x20 == 'x':
		if p, base = p[2:], 16; p == "" {
			return 0, true
		}
	case octal && len(p) > 1 && p[0] == '0':
		base = 8
	}
	for i := range len(p) {
		if p[i] == '+' || p[i] == '-' || p[i] == '_' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(p, base, 64)
	return n, err == nil
}
