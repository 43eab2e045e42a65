// Package pretty lays a frame out for reading: as indented JSON with what was
// found in it marked, as raw bytes, or as the difference between what was sent
// and what would have arrived. It reads anything: what is no JSON is shown as it
// stands. It never recurses, and what it makes of a huge frame is bounded.
package pretty

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Kind is what a piece of a line is.
type Kind uint8

// Kinds of pieces.
const (
	Punct Kind = iota
	Key
	String
	Number
	Escape // an escape in a string, as the frame spells it
	Junk   // what is no JSON
	Elided // stands for what is left out
	Marked // matched by a finding
	Current
	Same
	Gone
	GoneMark
	New
	NewMark
)

// Piece is text of one kind, as the frame has it but for its secrets: not safe
// for a terminal.
type Piece struct {
	Kind Kind
	Text string
}

// Line is one line of a layout.
type Line struct {
	Depth  int
	Pieces []Piece
	Node   int  // of the container or long string that begins here, from 1; 0: none
	Folded bool // it is shown folded
	Mark   bool // holds a marked span
	Now    bool // of the current finding
}

// Mark is a finding's place in the frame.
type Mark struct {
	Pointer string
	Spans   []analyze.Span
	Now     bool // the finding in hand
}

// Options steer Lines.
type Options struct {
	Marks   []Mark
	Toggled map[int]bool // nodes folded, or long strings unfolded, by hand
}

// Bounds of a layout.
const (
	maxLines  = 20000
	longText  = 2048 // bytes of a string that is shown whole
	headText  = 768  // of a longer one, at its start
	around    = 240  // and around each span
	wholeText = 256 << 10
	maxShown  = 256 << 10 // of one string, whatever matched in it
	breakText = 48        // bytes from which a string is broken at its line feeds
	MaxRaw    = 256 << 10
)

type level struct {
	array bool
	n     int // members so far
	ptr   int // length of the pointer outside
}

type layout struct {
	f     *Frame
	raw   []byte
	o     Options
	out   []Line
	stack []level
	ptr   []byte
	key   []Piece // of the member whose value comes next
	node  int
}

// Lines lays a frame out as JSON.
func Lines(f *Frame, o Options) []Line {
	raw := f.raw
	l := &layout{f: f, raw: raw, o: o}
	for i := 0; i < len(raw); {
		if len(l.out) >= maxLines {
			l.emit(Piece{Elided, fmt.Sprintf("… %d more bytes: w saves the frame whole", len(raw)-i)})
			break
		}
		i = l.token(i)
	}
	if len(l.key) > 0 {
		l.emit()
	}
	return l.out
}

func (l *layout) emit(p ...Piece) *Line {
	line := Line{Depth: len(l.stack), Pieces: append(l.key, p...)}
	l.key = nil
	l.out = append(l.out, line)
	return &l.out[len(l.out)-1]
}

// token reads one token at i and returns where the next begins.
func (l *layout) token(i int) int {
	raw := l.raw
	switch c := raw[i]; c {
	case ' ', '\t', '\r', '\n', ':':
		return i + 1
	case ',':
		l.glue(",")
		l.endValue()
		return i + 1
	case '{', '[':
		return l.open(i)
	case '}', ']':
		if len(l.stack) == 0 {
			l.emit(Piece{Junk, string(c)})
			return i + 1
		}
		l.endValue()
		l.stack = l.stack[:len(l.stack)-1]
		l.emit(Piece{Punct, string(c)})
		return i + 1
	case '"':
		end := stringEnd(raw, i)
		if len(l.stack) > 0 && !l.stack[len(l.stack)-1].array && len(l.key) == 0 {
			j := end
			for j < len(raw) && (raw[j] == ' ' || raw[j] == '\t' || raw[j] == '\r' || raw[j] == '\n') {
				j++
			}
			if j < len(raw) && raw[j] == ':' {
				l.member(i, end)
				return j + 1
			}
		}
		l.begin()
		l.text(i, end)
		return end
	}
	end := i + 1
	for end < len(raw) && end-i < 4096 && bytes.IndexByte([]byte(" \t\r\n,:{}[]\""), raw[end]) < 0 {
		end++
	}
	l.begin()
	word := string(raw[i:end])
	kind := Number
	if !literal(word) {
		kind = Junk
	}
	l.emit(Piece{kind, word})
	return end
}

