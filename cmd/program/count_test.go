package program

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 entries", 1: "1 entry", 2: "2 entries", 1234: "1234 entries"} {
		if got := Count(n, "entry", "entries"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
