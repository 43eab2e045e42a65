package catalog

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"net/netip"
	"slices"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
)

// maxSpans is how many spans of one rule in one text a finding lists. The count
// in its message is always whole.
const maxSpans = 1000

// bytesAt is a half-open range of bytes of a text.
type bytesAt struct{ start, end int }

// detail is everything that matched in one text.
type detail struct {
	secrets []bytesAt // their union with the vendor matches, once asked for
	random  []piece   // all that are as random as a key, those within vendor matches too

	entries   map[int32]bool
	domains   []bytesAt
	addresses map[netip.Addr]int // to the index of its range
	ips       []bytesAt
	// moreAddresses says that there are others than those in addresses.
	moreAddresses bool
	urls          int
	urlsAt        []bytesAt
	phrases       map[int32]bool
	phrasesAt     []bytesAt
	unseenSum     [len(unseenNames)]int
	unseenAt      []bytesAt
	bad           int // code points outside the allowed set
	badFirst      []rune
	badAt         []bytesAt
}

// reset empties a detail for the next text; what it has allocated is kept.
func (d *detail) reset() {
	if d.touched() {
		*d = detail{random: d.random[:0], domains: d.domains[:0], ips: d.ips[:0], urlsAt: d.urlsAt[:0],
			phrasesAt: d.phrasesAt[:0], unseenAt: d.unseenAt[:0], badFirst: d.badFirst[:0], badAt: d.badAt[:0],
			entries: emptied(d.entries), addresses: emptied(d.addresses), phrases: emptied(d.phrases)}
	}
}

// emptied is a map to go on with: a large one would cost every small text after
// it what the one large text did.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > 32 {
		return nil
	}
	clear(m)
	return m
}

func (d *detail) touched() bool {
	return d.secrets != nil || len(d.random) > 0 || len(d.entries) > 0 || len(d.addresses) > 0 || d.urls > 0 ||
		len(d.phrases) > 0 || len(d.unseenAt) > 0 || d.bad > 0 || d.unseenSum != [len(unseenNames)]int{}
}

// stretch adds a range to a list of up to maxSpans. One that overlaps the last is
// one with it, as spans would have it.
func stretch(at []bytesAt, start, end int) []bytesAt {
	if n := len(at); n > 0 && start < at[n-1].end && end > at[n-1].start {
		at[n-1] = bytesAt{min(start, at[n-1].start), max(end, at[n-1].end)}
		return at
	}
	if len(at) < maxSpans {
		at = append(at, bytesAt{start, end})
	}
	return at
}

func (d *detail) domain(entry int32, start, end int) {
	if d.entries == nil {
		d.entries = map[int32]bool{}
	}
	d.entries[entry] = true
	d.domains = stretch(d.domains, start, end)
}

func (d *detail) address(ip netip.Addr, network, start, end int) {
	if d.addresses == nil {
		d.addresses = map[netip.Addr]int{}
	}
	if len(d.addresses) < maxAddresses {
		d.addresses[ip] = network
	} else if _, ok := d.addresses[ip]; !ok {
		d.moreAddresses = true
	}
	d.ips = stretch(d.ips, start, end)
}

func (d *detail) url(start, end int) {
	d.urls++
	d.urlsAt = stretch(d.urlsAt, start, end)
}

func (d *detail) phrase(i int32, start, end int) {
	if d.phrases == nil {
		d.phrases = map[int32]bool{}
	}
	d.phrases[i] = true
	d.phrasesAt = stretch(d.phrasesAt, start, end)
}

func (d *detail) unseen(kind unseen, start, end, count int) {
	d.unseenSum[kind] += count
	d.unseenAt = stretch(d.unseenAt, start, end)
}

// forbidden reports a code point that a tool's text may not hold (catalog.md,
// "WRD-RES-ANSI"; lock.md, `expected_output_charset`).
func forbidden(r rune, set analyze.Charset) bool {
	switch {
	case set == analyze.CharsetBinary:
		return false
	case r < 0x20:
		return r != '\t' && r != '\n' && r != '\r'
	case r == 0x7f:
		return true
	case set == analyze.CharsetExtended:
		return false
	}
	return r >= 0x80 && r <= 0x9f || r == 0x2028 || r == 0x2029
}

// tame are the bytes that no forbidden code point holds, or holds first.
var tame = func() (out [256]bool) {
	for c := range out {
		out[c] = c >= 0x20 && c != 0x7f && c != 0xc2 && c != 0xe2 || c == '\t' || c == '\n' || c == '\r'
	}
	return out
}()

// controls counts the forbidden code points that t begins with, and their bytes.
func controls(t []byte, set analyze.Charset) (n, size int) {
	c1 := forbidden(0x80, set)
	for size < len(t) {
		if c1 && t[size] == 0xc2 {
			// A row of C1 controls, four a step: each is 0xc2 and its number.
			const number, row = 0xe0ffe0ffe0ffe0ff, 0x80c280c280c280c2
			for size+8 <= len(t) && binary.LittleEndian.Uint64(t[size:])&number == row {
				size += 8
				n += 4
			}
			if size == len(t) {
				break
			}
		}
		c := t[size]
		if tame[c] {
			break
		}
		r, w := rune(c), 1
		switch {
		case c == 0xc2 && size+1 < len(t): // U+0080 to U+00BF: their second bytes are their numbers
			r, w = rune(t[size+1]), 2
		case c >= utf8.RuneSelf:
			r, w = decode(t[size:])
		}
		if !forbidden(r, set) {
			break
		}
		n++
		size += w
	}
	return n, size
}

// control collects the forbidden code points of a text.
func (d *detail) control(t []byte, set analyze.Charset) {
	for i := 0; i < len(t); {
		if tame[t[i]] {
			i++
			continue
		}
		n, size := controls(t[i:], set)
		if n == 0 {
			_, w := decode(t[i:])
			i += w
			continue
		}
		d.bad += n
		for j := i; j < i+size && len(d.badFirst) < 5; {
			r, w := decode(t[j:])
			d.badFirst = append(d.badFirst, r)
			j += w
		}
		if len(d.badAt) < maxSpans {
			d.badAt = append(d.badAt, bytesAt{i, i + size})
		}
		i += size
	}
}

// spans turns byte ranges of t into sorted code-point spans; those that overlap
// become one.
func spans(t []byte, at []bytesAt) []analyze.Span {
	if len(at) == 0 {
		return nil
	}
	at = slices.Clone(at)
	slices.SortFunc(at, func(a, b bytesAt) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	out := make([]analyze.Span, 0, min(len(at), maxSpans))
	pos, n := 0, 0 // n code points stand before byte pos
	seek := func(to int) int {
		n += codePoints(t[pos:to])
		pos = to
		return n
	}
	for i := 0; i < len(at) && len(out) < maxSpans; {
		start, end := at[i].start, at[i].end
		for i++; i < len(at) && at[i].start < end; i++ {
			end = max(end, at[i].end)
		}
		a := seek(start)
		out = append(out, analyze.Span{Start: a, End: seek(end)})
	}
	return out
}

// codePoints counts the code points of valid UTF-8: the bytes that continue none.
func codePoints(t []byte) (n int) {
	for ; len(t) >= 8; t = t[8:] {
		x := binary.LittleEndian.Uint64(t)
		n += 8 - bits.OnesCount64(x>>7&^(x>>6)&0x0101010101010101)
	}
	for _, c := range t {
		if c&0xc0 != 0x80 {
			n++
		}
	}
	return n
}
