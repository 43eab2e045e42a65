package faults

import (
	"errors"
	"strings"
	"testing"
)

func TestListNamesTheFirstAndCountsTheRest(t *testing.T) {
	l := List{File: "p.yaml"}
	if !l.Empty() || l.Full() || l.Err() != nil {
		t.Fatal("a new list holds something")
	}
	for i := range MaxNamed + 3 {
		l.Add(i, "tools.x", "fault %d", i)
	}
	if !l.Full() {
		t.Error("it is full and does not say so")
	}
	err := l.Err()
	all := err.(interface{ Unwrap() []error }).Unwrap()
	if len(all) != MaxNamed+1 {
		t.Fatalf("%d faults", len(all))
	}
	if got, want := all[2].Error(), "p.yaml:2: tools.x: fault 2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := all[MaxNamed].Error(), "p.yaml: 3 more faults"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if s := err.Error(); !strings.HasPrefix(s, "p.yaml: tools.x: fault 0; ") || !strings.HasSuffix(s, "fault 4; and 46 more") {
		t.Errorf("told as %q", s)
	}
	var f *Fault
	if !errors.As(err, &f) || f.Key != "tools.x" {
		t.Errorf("%v", f)
	}
}
