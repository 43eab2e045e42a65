package report

import (
	"bytes"

	"github.com/warden-trace/warden/formats/report/safe"
)

// lines appends the safe form of text, in which a new line begins after each
// escaped line feed, so that texts of many lines can be read, and quotes are
// escaped again.
func (b *body) lines(text []byte) {
	if b.full {
		return
	}
	from := len(b.text)
	if !b.broken(text, false) {
		b.text = b.text[:from]
		b.safe = safe.Append(b.safe[:0], text)
		b.broken(b.safe, true)
	}
	b.bound(from)
}

// broken appends text as lines has it. Of text that is not safe it may return
// false, with only a part appended: it takes visible ASCII, line feeds and tabs,
// without what could be a command.
func (b *body) broken(s []byte, isSafe bool) bool {
	if !isSafe {
		if t := bytes.TrimLeft(s, " "); len(t) > 0 && t[0] == ':' {
			return false
		}
	}
	out := b.text
	for i := 0; ; i++ {
		j := i
		i += unbrokenRun(s[i:])
		out = append(out, s[j:i]...)
		if i == len(s) {
			b.text = out
			return true
		}
		switch c := s[i]; {
		case c == '"':
			out = append(out, '\\', '"')
		case c == '\n':
			out = append(out, "\\n\n"...)
		case c == '\t':
			out = append(out, '\\', 't')
		case c == '\\' && i+1 < len(s) && s[i+1] == 'n':
			out = append(out, "\\n\n"...)
			i++
		case c == '\\' || isSafe || c == '#' && (i+1 == len(s) || s[i+1] != '#'):
			out = append(out, c)
		default:
			b.text = out
			return false
		}
	}
}

// unbroken are the bytes that lines takes as they are, whatever is around them.
var unbroken = func() (in [256]bool) {
	for c := 0x20; c < 0x7f; c++ {
		in[c] = c != '"' && c != '\\' && c != '#'
	}
	return in
}()
