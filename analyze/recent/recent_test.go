package recent

import (
	"fmt"
	"testing"
)

func TestSlot(t *testing.T) {
	used := map[int]bool{}
	for i := range 64 {
		for _, name := range []string{fmt.Sprintf("read_file_%d", i), fmt.Sprint(i), fmt.Sprintf("%d-tool", i)} {
			s := Slot(name, 8)
			if s < 0 || s > 255 || s != Slot([]byte(name), 8) {
				t.Fatalf("%s: %d", name, s)
			}
			used[s] = true
		}
	}
	if len(used) < 110 { // of 192 names; at random 135 slots are taken
		t.Errorf("only %d slots of 256 are used", len(used))
	}
	if s := Slot("", 4); s < 0 || s > 15 {
		t.Errorf("no name: %d", s)
	}
}
