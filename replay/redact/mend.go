package redact

import (
	"bytes"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/secret"
)

// keyBody marks a span that no rule has matched: what stands between the head
// and the foot of a private key, and is the secret itself.
const keyBody = -2

var keyHead, keyFoot = []byte("PRIVATE KEY-----"), []byte("-----END")

// keyBodies returns the runs of base64 between the heads of private keys among
// the matches and their feet, as far as no rule has them: the last line of a
// key is shorter than the entropy rule asks for.
func (r *Redactor) keyBodies(t []byte, found []span) (out []span) {
	done := 0
	k := 0     // matches are in order, as are runs
	foot := -1 // of a key, from m.end on; len(t): there is none
	for _, m := range found {
		if m.pattern < 0 || m.start < done || !bytes.HasSuffix(t[m.start:m.end], keyHead) {
			continue
		}
		end := m.end
		for end < len(t) && (secret.Piece(t[end]) || t[end] == '\r' || t[end] == '\n' || t[end] == '\\') {
			end++ // without a foot: as far as there is nothing but lines of base64
		}
		if foot < m.end { // looked for once, however many heads stand before it
			foot = len(t)
			if i := bytes.Index(t[m.end:], keyFoot); i >= 0 {
				foot = m.end + i
			}
		}
		if foot < len(t) {
			end = foot
		}
		done = end
		for i := m.end; i < end; i++ {
			if !secret.Piece(t[i]) {
				continue
			}
			a := i
			for i < end && secret.Piece(t[i]) {
				i++
			}
			for k < len(found) && found[k].end <= a {
				k++
			}
			if i-a >= 8 && (k == len(found) || found[k].start >= i) {
				out = append(out, span{a, i, keyBody})
			}
		}
	}
	return out
}

// maxAgain bounds the secrets of one text that are looked for again.
const maxAgain = 64

// again returns further places of the text's secrets, where no rule sees them:
// glued to a word, or to each other. What is known to be a secret must not stay
// there. Of a place that overlaps a match it is what lies beyond.
func again(t []byte, found []span) (out []span) {
	taken := make([]bool, len(t))
	for _, m := range found {
		for i := m.start; i < m.end; i++ {
			taken[i] = true
		}
	}
	seen := map[string]bool{}
	for _, m := range found {
		name := t[m.start : m.end-schemeAt(t, m)]
		if m.pattern == keyBody || len(name) < 8 || seen[string(name)] || len(seen) >= maxAgain {
			continue
		}
		seen[string(name)] = true
		done := 0
		for i := 0; ; {
			n := bytes.Index(t[i:], name)
			if n < 0 {
				break
			}
			i += n + 1
			for a, end := max(i-1, done), i-1+len(name); a < end; {
				if taken[a] {
					a++
					continue
				}
				b := a
				for ; b < end && !taken[b]; b++ {
					taken[b] = true
				}
				out = append(out, span{a, b, keyBody})
				a = b
			}
			done = i - 1 + len(name)
		}
	}
	return out
}

// schemeAt is the length of a URL's scheme that a random piece ends in.
func schemeAt(t []byte, m span) int {
	if m.pattern == -1 && bytes.HasPrefix(t[m.end:], []byte("://")) {
		for _, s := range []string{"https", "http", "ftp", "wss", "ws"} {
			if bytes.HasSuffix(t[m.start:m.end], []byte(s)) {
				return len(s)
			}
		}
	}
	return 0
}

