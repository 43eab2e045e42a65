// Package where is the one expression language of the project: `--where`
// wherever frames or findings are chosen, and the stepper's filter. An
// expression is compiled once and then tried on each finding together with the
// frame that it stands on; a frame without findings is tried with the fields of
// findings empty. A frame matches when one of these does.
//
// The language is expr (github.com/expr-lang/expr) with less: no calls but a few
// pure functions, no clock, no arithmetic that could build large values, no
// nested loops. What is left costs time linear in the frame.
package where

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// Bounds on an expression.
const (
	maxSource = 4096 // bytes
	maxNodes  = 400
	maxMemory = 1 << 16 // values that one evaluation may make
)

// Error is what is wrong with an expression: where and what to do.
type Error struct {
	Line, Column int // from 1; 0 where it has no place
	Message      string
	Hint         string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// Advice is the hint; cmd/program prints it on a line of its own.
func (e *Error) Advice() string { return e.Hint }

// Filter is a compiled expression. It keeps memory between evaluations: one a
// goroutine.
type Filter struct {
	source  string
	program *vm.Program
	vm      vm.VM
	uses    map[string]bool
	err     error
}

// functions are what an expression may call. All are pure.
var functions = []string{"len", "lower", "upper", "trim", "any", "all", "none", "one", "count"}

// Compile checks and compiles an expression for a run whose findings can have
// the given ids; nil leaves ids unchecked. Errors are *Error.
func Compile(source string, ids *IDs) (*Filter, error) {
	if len(source) > maxSource {
		return nil, &Error{Message: fmt.Sprintf("the expression has %d bytes; at most %d", len(source), maxSource), Hint: "shorten it, or filter the JSONL output"}
	}
	if strings.TrimSpace(source) == "" {
		return nil, &Error{Message: "the expression is empty", Hint: helpHint}
	}
	c := &check{source: source, ids: ids, uses: map[string]bool{}}
	options := []expr.Option{expr.Env(&Env{}), expr.AsBool(), expr.DisableAllBuiltins(), expr.MaxNodes(maxNodes), expr.Patch(c)}
	for _, f := range functions {
		options = append(options, expr.EnableBuiltin(f))
	}
	p, err := expr.Compile(source, options...)
	if c.err != nil {
		return nil, c.err
	}
	if err != nil && c.suspect != nil {
		return nil, c.suspect
	}
	if err != nil {
		return nil, explain(err)
	}
	return &Filter{source: source, program: p, uses: c.uses, vm: vm.VM{MemoryBudget: maxMemory}}, nil
}

// String is the expression as it was given.
func (f *Filter) String() string { return f.source }

// Uses reports whether the expression reads a field, so that a costly one (raw)
// need not be filled in for nothing.
func (f *Filter) Uses(field string) bool { return f.uses[field] }

// Match tries the expression. An evaluation that fails (it ran over its memory)
// does not match; Err has the first such failure.
func (f *Filter) Match(e *Env) bool {
	out, err := f.vm.Run(f.program, e)
	if err != nil {
		if f.err == nil {
			f.err = &Error{Message: "the expression can't be evaluated: " + plain(err), Hint: helpHint}
		}
		return false
	}
	ok, _ := out.(bool)
	return ok
}

// Err is the first failure of an evaluation, nil if there was none.
func (f *Filter) Err() error { return f.err }

const helpHint = "--where help lists the fields and operators"

// plain is the message of an error of the library, without its drawing.
func plain(err error) string {
	msg := err.Error()
	var fe *file.Error
	if errors.As(err, &fe) {
		msg = fe.Message
	}
	msg = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, msg)
	if r := []rune(msg); len(r) > 300 {
		msg = string(r[:300]) + "…"
	}
	return msg
}

// explain turns an error of the library into ours.
func explain(err error) error {
	out := &Error{Message: plain(err), Hint: helpHint}
	var fe *file.Error
	if errors.As(err, &fe) {
		out.Line, out.Column = fe.Line, fe.Column+1
	}
	switch {
	case strings.HasPrefix(out.Message, "unknown name "):
		name, _, _ := strings.Cut(strings.TrimPrefix(out.Message, "unknown name "), " ")
		out.Message = "there is no field " + name
		if near := nearest(name); near != "" {
			out.Hint = "did you mean " + near + "? " + helpHint
		}
	case strings.HasPrefix(out.Message, "expected bool"):
		out.Hint = "an expression says yes or no, such as tier == \"block\"; " + helpHint
	case strings.Contains(out.Message, "mismatched types"):
		out.Hint = "text stands in quotes, numbers do not; " + helpHint
	case strings.Contains(out.Message, "exceeds maximum allowed nodes"):
		out.Message = "the expression is too long"
	}
	return out
}

// nearest is the field or function that a misspelt name was meant to be.
func nearest(name string) string {
	var names []string
	for i := range Fields {
		names = append(names, Fields[i].Name)
		if a := Fields[i].Alias; a != "" {
			names = append(names, a)
		}
	}
	return Nearest(name, append(names, functions...))
}
