package jsonrpc

// Each visits the members of the JSON object raw in order, without building a
// tree: in time linear in raw and no memory but the key's. raw must have been
// read before (its syntax is trusted); anything but an object has no members.
// start is the offset of the value in raw. It stops when visit returns false.
func Each(raw []byte, visit func(key string, value []byte, start int) bool) {
	members(raw, func(key, value []byte, start int) bool { return visit(string(key), value, start) })
}

// members is Each without a copy of each key, which is valid during the call.
func members(raw []byte, visit func(key, value []byte, start int) bool) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return
	}
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] == '"'; {
		end := stringEnd(raw, i)
		if end < i+2 {
			return
		}
		key := raw[i+1 : end-1]
		if plainEnd(key, 0) < len(key) {
			key, _ = Unquote(nil, key)
		}
		i = skipSpace(raw, end)
		if i >= len(raw) || raw[i] != ':' {
			return
		}
		start := skipSpace(raw, i+1)
		i = valueEnd(raw, start)
		if !visit(key, raw[start:i], start) {
			return
		}
		i = skipSpace(raw, i)
		if i >= len(raw) || raw[i] != ',' {
			return
		}
		i = skipSpace(raw, i+1)
	}
}

// Lookup follows exact keys down from the object raw and returns the value
// there, the last one of each key; nil where there is none.
func Lookup(raw []byte, path ...string) []byte {
	for _, want := range path {
		var found []byte
		members(raw, func(key, value []byte, _ int) bool {
			if string(key) == want {
				found = value
			}
			return true
		})
		if found == nil {
			return nil
		}
		raw = found
	}
	return raw
}

// LookupString is Lookup for a string, decoded.
func LookupString(raw []byte, path ...string) (string, bool) {
	v := Lookup(raw, path...)
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	s, _ := Unquote(nil, v[1:len(v)-1])
	return string(s), true
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// stringEnd is the offset after the string that begins at i.
func stringEnd(b []byte, i int) int {
	for j := i + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(b)
}

// valueEnd is the offset after the value that begins at i.
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
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
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// Elements visits the elements of the JSON array raw in order; anything but an
// array has none. raw's syntax is trusted, as by Each.
func Elements(raw []byte, visit func(value []byte) bool) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return
	}
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] != ']'; {
		end := valueEnd(raw, i)
		if end == i || !visit(raw[i:end]) {
			return
		}
		i = skipSpace(raw, end)
		if i >= len(raw) || raw[i] != ',' {
			return
		}
		i = skipSpace(raw, i+1)
	}
}
