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
		name := t[m.start:m.end]
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

// mend is for a text of which the rules say something else once its secrets are
// replaced: a random piece that reaches into a host's name or a URL's path. What
// other rules have matched is put back within such pieces.
func (r *Redactor) mend(t, out []byte, found []span) {
	replaced := bytes.Clone(out)
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
	for i := range out {
		if still[i] {
			out[i] = t[i]
		}
	}
	if r.same(t, out) && hidden(t, replaced, out, found) {
		return
	}
	// A scheme or a first label may reach a little beyond what was matched: put
	// back short words of letters, one by one from both ends of each piece.
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
			if r.same(t, out) && hidden(t, replaced, out, found) {
				return
			}
		}
	}
	copy(out, replaced)
	r.Unsure++
}

// hidden reports that of each match, and of each further place of a secret, at
// least a third of what was replaced beyond the first four bytes still is in out.
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
	}
	return true
}

// ends are the words at both ends of a piece, the outer ones first.
func ends(t []byte, m span) (out [][2]int) {
	a, b := m.start, m.end
	for range 4 {
		i := a
		for i < b && class(t[i]) != 0 {
			i++
		}
		if i > a && i-a <= 24 {
			out = append(out, [2]int{a, i})
		}
		j := b
		for j > i && class(t[j-1]) != 0 {
			j--
		}
		if j < b && b-j <= 24 {
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
