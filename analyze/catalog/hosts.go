package catalog

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"strings"

	"github.com/warden-trace/warden/analyze/ruleset"
	"golang.org/x/net/idna"
)

// Byte classes of the host rules (catalog.md, "WRD-RES-EXFIL-DOMAIN").
var (
	hostChar   [256]bool // letters, digits, hyphen, dot: what a bare dotted token is made of
	schemeChar [256]bool // what may stand in a scheme's name
	ends       [256]bool // where an authority ends, `]` apart
	inside     [256]bool // what an authority holds without a closer look
	wordChar   [256]bool
)

func init() {
	for c := range 256 {
		b := byte(c)
		alnum := isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'z'
		hostChar[c] = alnum || b == '-' || b == '.'
		schemeChar[c] = hostChar[c] || b == '+'
		wordChar[c] = alnum || b == '_'
		// Controls too: no URL goes on there. Those of two bytes are url's work.
		ends[c] = b < 0x20 || b == 0x7f || strings.IndexByte(" \"'`(){}<>|,;\\/?#", b) >= 0
		inside[c] = !ends[c] && b != '@' && b != ':' && b != '[' && b != ']' && b != 0xc2
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// denylist answers which entries a host matches. A host costs a few look-ups
// whatever the number of entries; most are turned away by a filter on the two
// characters before and after their last dot.
type denylist struct {
	entries []ListEntry
	hosts   map[string][]int32 // by host
	longest int                // bytes of the longest host
	four    [1 << 10]uint64    // filter on the characters around a last dot, hashed
	two     [1 << 10]uint64    // filter on the two after it alone, for short labels
	lone    bool               // an entry has no dot
	ascii   bool               // no entry has a label of punycode among its last two
}

func newDenylist(entries []ListEntry, wide bool) *denylist {
	d := &denylist{hosts: map[string][]int32{}, ascii: true}
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.Text] {
			continue
		}
		seen[e.Text] = true
		i := int32(len(d.entries))
		d.entries = append(d.entries, e)
		d.index(e.Host, i)
		if wide {
			if a, ok := asciiHost(e.Host); ok && a != e.Host {
				d.index(a, i)
			}
		}
	}
	return d
}

func (d *denylist) index(host string, entry int32) {
	d.hosts[host] = append(d.hosts[host], entry)
	d.longest = max(d.longest, len(host))
	dot := strings.LastIndexByte(host, '.')
	d.lone = d.lone || dot < 0
	d.ascii = d.ascii && dot >= 0 && !strings.Contains(host, "xn--")
	tld := host[dot+1:]
	if tld == "" {
		return // no host has an empty last label
	}
	if dot >= 2 && host[dot-2] != '.' && len(tld) >= 2 {
		h := hash4(host[dot-2], host[dot-1], tld[0], tld[1])
		d.four[h>>6] |= 1 << (h & 63)
		return
	}
	for next := range 256 {
		if len(tld) >= 2 && byte(next) != tld[1] {
			continue
		}
		h := hash2(tld[0], byte(next))
		d.two[h>>6] |= 1 << (h & 63)
	}
}

func hash4(a, b, c, e byte) uint32 {
	x := uint32(a) | uint32(b)<<8 | uint32(c)<<16 | uint32(e)<<24
	return (x | 0x20202020) * 0x9E3779B1 >> 16
}

func hash2(c, e byte) uint32 { return uint32(c|0x20) | uint32(e|0x20)<<8 }

// maybe is the filter, for an ASCII host whose last dot has these neighbours.
func (d *denylist) maybe(a, b, c, e byte) bool {
	h := hash4(a, b, c, e)
	if d.four[h>>6]>>(h&63)&1 != 0 {
		return true
	}
	h = hash2(c, e)
	return d.two[h>>6]>>(h&63)&1 != 0
}

// maybeHost is the filter for a whole ASCII host without a trailing dot.
func (d *denylist) maybeHost(h []byte) bool {
	dot := bytes.LastIndexByte(h, '.')
	if dot < 0 {
		return d.lone
	}
	var a, b, c, e byte
	if dot >= 2 {
		a = h[dot-2]
	}
	if dot >= 1 {
		b = h[dot-1]
	}
	if dot+1 < len(h) {
		c = h[dot+1]
	}
	if dot+2 < len(h) {
		e = h[dot+2]
	}
	if dot+2 >= len(h) {
		return true // a last label of one character: the filter wants two
	}
	return d.maybe(a, b, c, e)
}

