package ruleset

import (
	"bytes"
	"fmt"
	"strings"
)

// Letters tells runs that people write (identifiers, paths, file names) from
// random ones by what each character costs behind the two before it: the
// negative binary logarithm of how often it follows there, in half bits.
//
// A character costs what its class costs behind two classes, and a letter what
// it costs behind two letters of its word besides, whatever their case. A word
// begins at a character that is no letter and at a capital behind a small
// letter.
type Letters struct {
	Class [NoClass + 1][NoClass + 1][NoClass]uint8    // by the classes of the two before
	Next  [NoLetter + 1][NoLetter + 1][NoLetter]uint8 // by the two letters before, in this word
}

// Classes of the characters of an entropy piece; NoClass stands before its
// beginning, NoLetter before the beginning of a word.
const (
	Small = iota
	Capital
	Digit
	Sign // + / _ = -
	NoClass

	NoLetter = 26
)

// letterCosts are the digits of a cost, in half bits: 0 to z are 0 to 17.5 bits.
const letterCosts = "0123456789abcdefghijklmnopqrstuvwxyz"

// Marshal writes the table as text: a row for each two predecessors, a character
// for each successor.
func (l *Letters) Marshal() []byte {
	var b bytes.Buffer
	b.WriteString("# What a character costs behind the two before it, in half bits, 0 to z; made by bench/precision/letters.\n")
	b.WriteString("# Classes: a small letter, A capital, 0 digit, - sign, ^ before the beginning. Columns: a A 0 -\n")
	const classes, letters = "aA0-^", "abcdefghijklmnopqrstuvwxyz^"
	for i := range l.Class {
		for j := range l.Class[i] {
			fmt.Fprintf(&b, "class %c%c %s\n", classes[i], classes[j], costs(l.Class[i][j][:]))
		}
	}
	b.WriteString("# Letters of a word, ^ before its beginning. Columns: a to z\n")
	for i := range l.Next {
		for j := range l.Next[i] {
			fmt.Fprintf(&b, "%c%c %s\n", letters[i], letters[j], costs(l.Next[i][j][:]))
		}
	}
	return b.Bytes()
}

func costs(row []uint8) string {
	out := make([]byte, len(row))
	for i, v := range row {
		out[i] = letterCosts[min(int(v), len(letterCosts)-1)]
	}
	return string(out)
}

// ParseLetters reads what Marshal writes.
func ParseLetters(name string, data []byte) (*Letters, error) {
	var l Letters
	var rows [][]uint8
	for i := range l.Class {
		for j := range l.Class[i] {
			rows = append(rows, l.Class[i][j][:])
		}
	}
	for i := range l.Next {
		for j := range l.Next[i] {
			rows = append(rows, l.Next[i][j][:])
		}
	}
	line, at := 0, 0
	for text := range strings.Lines(string(data)) {
		line++
		if strings.HasPrefix(text, "# ") {
			continue
		}
		fields := strings.Fields(text)
		if at >= len(rows) || len(fields) < 2 || len(fields[len(fields)-1]) != len(rows[at]) {
			return nil, fmt.Errorf("%s:%d: not a row of costs", name, line)
		}
		for k, c := range []byte(fields[len(fields)-1]) {
			v := strings.IndexByte(letterCosts, c)
			if v < 0 {
				return nil, fmt.Errorf("%s:%d: column %d is no cost", name, line, k+1)
			}
			rows[at][k] = uint8(v)
		}
		at++
	}
	if at != len(rows) {
		return nil, fmt.Errorf("%s: %d rows, expected %d", name, at, len(rows))
	}
	return &l, nil
}
