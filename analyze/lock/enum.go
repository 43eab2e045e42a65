package lock

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// enumOrder returns the raw values sorted by type, then by their JSON text
// with sorted keys and ", " and ": " between parts (lock.md). A number is an
// integer unless its token has a fraction or an exponent; its text is the one
// that the writer of the first locks gave it.
func enumOrder(values []*jsonrpc.Value) [][]byte {
	type keyed struct {
		rank int
		text string
		raw  []byte
	}
	keys := make([]keyed, len(values))
	for i, v := range values {
		var b strings.Builder
		enumText(&b, v)
		keys[i] = keyed{enumRank(v), b.String(), v.Raw}
	}
	slices.SortStableFunc(keys, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.text, b.text))
	})
	out := make([][]byte, len(keys))
	for i, k := range keys {
		out[i] = k.raw
	}
	return out
}

func enumRank(v *jsonrpc.Value) int {
	switch v.Kind {
	case jsonrpc.Null:
		return 0
	case jsonrpc.Bool:
		return 1
	case jsonrpc.Object:
		return 2
	case jsonrpc.Number:
		if isInteger(v.Raw) {
			return 4
		}
		return 3
	case jsonrpc.Array:
		return 5
	}
	return 6
}

func isInteger(tok []byte) bool {
	return !slices.ContainsFunc(tok, func(c byte) bool { return c == '.' || c == 'e' || c == 'E' })
}

// enumText writes a value's text. It descends at most 512 levels: deeper
// schemas have been refused before (Canon).
func enumText(b *strings.Builder, v *jsonrpc.Value) {
	switch v.Kind {
	case jsonrpc.String:
		enumString(b, v.Str)
	case jsonrpc.Number:
		b.WriteString(enumNumber(v.Raw))
	case jsonrpc.Array:
		b.WriteByte('[')
		for i, e := range v.Elems {
			if i > 0 {
				b.WriteString(", ")
			}
			enumText(b, e)
		}
		b.WriteByte(']')
	case jsonrpc.Object:
		ms := slices.Clone(v.Members)
		slices.SortStableFunc(ms, func(x, y jsonrpc.Pair) int { return cmp.Compare(x.Key, y.Key) })
		b.WriteByte('{')
		for i, m := range ms {
			if i > 0 {
				b.WriteString(", ")
			}
			enumString(b, m.Key)
			b.WriteString(": ")
			enumText(b, m.Value)
		}
		b.WriteByte('}')
	default:
		b.Write(v.Raw) // null, true, false
	}
}

func enumString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"':
			b.WriteString(`\"`)
		case '\\':
			b.WriteString(`\\`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		default:
			if r < 0x20 {
				fmt.Fprintf(b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
	}
	b.WriteByte('"')
}

// enumNumber writes integers as they are and doubles in their shortest form,
// with a fraction or an exponent always and the exponent from 1e16 and below
// 1e-4.
func enumNumber(tok []byte) string {
	if isInteger(tok) {
		if string(tok) == "-0" {
			return "0"
		}
		return string(tok)
	}
	f, err := strconv.ParseFloat(string(tok), 64)
	if err != nil {
		return string(tok)
	}
	sci := strconv.FormatFloat(f, 'e', -1, 64)
	_, e, _ := strings.Cut(sci, "e")
	if exp, _ := strconv.Atoi(e); exp < -4 || exp >= 16 {
		return sci
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
