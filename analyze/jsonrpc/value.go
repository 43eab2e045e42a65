package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Kind is the type of a JSON value.
type Kind uint8

// Kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the JSON Schema name of the kind.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Value is a decoded JSON value for the cold paths: the verdict families, the
// lock, the lenient reading. Repeated keys are all kept, in order.
type Value struct {
	Kind    Kind
	Raw     []byte // the value's own bytes
	Str     string // decoded, for strings
	True    bool   // for booleans
	Elems   []*Value
	Members []Pair
}

// Pair is one member of an object.
type Pair struct {
	Key   string // decoded
	Value *Value
}

// Get returns the last member with that exact key, or nil.
func (v *Value) Get(key string) *Value {
	if v == nil || v.Kind != Object {
		return nil
	}
	for i := len(v.Members) - 1; i >= 0; i-- {
		if v.Members[i].Key == key {
			return v.Members[i].Value
		}
	}
	return nil
}

// IsString reports a string and returns it.
func (v *Value) IsString() (string, bool) {
	if v == nil || v.Kind != String {
		return "", false
	}
	return v.Str, true
}

// DecodeOptions bound and bend the reading.
type DecodeOptions struct {
	MaxDepth int  // 0: no bound. The root has depth 1
	MaxNodes int  // 0: no bound. Every value counts
	Lenient  bool // take NaN, Infinity and bad UTF-8 (as U+FFFD), and lone surrogates
}

// Errors that Decode wraps when a bound is met.
var (
	ErrDepth = errors.New("nested too deep")
	ErrNodes = errors.New("too many values")
)

// Decode reads one JSON value, and nothing but white space around it, without
// recursion. Errors name the byte offset.
func Decode(raw []byte, o DecodeOptions) (*Value, error) {
	d := decoder{b: raw, o: o}
	v, err := d.run()
	if err != nil {
		return nil, err
	}
	d.space()
	if d.i < len(d.b) {
		return nil, d.fail("more after the JSON value")
	}
	return v, nil
}

type decoder struct {
	b     []byte
	i     int
	o     DecodeOptions
	nodes int
}

func (d *decoder) fail(what string) error { return fmt.Errorf("%s at byte %d", what, d.i) }

func (d *decoder) space() {
	for d.i < len(d.b) {
		switch d.b[d.i] {
		case ' ', '\t', '\r', '\n':
			d.i++
		default:
			return
		}
	}
}

type open struct {
	v     *Value
	start int
}

// run keeps the open containers on a stack of its own.
func (d *decoder) run() (*Value, error) {
	var stack []open
	for {
		// one value
		d.space()
		if d.i >= len(d.b) {
			return nil, d.fail("unexpected end")
		}
		d.nodes++
		if d.o.MaxNodes > 0 && d.nodes > d.o.MaxNodes {
			return nil, fmt.Errorf("%w at byte %d", ErrNodes, d.i)
		}
		v := new(Value)
		start := d.i
		if d.o.MaxDepth > 0 && len(stack)+1 > d.o.MaxDepth {
			return nil, fmt.Errorf("%w at byte %d", ErrDepth, d.i)
		}
		switch c := d.b[d.i]; c {
		case '{', '[':
			v.Kind = Array
			if c == '{' {
				v.Kind = Object
			}
			d.i++
			d.space()
			if d.i < len(d.b) && d.b[d.i] == closer(v.Kind) {
				d.i++
				break
			}
			stack = append(stack, open{v, start})
			if v.Kind == Object {
				if err := d.key(v); err != nil {
					return nil, err
				}
			}
			continue
		default:
			if err := d.scalar(v); err != nil {
				return nil, err
			}
		}
		v.Raw = d.b[start:d.i]
		// hand it to its container, closing what closes
		for {
			if len(stack) == 0 {
				return v, nil
			}
			top := stack[len(stack)-1]
			if top.v.Kind == Object {
				top.v.Members[len(top.v.Members)-1].Value = v
			} else {
				top.v.Elems = append(top.v.Elems, v)
			}
			d.space()
			if d.i >= len(d.b) {
				return nil, d.fail("unexpected end")
			}
			c := d.b[d.i]
			if c == ',' {
				d.i++
				if top.v.Kind == Object {
					d.space()
					if err := d.key(top.v); err != nil {
						return nil, err
					}
				}
				break
			}
			if c != closer(top.v.Kind) {
				return nil, d.fail("expected ',' or a closing bracket")
			}
			d.i++
			v = top.v
			v.Raw = d.b[top.start:d.i]
			stack = stack[:len(stack)-1]
		}
	}
}

