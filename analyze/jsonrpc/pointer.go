package jsonrpc

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// maxPointer is the most bytes that a pointer has, its mark included.
const maxPointer = 1024

// cutMark ends a pointer that was cut, in the place of the reference tokens that
// are not shown: such a pointer names a container, and no string in it.
const cutMark = "/…"

// Pointers returns the JSON Pointers (RFC 6901, keys decoded) of the strings
// whose content begins at the given ascending offsets in raw, a message that
// has been read (Text.Start in Message.Raw). A key's pointer is that of its
// value. One of more than 1,024 bytes is cut behind a whole reference token and
// ends with "/…". An offset where no string begins gets "". It is one pass over
// raw, up to the last offset.
func Pointers(raw []byte, offs []int32) []string {
	w := pointerWalk{raw: raw, offs: offs, out: make([]string, 0, len(offs))}
	w.run()
	for len(w.out) < len(offs) {
		w.out = append(w.out, "")
	}
	return w.out
}

type pointerWalk struct {
	raw  []byte
	offs []int32
	out  []string

	path  []byte // of the innermost open container
	cut   bool   // path was cut, when so many containers were open
	cutAt int
	full  string // the cut path: deeply nested strings share it
	open  []pointerLevel
	level pointerLevel
}

// pointerLevel is one open container.
type pointerLevel struct {
	from, to int // an object: the raw key of the member in hand
	index    int // an array: the element in hand; an object: -1
	above    int // length of path without this container
}

func (w *pointerWalk) run() {
	w.level.index = -2 // the root is in nothing
	inKey := false
	for i := 0; i < len(w.raw) && len(w.out) < len(w.offs); i++ {
		switch c := w.raw[i]; c {
		case '{', '[':
			above := len(w.path)
			if !w.cut {
				if w.path, w.cut = w.step(w.path); w.cut {
					w.cutAt, w.full = len(w.open), string(w.path)
				}
			}
			w.open = append(w.open, w.level)
			w.level = pointerLevel{index: -1, above: above}
			inKey = c == '{'
			if c == '[' {
				w.level.index = 0
			}
		case '}', ']':
			if len(w.open) == 0 {
				return
			}
			w.path = w.path[:w.level.above]
			w.level = w.open[len(w.open)-1]
			w.open = w.open[:len(w.open)-1]
			w.cut = w.cut && len(w.open) > w.cutAt
			inKey = false
		case ',':
			if w.level.index >= 0 {
				w.level.index++
			} else {
				inKey = true
			}
		case ':':
			inKey = false
		case '"':
			end := contentEnd(w.raw, i+1)
			if inKey {
				w.level.from, w.level.to = i+1, end
			}
			w.meet(i + 1)
			i = end
		}
	}
}

// contentEnd returns the offset of the quote that ends the string content at i,
// or len(raw).
func contentEnd(raw []byte, i int) int {
	for i < len(raw) {
		n := bytes.IndexByte(raw[i:], '"')
		if n < 0 {
			return len(raw)
		}
		b := bytes.IndexByte(raw[i:i+n], '\\')
		if b < 0 {
			return i + n
		}
		i += b + 2
	}
	return len(raw)
}

// meet answers the offsets up to that of a string content.
func (w *pointerWalk) meet(at int) {
	for len(w.out) < len(w.offs) && int(w.offs[len(w.out)]) <= at {
		if int(w.offs[len(w.out)]) < at {
			w.out = append(w.out, "")
			continue
		}
		w.out = append(w.out, w.pointer())
	}
}

// pointer is that of the value in hand.
func (w *pointerWalk) pointer() string {
	if w.cut {
		return w.full
	}
	p, _ := w.step(w.path[:len(w.path):cap(w.path)])
	return string(p)
}

// step appends the reference token of the value in hand to a path, or the mark
// where it has no room.
func (w *pointerWalk) step(path []byte) ([]byte, bool) {
	if w.level.index == -2 {
		return path, false
	}
	above := len(path)
	path = append(path, '/')
	if w.level.index >= 0 {
		path = strconv.AppendInt(path, int64(w.level.index), 10)
	} else {
		path = appendToken(path, w.raw[w.level.from:w.level.to], maxPointer)
	}
	// The mark of the next step needs its room too.
	if len(path) > maxPointer-len(cutMark) {
		return append(path[:above], cutMark...), true
	}
	return path, false
}

// appendToken appends a raw key as a reference token, until the path has more
// than most bytes.
func appendToken(path, key []byte, most int) []byte {
	for len(key) > 0 && len(path) <= most {
		var r rune
		n := 1
		if key[0] == '\\' {
			if r, n = unescape(key); r >= 0xd800 && r < 0xe000 {
				r = utf8.RuneError
			}
		} else {
			r, n = utf8.DecodeRune(key)
		}
		key = key[n:]
		switch r {
		case '~':
			path = append(path, "~0"...)
		case '/':
			path = append(path, "~1"...)
		default:
			path = utf8.AppendRune(path, r)
		}
	}
	return path
}
