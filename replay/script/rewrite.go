package script

import "github.com/warden-trace/warden/analyze/jsonrpc"

// WithID returns the message with every top-level id replaced; all other bytes
// stay as they came.
func WithID(raw, id []byte) []byte { return replace(raw, id, "id") }

// WithToken returns a progress notification with another token.
func WithToken(raw, token []byte) []byte { return replace(raw, token, "params", "progressToken") }

// replace puts value in the place of every member at a path of exact keys.
func replace(raw, value []byte, path ...string) []byte {
	var out []byte
	last := 0
	jsonrpc.Each(raw, func(key string, v []byte, at int) bool {
		if key != path[0] {
			return true
		}
		out = append(out, raw[last:at]...)
		if len(path) > 1 {
			out = append(out, replace(v, value, path[1:]...)...)
		} else {
			out = append(out, value...)
		}
		last = at + len(v)
		return true
	})
	return append(out, raw[last:]...)
}

// OneLine returns a message without raw line breaks, which stand between tokens
// only, so that it fits into newline framing.
func OneLine(raw []byte) []byte {
	out := raw
	for i, c := range raw {
		if c == '\n' || c == '\r' {
			if &out[0] == &raw[0] {
				out = append([]byte(nil), raw...)
			}
			out[i] = ' '
		}
	}
	return out
}
