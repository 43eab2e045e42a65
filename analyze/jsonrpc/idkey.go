package jsonrpc

import (
	"bytes"
	"crypto/sha256"
	"strconv"
	"unicode/utf8"
)

// Key is an id by its JSON value, to look requests up by: equal keys are equal
// ids (catalog.md, "Reading JSON safely"). It is at most 64 bytes long, whatever
// the id.
type Key string

// longKey is the length from which a key is the digest of what it would be.
const longKey = 64

// IDKey returns the key of a raw id token. Numbers compare by normalised digits
// and exponent, strings by what they decode to; a string never equals a number.
// It is false for null, true, false, arrays, objects and NaN, which fit no
// request.
func IDKey(raw []byte) (Key, bool) {
	var room [longKey]byte
	k, ok := AppendIDKey(room[:0], raw)
	return Key(k), ok
}

// AppendIDKey is IDKey in memory of the caller, to look an id up with.
func AppendIDKey(k, raw []byte) ([]byte, bool) {
	if len(raw) == 0 {
		return k, false
	}
	if k, ok := appendPlainKey(k, raw); ok {
		return k, true
	}
	full, ok := fullKey(raw)
	return append(k, full...), ok
}

// fullKey is IDKey for any token that is not empty.
func fullKey(raw []byte) (Key, bool) {
	var k []byte
	switch c := raw[0]; {
	case c == '"':
		if len(raw) < 2 || raw[len(raw)-1] != '"' {
			return "", false
		}
		k, _ = Unquote(append(make([]byte, 0, len(raw)), 's'), raw[1:len(raw)-1])
	case numberLen(raw) == len(raw):
		k = numberKey(raw)
	default:
		return "", false
	}
	if len(k) > longKey {
		sum := sha256.Sum256(k)
		k = append(append(k[:1], '#'), sum[:]...)
		k[0] ^= 0x80 // no short key begins so
	}
	return Key(k), true
}

// appendPlainKey is AppendIDKey for the ids of most peers, short whole numbers and
// short strings without escapes, at the cost of a copy.
func appendPlainKey(k, raw []byte) ([]byte, bool) {
	if len(raw) > 40 {
		return k, false
	}
	if raw[0] == '"' {
		if len(raw) < 2 || raw[len(raw)-1] != '"' {
			return k, false
		}
		in := raw[1 : len(raw)-1]
		for _, c := range in {
			if c == '\\' || c >= utf8.RuneSelf {
				return k, false
			}
		}
		return append(append(k, 's'), in...), true
	}
	for _, c := range raw {
		if c < '0' || c > '9' {
			return k, false
		}
	}
	if raw[0] == '0' {
		return k, false
	}
	n := len(raw)
	for raw[n-1] == '0' {
		n--
	}
	k = append(append(append(k, 'n'), raw[:n]...), 'e')
	return strconv.AppendInt(k, int64(len(raw)-n), 10), true
}

// numberKey writes a number as n, its sign, its digits without zeros at either
// end, e, and the exponent of the last digit. It never expands an exponent.
func numberKey(raw []byte) []byte {
	neg := raw[0] == '-'
	if neg {
		raw = raw[1:]
	}
	mant, exp := raw, []byte(nil)
	if i := bytes.IndexAny(raw, "eE"); i >= 0 {
		mant, exp = raw[:i], raw[i+1:]
	}
	whole, frac, _ := bytes.Cut(mant, []byte("."))
	all := make([]byte, 0, len(mant)+24)
	all = append(append(all, whole...), frac...)
	shift := -len(frac)
	all = bytes.TrimLeft(all, "0")
	if len(all) == 0 {
		return []byte("n0")
	}
	n := len(all)
	all = bytes.TrimRight(all, "0")
	shift += n - len(all)
	k := make([]byte, 0, len(all)+len(exp)+24)
	k = append(k, 'n')
	if neg {
		k = append(k, '-')
	}
	k = append(append(k, all...), 'e')
	return appendSum(k, exp, shift)
}

// appendSum appends the decimal sum of exp, of any length with an optional
// sign, and shift, whose size is at most that of a token in memory.
func appendSum(k, exp []byte, shift int) []byte {
	neg := false
	if len(exp) > 0 && (exp[0] == '-' || exp[0] == '+') {
		neg = exp[0] == '-'
		exp = exp[1:]
	}
	exp = bytes.TrimLeft(exp, "0")
	if len(exp) <= 17 {
		v, _ := strconv.ParseInt(string(exp), 10, 64) // empty is zero
		if neg {
			v = -v
		}
		return strconv.AppendInt(k, v+int64(shift), 10)
	}
	// The exponent's size exceeds the shift's: its sign stays.
	d := bytes.Clone(exp)
	if neg {
		shift = -shift
	}
	carry := shift
	for i := len(d) - 1; i >= 0 && carry != 0; i-- {
		v := int(d[i]-'0') + carry
		carry = v / 10
		if v %= 10; v < 0 {
			v += 10
			carry--
		}
		d[i] = byte('0' + v)
	}
	if neg {
		k = append(k, '-')
	}
	if carry > 0 {
		return append(strconv.AppendInt(k, int64(carry), 10), d...)
	}
	return append(k, bytes.TrimLeft(d, "0")...)
}
