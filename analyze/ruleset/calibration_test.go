package ruleset

import (
	"bytes"
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, name := range []string{"builtin", "calibrated"} {
		if s, ok := Named(name); !ok || s.Name != name {
			t.Errorf("%s: %v", name, ok)
		}
	}
	if _, ok := Named("rules.yaml"); ok {
		t.Error("a file has become a built-in set")
	}
}

// The calibrated set is the built-in one with a calibration, which counts in the
// hash and survives what is added.
func TestCalibrated(t *testing.T) {
	c, err := loadCalibration("sets/calibrated.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range c.Unless {
		if name != strings.ToLower(name) {
			t.Errorf("%s must be in small letters: that is how it is compared", name)
		}
	}
	base, s := Builtin(), Calibrated()
	if base.Calibration != nil || s.Calibration == nil || s.Hash() == base.Hash() {
		t.Error("the built-in set must have no calibration, and the hashes must differ")
	}
	plain := *s
	plain.Calibration = nil
	if plain.Hash() != base.Hash() {
		t.Error("more than the calibration differs")
	}
	more, err := s.Merge(load(t, "hosts: [x.example]"))
	if err != nil || more.Calibration == nil {
		t.Errorf("added to: %v", err)
	}
	if _, err := Load("f.yaml", []byte("calibration: {above: 9}")); err == nil || !strings.Contains(err.Error(), "f.yaml:1: calibration: unknown key") {
		t.Errorf("a file may not calibrate: %v", err)
	}
}

func TestLettersRoundTrip(t *testing.T) {
	l := Calibrated().Calibration.Letters
	text := l.Marshal()
	again, err := ParseLetters("l.txt", text)
	if err != nil || *again != *l {
		t.Errorf("%v", err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"class aa ", "class aa 0", "l.txt:3: not a row"},
		{"\nth ", "\nth !", "l.txt:"},
		{"\n^^ ", "\n# ", "rows, expected"},
	} {
		if _, err := ParseLetters("l.txt", bytes.Replace(text, []byte(c.old), []byte(c.new), 1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
	// What is common must cost less than what is rare.
	cost := func(s string) uint8 { return l.Next[s[0]-'a'][s[1]-'a'][s[2]-'a'] }
	if cost("ing") >= cost("inq") || cost("the") >= cost("thx") {
		t.Error("the table says nothing about words")
	}
}
