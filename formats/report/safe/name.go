package safe

import "strconv"

// Namer prepares names and ids from a trace (tools, sessions, servers, request
// ids) for a report: what looks like a vendor's secret is redacted first
// (catalog.md, "Redaction"), then the length is bounded. It remembers some of the
// last names, because a thousand findings in a row mostly name a few tools. The
// zero Namer redacts nothing. Not for use by several goroutines at once.
type Namer struct {
	Scrub func(string) string // secret.Scrub; nil: leave as it is
	Max   int                 // bytes; 0: 1024

	last [16]struct{ in, out string } // each where slot says
}

// slot is where a name is remembered.
func slot(s string) int { return (len(s) + int(s[len(s)/2])*5 + int(s[len(s)-1])) & 15 }

// MaxScan is the longest name, in bytes, that is looked at. Of a longer one
// nothing is shown but its length: redacting it would cost its length again and
// again, and showing an unredacted part could show a part of a secret.
const MaxScan = 64 << 10

// Omitted is what stands for n bytes that are not shown.
func Omitted(n int) string { return "…(len=" + strconv.Itoa(n) + " bytes)" }

// Raw returns s redacted and bounded but not escaped, for media that escape in
// their own way.
func (n *Namer) Raw(s string) string {
	if s == "" {
		return ""
	}
	last := &n.last[slot(s)]
	if last.in == s {
		return last.out
	}
	max := n.Max
	if max == 0 {
		max = 1024
	}
	out := s
	if len(s) > MaxScan {
		out = Omitted(len(s))
	} else if n.Scrub != nil {
		// The whole name is redacted before it is cut: a cut could leave the
		// half of a secret that no pattern matches any more.
		out = n.Scrub(out)
	}
	out = Limit(out, max)
	last.in, last.out = s, out
	return out
}

// Name returns s redacted, bounded and escaped.
func (n *Namer) Name(s string) string { return String(n.Raw(s)) }