// match calls yield for each entry that the lower-case host equals or is below,
// until yield returns false.
func (d *denylist) match(host []byte, yield func(entry int32) bool) {
	for i := len(host); ; {
		j := bytes.LastIndexByte(host[:i], '.')
		suffix := host[j+1:]
		if len(suffix) > d.longest {
			return
		}
		for _, e := range d.hosts[string(suffix)] {
			if !yield(e) {
				return
			}
		}
		if j < 0 {
			return
		}
		i = j
	}
}

// toASCII maps hosts as browsers do before they look them up: UTS 46,
// non-transitional, without the checks that only registries care for.
var toASCII = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false),
	idna.CheckHyphens(false), idna.CheckJoiners(false), idna.VerifyDNSLength(false))

// asciiHost returns the ASCII form of a host, in lower case; ok is false for a
// host that is longer than any name can be. A host that browsers refuse is still
// mapped as far as that goes: a refused host is no reason to look away.
func asciiHost(h string) (string, bool) {
	if !fits(h) {
		return "", false
	}
	a, _ := toASCII.ToASCII(h)
	return strings.ToLower(a), true
}

// fits reports a host that is no longer than names are.
func fits(h string) bool {
	if len(h) > 4*maxName {
		return false
	}
	label, n := 0, 0
	for _, r := range h {
		n++
		label++
		if r == '.' || r == 0x3002 || r == 0xff0e || r == 0xff61 {
			label = 0
		}
		if label > maxLabel || n > maxName {
			return false
		}
	}
	return true
}

// fitsASCII is fits for a host of ASCII.
func fitsASCII(h []byte) bool {
	label := 0
	for _, c := range h {
		if label++; c == '.' {
			label = 0
		}
		if label > maxLabel {
			return false
		}
	}
	return len(h) <= maxName
}

// What a name and a label may have at most, in code points: DNS allows 253 and
// 63 octets of the ASCII form, which is never shorter.
const (
	maxName  = 253
	maxLabel = 63
)

// range4 is an IPv4 range as numbers.
type range4 struct {
	mask, value uint32
	index       int
}

// networks answers in which listed range an address lies.
type networks struct {
	list  []ruleset.Network
	first [256]bool // first octets that an IPv4 range covers
	four  []range4
}

func newNetworks(list []ruleset.Network) *networks {
	n := &networks{list: list}
	for i, w := range list {
		if !w.CIDR.Addr().Is4() {
			continue
		}
		a := w.CIDR.Addr().As4()
		mask := ^uint32(0) << (32 - w.CIDR.Bits())
		n.four = append(n.four, range4{mask, binary.BigEndian.Uint32(a[:]) & mask, i})
		lo := int(a[0])
		hi := lo
		if b := w.CIDR.Bits(); b < 8 {
			hi = lo | 0xff>>b
		}
		for o := lo; o <= hi; o++ {
			n.first[o] = true
		}
	}
	return n
}

// find returns the index of the first range that holds a, or -1.
func (n *networks) find(a netip.Addr) int {
	if a.Is4() {
		b := a.As4()
		x := binary.BigEndian.Uint32(b[:])
		for i := range n.four {
			if r := &n.four[i]; x&r.mask == r.value {
				return r.index
			}
		}
		return -1
	}
	for i := range n.list {
		if n.list[i].CIDR.Contains(a) {
			return i
		}
	}
	return -1
}

// quad parses a dotted quad strictly: four decimal numbers up to 255 without
// leading zeros.
func quad(t []byte) (netip.Addr, bool) {
	var b [4]byte
	if len(t) < 7 || len(t) > 15 {
		return netip.Addr{}, false
	}
	k, v, digits := 0, 0, 0
	for i := 0; i <= len(t); i++ {
		if i == len(t) || t[i] == '.' {
			if digits == 0 || k > 3 {
				return netip.Addr{}, false
			}
			b[k] = byte(v)
			k++
			v, digits = 0, 0
			continue
		}
		c := t[i]
		if !isDigit(c) || digits > 0 && v == 0 {
			return netip.Addr{}, false
		}
		v = v*10 + int(c-'0')
		digits++
		if v > 255 {
			return netip.Addr{}, false
		}
	}
	return netip.AddrFrom4(b), k == 4
}

// quadShape reports four groups of one to three digits joined by dots.
func quadShape(t []byte) bool {
	groups, digits := 1, 0
	for _, c := range t {
		switch {
		case isDigit(c):
			if digits++; digits > 3 {
				return false
			}
		case c == '.' && digits > 0:
			groups++
			digits = 0
		default:
			return false
		}
	}
	return groups == 4 && digits > 0
}
