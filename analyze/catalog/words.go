package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
)

// words says what was found in one text.
type words struct {
	*reader
	t     []byte
	d     *detail
	scan  *textScan
	block int
}

// listMost is how many entries a message lists.
const listMost = 20

// put adds a finding of this text.
func (w *words) put(f analyze.Finding) {
	f.Block = w.block
	if n := len(f.Spans); n > 1 && w.spans+n > maxListedSpans {
		f.Spans = slices.Clone(f.Spans[:1])
	}
	w.spans += len(f.Spans)
	w.add(f)
}

func (w *words) all() {
	d := w.d
	if w.scan.found&foundANSI != 0 {
		d.control(w.t, w.ins.Charset)
	}
	if d.bad > 0 {
		names := make([]string, len(d.badFirst))
		for i, r := range d.badFirst {
			names[i] = fmt.Sprintf("U+%04X", r)
		}
		list := strings.Join(names, ", ")
		if d.bad > len(names) {
			list += ", ..."
		}
		w.put(analyze.Finding{Rule: RuleANSI, Spans: spans(w.t, d.badAt), Snippet: w.excerpt(d.badAt),
			Message: fmt.Sprintf("%s: %s", count(d.bad, "control character"), list)})
	}
	w.secrets()
	if len(d.entries) > 0 {
		var names []string
		for i := range d.entries {
			names = append(names, w.c.deny.entries[i].Text)
		}
		slices.Sort(names)
		w.put(analyze.Finding{Rule: RuleDomain, Spans: spans(w.t, d.domains), Snippet: w.excerpt(d.domains), Matched: names,
			Message: "the text names hosts of the denylist: " + someOf(names, len(names))})
	}
	if len(d.addresses) > 0 {
		addrs := slices.SortedFunc(maps.Keys(d.addresses), netip.Addr.Compare)
		var matched, shown []string
		for _, a := range addrs {
			n := &w.c.nets.list[d.addresses[a]]
			matched = append(matched, a.String())
			if len(shown) < listMost {
				shown = append(shown, fmt.Sprintf("%s (%s, %s)", a, n.CIDR, n.Label))
			}
		}
		list := someOf(shown, len(addrs))
		if d.moreAddresses {
			list += ", and others"
		}
		w.put(analyze.Finding{Rule: RuleIP, Spans: spans(w.t, d.ips), Snippet: w.excerpt(d.ips), Matched: matched,
			Message: "the text holds internal addresses: " + list})
	}
	if d.urls > 0 && !w.ins.MayReturnURLs {
		w.put(analyze.Finding{Rule: RuleURL, Spans: spans(w.t, d.urlsAt), Snippet: w.excerpt(d.urlsAt),
			Message: fmt.Sprintf("the text holds %s on no denylist", count(d.urls, "URL"))})
	}
	if len(d.phrases) > 0 {
		var names []string
		for i := range d.phrases {
			names = append(names, w.c.phrases[i].text)
		}
		slices.Sort(names)
		w.put(analyze.Finding{Rule: RulePhrase, Spans: spans(w.t, d.phrasesAt), Snippet: w.excerpt(d.phrasesAt), Matched: names,
			Message: "the text holds phrases that instruct a model: " + someOf(names, len(names))})
	}
	if len(d.unseenAt) > 0 {
		var kinds []string
		for k, n := range d.unseenSum {
			if n > 0 {
				kinds = append(kinds, count(n, strings.TrimSuffix(unseenNames[k], "s")))
			}
		}
		w.put(analyze.Finding{Rule: RuleInvisible, Spans: spans(w.t, d.unseenAt), Snippet: w.excerpt(d.unseenAt),
			Message: "the text holds invisible characters: " + strings.Join(kinds, ", ")})
	}
}

// secrets adds one finding a match: vendor patterns in table order, then random
// pieces, each once.
func (w *words) secrets() {
	room := maxSecrets - w.reader.secrets + 1 // one more tells that there are more
	matches := firstMatches(w.scan.secrets.Matches, w.c.patterns.Len(), room)
	var at position
	at.t = w.t
	for i, m := range matches {
		if i > 0 && matches[i-1].Pattern != m.Pattern {
			at = position{t: w.t}
		}
		if !w.secret(w.c.patterns.ID(m.Pattern), w.c.patterns.Severity(m.Pattern), m.Start, m.End, &at) {
			return
		}
	}
	severity := analyze.High
	if rule := w.c.rules.Rule(RuleEntropy); rule != nil {
		severity = rule.Severity
	}
	var seen map[string]bool
	if len(w.scan.pieces) > 1 {
		seen = make(map[string]bool, min(len(w.scan.pieces), room))
	}
	at = position{t: w.t}
	for _, p := range w.scan.pieces {
		if seen != nil {
			key := w.t[p.start:p.end]
			if seen[string(key)] {
				continue
			}
			seen[string(key)] = true
		}
		if !w.secret(RuleEntropy, severity, p.start, p.end, &at) {
			return
		}
	}
}

