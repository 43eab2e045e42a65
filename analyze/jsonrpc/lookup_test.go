package jsonrpc

import "testing"

func TestLookup(t *testing.T) {
	const doc = ` { "a" : {"b": [1, {"c": "}"}] , "b":"\u0041\"x" } , "a2":-1e5,"k\"ey":{"n":null},"last":tr` + `ue}`
	for _, c := range []struct {
		path []string
		want string
	}{
		{[]string{"a", "b"}, `"\u0041\"x"`}, // the last of a repeated key
		{[]string{"a2"}, `-1e5`},
		{[]string{`k"ey`, "n"}, `null`},
		{[]string{"last"}, `true`},
		{[]string{"a", "c"}, ``},
		{[]string{"a2", "x"}, ``},
	} {
		if got := string(Lookup([]byte(doc), c.path...)); got != c.want {
			t.Errorf("Lookup(%q) = %q, want %q", c.path, got, c.want)
		}
	}
	if s, ok := LookupString([]byte(doc), "a", "b"); !ok || s != `A"x` {
		t.Errorf("LookupString = %q, %v", s, ok)
	}
}
