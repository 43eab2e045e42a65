package lock

import (
	"errors"
	"strings"
	"testing"
)

func TestCanon(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"white space", " { \"b\" : [ 1 , true ] , \"a\" : null } ", `{"a":null,"b":[1,true]}`},
		{"numbers as ES6 writes them", `[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0,-0.0,1e21,1e20,123456789012345680000.0]`,
			`[333333333.3333333,1e+30,4.5,0.002,1e-27,0,0,1e+21,100000000000000000000,123456789012345680000]`},
		{"keys by UTF-16 unit", `{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`,
			"{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}"},
		{"escapes", `"\u000f\u0041\/\b\u2028"`, "\"\\u000fA/\\b\u2028\""},
		{"largest integers", `[9007199254740991,-9007199254740991]`, `[9007199254740991,-9007199254740991]`},
		{"a double may be larger", `9007199254740994.0`, `9007199254740994`},
		{"512 deep", strings.Repeat("[", 513) + strings.Repeat("]", 513), strings.Repeat("[", 513) + strings.Repeat("]", 513)},
		{"a scalar at 512", strings.Repeat("[", 512) + "1" + strings.Repeat("]", 512), strings.Repeat("[", 512) + "1" + strings.Repeat("]", 512)},
	} {
		got, err := Canon([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestCanonRefuses(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     error
	}{
		{"2^53", `{"a":9007199254740992}`, errInteger},
		{"-2^53", `-9007199254740992`, errInteger},
		{"a hundred digits", strings.Repeat("9", 100), errInteger},
		{"beyond a double", `1e309`, errInfinite},
		{"a key twice", `{"a":1,"\u0061":2}`, errTwice},
		{"a key twice, deep", `[{"x":{"a":1,"a":2}}]`, errTwice},
		{"lone surrogate", `"\ud800"`, errNotJSON},
		{"lone low surrogate in a key", `{"\udc00":1}`, errNotJSON},
		{"invalid UTF-8", "\"\xff\"", errNotJSON},
		{"surrogate as UTF-8", "\"\xed\xa0\x80\"", errNotJSON},
		{"two values", `1 2`, errAfterward},
		{"nothing", ``, errNotJSON},
		{"NaN", `NaN`, errNotJSON},
		{"a byte-order mark", "\ufeff1", errNotJSON},
		{"513 deep", strings.Repeat("[", 514) + strings.Repeat("]", 514), errDeep},
		{"a scalar at 513", strings.Repeat("[", 513) + "1" + strings.Repeat("]", 513), errDeep},
		{"objects 513 deep", strings.Repeat(`{"a":`, 514) + "1" + strings.Repeat("}", 514), errDeep},
	} {
		if _, err := Canon([]byte(c.in)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

// What an error says of a value is where, never what.
func TestCanonErrorsShowNoValue(t *testing.T) {
	for _, in := range []string{`{"hunter2":1,"hunter2":2}`, `["hunter2" hunter2]`, `{"hunter2":1e999}`, `{"hunter2":{"hunter2":"\ud800"}}`} {
		_, err := Canon([]byte(in))
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", in, err)
		}
	}
}
