package policy

import (
	"fmt"
	"strings"
)

// hostEntry is one entry of allow_hosts.
type hostEntry struct {
	text string
	host host  // an exact name or address, or the part after "*."
	sub  bool  // `*.name`: one or more labels to the left
	glob *glob // a star elsewhere stands within a label
	port string
}

func (e hostEntry) match(h host) bool {
	if e.port != "" && e.port != h.port {
		return false
	}
	switch {
	case e.glob != nil:
		return len(h.addrs) == 0 && e.glob.match(h.name, '.')
	case e.sub:
		left, ok := strings.CutSuffix(h.name, "."+e.host.name)
		return ok && left != "" && len(h.addrs) == 0
	case len(e.host.addrs) == 0:
		return len(h.addrs) == 0 && e.host.name == h.name
	}
	// Every address that a reader may take the host for has to be this one.
	for _, a := range h.addrs {
		if a.Unmap().WithZone("") != e.host.addrs[0].Unmap().WithZone("") {
			return false
		}
	}
	return len(h.addrs) > 0
}

// http is the http_request rows.
func (c *call) http(v *Verdict, r *httpRules) {
	args := c.args.pick(HTTPRequest, r.arg)
	readings := make([][]host, len(args))
	for i, a := range args {
		text := a.text
		if a.bad {
			text = a.raw // a bare number is a number-form address
		}
		readings[i] = hostReadings(text)
		for _, h := range readings[i] {
			if c.ssrf(v, r, h, a, readings[i]) {
				return
			}
		}
	}
	for i, a := range args {
		switch {
		case a.bad && r.limited:
			c.deny(v, RuleHTTPHostDeny, "allow_hosts", a.at, "a URL argument is no string")
			return
		case a.bad:
			c.deny(v, RuleHTTPSSRF, "url_arg", a.at, "a URL argument is no string, so its host can't be judged")
			return
		case !r.limited:
			continue
		case len(readings[i]) == 0:
			c.deny(v, RuleHTTPHostDeny, "allow_hosts", a.at, "the argument has no host that allow_hosts could allow")
			return
		}
		for _, h := range readings[i] {
			if !r.allows(h) {
				c.deny(v, RuleHTTPHostDeny, "allow_hosts", a.at, fmt.Sprintf("host %s is not in allow_hosts", h.shown(a.text, readings[i])))
				return
			}
		}
	}
	if r.limited {
		if len(args) == 0 {
			c.deny(v, RuleHTTPHostDeny, "allow_hosts", 0, "the call has no URL that allow_hosts could allow")
		}
		return
	}
	for i, a := range args {
		for _, h := range readings[i] {
			if len(h.addrs) == 0 && h.name != "" {
				v.Note, v.Rule = true, RuleHTTPUnresolved
				c.at = a.at
				v.Constraint = "deny_private"
				v.Reason = fmt.Sprintf("host %s is a name and is never resolved, so where it leads was not judged", h.shown(a.text, readings[i]))
				return
			}
		}
	}
}

// shown is a host of a value as a reason may name it; all are the value's
// readings, one of which may spell out a secret that this one has in pieces.
func (h host) shown(value string, all []host) string {
	for _, other := range all {
		if scrub(other.raw) != other.raw {
			return show(other.raw)
		}
	}
	return reveal(value, h.raw, h.name)
}

func (r *httpRules) allows(h host) bool {
	for _, e := range r.hosts {
		if e.match(h) {
			return true
		}
	}
	return false
}

// ssrf is the first row: addresses and names that lead into this network.
func (c *call) ssrf(v *Verdict, r *httpRules, h host, arg argument, all []host) bool {
	at := arg.at
	for _, a := range h.addrs {
		if p, ok := inCIDRs(a, r.cidrs); ok {
			c.deny(v, RuleHTTPSSRF, "deny_cidrs", at, fmt.Sprintf("host %s is in deny_cidrs range %s", a, p))
			return true
		}
		if !r.private {
			continue
		}
		if n, ok := internal(a, c.coverage); ok {
			c.deny(v, RuleHTTPSSRF, "deny_private", at, fmt.Sprintf("host %s is in deny_private range %s (%s)", a, n.prefix, n.label))
			return true
		}
	}
	if r.private && c.full() && (h.name == "localhost" || strings.HasSuffix(h.name, ".localhost")) {
		c.deny(v, RuleHTTPSSRF, "deny_private", at, fmt.Sprintf("host %s is this machine", h.shown(arg.text, all)))
		return true
	}
	return false
}
