package main

import (
	"strings"
	"testing"
)

// TestCalibratedLosesNoPlantedSecret holds what the calibrated rules promise, on
// another seed than the figures of the README; the whole 100,000 take a second
// more.
func TestCalibratedLosesNoPlantedSecret(t *testing.T) {
	t.Chdir("../../..")
	var out strings.Builder
	lost, fewer, err := run(&out, 20261130, 3000, 100_000, 0)
	if err != nil {
		t.Fatal(err)
	}
	if lost > 0 {
		t.Errorf("%d planted secrets lost\n%s", lost, out.String())
	}
	if fewer < 20 {
		t.Errorf("only %.1f times fewer benign results with a random run\n%s", fewer, out.String())
	}
	for _, f := range forms {
		if !strings.Contains(out.String(), "\n"+f.name+" ") {
			t.Errorf("no secret of the form %s was planted", f.name)
		}
	}
}
