package catalog

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// plainHost reports a host that browsers take as it stands: ASCII without
// percent signs.
func plainHost(h []byte) bool {
	return plainBytes(h) && bytes.IndexByte(h, '%') < 0
}

// browserHost returns the ASCII form of a host as a browser would look it up:
// percent-decoded, mapped by UTS 46, in lower case (catalog.md,
// "WRD-RES-EXFIL-DOMAIN", wider). ok is false when no name has that form, or when
// its last labels can't become ASCII, and ascii says that nothing listed needs
// them in another form.
//
// The host has gone through unpercent and holds bytes beyond plainBytes.
func browserHost(h []byte, ascii bool) (string, bool) {
	s := strings.Map(func(r rune) rune {
		if ignoredInHost(r) {
			return -1
		}
		return r
	}, string(bytes.ToValidUTF8(h, []byte("\uFFFD"))))
	if ascii && foreign(s) {
		return "", false
	}
	return asciiHost(s)
}

// lettered is how many of the first bytes of a decoded host are letters, marks,
// digits and dots of any script, hyphens, and what browsers drop from hosts: the
// part that a reader of prose in that script takes for the host.
func lettered(h []byte) int {
	for i := 0; i < len(h); {
		if hostChar[h[i]] {
			i++
			continue
		}
		r, w := utf8.DecodeRune(h[i:])
		switch {
		case r < utf8.RuneSelf, r == utf8.RuneError:
			return i
		case r == 0x3002, r == 0xff0e, r == 0xff61, unicode.In(r, unicode.L, unicode.N, unicode.M), ignoredInHost(r):
		default:
			return i
		}
		i += w
	}
	return len(h)
}

func plainBytes(h []byte) bool {
	for _, c := range h {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foreign reports that a host's last label holds a character that no mapping
// turns into ASCII, so that its ASCII form ends in a label of punycode. It is a
// quick no to the many hosts of other scripts: what is in normal form NFKC only
// has its case folded, and that gives no ASCII.
func foreign(h string) bool {
	h = strings.TrimRight(h, ".")
	for _, label := range []string{lastLabel(&h), lastLabel(&h)} {
		if !plainBytes([]byte(label)) && norm.NFKC.IsNormalString(label) && !strings.ContainsRune(label, 0x1e9e) {
			return true
		}
	}
	return false
}

// lastLabel cuts the last label off a host.
func lastLabel(h *string) string {
	i := strings.LastIndexFunc(*h, func(r rune) bool { return r == '.' || r == 0x3002 || r == 0xff0e || r == 0xff61 })
	if i < 0 {
		l := *h
		*h = ""
		return l
	}
	_, w := utf8.DecodeRuneInString((*h)[i:])
	l := (*h)[i+w:]
	*h = (*h)[:i]
	return l
}

// unpercent appends h, percent-decoded, to out.
func unpercent(out, h []byte) []byte {
	for i := 0; i < len(h); i++ {
		if h[i] == '%' && i+2 < len(h) && isHex(h[i+1]) && isHex(h[i+2]) {
			out = append(out, hexValue(h[i+1])<<4|hexValue(h[i+2]))
			i += 2
			continue
		}
		out = append(out, h[i])
	}
	return out
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func hexValue(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// ignoredInHost lists the characters that UTS 46 drops. They go first, so that
// padding with them can't push a host over the length of a name.
func ignoredInHost(r rune) bool {
	switch {
	case r == 0xad, r == 0x34f, r >= 0x180b && r <= 0x180d, r == 0x180f, r == 0x200b, r == 0x2060, r == 0x2064, r >= 0x1bca0 && r <= 0x1bca3,
		r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return false
}

// numberHost reads a host in the number forms that browsers take for IPv4: one
// to four parts, each decimal, octal with a leading 0, or hexadecimal with 0x,
// the last part filling what is left (catalog.md, "WRD-RES-EXFIL-IP-LITERAL",
// wider).
func numberHost(h string) (netip.Addr, bool) {
	h = strings.TrimSuffix(h, ".")
	if h == "" || len(h) > 64 || !isDigit(h[0]) {
		return netip.Addr{}, false
	}
	parts := strings.Split(h, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, p := range parts {
		v, ok := number(p)
		if !ok {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			if v > 255 {
				return netip.Addr{}, false
			}
			sum |= v << (24 - 8*i)
			continue
		}
		if v >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		sum |= v
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

// number reads one part; "0x" alone is zero, as in browsers.
func number(p string) (uint64, bool) {
	base := 10
	switch {
	case len(p) >= 2 && p[0] == '0' && p[1]|0x20 == 'x':
		p, base = p[2:], 16
	case len(p) >= 2 && p[0] == '0':
		p, base = p[1:], 8
	case p == "":
		return 0, false
	}
	if p == "" {
		return 0, true
	}
	if p[0] == '+' || p[0] == '-' || strings.IndexByte(p, '_') >= 0 {
		return 0, false
	}
	p = strings.TrimLeft(p, "0")
	if p == "" {
		return 0, true
	}
	v, err := strconv.ParseUint(p, base, 64)
	return v, err == nil && v < 1<<32
}
