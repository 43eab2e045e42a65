package secret

import (
	"bytes"
	"encoding/base64"
	"slices"
	"unicode/utf8"
)

// file reports that the run is a file in base64: behind a data URI of a kind
// that holds no text, or beginning as such files do.
func (s *Spare) file(t []byte, a int, run []byte) bool {
	for _, m := range s.c.Magic {
		if len(run) >= 64 && bytes.HasPrefix(run, []byte(m)) {
			return true
		}
	}
	head := t[max(0, a-60):a]
	if !bytes.HasSuffix(head, []byte(";base64,")) {
		return false
	}
	return slices.ContainsFunc(s.kinds, func(k []byte) bool {
		i := bytes.LastIndex(head, k)
		return i >= 0 && !bytes.ContainsAny(head[i:], " \t\n\"'<>")
	})
}

// lines reports that the run is a line of encoded data: one of several of the
// same width, with nothing else on them. Each block of lines is read once.
func (s *Spare) lines(t []byte, a, b int, l *Lines) bool {
	if a < l.end {
		return l.spare
	}
	width := b - a
	if !slices.Contains(s.c.Lines.Widths, width) || !s.whole(t, a, width) {
		return false
	}
	first, n := a, 1
	for p := first; ; n++ {
		p = s.lineAbove(t, p, width)
		if p < l.end {
			break
		}
		first = p
	}
	end := b
	for {
		p := end + 1
		if end < len(t) && t[end] == '\r' {
			p++
		}
		if p >= len(t) {
			break
		}
		p += s.header(t[p:min(len(t), p+60)])
		if !s.whole(t, p, width) {
			break
		}
		end, n = p+width, n+1
	}
	l.end, l.spare = end, n >= s.c.Lines.Least && !s.announced(t, first)
	return l.spare
}

// lineAbove is where the line before t[at] begins, if it is one of that width too,
// alone or behind the head of a data URI; else -1.
func (s *Spare) lineAbove(t []byte, at, width int) int {
	p := at - 1 - width
	if p > 0 && t[p+width-1] == '\r' {
		p--
	}
	if !s.whole(t, p, width) {
		return -1
	}
	if p > 0 && t[p-1] == ',' {
		from := max(0, p-60)
		p = from + bytes.LastIndexByte(t[from:p], '\n') + 1
	}
	return p
}

// header is the length of the head of a data URI of a spared kind, 0 for none.
func (s *Spare) header(line []byte) int {
	for _, k := range s.kinds {
		if bytes.HasPrefix(line, k) {
			if i := bytes.Index(line, []byte(";base64,")); i > 0 {
				return i + len(";base64,")
			}
		}
	}
	return 0
}

// whole reports that the width bytes from t[p] on are base64 and a line, or what
// follows the head of a data URI on its line.
func (s *Spare) whole(t []byte, p, width int) bool {
	end := p + width
	if p < 0 || end > len(t) || end < len(t) && t[end] != '\n' && t[end] != '\r' {
		return false
	}
	if p > 0 && t[p-1] != '\n' && !s.file(t, p, nil) {
		return false
	}
	for _, c := range t[p:end] {
		if !pieceSet.has(c) || c == '-' || c == '_' {
			return false
		}
	}
	return true
}

// announced reports that the line before t[first] says what is not to be
// spared.
func (s *Spare) announced(t []byte, first int) bool {
	head := t[max(0, first-200):first]
	head = bytes.TrimRight(head, "\r\n")
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[i:]
	}
	return bytes.Contains(head, []byte(s.c.Lines.Unless))
}

// maxText bounds how much of a run is decoded.
const maxText = 4096

// text reports that the run is base64 of text in which nothing is random.
func (s *Spare) text(run []byte) bool {
	enc := base64.RawStdEncoding
	if bytes.ContainsAny(run, "-_") {
		enc = base64.RawURLEncoding
	}
	run = bytes.TrimRight(run, "=")
	run = run[:min(len(run), maxText)]
	run = run[:len(run)/4*4]
	plain, err := enc.AppendDecode(nil, run)
	if err != nil || len(plain) < 16 {
		return false
	}
	words := 0
	for i := 0; i < len(plain); {
		r, n := utf8.DecodeRune(plain[i:])
		if r == utf8.RuneError && i+n < len(plain)-3 || r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return false
		}
		if r == ' ' || r == '"' || r == '\n' || r == '<' {
			words++
		}
		i += n
	}
	if words == 0 {
		return false // one word alone may be a password
	}
	for i := 0; i < len(plain); i++ {
		if !Piece(plain[i]) {
			continue
		}
		a := i
		for i < len(plain) && Piece(plain[i]) {
			i++
		}
		if i-a >= 12 && s.random(plain[a:i]) {
			return false
		}
	}
	return true
}