// mend is for a text of which the rules say something else once its secrets are
// replaced: a random piece that reaches into a URL's scheme, a host's name or a
// path. What the other rules need is put back within such pieces, as little of it
// as will do, and nothing that may be a secret itself: where the findings and
// that cannot both be had, the secret stays hidden and the text counts as unsure.
func (r *Redactor) mend(t, out []byte, found []span) {
	replaced := bytes.Clone(out)
	agrees := func() bool { return r.same(t, out) && hidden(t, replaced, out, found) }
	restore := func(which func(i int) bool) bool {
		some := false
		for i := range out {
			if out[i] != t[i] && which(i) {
				out[i], some = t[i], true
			}
		}
		return some && agrees()
	}
	scheme := schemes(t)
	if restore(func(i int) bool { return scheme[i] }) {
		return
	}
	binary := analyze.Inspection{Charset: analyze.CharsetBinary}
	still := make([]bool, len(t))
	at := ruler{t: t}
	for _, f := range r.catalog.Text(t, binary) {
		if f.Rule == catalog.RuleSecret {
			continue
		}
		for _, s := range f.Spans {
			a, b := at.byte(s.Start), at.byte(s.End)
			for i := a; i < b; i++ {
				still[i] = true
			}
		}
	}
	if restore(func(i int) bool { return still[i] }) {
		return
	}
	copy(out, replaced)
	plain := words(t)
	if restore(func(i int) bool { return plain[i] && (still[i] || scheme[i]) }) {
		return
	}
	// A scheme or a first label may reach a little beyond what was matched: put
	// back short words, one by one from both ends of each piece.
	tries := min(256, 4<<20/(len(t)+1)) // each is a pass over the text
	for _, m := range found {
		if m.pattern != -1 {
			continue
		}
		for _, w := range ends(t, m) {
			if tries--; tries < 0 {
				break
			}
			copy(out[w[0]:w[1]], t[w[0]:w[1]])
			if agrees() {
				return
			}
		}
	}
	copy(out, replaced)
	r.Unsure++
}

// maxWord is how long a word in lower case may be that is no secret.
const maxWord = 20

// schemes marks the letters directly before each ://.
func schemes(t []byte) []bool {
	out := make([]bool, len(t))
	for i := 0; ; {
		n := bytes.Index(t[i:], []byte("://"))
		if n < 0 {
			return out
		}
		i += n
		for k := i; k > 0 && i-k < 5 && class(t[k-1]) == 26; k-- {
			out[k-1] = true
		}
		i++
	}
}

// words marks the words in lower case, those that a host or a path is made of.
func words(t []byte) []bool {
	out := make([]bool, len(t))
	for i := 0; i < len(t); i++ {
		a, plain := i, true
		for ; i < len(t) && class(t[i]) != 0; i++ {
			plain = plain && t[i] >= 'a'
		}
		for ; plain && i-a <= maxWord && a < i; a++ {
			out[a] = true
		}
	}
	return out
}

// hidden reports that of each match, and of each further place of a secret, at
// least a third of what was replaced beyond the first four bytes still is in out,
// and that nothing was put back that may be a secret of its own.
func hidden(t, replaced, out []byte, found []span) bool {
	for _, m := range found {
		changed, all := 0, 0
		for i := m.start + 4; i < m.end; i++ {
			if t[i] != replaced[i] {
				all++
				if t[i] != out[i] {
					changed++
				}
			}
		}
		if 3*changed < all {
			return false
		}
		for i := m.start; i < m.end; i++ {
			a := i
			for i < m.end && t[i] == out[i] && (class(t[i]) == 0 || t[i] != replaced[i]) && t[i] != '/' && t[i] != '.' {
				i++
			}
			if random(t[a:i]) {
				return false
			}
		}
	}
	return true
}

// random reports that a part of a secret may be one itself: eight letters and
// digits or more that are not all words in lower case.
func random(part []byte) bool {
	n, word, lower := 0, 0, true
	for _, c := range part {
		if class(c) == 0 {
			word = 0
			continue
		}
		n++
		word++
		lower = lower && c >= 'a' && word <= maxWord
	}
	return n >= 8 && !lower
}

// ends are the words at both ends of a piece, the outer ones first, but those
// that may be secrets.
func ends(t []byte, m span) (out [][2]int) {
	a, b := m.start, m.end
	for range 4 {
		i := a
		for i < b && class(t[i]) != 0 {
			i++
		}
		if i > a && i-a <= 24 && !random(t[a:i]) {
			out = append(out, [2]int{a, i})
		}
		j := b
		for j > i && class(t[j-1]) != 0 {
			j--
		}
		if j < b && b-j <= 24 && !random(t[j:b]) {
			out = append(out, [2]int{j, b})
		}
		for i < j && class(t[i]) == 0 {
			i++
		}
		for j > i && class(t[j-1]) == 0 {
			j--
		}
		a, b = i, j
	}
	return out
}

// ruler tells offsets of code points, in one walk for those that come in order.
type ruler struct {
	t     []byte
	n, at int // the code point that begins at byte at
}

// byte is the offset of code point n, the text's end where it is beyond.
func (r *ruler) byte(n int) int {
	if n < r.n {
		r.n, r.at = 0, 0
	}
	for r.n < n && r.at < len(r.t) {
		_, k := utf8.DecodeRune(r.t[r.at:])
		r.at += k
		r.n++
	}
	return r.at
}
