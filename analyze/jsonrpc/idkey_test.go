package jsonrpc

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIDKey(t *testing.T) {
	long := strings.Repeat("9", 300)
	huge := strings.Repeat("9", 30)
	for _, same := range [][]string{
		{"1", "1.0", "10e-1", "1e0", "0.1e1", "1E+0", "100e-2", "1.000e-0", "0.01e2"},
		{"0", "-0", "0.0", "0e5", "-0.000e" + huge},
		{"1e1000000000", "10e999999999", "0.1e1000000001"},
		{"1e" + huge, "10e" + strings.Repeat("9", 29) + "8"},
		{"1e1" + strings.Repeat("0", 30), "10e" + huge, "0.1e1" + strings.Repeat("0", 29) + "1"},
		{"1e-" + huge, "0.1e-" + strings.Repeat("9", 29) + "8"},
		{"1e-1" + strings.Repeat("0", 30), "0.1e-" + huge},
		{"1e100000000000000000", "10e99999999999999999", "1e+000100000000000000000"},
		{"-1", "-1.0"},
		{"9007199254740993"}, {"9007199254740992"},
		{long, long + ".0", long + "0e-1"}, {long + "1"},
		{`"1"`, `"\u0031"`}, {`"1.0"`}, {`" 1"`}, {`"0x1"`}, {`""`}, {`"n1e0"`}, {`"n0"`},
		{`"` + long + `"`}, {`"` + long + `1"`},
		{`"a/b"`, `"a\/b"`}, {`"\ud800"`, `"\udc00"`, `"\ufffd"`},
	} {
		want, ok := IDKey([]byte(same[0]))
		for _, s := range same {
			if k, ok2 := IDKey([]byte(s)); !ok || !ok2 || k != want || len(k) > 64 {
				t.Errorf("%.40s: %q, want %q", s, k, want)
			}
		}
		if other, dup := seenKeys[want]; dup && other != same[0] {
			t.Errorf("%.40s and %.40s have the same key", other, same[0])
		}
		seenKeys[want] = same[0]
	}
	for _, s := range []string{"", "null", "true", "false", "[]", "{}", "[1]", "NaN", "Infinity", "-Infinity", "-", "1x", "01", `"`, "+1"} {
		if k, ok := IDKey([]byte(s)); ok {
			t.Errorf("%q has the key %q", s, k)
		}
	}
}

var seenKeys = map[Key]string{}

// Two numbers have one key exactly if they are one rational.
func TestIDKeyIsTheValue(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = strings.Replace(a, "e", "0e", 1)
			if !strings.Contains(b, ".") {
				b = strings.Replace(a, "e", ".0e", 1)
			}
		}
		x, _ := new(big.Rat).SetString(a)
		y, ok := new(big.Rat).SetString(b)
		if !ok { // the change made no number of it: a number is near itself
			b, y = a, x
		}
		ka, _ := IDKey([]byte(a))
		kb, okb := IDKey([]byte(b))
		if !okb || (ka == kb) != (x.Cmp(y) == 0) {
			t.Fatalf("%s %q, %s %q", a, ka, b, kb)
		}
	})
}

// The sum of a long exponent and a shift, against big integers.
func TestIDKeyLongExponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exp := rapid.StringMatching(`-?(9{15,25}|10{15,25}|[1-9][0-9]{15,25})`).Draw(t, "exp")
		shift := rapid.IntRange(-2000, 2000).Draw(t, "shift")
		want, _ := new(big.Int).SetString(exp, 10)
		want.Add(want, big.NewInt(int64(shift)))
		if got := string(appendSum(nil, []byte(exp), shift)); got != want.String() {
			t.Fatalf("%s + %d = %s, want %s", exp, shift, got, want)
		}
	})
}

// TestPlainKeyIsTheKey: the short way to a key leads to the same one.
func TestPlainKeyIsTheKey(t *testing.T) {
	tokens := []string{"0", "1", "10", "100", "1200", "012", "-1", "1.0", "1e2", `""`, `"`, `"a"`, `"1"`, `"a\\n"`, `"é"`, `"a`, "null", "12345678901234567890", "00"}
	plain := 0
	check := func(s string) {
		got, ok := appendPlainKey([]byte("before "), []byte(s))
		want, wantOK := fullKey([]byte(s))
		if ok && (!wantOK || string(got) != "before "+string(want)) {
			t.Errorf("%s: %q, want %q", s, got, want)
		}
		if key, keyOK := IDKey([]byte(s)); key != want || keyOK != wantOK {
			t.Errorf("%s: key %q (%v), want %q (%v)", s, key, keyOK, want, wantOK)
		}
		if ok {
			plain++
		}
	}
	for _, s := range tokens {
		check(s)
	}
	for i := range 3000 {
		check(strconv.Itoa(i))
	}
	if plain < 3000 {
		t.Errorf("%d tokens went the short way", plain)
	}
}
