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

// chosen runs the command that the arguments choose, with out for its standard
// output if it leaves that to others.
func chosen(w *World, parser *kong.Kong, out *outlet) error {
	args, err := arguments(parser.Model, w.Args)
	if err != nil {
		return err
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return Fail(usage(parser.Model, err), "%w", clearer(err))
	}
	if !raw(ctx) {
		w.Stdout = out
	}
	if err := given(ctx); err != nil {
		return err
	}
	return ctx.Run()
}

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
		nameProgram(parser.Model.Node, name)
		err = chosen(w, parser, out)
	}
	if err != nil {
		PrintError(w.Stderr, name, err)
	}
	return Code(err)
}
