package where

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
)

// check visits an expression before it is compiled: it refuses what could cost
// more than a pass over the frame, catches words that a field can never be, and
// rewrites comparisons of times and ordered words.
type check struct {
	source string
	ids    *IDs
	uses   map[string]bool
	err    *Error
	// suspect is what was probably meant, should the expression not compile.
	suspect *Error
}

// Visit implements ast.Visitor; children come first.
func (c *check) Visit(node *ast.Node) {
	if c.err != nil {
		return
	}
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if f := field(n.Value); f != nil {
			n.Value = f.Name // of its two names, the one that Env has
		}
		c.uses[n.Value] = true
		if strings.HasPrefix(n.Value, "__") && n.Location() != (file.Location{}) {
			c.fail(n.Location(), "there is no field "+n.Value, helpHint)
		}
		if n.Value == "$env" {
			c.fail(n.Location(), "$env can't be used", helpHint)
		}
	case *ast.VariableDeclaratorNode:
		if field(n.Name) != nil {
			c.fail(n.Location(), n.Name+" is a field already", helpHint)
		}
	case *ast.CallNode:
		c.fail(n.Location(), "only these functions can be called: "+strings.Join(functions, ", "), helpHint)
	case *ast.MapNode:
		c.fail(n.Location(), "objects can't be made here", helpHint)
	case *ast.BuiltinNode:
		for _, a := range n.Arguments {
			p, ok := a.(*ast.PredicateNode)
			if ok && nested(p.Node) {
				c.fail(n.Location(), n.Name+" within the condition of another", "a condition over a list can't hold one")
			}
			if f := fieldOf(n.Arguments[0]); ok && f != nil && f.Name == "rules" {
				c.elements(p.Node)
			}
		}
	case *ast.BinaryNode:
		c.binary(node, n)
	}
}

// nested reports a condition over a list within a condition.
func nested(n ast.Node) bool {
	return ast.Find(n, func(n ast.Node) bool { _, ok := n.(*ast.PredicateNode); return ok }) != nil
}

func (c *check) binary(node *ast.Node, n *ast.BinaryNode) {
	switch n.Operator {
	case "+", "..", "**", "^":
		c.fail(n.Location(), "there is no "+n.Operator+" here", helpHint)
		return
	case "matches":
		if _, ok := n.Right.(*ast.StringNode); !ok {
			c.fail(n.Right.Location(), "matches takes a pattern in quotes", helpHint)
		}
		return
	case "in":
		c.in(fieldOf(n.Left), n.Right)
		if f := fieldOf(n.Right); f != nil && f.Name == "rules" {
			c.word(field("rule"), n.Left)
		}
		return
	case "startsWith", "endsWith", "contains":
		if f := fieldOf(n.Left); f != nil {
			c.part(f, n.Operator, n.Right)
		}
		return
	case "==", "!=", "<", "<=", ">", ">=":
	default:
		return
	}
	f, other, swapped := fieldOf(n.Left), n.Right, false
	if f == nil {
		f, other, swapped = fieldOf(n.Right), n.Left, true
	}
	if f == nil {
		return
	}
	s, ok := other.(*ast.StringNode)
	if !ok {
		c.bare(f, other)
		return
	}
	if f.Name == "ts" {
		c.time(n, s, swapped)
		return
	}
	if !c.word(f, other) || !f.Ordered || n.Operator == "==" || n.Operator == "!=" {
		return
	}
	var rank ast.Node = &ast.IntegerNode{Value: slices.Index(f.Values, s.Value)}
	var name ast.Node = &ast.IdentifierNode{Value: "__" + f.Name}
	b := &ast.BinaryNode{Operator: n.Operator, Left: name, Right: rank}
	if swapped {
		b.Left, b.Right = rank, name
	}
	// Without a finding nothing is below "high" either.
	var some ast.Node = &ast.BinaryNode{Operator: ">=", Left: &ast.IdentifierNode{Value: "__" + f.Name}, Right: &ast.IntegerNode{Value: 0}}
	ast.Patch(node, &ast.BinaryNode{Operator: "and", Left: some, Right: b})
}

func fieldOf(n ast.Node) *Field {
	if id, ok := n.(*ast.IdentifierNode); ok {
		return field(id.Value)
	}
	return nil
}

// time turns the text that ts is compared with into a time.
func (c *check) time(n *ast.BinaryNode, s *ast.StringNode, swapped bool) {
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		t, err := time.Parse(layout, s.Value)
		if err != nil {
			continue
		}
		v := &ast.ConstantNode{Value: t.UTC()}
		if swapped {
			n.Left = v
		} else {
			n.Right = v
		}
		return
	}
	c.fail(s.Location(), fmt.Sprintf("%q is no time", s.Value), `write "2026-08-01" or "2026-08-01T10:00:00Z"`)
}

func (c *check) fail(at file.Location, message, hint string) {
	if c.err == nil {
		c.err = c.at(at, message, hint)
	}
}

// at is an error with its place.
func (c *check) at(at file.Location, message, hint string) *Error {
	e := (&file.Error{Location: at}).Bind(file.NewSource(c.source))
	return &Error{Message: message, Hint: hint, Line: e.Line, Column: e.Column + 1}
}