// firstMatches returns the first matches in the order of the patterns' table, and
// of the places for each pattern: all of them, or most at the most.
func firstMatches(matches []secret.Match, patterns, most int) []secret.Match {
	if len(matches) <= most {
		matches = slices.Clone(matches)
		slices.SortStableFunc(matches, func(a, b secret.Match) int { return cmp.Compare(a.Pattern, b.Pattern) })
		return matches
	}
	next := make([]int, patterns+1) // where in the order a pattern's next match goes
	for _, m := range matches {
		next[m.Pattern+1]++
	}
	for i := range patterns {
		next[i+1] += next[i]
	}
	out := make([]secret.Match, most)
	for _, m := range matches {
		if k := next[m.Pattern]; k < most {
			out[k] = m
		}
		next[m.Pattern]++
	}
	return out
}

// secret adds the finding of one secret; it reports whether it found room.
func (w *words) secret(id string, severity analyze.Severity, start, end int, at *position) bool {
	if w.reader.secrets++; w.reader.secrets > maxSecrets {
		w.out[len(w.out)-1].Message += "; further secrets of this text are not listed"
		return false
	}
	shown := string(secret.AppendRedacted(nil, w.t[start:end]))
	a := at.of(start)
	what := id
	if rule := w.c.rules.Rule(id); rule != nil {
		what = rule.Title
	}
	w.put(analyze.Finding{Rule: RuleSecret, SubRule: id, Severity: severity, Spans: []analyze.Span{{Start: a, End: at.of(end)}},
		Snippet: shown, Matched: []string{shown}, Message: "a secret in the text (" + what + "): " + shown})
	return true
}

// position counts code points from one ascending byte offset to the next.
type position struct {
	t     []byte
	at, n int
}

func (p *position) of(at int) int {
	if at < p.at {
		p.at, p.n = 0, 0
	}
	p.n += codePoints(p.t[p.at:at])
	p.at = at
	return p.n
}

// Excerpts show so many code points before and after the beginning of what
// matched.
const (
	showBefore = 30
	showAfter  = 70
)

// excerpt is the text around the first match, every secret in it redacted.
func (w *words) excerpt(at []bytesAt) string {
	first := at[0]
	for _, x := range at {
		if x.start < first.start {
			first = x
		}
	}
	a, b := first.start, first.start
	for n := 0; n < showBefore && a > 0; n++ {
		_, k := utf8.DecodeLastRune(w.t[:a])
		a -= k
	}
	for n := 0; n < showAfter && b < len(w.t); n++ {
		_, k := utf8.DecodeRune(w.t[b:])
		b += k
	}
	var out []byte
	if a > 0 {
		out = append(out, "…"...)
	}
	for _, x := range w.hiddenIn(a, b) {
		if x.end <= a || x.start >= b {
			continue
		}
		if x.start > a {
			out = append(out, w.t[a:x.start]...)
		}
		out = secret.AppendRedacted(out, w.t[x.start:x.end])
		a = x.end
	}
	if a < b {
		out = append(out, w.t[a:b]...)
	}
	if b < len(w.t) && a < len(w.t) {
		out = append(out, "…"...)
	}
	return string(out)
}

// hidden is the union of all secrets of the text, in order.
func (w *words) hidden() []bytesAt {
	if w.d.secrets == nil {
		w.d.secrets = union(w.scan.secrets.Matches, w.d.random)
	}
	return w.d.secrets
}

// hiddenIn is hidden for what is shown from a to before b, with what is a secret
// there in another reading: with its escape sequences blanked, whatever the coverage,
// or with its control characters cut out.
func (w *words) hiddenIn(a, b int) []bytesAt {
	const around = 512
	from, to := max(0, a-around), min(len(w.t), b+around)
	near := w.t[from:to]
	if plainText(near) {
		return w.hidden()
	}
	find := func(t []byte) []secret.Match { return w.c.entropy.Pieces(w.c.patterns.All(t), t) }
	more := append(secret.Unbroken(near, find), secret.Readings(near, find)...)
	if len(more) == 0 {
		return w.hidden()
	}
	all := make([]piece, 0, len(more)+len(w.hidden()))
	for _, m := range more {
		all = append(all, piece{from + m.Start, from + m.End})
	}
	for _, x := range w.hidden() {
		all = append(all, piece(x))
	}
	return union(nil, all)
}

// plainText reports a text that holds no control character.
func plainText(t []byte) bool {
	for _, c := range t {
		if !tame[c] {
			return false
		}
	}
	return true
}

// union merges vendor matches and random pieces that overlap.
func union(matches []secret.Match, pieces []piece) []bytesAt {
	all := make([]bytesAt, 0, len(matches)+len(pieces))
	for _, m := range matches {
		all = append(all, bytesAt{m.Start, m.End})
	}
	for _, p := range pieces {
		all = append(all, bytesAt(p))
	}
	slices.SortFunc(all, func(a, b bytesAt) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	out := all[:0]
	for _, x := range all {
		if n := len(out); n > 0 && x.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, x.end)
			continue
		}
		out = append(out, x)
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// someOf lists the first of n names and counts the rest.
func someOf(names []string, n int) string {
	if n <= listMost {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:listMost], ", "), n-listMost)
}
