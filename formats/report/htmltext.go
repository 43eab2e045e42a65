package report

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
)

// put appends text that is safe already.
func (b *body) put(s string) {
	if b.full {
		return
	}
	from := len(b.text)
	b.text = append(b.text, s...)
	b.bound(from)
}

// bound takes back what was appended behind from if that goes over the limit.
func (b *body) bound(from int) {
	if len(b.text) > b.limit {
		b.text, b.full = b.text[:from], true
	}
}

// pos is the end of the text in UTF-16 code units.
func (b *body) pos() int {
	for b.at < len(b.text) {
		if n := asciiRun(b.text[b.at:], len(b.text)); n > 0 {
			b.units += n
			b.at += n
			continue
		}
		r, n := utf8.DecodeRune(b.text[b.at:])
		b.units++
		if r > 0xffff {
			b.units++
		}
		b.at += n
	}
	return b.units
}

// piece is a stretch of a decoded string that is shown in a way of its own.
type piece struct {
	start, end int // bytes
	tier       int // of a finding; -1: none
	masked     bool
}

// short returns the content of the string whose opening quote is right before raw,
// if it is such as can be no secret and reads the same quoted: most keys are, and
// most values.
func (b *body) short(raw []byte) (content []byte, ok bool) {
	n := unbrokenRun(raw[:min(len(raw), b.m.shortest)])
	if n >= b.m.shortest || n == len(raw) || raw[n] != '"' {
		return nil, false
	}
	return raw[:n], true
}

// verbatim appends a short string as it is; false where it does not fit, or could
// be a command.
func (b *body) verbatim(content []byte) bool {
	if len(b.text)+len(content)+2 > b.limit || bytes.IndexByte(content, ':') >= 0 {
		return false
	}
	b.text = append(append(append(b.text, '"'), content...), '"')
	return true
}

// quoted appends a string's content, decoded, with what findings hit marked.
func (b *body) quoted(raw []byte, hits []*analyze.Finding) {
	if len(raw) > scanString {
		b.put(`"` + safe.Omitted(len(raw)) + `"`)
		return
	}
	b.put(`"`)
	b.shown(b.read(raw), hits)
	b.put(`"`)
}

// shown appends a text in its parts.
func (b *body) shown(text []byte, hits []*analyze.Finding) {
	clip := len(text) > b.clip
	at := 0
	for _, p := range b.choose(text, hits, clip) {
		b.plain(text[at:p.start], clip, at == 0, false)
		from := b.pos()
		if p.masked {
			b.put(safe.String(secret.Redact(string(text[p.start:p.end]))))
		} else {
			b.lines(text[p.start:min(p.end, p.start+forFinding.clip)])
		}
		if to := b.pos(); p.tier >= 0 && to > from && len(b.marks) < bodyMarks {
			b.marks = append(b.marks, [3]int{from, to, p.tier})
		}
		at = p.end
	}
	b.plain(text[at:], clip, at == 0, true)
}

// read is the text of a string's content.
func (b *body) read(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return raw
	}
	b.decoded, _ = jsonrpc.Unquote(b.decoded[:0], raw)
	return b.decoded
}

// upToSpace is the beginning of a text that goes on behind it, up to the last white
// space: what follows may be half a secret, which looks like none.
func upToSpace(text []byte) []byte { return text[:bytes.LastIndexAny(text, " \t\r\n")+1] }

// begun appends the beginning of a string whose content goes on behind raw.
func (b *body) begun(raw []byte) {
	text := upToSpace(b.read(raw))
	at := 0
	b.put(`"`)
	for _, p := range b.choose(text, nil, false) {
		b.lines(text[at:min(p.start, max(at, b.head))])
		if p.start >= b.head {
			return
		}
		b.put(safe.String(secret.Redact(string(text[p.start:p.end]))))
		at = p.end
	}
	end := max(at, min(len(text), b.head))
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	b.lines(text[at:end])
}

