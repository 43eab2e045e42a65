package policy

import "github.com/warden-trace/warden/analyze/lock"

// shapes are those that a call is judged by: what the policy declares, what is
// known of the tool, and where that is not all what the names give.
func shapes(known, declared, guessed ShapeSet) ShapeSet {
	if known&Guess != 0 {
		declared |= guessed
	}
	return known&^Guess | declared
}

func (p *Policy) declared(tool string) (s ShapeSet) {
	if t := p.tools[tool]; t != nil {
		for k := range t.declared {
			s |= k.bit()
		}
	}
	return s
}

// ShapeSet is a set of shapes.
type ShapeSet uint8

// Guess stands among the shapes that are known of a tool where those are not
// all: alone where nothing is known of it.
const Guess ShapeSet = 16

// Everything is all shapes.
const Everything ShapeSet = 15

// SetOf is the set of what is known of a tool in the form that Eval takes.
func SetOf(known []Shape) (s ShapeSet) {
	if known == nil {
		return Guess
	}
	for _, k := range known {
		s |= k.bit()
	}
	return s
}

// SetFrom is SetOf of FromCapabilities.
func SetFrom(caps []lock.Capability) (s ShapeSet) {
	for _, c := range caps {
		s |= shapeOf(c).bit()
	}
	return s
}

// Has reports that a shape is one of the set.
func (s ShapeSet) Has(shape Shape) bool { return s&shape.bit() != 0 }

func (s Shape) bit() ShapeSet {
	switch s {
	case FilesystemWrite:
		return 1
	case ShellExec:
		return 2
	case HTTPRequest:
		return 4
	case SQLQuery:
		return 8
	case inferred:
		return Guess
	}
	return 0
}

// guessed are the shapes that Infer gives.
func guessed(name, keys lock.Hint) (s ShapeSet) {
	if name.WritesFiles(keys) {
		s |= FilesystemWrite.bit()
	}
	if name.RunsShell(keys) {
		s |= ShellExec.bit()
	}
	if name.SendsRequests(keys) {
		s |= HTTPRequest.bit()
	}
	if name.Queries(keys) {
		s |= SQLQuery.bit()
	}
	return s
}
