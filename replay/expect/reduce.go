package expect

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// part is a member of an object or an element of an array: the bytes from start
// to end, without its comma.
type part struct{ start, end int }

// parts lists the members and elements of a JSON text, the outermost first, and
// its strings (those that are values). It keeps a stack of its own and ends at
// the first thing that is no JSON.
func parts(b []byte) (members []part, strings []part) {
	type level struct {
		start  int // of the member in hand, -1 for none yet
		object bool
		key    bool // the next string is a key
	}
	var stack []level
	depth := map[int]int{} // start of a member to its depth
	closeMember := func(end int) {
		if n := len(stack); n > 0 && stack[n-1].start >= 0 {
			members = append(members, part{stack[n-1].start, end})
			depth[stack[n-1].start] = n
			stack[n-1].start = -1
		}
	}
	begin := func(i int) {
		if n := len(stack); n > 0 && stack[n-1].start < 0 {
			stack[n-1].start = i
		}
	}
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case ' ', '\t', '\n', '\r', ':':
		case '{', '[':
			begin(i)
			stack = append(stack, level{start: -1, object: c == '{', key: c == '{'})
		case '}', ']':
			closeMember(i)
			if len(stack) == 0 {
				return members, strings
			}
			stack = stack[:len(stack)-1]
		case ',':
			closeMember(i)
			if n := len(stack); n > 0 {
				stack[n-1].key = stack[n-1].object
			}
		case '"':
			begin(i)
			end := i + 1
			for end < len(b) && b[end] != '"' {
				if b[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(b) {
				return members, strings
			}
			if n := len(stack); n > 0 && stack[n-1].key {
				stack[n-1].key = false
			} else {
				strings = append(strings, part{i + 1, end})
			}
			i = end
		default:
			begin(i)
		}
	}
	slices.SortStableFunc(members, func(x, y part) int { return depth[x.start] - depth[y.start] })
	return members, strings
}

// without is the text less a member and one comma beside it.
func (p part) without(b []byte) []byte {
	start, end := p.start, p.end
	switch {
	case end < len(b) && b[end] == ',':
		end++
	case start > 0 && b[start-1] == ',':
		start--
	}
	return slices.Concat(b[:start], b[end:])
}

// members takes away the members and elements of a record that the finding does
// without: the outermost first, again until nothing more goes.
func (x *shrinker) members(lines [][]byte, i int) {
	for again := true; again; {
		again = false
		list, _ := parts(lines[i])
		for k := 0; k < len(list); {
			p := list[k]
			if !shape(lines[i][p.start:p.end]) && x.try(lines, i, p.without(lines[i])) {
				again = true
				list, _ = parts(lines[i])
				continue // what follows has moved into this place
			}
			k++
		}
	}
}

// shape reports members that readers of a trace look for, small as they are.
func shape(member []byte) bool {
	for _, key := range []string{`"direction":`, `"jsonrpc":`, `"type":`} {
		if bytes.HasPrefix(member, []byte(key)) {
			return true
		}
	}
	return false
}

// strings shortens the strings of a record: to nothing, or by delta debugging
// over their characters.
func (x *shrinker) strings(lines [][]byte, i int) {
	_, list := parts(lines[i])
	for k := range list {
		_, list = parts(lines[i])
		if k >= len(list) {
			return
		}
		p := list[k]
		text := slices.Clone(lines[i][p.start:p.end])
		if len(text) == 0 || known(text) {
			continue
		}
		head, tail := slices.Clone(lines[i][:p.start]), slices.Clone(lines[i][p.end:])
		if x.try(lines, i, slices.Concat(head, tail)) {
			continue
		}
		chars := characters(text)
		minimize(len(chars), func(kept []int) bool {
			var b bytes.Buffer
			for _, c := range kept {
				b.Write(chars[c])
			}
			return x.try(lines, i, slices.Concat(head, b.Bytes(), tail))
		})
	}
}

// known are strings that mean something to the protocol: shorter they would only
// be puzzling.
func known(text []byte) bool {
	switch string(text) {
	case "2.0", "c2s", "s2c", "text":
		return true
	}
	return false
}

// characters cuts the inside of a JSON string into characters and escapes. Two
// escapes that make up a surrogate pair are one.
func characters(b []byte) (out [][]byte) {
	for len(b) > 0 {
		n := 1
		switch {
		case b[0] == '\\' && len(b) > 1:
			n = 2
			if b[1] == 'u' {
				n = min(6, len(b))
				if len(b) >= 12 && (b[2]|0x20) == 'd' && b[3] >= '8' && b[6] == '\\' {
					n = 12
				}
			}
		case b[0] >= utf8.RuneSelf:
			_, n = utf8.DecodeRune(b)
		}
		out = append(out, b[:n])
		b = b[n:]
	}
	return out
}
