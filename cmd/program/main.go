package program

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/warden-trace/warden/formats/report/safe"
)

// Main runs a program in the real world and returns its exit code.
func Main(run func(*World) int) int {
	if os.Getenv("GOMEMLIMIT") == "" {
		// What is live is far below this; garbage need not go beyond it.
		debug.SetMemoryLimit(96 << 20)
	}
	if os.Getenv("GOGC") == "" {
		// So little is live that the collector would run all the time otherwise;
		// the limit above keeps the garbage in bounds.
		debug.SetGCPercent(400)
	}
	brokenPipes()
	interrupt, stop := Interrupts()
	defer stop()
	return run(&World{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Now: time.Now, Interrupt: interrupt,
	})
}

// Status is the error that only carries an exit code; everything has been said.
func Status(code int) error {
	if code == ExitClean {
		return nil
	}
	return &Error{Code: code, Err: errSilent}
}

var errSilent = errors.New("")

// Warn writes a one-line warning.
func (w *World) Warn(name, text string) {
	fmt.Fprintf(w.Stderr, "%s: warning: %s\n", name, safe.String(safe.Limit(strings.TrimSpace(text), 2048)))
}

// exited is how kong's own exits (--help) unwind to Parse.
type exited int

// CommandLine parses the arguments into cli, runs the chosen command with the
// world bound, and returns the exit code.
func CommandLine(w *World, name, description string, cli any, bind ...any) (code int) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(exited)
			if !ok {
				panic(r)
			}
			code = int(e)
		}
	}()
	out := &outlet{w: w.Stdout}
	parser, err := kong.New(cli,
		kong.Name(name),
		kong.Description(description),
		kong.Writers(out, w.Stderr),
		kong.Exit(func(n int) { panic(exited(n)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Bind(append([]any{w}, bind...)...),
	)
	if err == nil {
		var ctx *kong.Context
		if ctx, err = parser.Parse(w.Args); err == nil {
			if !raw(ctx) {
				w.Stdout = out
			}
			if err = given(ctx); err == nil {
				err = ctx.Run()
			}
		} else {
			err = Fail("see "+name+" --help", "%w", negative(err))
		}
	}
	if err != nil {
		PrintError(w.Stderr, name, err)
	}
	return Code(err)
}
