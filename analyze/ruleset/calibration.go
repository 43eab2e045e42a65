package ruleset

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Calibration says which runs WRD-SEC-ENTROPY spares: those whose make shows
// that they are no secret. sets/calibrated.yaml explains each part. Only built-in
// sets have one.
type Calibration struct {
	Table   string         `yaml:"letters" json:"-"`
	Letters *Letters       `yaml:"-" json:"letters"`
	Above   float64        `yaml:"above" json:"above"` // bits a character
	Most    Stretch        `yaml:"most" json:"most"`
	Hex     int            `yaml:"hex" json:"hex"`
	Digests map[string]int `yaml:"digests" json:"digests"` // name to bytes
	IDs     []string       `yaml:"ids" json:"ids"`         // uuid, ulid
	Media   []string       `yaml:"media" json:"media"`
	Magic   []string       `yaml:"magic" json:"magic"`
	Lines   Lines          `yaml:"lines" json:"lines"`
	Text    bool           `yaml:"text" json:"text"`
	Unless  []string       `yaml:"unless" json:"unless"` // lower case
}

// Stretch is how many bits a stretch may cost before it is random, by the kinds
// of characters in it.
type Stretch struct {
	OneCase        float64 `yaml:"one_case" json:"one_case"`
	OneCaseDigits  float64 `yaml:"one_case_digits" json:"one_case_digits"`
	TwoCases       float64 `yaml:"two_cases" json:"two_cases"`
	TwoCasesDigits float64 `yaml:"two_cases_digits" json:"two_cases_digits"`
}

// Lines says what encoded data in lines looks like.
type Lines struct {
	Widths []int  `yaml:"widths" json:"widths"`
	Least  int    `yaml:"least" json:"least"`
	Unless string `yaml:"unless" json:"unless"`
}

//go:embed sets
var sets embed.FS

// Calibrated returns the built-in rules with the calibration of
// sets/calibrated.yaml. The same *Set every time.
func Calibrated() *Set { return calibrated() }

var calibrated = sync.OnceValue(func() *Set {
	c, err := loadCalibration("sets/calibrated.yaml")
	if err != nil {
		// The embedded files are part of the program and loaded by its tests.
		panic(err)
	}
	s := *Builtin()
	s.Name, s.Calibration = "calibrated", c
	return &s
})

func loadCalibration(name string) (*Calibration, error) {
	data, err := sets.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var file struct {
		Calibration Calibration `yaml:"calibration"`
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := &file.Calibration
	if c.Above <= 0 || c.Most.OneCase <= 0 || c.Most.OneCaseDigits <= 0 || c.Most.TwoCases <= 0 || c.Most.TwoCasesDigits <= 0 || c.Lines.Least < 1 || c.Hex < 1 {
		return nil, errors.New(name + ": a threshold is missing")
	}
	table := "sets/" + c.Table
	if data, err = sets.ReadFile(table); err != nil {
		return nil, err
	}
	c.Letters, err = ParseLetters(table, data)
	return c, err
}
