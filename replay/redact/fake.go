package redact

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/warden-trace/warden/analyze"
)

// maxFakes bounds the memory for values; beyond it they are made again.
const maxFakes = 1 << 16

// fake is the value for the secret t[start:end).
func (r *Redactor) fake(t, seen []byte, g []span, start, end int) []byte {
	name := string(t[start:end])
	if v, ok := r.fakes[name]; ok {
		return v
	}
	// One byte on either side decides about word boundaries.
	a, b := max(start-1, 0), min(end+1, len(t))
	window := bytes.Clone(t[a:b])
	want := r.find(window)
	if len(want) == 0 { // a match that only a terminal's reader sees
		copy(window, seen[a:b])
		want = r.find(window)
	}
	free := make([]bool, end-start)
	for i := range free { // what a sequence holds stays
		free[i] = class(t[start+i]) != 0 && seen[start+i] == t[start+i]
	}
	for _, m := range g {
		if m.pattern == keyBody {
			continue
		}
		for k := range min(4, (m.end-m.start)/2) {
			free[m.start-start+k] = false
		}
	}
	v := r.draw(window, start-a, end-a, free, want)
	if v == nil {
		v = []byte(name)
	}
	for i := range v {
		if !free[i] {
			v[i] = t[start+i]
		}
	}
	if len(r.fakes) < maxFakes {
		r.fakes[name] = v
	}
	return v
}

// tries is how many values are drawn before letters are held fast.
const tries = 24

// draw finds a value for window[a:b) that the rules find just as before. It
// changes the free characters; where the pattern wants some of them by the
// letter, these are found out and stay.
func (r *Redactor) draw(window []byte, a, b int, free []bool, want []span) []byte {
	original := bytes.Clone(window[a:b])
	fits := func() bool { return slices.Equal(r.find(window), want) }
	for n := range tries {
		r.fill(window[a:b], original, free, n)
		if !bytes.Equal(window[a:b], original) && fits() {
			return bytes.Clone(window[a:b])
		}
	}
	// Random pieces that no finding tells of may come and go.
	want = told(want)
	fits = func() bool { return slices.Equal(told(r.find(window)), want) }
	for n := range tries {
		r.fill(window[a:b], original, free, n)
		if !bytes.Equal(window[a:b], original) && fits() {
			return bytes.Clone(window[a:b])
		}
	}
	// Which characters can change at all? From the left, by halves: what can
	// change as a whole does.
	keep := make([]bool, len(free))
	copy(window[a:b], original)
	stack := [][2]int{{0, len(free)}}
	for budget := max(64, min(4096, 16<<20/(len(free)+1))); len(stack) > 0 && budget > 0; budget-- {
		lo, hi := stack[len(stack)-1][0], stack[len(stack)-1][1]
		stack = stack[:len(stack)-1]
		ok := false
		for n := range 3 {
			r.fillPart(window[a:b], original, free, lo, hi, n)
			if ok = fits(); ok {
				break
			}
		}
		if ok {
			for i := lo; i < hi; i++ {
				keep[i] = true
			}
			continue
		}
		copy(window[a+lo:a+hi], original[lo:hi])
		if hi-lo > 1 {
			mid := (lo + hi) / 2
			stack = append(stack, [2]int{mid, hi}, [2]int{lo, mid})
		}
	}
	if bytes.Equal(window[a:b], original) || !fits() {
		return nil
	}
	return bytes.Clone(window[a:b])
}

// fill writes the nth value of the secret.
func (r *Redactor) fill(dst, original []byte, free []bool, n int) {
	r.fillPart(dst, original, free, 0, len(dst), n)
}

func (r *Redactor) fillPart(dst, original []byte, free []bool, lo, hi, n int) {
	s := r.values(original, n)
	for i := lo; i < hi; i++ {
		if free[i] {
			dst[i] = other(original[i], byte(s.Uint64()>>32))
		}
	}
}

// values is a source of bytes that depend on the key, the secret and n alone.
func (r *Redactor) values(original []byte, n int) *rand.ChaCha8 {
	h := hmac.New(sha256.New, r.key)
	h.Write(original)
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(n)))
	return rand.NewChaCha8([32]byte(h.Sum(nil)))
}

// class is the size of the kind that c can be replaced within; 0 for none.
func class(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return 10
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return 26
	}
	return 0
}

// other is another character of the kind of c, never c itself.
func other(c, v byte) byte {
	base, n := byte('0'), byte(10)
	switch {
	case c >= 'a':
		base, n = 'a', 26
	case c >= 'A':
		base, n = 'A', 26
	}
	return base + (c-base+1+v%(n-1))%n
}

// told drops the random pieces that overlap a vendor's match: no finding tells
// of them (catalog.md), so they may come and go.
func told(all []span) []span {
	reach := 0 // of the vendors' matches so far
	var out []span
	for i, m := range all {
		if m.pattern >= 0 {
			reach = max(reach, m.end)
			out = append(out, m)
			continue
		}
		over := m.start < reach
		for k := i + 1; k < len(all) && all[k].start < m.end && !over; k++ {
			over = all[k].pattern >= 0
		}
		if !over {
			out = append(out, m)
		}
	}
	return out
}

// same reports that the catalog says the same of two texts, and that they have
// the same secrets at the same places.
func (r *Redactor) same(t, u []byte) bool {
	if !slices.Equal(told(r.find(t)), told(r.find(u))) {
		return false
	}
	binary := analyze.Inspection{Charset: analyze.CharsetBinary}
	a, b := r.catalog.Text(t, binary), r.catalog.Text(u, binary)
	return slices.EqualFunc(a, b, func(x, y analyze.Finding) bool {
		return x.Rule == y.Rule && x.SubRule == y.SubRule && x.Message == y.Message && slices.Equal(x.Spans, y.Spans) && slices.Equal(x.Matched, y.Matched)
	})
}
