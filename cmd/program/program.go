// Package program is what both commands share: the world a program runs in,
// its exit codes, and the flags that mean the same in both. A command runs in
// process with a given world, so tests need no child process.
package program

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Exit codes (product.md).
const (
	ExitClean     = 0
	ExitFindings  = 1
	ExitError     = 2
	ExitAborted   = 3   // --strict ended the session
	ExitInterrupt = 130 // what was found so far is written out
)

// Version is the program's version; release builds set it with -ldflags.
var Version = "0.1.0-dev"

// World is everything a program may touch besides files.
type World struct {
	Args   []string // without the program's name
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	Now    func() time.Time
	// Interrupt is closed when the user asked to stop.
	Interrupt <-chan struct{}
}

// Error is an error with an exit code and perhaps a hint what to do.
type Error struct {
	Code int
	Err  error
	Hint string
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Fail makes an error that ends the program with ExitError.
func Fail(hint, format string, args ...any) error {
	return &Error{Code: ExitError, Err: fmt.Errorf(format, args...), Hint: hint}
}

// Interrupted makes the error that ends the program with ExitInterrupt; left says
// what that leaves behind, which the user can't know.
func Interrupted(left string) error {
	return &Error{Code: ExitInterrupt, Err: errors.New("interrupted: " + left)}
}

// Code is the exit code that err asks for: 0 for nil, ExitError for an error
// without a code of its own.
func Code(err error) int {
	var e *Error
	switch {
	case err == nil:
		return ExitClean
	case errors.As(err, &e):
		return e.Code
	}
	return ExitError
}
