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
			n = notNumberLen(rest)
		}
		if n == 0 {
			return d.fail("not a JSON value")
		}
		v.Kind = Number
		d.i += n
	}
	return nil
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
			if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
				d.i = j + 1
				return string(raw), nil
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
