package guard

import (
	"bytes"
	"strconv"
)

// Framing is how messages are told apart on a stream.
type Framing uint8

// Framings. The zero value means: not known yet, told from the first bytes.
const (
	Undecided     Framing = iota
	Newline               // one message a line
	ContentLength         // LSP-style header blocks
)

// String returns the name used in recordings.
func (f Framing) String() string { return [...]string{"undecided", "newline", "content-length"}[f] }

// Wrap frames a message as guard does with those that it writes itself.
func Wrap(body []byte, framing Framing) []byte {
	if framing == ContentLength {
		b := append([]byte("Content-Length: "), strconv.Itoa(len(body))...)
		b = append(b, "\r\n\r\n"...)
		return append(b, body...)
	}
	b := make([]byte, 0, len(body)+1)
	return append(append(b, body...), '\n')
}

// maxHeader is how long a header block may be (replay.md, "Live guard").
const maxHeader = 8 << 10

type headerState uint8

const (
	headerMore headerState = iota // could still become one
	headerOK
	headerBad
)

// header reads a header block at the beginning of b: lines of "name: value"
// ended by CRLF or LF, then an empty line; names of letters, digits and '-';
// one of them Content-Length, in any case and place (replay.md, "Live guard").
// n is the length of the block with its empty line. It never asks for more
// bytes than a block may have.
func header(b []byte) (n int, length int64, state headerState) {
	length = -1
	for {
		nl := bytes.IndexByte(b[n:min(len(b), maxHeader)], '\n')
		line := b[n:]
		if nl >= 0 {
			line = bytes.TrimSuffix(b[n:n+nl], []byte("\r"))
			if len(line) == 0 {
				if length < 0 {
					return 0, 0, headerBad
				}
				return n + nl + 1, length, headerOK
			}
		} else if len(b) >= maxHeader {
			return 0, 0, headerBad
		}
		name, value, colon := bytes.Cut(line, []byte(":"))
		if nl < 0 && n > 0 && len(line) == 1 && line[0] == '\r' {
			return 0, 0, headerMore // half of the empty line
		}
		for _, c := range name {
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-') {
				return 0, 0, headerBad
			}
		}
		if nl < 0 {
			return 0, 0, headerMore
		}
		if !colon || len(name) == 0 {
			return 0, 0, headerBad
		}
		if bytes.EqualFold(name, []byte("Content-Length")) {
			v, err := strconv.ParseUint(string(bytes.Trim(value, " \t")), 10, 62)
			if err != nil || length >= 0 && length != int64(v) {
				return 0, 0, headerBad
			}
			length = int64(v)
		}
		n += nl + 1
	}
}
