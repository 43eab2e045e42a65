package jsonrpc

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Flat is a small JSON value laid flat: its values in document order, each
// pointing at its bytes. It is what the quick judging of a tool call reads, since
// a tree costs more to build than most calls cost to judge. The zero value is
// ready, and its memory is reused.
type Flat struct {
	Raw   []byte
	Nodes []Node

	text []byte // what Text decoded last
}

// Node is one value of a Flat.
type Node struct {
	Kind       Kind
	Escaped    bool  // a string with a backslash in it: ask Text
	KeyEscaped bool  // likewise its key
	Depth      int32 // the root has 1
	Parent     int32 // -1 for the root
	Next       int32 // the first node that does not stand in this one
	Count      int32 // members or elements
	// Key and KeyEnd are the offsets of its member's key without the quotes;
	// both 0 for an element and the root.
	Key, KeyEnd int32
	// Start and End are the offsets of the value; of a string without its quotes.
	Start, End int32
}

// Read lays raw flat. It is true only where Decode takes raw too, and raw holds
// at most maxNodes values at most maxDepth deep, all strings and keys of it valid
// Unicode. Where it is false the Flat holds nothing of use: ask Decode.
func (f *Flat) Read(raw []byte, maxNodes, maxDepth int) bool {
	f.Raw, f.Nodes = raw, f.Nodes[:0]
	i, up, depth := skipSpace(raw, 0), int32(-1), 1
	var key Node // the key of the value to come
	for {
		n := len(f.Nodes)
		if i >= len(raw) || n >= maxNodes || depth > maxDepth {
			return false
		}
		f.Nodes = append(f.Nodes, key)
		v := &f.Nodes[n]
		v.Depth, v.Parent, v.Start, v.Next = int32(depth), up, int32(i), int32(n+1)
		switch c := raw[i]; c {
		case '"':
			end, escaped := f.str(i + 1)
			if end < 0 {
				return false
			}
			v.Kind, v.Escaped = String, escaped
			v.Start, v.End = int32(i+1), int32(end)
			i = end + 1
		case '{', '[':
			v.Kind = Array
			if c == '{' {
				v.Kind = Object
			}
			i = skipSpace(raw, i+1)
			if i < len(raw) && raw[i] == c+2 { // '}' and ']' stand two after
				i++
				v.End = int32(i)
				break
			}
			up = int32(n)
			depth++
			if key = (Node{}); c == '{' {
				if i = f.key(i, &key); i < 0 {
					return false
				}
			}
			continue
		default:
			end := i + flatScalar(raw[i:], v)
			if end == i {
				return false
			}
			v.End = int32(end)
			i = end
		}
		for {
			i = skipSpace(raw, i)
			if up < 0 {
				return i == len(raw)
			}
			if i >= len(raw) {
				return false
			}
			p := &f.Nodes[up]
			p.Count++
			if raw[i] == ',' {
				i = skipSpace(raw, i+1)
				if p.Kind == Object {
					if i = f.key(i, &key); i < 0 {
						return false
					}
				}
				break
			}
			if raw[i] != closer(p.Kind) {
				return false
			}
			i++
			p.End, p.Next = int32(i), int32(len(f.Nodes))
			if up, key = p.Parent, (Node{}); up < 0 {
				continue
			}
			depth--
		}
	}
}

// key reads a key and its colon at i into n; it returns where the value begins,
// -1 for none.
func (f *Flat) key(i int, n *Node) int {
	if i >= len(f.Raw) || f.Raw[i] != '"' {
		return -1
	}
	end, escaped := f.str(i + 1)
	if end < 0 {
		return -1
	}
	n.Key, n.KeyEnd, n.KeyEscaped = int32(i+1), int32(end), escaped
	if i = skipSpace(f.Raw, end+1); i >= len(f.Raw) || f.Raw[i] != ':' {
		return -1
	}
	return skipSpace(f.Raw, i+1)
}

// str checks the string whose content begins at i and returns the offset of its
// closing quote, -1 for none.
func (f *Flat) str(i int) (end int, escaped bool) {
	b, j, high := f.Raw, i, false
	for {
		j = plainEnd(b, j)
		if j >= len(b) {
			return -1, false
		}
		switch c := b[j]; {
		case c == '"':
			if escaped {
				if !validEscapes(b[i:j]) {
					return -1, false
				}
				var clean bool
				if f.text, clean = Unquote(f.text[:0], b[i:j]); !clean {
					return -1, false
				}
			} else if high && !utf8.Valid(b[i:j]) {
				return -1, false
			}
			return j, escaped
		case c == '\\':
			escaped = true
			j += 2
		case c < 0x20:
			return -1, false
		default:
			high = true
			j++
		}
	}
}

// flatScalar reads the literal or number that b begins with and returns its
// length, 0 for none.
func flatScalar(b []byte, v *Node) int {
	switch b[0] {
	case 't':
		if v.Kind = Bool; len(b) >= 4 && string(b[:4]) == "true" {
			return 4
		}
		return 0
	case 'f':
		if v.Kind = Bool; len(b) >= 5 && string(b[:5]) == "false" {
			return 5
		}
		return 0
	case 'n':
		if v.Kind = Null; len(b) >= 4 && string(b[:4]) == "null" {
			return 4
		}
		return 0
	}
	v.Kind = Number
	return numberLen(b)
}

// plainEnd is the offset of the first byte at or after i that is a quote, a
// backslash, a control character or no ASCII.
func plainEnd(b []byte, i int) int {
	const lo, hi = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		// Of each of these a borrow can only mark bytes behind one that is
		// marked rightly, and the first is what counts.
		v := binary.LittleEndian.Uint64(b[i:])
		q, e := v^(lo*'"'), v^(lo*'\\')
		if m := ((q-lo)&^q | (e-lo)&^e | (v-lo*0x20)&^v | v) & hi; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < 0x20 || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}

// KeyIs reports that a node is a member with that key.
func (f *Flat) KeyIs(n *Node, key string) bool {
	return !n.KeyEscaped && string(f.Raw[n.Key:n.KeyEnd]) == key
}

// Name is the key of a member; it must not be escaped.
func (f *Flat) Name(n *Node) []byte { return f.Raw[n.Key:n.KeyEnd] }

// Bytes is a value's own bytes; of a string without its quotes.
func (f *Flat) Bytes(n *Node) []byte { return f.Raw[n.Start:n.End] }

// Text is what a string says. It is valid until the next call.
func (f *Flat) Text(n *Node) []byte {
	if !n.Escaped {
		return f.Bytes(n)
	}
	f.text, _ = Unquote(f.text[:0], f.Bytes(n))
	return f.text
}

// Find is the first member of object i with that key, -1 for none. Keys with
// escapes are not looked at.
func (f *Flat) Find(i int, key string) int {
	if f.Nodes[i].Kind != Object {
		return -1
	}
	for c, end := i+1, int(f.Nodes[i].Next); c < end; c = int(f.Nodes[c].Next) {
		if f.KeyIs(&f.Nodes[c], key) {
			return c
		}
	}
	return -1
}

// Keep says how much memory may stay for the next value: more is given back, so
// that one huge value is not held for good.
func (f *Flat) Keep(nodes, text int) {
	f.Raw = nil
	if cap(f.Nodes) > nodes {
		f.Nodes = nil
	}
	if cap(f.text) > text {
		f.text = nil
	}
}