func closer(k Kind) byte {
	if k == Object {
		return '}'
	}
	return ']'
}

func (d *decoder) key(v *Value) error {
	if d.i >= len(d.b) || d.b[d.i] != '"' {
		return d.fail("expected a key")
	}
	s, err := d.str()
	if err != nil {
		return err
	}
	d.space()
	if d.i >= len(d.b) || d.b[d.i] != ':' {
		return d.fail("expected ':'")
	}
	d.i++
	v.Members = append(v.Members, Pair{Key: s})
	return nil
}

func (d *decoder) scalar(v *Value) error {
	rest := d.b[d.i:]
	switch {
	case rest[0] == '"':
		s, err := d.str()
		v.Kind, v.Str = String, s
		return err
	case bytes.HasPrefix(rest, []byte("true")):
		v.Kind, v.True = Bool, true
		d.i += 4
	case bytes.HasPrefix(rest, []byte("false")):
		v.Kind = Bool
		d.i += 5
	case bytes.HasPrefix(rest, []byte("null")):
		d.i += 4
	default:
		n := numberLen(rest)
		if n == 0 && d.o.Lenient {
			for _, w := range []string{"NaN", "Infinity", "-Infinity"} {
				if bytes.HasPrefix(rest, []byte(w)) {
					n = len(w)
				}
			}
		}
		if n == 0 {
			return d.fail("not a JSON value")
		}
		v.Kind = Number
		d.i += n
	}
	return nil
}

// numberLen is the length of the JSON number that b begins with, 0 for none.
func numberLen(b []byte) int {
	i := 0
	digits := func() bool {
		n := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > n
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return 0
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return 0
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}

// str reads a string with its quotes at d.i.
func (d *decoder) str() (string, error) {
	start := d.i + 1
	for j := start; j < len(d.b); j++ {
		switch c := d.b[j]; {
		case c == '"':
			raw := d.b[start:j]
			if !validEscapes(raw) {
				return "", d.fail("bad escape in a string")
			}
			out, clean := Unquote(nil, raw)
			if !clean && !d.o.Lenient {
				return "", d.fail("a string that is not valid Unicode")
			}
			d.i = j + 1
			return string(out), nil
		case c == '\\':
			j++
		case c < 0x20:
			d.i = j
			return "", d.fail("raw control character in a string")
		}
	}
	return "", d.fail("unterminated string")
}

func validEscapes(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if i >= len(raw) {
			return false
		}
		switch raw[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			if i+4 >= len(raw) || hex4(raw[i+1:]) < 0 {
				return false
			}
			i += 4
		default:
			return false
		}
	}
	return true
}

func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// Unquote appends the decoded form of a JSON string's content (without its
// quotes, escapes already checked) to dst. Bad UTF-8 and lone surrogates
// become U+FFFD; the result is false when there was one.
func Unquote(dst, raw []byte) ([]byte, bool) {
	clean := true
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		run := raw
		if i >= 0 {
			run = raw[:i]
		}
		if utf8.Valid(run) {
			dst = append(dst, run...)
		} else {
			clean = false
			dst = append(dst, bytes.ToValidUTF8(run, []byte("\uFFFD"))...)
		}
		if i < 0 {
			break
		}
		raw = raw[i+1:]
		if len(raw) == 0 {
			break
		}
		c := raw[0]
		raw = raw[1:]
		switch c {
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			r := hex4(raw)
			raw = raw[min(4, len(raw)):]
			if r >= 0xd800 && r < 0xdc00 && len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
				if lo := hex4(raw[2:]); lo >= 0xdc00 && lo < 0xe000 {
					r = (r-0xd800)<<10 + lo - 0xdc00 + 0x10000
					raw = raw[6:]
				}
			}
			if r < 0 || r >= 0xd800 && r < 0xe000 {
				clean = false
				r = utf8.RuneError
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, c)
		}
	}
	return dst, clean
}
