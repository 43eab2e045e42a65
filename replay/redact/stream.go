package redact

import (
	"bytes"
	"slices"
)

// Stream replaces the secrets of a stream that was recorded in parts, also those
// that reach over several. before is what precedes the parts and is written
// already, and tail how many bytes at the end will be given again with what
// follows: secrets that end there are counted then.
type Stream struct {
	Before []byte
	Parts  [][]byte
	Tail   int
}

// Stream returns copies of the parts, and of what precedes them the part that
// belongs to a secret which reaches into them, as it should have been written.
func (r *Redactor) Stream(s Stream) (begun []byte, parts [][]byte) {
	n := len(s.Before)
	all := slices.Concat(append([][]byte{s.Before}, s.Parts...)...)
	unsure := r.Unsure
	r.from, r.to = n, max(n, len(all)-s.Tail)
	if r.to == n {
		r.from, r.to = -2, -1 // nothing is to be counted
	}
	out := r.Text(all)
	r.from, r.to = 0, 0
	if s.Tail > 0 {
		r.Unsure = unsure // what it holds may be told again
	}
	reach := n
	for _, m := range r.find(all) {
		if m.start < reach && m.end > n {
			reach = m.start
		}
	}
	i := n
	for _, p := range s.Parts {
		parts = append(parts, r.part(p, out[i:i+len(p)], i+len(p) <= len(all)-s.Tail))
		i += len(p)
	}
	return out[reach:n], parts
}

// part adds to what the stream's reading has made of a part the secrets that only
// show in it alone.
func (r *Redactor) part(p, out []byte, counts bool) []byte {
	was, unsure := r.Replaced, r.Unsure
	alone := r.text(p, nil)
	r.Replaced, r.Unsure = was, unsure
	out = bytes.Clone(out)
	if alone == nil {
		return out
	}
	done := 0
	for _, m := range r.find(p) {
		m.start = max(m.start, done)
		if m.start < m.end && bytes.Equal(out[m.start:m.end], p[m.start:m.end]) && !bytes.Equal(alone[m.start:m.end], p[m.start:m.end]) {
			copy(out[m.start:m.end], alone[m.start:m.end])
			if counts {
				r.Replaced++
			}
		}
		done = max(done, m.end)
	}
	return out
}
