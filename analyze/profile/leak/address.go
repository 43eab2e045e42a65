package leak

import (
	"net/netip"
	"strings"
	"sync"

	"github.com/warden-trace/warden/analyze/ruleset"
)

// private is the catalog's IP table (WRD-RES-EXFIL-IP-LITERAL), from the
// built-in rules.
var private = sync.OnceValue(func() []netip.Prefix {
	var out []netip.Prefix
	for _, n := range ruleset.Builtin().Networks {
		out = append(out, n.CIDR)
	}
	return out
})

// findAddress finds the first address of a private network.
func findAddress(text string) (int, int) {
	for i := 0; i < len(text); {
		if !addressByte(text[i]) {
			i++
			continue
		}
		j := i
		for j < len(text) && addressByte(text[j]) {
			j++
		}
		if glued(text, i, j) {
			i = j
			continue
		}
		if a, b := addressIn(text[i:j]); b > a {
			return i + a, i + b
		}
		i = j
	}
	return 0, 0
}

func addressByte(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' || c == '.' || c == ':'
}

// glued reports a run that is part of a longer word, as "bed" in "bedrock";
// what looks like a dotted quad after a letter ("v10.0.0.1") is one as well.
func glued(text string, i, j int) bool {
	before := i > 0 && (isAlnum(text[i-1]) || text[i-1] == '_' || text[i-1] == '.')
	after := j < len(text) && (isLetter(text[j]) || text[j] == '_')
	return before || after
}

// addressIn finds a private address in one run of hex digits, dots and colons.
func addressIn(w string) (int, int) {
	// The run may be host:port, end a sentence, or follow "a:".
	t := strings.TrimRight(w, ".:")
	lead := len(t) - len(strings.TrimLeft(t, "."))
	t = t[lead:]
	if strings.Count(t, ".") == 3 {
		head, _, _ := strings.Cut(t, ":")
		if strings.Count(head, ".") == 3 && isPrivate(head) {
			return lead, lead + len(head)
		}
		if i := strings.LastIndexByte(t, ':'); i >= 0 && isPrivate(t[i+1:]) && !strings.Contains(t[i+1:], ":") {
			if isPrivate(t) { // ::ffff:10.0.0.1
				return lead, lead + len(t)
			}
			if strings.Count(t, ":") == 1 {
				return lead + i + 1, lead + len(t)
			}
		}
	}
	if strings.Count(t, ":") >= 2 {
		if isPrivate(t) {
			return lead, lead + len(t)
		}
		// "::1" at the end of a sentence that a colon ended, or with a port
		if isPrivate(strings.TrimLeft(w, ".")) {
			return lead, len(w)
		}
	}
	return 0, 0
}

func isPrivate(s string) bool {
	if len(s) > 45 {
		return false
	}
	a, err := netip.ParseAddr(s)
	if err != nil {
		return false
	}
	a = a.Unmap()
	for _, p := range private() {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
