package formats

import "github.com/warden-trace/warden/analyze/jsonrpc"

// member is a top-level member of an object that may be cut or broken.
type member struct {
	key string
	raw []byte // its value, as far as there is any; never empty
}

// maxMembers bounds what the sniffer looks at.
const maxMembers = 64

// topMembers lists the top-level members of the object at the start of b, as
// far as it can be followed. It trusts nothing and checks little: it serves to
// tell forms apart.
func topMembers(b []byte) (out []member) {
	i := 1
	for len(out) < maxMembers {
		i = spaceFrom(b, i)
		if i >= len(b) || b[i] != '"' {
			return out
		}
		end := roughString(b, i)
		if end > len(b) {
			return out
		}
		key, _ := jsonrpc.Unquote(nil, b[i+1:end-1])
		i = spaceFrom(b, end)
		if i >= len(b) || b[i] != ':' {
			return out
		}
		i = spaceFrom(b, i+1)
		if i >= len(b) {
			return out
		}
		from := i
		i = roughValue(b, i)
		if i == from {
			return out
		}
		out = append(out, member{string(key), b[from:i]})
		i = spaceFrom(b, i)
		if i >= len(b) || b[i] != ',' {
			return out
		}
		i++
	}
	return out
}

func spaceFrom(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// roughString is the offset after the string that begins at i, beyond len(b)
// when it does not end.
func roughString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(b) + 1
}

// roughValue is the offset after the value that begins at i, at most len(b).
func roughValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = min(roughString(b, i), len(b))
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}
