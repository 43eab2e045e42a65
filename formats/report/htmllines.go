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
	s, from := text, len(b.text)
	if !simple(text) {
		b.safe = safe.Append(b.safe[:0], text)
		s = b.safe
	}
	for i := 0; ; {
		j := i
		for i < len(s) && unbroken[s[i]] {
			i++
		}
		b.text = append(b.text, s[j:i]...)
		if i == len(s) {
			break
		}
		switch c := s[i]; {
		case c == '"':
			b.text = append(b.text, '\\', '"')
		case c == '\n':
			b.text = append(b.text, "\\n\n"...)
		case c == '\t':
			b.text = append(b.text, '\\', 't')
		case i+1 < len(s) && s[i+1] == 'n':
			b.text = append(b.text, "\\n\n"...)
			i++
		default:
			b.text = append(b.text, '\\')
		}
		i++
	}
	b.bound(from)
}

// simple reports text whose safe form is that of each of its bytes: visible
// ASCII, line feeds and tabs, without what could be a command.
func simple(text []byte) bool {
	if t := bytes.TrimLeft(text, " "); len(t) > 0 && t[0] == ':' {
		return false
	}
	for i, c := range text {
		if !plainly[c] && (c != '#' || i+1 < len(text) && text[i+1] == '#') {
			return false
		}
	}
	return true
}

// plainly are the bytes of simple texts, but for #, and unbroken those that lines
// takes as they are.
var plainly, unbroken = func() (a, b [256]bool) {
	for c := range a {
		a[c] = c >= 0x20 && c < 0x7f && c != '#' || c == '\n' || c == '\t'
		b[c] = c != '"' && c != '\\' && c != '\n' && c != '\t'
	}
	return a, b
}()
