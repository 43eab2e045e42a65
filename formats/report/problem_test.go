package report

import "testing"

// What is wrong with a trace names the trace once.
func TestProblemNamesItsPlaceOnce(t *testing.T) {
	for _, c := range []struct {
		in   Problem
		want string
	}{
		{Problem{Message: "m"}, "m"},
		{Problem{Trace: "a", Message: "m"}, "a: m"},
		{Problem{Trace: "a", Line: 3, Message: "m"}, "a:3: m"},
		{Problem{Trace: "a", Message: "a: m"}, "a: m"},
		{Problem{Trace: "a", Message: "ab: m"}, "a: ab: m"},
	} {
		if got := c.in.String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.in, got, c.want)
		}
	}
}
