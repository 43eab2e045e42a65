package redact

import (
	"bytes"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// maxDepth is how deep JSON within strings of JSON is followed. Each level at
// least doubles the escapes, so deeper ones are short.
const maxDepth = 6

// JSON returns raw, a JSON value, with the secrets of all its strings, keys too,
// replaced; raw itself, never changed, where there are none.
func (r *Redactor) JSON(raw []byte) []byte { return r.strings(raw, 0) }

// Junk does the same for bytes that are no JSON, or only nearly: each line of
// them is read as if it were (as the lenient reading does), and what stands
// outside of strings as plain text.
func (r *Redactor) Junk(raw []byte) []byte {
	out := raw
	for i := 0; i < len(raw); {
		n := bytes.IndexAny(raw[i:], "\r\n")
		if n < 0 {
			n = len(raw) - i
		}
		line := raw[i : i+n]
		if v := r.outside(line, r.strings(line, 0)); !bytes.Equal(v, line) {
			if &out[0] == &raw[0] {
				out = bytes.Clone(raw)
			}
			copy(out[i:], v)
		}
		i += n + 1
	}
	if bytes.ContainsAny(raw, "\r\n") {
		out = r.across(raw, out)
	}
	return out
}

// across replaces what only shows over several lines, the body of a key above
// all; out is what has been made of the lines one by one.
func (r *Redactor) across(raw, out []byte) []byte {
	if bytes.Equal(raw, out) {
		return r.Text(raw)
	}
	found := r.find(raw)
	wide := r.keyBodies(raw, found)
	for _, m := range found {
		if bytes.ContainsAny(raw[m.start:m.end], "\r\n") {
			wide = append(wide, m)
		}
	}
	if len(wide) == 0 {
		return out
	}
	was := r.Replaced
	done, inner := r.text(raw, escapes(raw)), bytes.Clone(out)
	r.Replaced = was // most of it is counted already
	if done == nil {
		return out
	}
	for _, m := range wide {
		if bytes.Equal(inner[m.start:m.end], raw[m.start:m.end]) && !bytes.Equal(done[m.start:m.end], raw[m.start:m.end]) {
			r.Replaced++
		}
		fill(out, raw, inner, done, m)
	}
	return out
}

// Text returns a plain text with its secrets replaced.
func (r *Redactor) Text(t []byte) []byte {
	if out := r.text(t, nil); out != nil {
		return out
	}
	return t
}

// strings replaces secrets within the string literals of raw. It returns raw
// itself, never changed, where there are none.
func (r *Redactor) strings(raw []byte, depth int) []byte {
	var out []byte
	for i := 0; i < len(raw); {
		q := bytes.IndexByte(raw[i:], '"')
		if q < 0 {
			break
		}
		a := i + q + 1
		b := contentEnd(raw, a)
		if v := r.content(raw[a:b], depth); v != nil {
			if out == nil {
				out = bytes.Clone(raw)
			}
			copy(out[a:b], v)
		}
		i = b + 1
	}
	if out == nil {
		return raw
	}
	return out
}

// contentEnd is the offset of the quote that ends the string content at i, or
// the end.
func contentEnd(raw []byte, i int) int {
	for i < len(raw) {
		switch raw[i] {
		case '"':
			return i
		case '\\':
			i++
		}
		i++
	}
	return len(raw)
}

// content replaces the secrets of one string's content, as long as before; nil
// where it has none.
func (r *Redactor) content(raw []byte, depth int) []byte {
	if len(raw) < r.least {
		return nil
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return r.text(raw, nil)
	}
	t, _ := jsonrpc.Unquote(make([]byte, 0, len(raw)), raw)
	u := r.decoded(t, depth)
	if u == nil {
		return nil
	}
	out, places := bytes.Clone(raw), placesOf(raw, t)
	for i := range t {
		if t[i] != u[i] {
			put(out[places[i]:], u[i])
		}
	}
	return out
}

// decoded replaces the secrets of a decoded text, and then those that only show
// in strings of JSON within it.
func (r *Redactor) decoded(t []byte, depth int) []byte {
	if bytes.IndexByte(t, '\\') < 0 || depth >= maxDepth {
		return r.text(t, nil)
	}
	u := r.text(t, escapes(t))
	inner := r.strings(t, depth+1)
	if &inner[0] == &t[0] {
		return u
	}
	if u == nil {
		u = bytes.Clone(t)
	}
	r.join(t, u, inner)
	return u
}

// join takes over into u what inner replaces, string by string, unless the text
// itself has replaced something there already.
func (r *Redactor) join(t, u, inner []byte) {
	before := bytes.Clone(u)
	for i := 0; i < len(t); {
		q := bytes.IndexByte(t[i:], '"')
		if q < 0 {
			break
		}
		a := i + q + 1
		b := contentEnd(t, a)
		if bytes.Equal(u[a:b], t[a:b]) {
			copy(u[a:b], inner[a:b])
		} else {
			r.weave(t[a:b], u[a:b], inner[a:b])
		}
		i = b + 1
	}
	if !r.same(t, u) && r.same(t, before) {
		copy(u, before)
		r.Unsure++
	}
}

// weave takes over runs of inner that touch nothing which u has replaced.
func (r *Redactor) weave(t, u, inner []byte) {
	for i := 0; i < len(t); i++ {
		if t[i] == inner[i] {
			continue
		}
		a := i
		gap := 0
		end := i
		for i < len(t) && gap < 12 {
			if t[i] != inner[i] {
				end, gap = i+1, 0
			} else {
				gap++
			}
			i++
		}
		if bytes.Equal(t[a:end], u[a:end]) {
			copy(u[a:end], inner[a:end])
		}
	}
}

// escapes marks the bytes of t that belong to escapes of JSON within it.
func escapes(t []byte) []bool {
	out := make([]bool, len(t))
	for i := 0; i < len(t); i++ {
		if t[i] != '\\' || i+1 >= len(t) {
			continue
		}
		n := 2
		if t[i+1] == 'u' {
			n = 6
		}
		for k := i; k < min(i+n, len(t)); k++ {
			out[k] = true
		}
		i += n - 1
	}
	return out
}

// placesOf returns for each byte of t, the decoded form of a string's content,
// where its character stands in raw.
func placesOf(raw, t []byte) (places []int) {
	n := utf8.RuneCount(t)
	points := make([]int, n)
	for i := range points {
		points[i] = i
	}
	offs := jsonrpc.RawOffsets(raw, points)
	places = make([]int, 0, len(t))
	for i, p := 0, 0; i < len(t); p++ {
		_, k := utf8.DecodeRune(t[i:])
		for range k {
			places = append(places, offs[p])
		}
		i += k
	}
	return places
}

// put writes the character c over the one at the start of raw, in its spelling.
func put(raw []byte, c byte) {
	if raw[0] != '\\' {
		raw[0] = c
		return
	}
	if len(raw) >= 6 && raw[1] == 'u' { // letters and digits have no other escape
		const hex = "0123456789abcdef"
		raw[4], raw[5] = hex[c>>4], hex[c&15]
	}
}

// outside replaces the secrets of raw, read as plain text, that lie in no
// string: out is what has been made of its strings so far.
func (r *Redactor) outside(raw, out []byte) []byte {
	var done []byte
	inner := out
	a, b := -1, -1 // the string in hand
	for _, m := range r.find(raw) {
		for b < m.start {
			q := bytes.IndexByte(raw[b+1:], '"')
			if q < 0 {
				a, b = len(raw), len(raw)
				break
			}
			a = b + 1 + q
			b = contentEnd(raw, a+1)
		}
		if a < m.start && m.end <= b {
			continue
		}
		if done == nil {
			if done = r.text(raw, escapes(raw)); done == nil {
				return out
			}
			if &out[0] == &raw[0] {
				out = bytes.Clone(raw)
			}
		}
		fill(out, raw, inner, done, m)
	}
	return out
}

// fill takes over from done what lies in m, but where inner has replaced
// something already.
func fill(out, raw, inner, done []byte, m span) {
	for i := m.start; i < m.end; i++ {
		if inner[i] == raw[i] {
			out[i] = done[i]
		}
	}
}