// choose lists, in order, the pieces of a string that are shown in a way of
// their own: what is masked, and what findings hit besides. Of a string that is
// clipped and has no findings little but the ends is shown.
func (b *body) choose(text []byte, hits []*analyze.Finding, clip bool) []piece {
	found := findingPieces(text, hits)
	var masked []secret.Match
	if b.controls {
		masked = b.m.FindBroken(text)
	} else if clip && len(found) == 0 && !b.edits {
		masked = b.m.FindEnds(text, b.head, clipTail, clipAround+clipTail+clipSlack)
	} else {
		masked = b.m.Find(text)
	}
	masked = b.known(text, masked)
	if len(found) == 0 && len(masked) == 0 {
		return nil
	}
	pieces := b.pieces[:0]
	for _, f := range masked {
		pieces = append(pieces, piece{start: f.Start, end: f.End, tier: tierAt(found, f.Start, f.End), masked: true})
	}
	// Masked stretches win over those that overlap with them.
	pieces = append(pieces, found...)
	slices.SortStableFunc(pieces[len(masked):], func(x, y piece) int { return cmp.Compare(x.start, y.start) })
	// The masked stretches stand first. Their number is never bounded.
	kept := append(b.kept[:0], pieces[:len(masked)]...)
	for _, p := range pieces[len(masked):] {
		marked := kept[len(masked):]
		if len(marked) >= bodyMarks {
			break
		}
		if _, ok := meets(masked, p.start, p.end); !ok && !overlaps(marked, p) {
			kept = append(kept, p)
		}
	}
	slices.SortFunc(kept, func(x, y piece) int { return cmp.Compare(x.start, y.start) })
	b.pieces, b.kept = pieces, kept
	return kept
}

// known remembers the secrets that were found in a frame, or adds, to those found in
// what is delivered in its place, where one of them stands: with a control character
// before it cut out, a key may be none to a pattern any more.
func (b *body) known(text []byte, masked []secret.Match) []secret.Match {
	if !b.edited {
		for _, m := range masked {
			if s := string(text[m.Start:m.End]); len(b.secrets) < maxKnown && len(s) <= scanKnown {
				b.secrets[s] = true
			}
		}
		return masked
	}
	if len(b.secrets)*len(text) > maxSearch {
		return []secret.Match{{End: len(text)}}
	}
	all := masked
	for s := range b.secrets {
		for from := 0; ; {
			i := bytes.Index(text[from:], []byte(s))
			if i < 0 {
				break
			}
			all = append(all, secret.Match{Start: from + i, End: from + i + len(s)})
			from += i + len(s)
		}
	}
	if len(all) == len(masked) {
		return masked
	}
	return joinMatches(all)
}

// Bounds on what known remembers of one frame, and looks through for it: a text that
// would take more is masked as a whole.
const (
	maxKnown  = 1000
	scanKnown = 4096     // bytes of one
	maxSearch = 64 << 20 // bytes, once for each
)

// meets returns the first of found, which are in order and apart, that has a part in
// [start, end).
func meets(found []secret.Match, start, end int) (secret.Match, bool) {
	i := sort.Search(len(found), func(i int) bool { return found[i].End > start })
	if i == len(found) || found[i].Start >= end {
		return secret.Match{}, false
	}
	return found[i], true
}

func overlaps(kept []piece, p piece) bool {
	for _, k := range kept {
		if p.start < k.end && k.start < p.end {
			return true
		}
	}
	return false
}

func tierAt(pieces []piece, start, end int) int {
	tier := -1
	for _, p := range pieces {
		if p.start < end && start < p.end {
			tier = max(tier, p.tier)
		}
	}
	return tier
}

// findingPieces turns code points into bytes.
func findingPieces(text []byte, hits []*analyze.Finding) (out []piece) {
	if len(hits) == 0 {
		return nil
	}
	type edge struct{ cp, hit, span int }
	var edges []edge
	for h, f := range hits {
		for s, sp := range f.Spans[:min(len(f.Spans), bodyMarks)] {
			edges = append(edges, edge{sp.Start, h, 2 * s}, edge{sp.End, h, 2*s + 1})
		}
	}
	sort.Slice(edges, func(i, j int) bool { return edges[i].cp < edges[j].cp })
	found := map[[2]int]*piece{}
	cp, at := 0, 0
	for _, e := range edges {
		for cp < e.cp && at < len(text) {
			if n := asciiRun(text[at:], e.cp-cp); n > 0 {
				at += n
				cp += n
				continue
			}
			_, n := utf8.DecodeRune(text[at:])
			at += n
			cp++
		}
		key := [2]int{e.hit, e.span / 2}
		if e.span%2 == 0 {
			found[key] = &piece{start: at, tier: int(hits[e.hit].Tier)}
		} else if p := found[key]; p != nil {
			p.end = at
			if p.end > p.start {
				out = append(out, *p)
			}
		}
	}
	return out
}

// plain appends text that nothing hit; a long one is shown by its ends.
func (b *body) plain(text []byte, clip, first, last bool) {
	head, tail := clipAround, clipAround
	if first {
		head = b.head
	}
	if last {
		tail = clipTail
	}
	if !clip || len(text) <= head+tail+clipSlack {
		b.lines(text)
		return
	}
	i, j := head, len(text)-tail
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	for j < len(text) && !utf8.RuneStart(text[j]) {
		j++
	}
	b.lines(text[:i])
	b.put(" ⟨… " + strconv.Itoa(j-i) + " bytes …⟩ ")
	b.lines(text[j:])
}
