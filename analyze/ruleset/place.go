package ruleset

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// note keeps where a key or an id stands.
func (s *Set) note(what string, n *yaml.Node) {
	if s.lines == nil {
		s.lines = map[string]int{}
	}
	s.lines[what] = n.Line
}

// place is where a key or an id stands, as errors begin.
func (s *Set) place(what string) string {
	if line := s.lines[what]; line > 0 {
		return fmt.Sprintf("%s:%d", s.Name, line)
	}
	return s.Name
}
