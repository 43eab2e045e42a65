package where

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/warden-trace/warden/analyze/ruleset"
)

// IDs are all ids that the findings of a run can have. An expression that asks
// for another one would find nothing and pass for a clean result.
type IDs struct {
	Rules, SubRules []string
	// others are ids that only commands on locks and policies report.
	others []string
}

// IDsOf lists the ids of the findings that a rule set can make, whatever the
// run arms.
func IDsOf(s *ruleset.Set) *IDs {
	out := &IDs{}
	for i := range s.Rules {
		switch r := &s.Rules[i]; {
		case r.Family == "secret":
			out.SubRules = append(out.SubRules, r.ID)
		case strings.HasPrefix(r.ID, "WRD-DRIFT-"), strings.HasPrefix(r.ID, "POL-LINT-"):
			out.others = append(out.others, r.ID)
		default:
			out.Rules = append(out.Rules, r.ID)
		}
	}
	for i := range s.Secrets {
		if id := s.Secrets[i].ID; !slices.Contains(out.SubRules, id) {
			out.SubRules = append(out.SubRules, id)
		}
	}
	return out
}

// values are all words that a field can have, nil where they are not known.
func (c *check) values(f *Field) []string {
	switch {
	case c.ids != nil && f.Name == "rule":
		return c.ids.Rules
	case c.ids != nil && f.Name == "sub_rule":
		return c.ids.SubRules
	}
	return f.Values
}

// word checks a text that a field with few values is compared with. The empty
// text asks for a frame without findings.
func (c *check) word(f *Field, n ast.Node) bool {
	s, ok := n.(*ast.StringNode)
	if !ok {
		c.bare(f, n)
		return false
	}
	v := c.values(f)
	if len(v) == 0 || s.Value == "" || slices.Contains(v, s.Value) {
		return s.Value != ""
	}
	c.fail(n.Location(), fmt.Sprintf("%s is never %q", f.Name, s.Value), c.instead(f, s.Value))
	return false
}

// in checks the words of a list.
func (c *check) in(f *Field, list ast.Node) {
	if f == nil {
		return
	}
	if a, ok := list.(*ast.ArrayNode); ok {
		for _, e := range a.Nodes {
			c.word(f, e)
		}
	}
}

// part checks a text that is looked for in a field with few values.
func (c *check) part(f *Field, operator string, n ast.Node) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		c.bare(f, n)
		return
	}
	has, does := strings.Contains, "contains"
	switch operator {
	case "startsWith":
		has, does = strings.HasPrefix, "starts with"
	case "endsWith":
		has, does = strings.HasSuffix, "ends with"
	}
	v := c.values(f)
	if len(v) > 0 && !slices.ContainsFunc(v, func(x string) bool { return has(x, s.Value) }) {
		c.fail(n.Location(), fmt.Sprintf("no %s %s %q", f.Name, does, s.Value), c.instead(f, s.Value))
	}
}

// elements checks the words that the elements of the list of rules are compared
// with, in a condition over it.
func (c *check) elements(n ast.Node) {
	rule := field("rule")
	ast.Find(n, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryNode)
		if !ok {
			return false
		}
		_, left := b.Left.(*ast.PointerNode)
		_, right := b.Right.(*ast.PointerNode)
		switch b.Operator {
		case "==", "!=":
			if left {
				c.word(rule, b.Right)
			} else if right {
				c.word(rule, b.Left)
			}
		case "in":
			if left {
				c.in(rule, b.Right)
			}
		case "startsWith", "endsWith", "contains":
			if left {
				c.part(rule, b.Operator, b.Right)
			}
		}
		return false
	})
}

// instead is a hint what could have been meant by a word that a field never is.
func (c *check) instead(f *Field, word string) string {
	if len(f.Values) > 0 {
		var v []string
		for _, x := range f.Values {
			if x != "" {
				v = append(v, x)
			}
		}
		return "it is one of " + strings.Join(v, ", ")
	}
	const all = "warden-inspect rules list names them all"
	switch {
	case f.Name != "sub_rule" && slices.Contains(c.ids.SubRules, word):
		return fmt.Sprintf("that is a sub_rule: sub_rule == %q", word)
	case f.Name == "sub_rule" && slices.Contains(c.ids.Rules, word):
		return fmt.Sprintf("that is a rule: rule == %q", word)
	case slices.Contains(c.ids.others, word):
		return "no recording has it: the lock and policy commands report it; " + all
	}
	if near := Nearest(word, c.values(f)); near != "" {
		return "did you mean " + near + "? " + all
	}
	return all
}

// bare notes a text without quotes where one was meant: names of fields that
// are none, or words of the field itself. It is what is wrong with an
// expression that turns out not to compile; a variable looks the same.
func (c *check) bare(f *Field, n ast.Node) {
	word, names := unquoted(n)
	if word == "" || f.Type != "text" {
		return
	}
	for _, name := range names {
		if field(name) != nil && !slices.Contains(c.values(f), word) {
			return // compared with another field
		}
	}
	if c.suspect != nil {
		return
	}
	c.suspect = c.at(n.Location(), "there is no field "+word, fmt.Sprintf("text stands in quotes: %s == %q; %s", f.Name, word, helpHint))
}

// unquoted is what an operand reads like as a text: a name, or several with
// dashes and slashes between them.
func unquoted(n ast.Node) (word string, names []string) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value, []string{n.Value}
	case *ast.BinaryNode:
		if n.Operator != "-" && n.Operator != "/" {
			return "", nil
		}
		a, left := unquoted(n.Left)
		b, right := unquoted(n.Right)
		if a == "" || b == "" {
			return "", nil
		}
		return a + n.Operator + b, append(left, right...)
	}
	return "", nil
}
