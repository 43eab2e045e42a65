package profile

import (
	"bytes"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// members reads the members of one JSON object in place, without decoding
// values. The object has been validated by whoever read the frame; on anything
// unexpected the walk just ends (broken says so), it never panics.
type members struct {
	b      []byte
	i      int
	broken bool
}

// objectOf starts a walk; ok is false when raw is no object.
func objectOf(raw []byte) (members, bool) {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return members{}, false
	}
	return members{b: raw, i: i + 1}, true
}

// next returns the next member: its decoded key and its raw value.
func (m *members) next() (key, val []byte, ok bool) {
	key, at, ok := m.key()
	if !ok {
		return nil, nil, false
	}
	end := valueEnd(m.b, at)
	if end == at {
		m.broken = true
		return nil, nil, false
	}
	m.i = end
	return key, m.b[at:end], true
}

// key is next without the value: where it begins. Who reads it there sets m.i
// to its end, so that no byte is looked at twice.
func (m *members) key() (key []byte, at int, ok bool) {
	i := space(m.b, m.i)
	if i < len(m.b) && m.b[i] == ',' {
		i = space(m.b, i+1)
	}
	if i >= len(m.b) || m.b[i] != '"' {
		m.broken = i >= len(m.b) || m.b[i] != '}'
		m.i = i
		return nil, 0, false
	}
	end := stringEnd(m.b, i)
	key = m.b[i+1 : max(i+1, end-1)]
	if escaped(key) {
		key, _ = jsonrpc.Unquote(nil, key)
	}
	i = space(m.b, end)
	if i >= len(m.b) || m.b[i] != ':' {
		m.broken = true
		return nil, 0, false
	}
	return key, space(m.b, i+1), true
}

// end is the offset after the object, once next has come to its end.
func (m *members) end(start int) int {
	if m.broken {
		return valueEnd(m.b, start)
	}
	return m.i + 1
}

// elements is the same for an array.
type elements struct {
	b []byte
	i int
}

func arrayOf(raw []byte) (elements, bool) {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return elements{}, false
	}
	return elements{b: raw, i: i + 1}, true
}

func (e *elements) next() (val []byte, ok bool) {
	i := space(e.b, e.i)
	if i < len(e.b) && e.b[i] == ',' {
		i = space(e.b, i+1)
	}
	if i >= len(e.b) || e.b[i] == ']' {
		return nil, false
	}
	end := valueEnd(e.b, i)
	if end == i {
		return nil, false
	}
	e.i = end
	return e.b[i:end], true
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// shortString is the length up to which looking at each byte takes less than a
// search.
const shortString = 16

// escaped reports a backslash in a key.
func escaped(key []byte) bool {
	if len(key) > shortString {
		return bytes.IndexByte(key, '\\') >= 0
	}
	for _, c := range key {
		if c == '\\' {
			return true
		}
	}
	return false
}

// stringEnd is the offset after the closing quote of the string at b[i].
func stringEnd(b []byte, i int) int {
	start := i + 1
	for j := start; j < min(start+shortString, len(b)); j++ {
		if b[j] == '"' {
			return j + 1
		}
		if b[j] == '\\' {
			break
		}
	}
	for j := start; j < len(b); {
		q := bytes.IndexByte(b[j:], '"')
		if q < 0 {
			break
		}
		j += q
		n := j
		for n > start && b[n-1] == '\\' {
			n--
		}
		if (j-n)%2 == 0 {
			return j + 1
		}
		j++
	}
	return len(b)
}

// valueEnd is the offset after the JSON value at b[i].
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return i
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				i = stringEnd(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return i
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return i
		}
		i++
	}
	return i
}

// kindOf is the kind of a raw value by its first byte.
func kindOf(raw []byte) jsonrpc.Kind {
	if len(raw) == 0 {
		return jsonrpc.Null
	}
	switch raw[0] {
	case '{':
		return jsonrpc.Object
	case '[':
		return jsonrpc.Array
	case '"':
		return jsonrpc.String
	case 't', 'f':
		return jsonrpc.Bool
	case 'n':
		return jsonrpc.Null
	}
	return jsonrpc.Number
}

// stringOf decodes a raw string value.
func stringOf(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	c := raw[1 : len(raw)-1]
	if bytes.IndexByte(c, '\\') < 0 && utf8.Valid(c) {
		return string(c), true
	}
	out, _ := jsonrpc.Unquote(nil, c)
	return string(out), true
}

// stringIs compares a raw string value without decoding it where it has no
// escapes.
func stringIs(raw []byte, want string) bool {
	if len(raw) == len(want)+2 && raw[0] == '"' {
		return string(raw[1:len(raw)-1]) == want
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return false
	}
	s, ok := stringOf(raw)
	return ok && s == want
}