func literal(s string) bool {
	if s == "true" || s == "false" || s == "null" {
		return true
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// begin counts an element of an array, before its value.
func (l *layout) begin() {
	if n := len(l.stack); n > 0 && l.stack[n-1].array {
		top := &l.stack[n-1]
		l.ptr = strconv.AppendInt(append(l.ptr[:top.ptr], '/'), int64(top.n), 10)
	}
}

func (l *layout) endValue() {
	if n := len(l.stack); n > 0 {
		top := &l.stack[n-1]
		top.n++
		l.ptr = l.ptr[:top.ptr]
	}
}

func (l *layout) member(i, end int) {
	top := l.stack[len(l.stack)-1]
	tok := l.f.token(nil, i, end) // findings' pointers have the redaction form too
	name := string(tok)
	content := bytes.TrimSuffix(bytes.TrimPrefix(tok, []byte{'"'}), []byte{'"'})
	if len(content) <= 4096 {
		if s, ok := jsonrpc.Unquote(nil, content); ok {
			name = string(s)
		}
	}
	l.ptr = append(append(l.ptr[:top.ptr], '/'), strings.NewReplacer("~", "~0", "/", "~1").Replace(name)...)
	shown := string(tok)
	l.key = l.key[:0:0]
	if len(shown) > longText {
		l.key = append(l.key, Piece{Key, cutText(shown, headText)}, Piece{Elided, fmt.Sprintf("… %d bytes of key", len(shown)-headText)})
	} else {
		for _, m := range l.o.Marks {
			if m.Pointer == string(l.ptr) && len(m.Spans) == 0 {
				l.key = append(l.key, Piece{Key, shown}, Piece{Punct, ": "})
				return
			}
		}
		l.key = append(l.key, Piece{Key, shown})
	}
	l.key = append(l.key, Piece{Punct, ": "})
}

func cutText(s string, n int) string {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:min(n, len(s))]
}

// glue appends to the last line.
func (l *layout) glue(s string) {
	if n := len(l.out); n > 0 {
		l.out[n-1].Pieces = append(l.out[n-1].Pieces, Piece{Punct, s})
	}
}

func (l *layout) open(i int) int {
	l.begin()
	l.node++
	node, c := l.node, l.raw[i]
	j := i + 1
	for j < len(l.raw) && (l.raw[j] == ' ' || l.raw[j] == '\t' || l.raw[j] == '\r' || l.raw[j] == '\n') {
		j++
	}
	closing := byte('}')
	if c == '[' {
		closing = ']'
	}
	if j < len(l.raw) && l.raw[j] == closing {
		l.emit(Piece{Punct, string([]byte{c, closing})})
		return j + 1
	}
	if l.o.Toggled[node] {
		end, members := skip(l.raw, i)
		line := l.emit(Piece{Punct, string(c)}, Piece{Elided, fmt.Sprintf(" %d %s, %d bytes ", members, plural(c, members), end-i)}, Piece{Punct, string(closing)})
		line.Node, line.Folded = node, true
		l.node += bytes.Count(l.raw[i+1:end], []byte{'{'}) + bytes.Count(l.raw[i+1:end], []byte{'['}) // about: numbers stay apart
		return end
	}
	l.emit(Piece{Punct, string(c)}).Node = node
	l.stack = append(l.stack, level{array: c == '[', ptr: len(l.ptr)})
	return i + 1
}

func plural(c byte, n int) string {
	s := "members"
	if c == '[' {
		s = "elements"
	}
	if n == 1 {
		s = s[:len(s)-1]
	}
	return s
}

// skip finds the end of the container at i and counts its members.
func skip(raw []byte, i int) (end, members int) {
	depth := 0
	for j := i; j < len(raw); j++ {
		switch raw[j] {
		case '"':
			j = stringEnd(raw, j) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return j + 1, members + 1
			}
		case ',':
			if depth == 1 {
				members++
			}
		}
	}
	return len(raw), members + 1
}

// stringEnd is the offset behind the string that begins at i.
func stringEnd(raw []byte, i int) int {
	for j := i + 1; j < len(raw); j++ {
		switch raw[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(raw)
}
