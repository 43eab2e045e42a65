package program

import (
	"io"
	"strconv"

	"golang.org/x/term"
)

// filer is what os.File has and a terminal needs.
type filer interface{ Fd() uintptr }

// IsTerminal reports whether w (or a reader) is a terminal. Whatever is no file
// is none, so a program run in process has no terminal.
func IsTerminal(w any) bool {
	f, ok := w.(filer)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Columns is the width of the terminal w, from COLUMNS where that is set by
// hand, else what the terminal says, else 80; never below 40.
func (w *World) Columns(out io.Writer) int {
	n := 80
	if f, ok := out.(filer); ok {
		if c, _, err := term.GetSize(int(f.Fd())); err == nil && c > 0 {
			n = c
		}
	}
	if s := w.env("COLUMNS"); s != "" {
		if c, err := strconv.Atoi(s); err == nil && c > 0 {
			n = c
		}
	}
	return max(n, 40)
}

// Color decides whether text to out is coloured. choice is --color: "always",
// "never", or "auto" (or ""), which asks the environment and the terminal:
// NO_COLOR set to anything turns colour off (no-color.org), TERM=dumb too,
// CLICOLOR_FORCE other than 0 turns it on without a terminal.
func (w *World) Color(choice string, out io.Writer) (bool, error) {
	switch choice {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "", "auto":
	default:
		return false, Fail("--color takes auto, always or never", "no such colour mode: %q", choice)
	}
	if w.env("NO_COLOR") != "" || w.env("TERM") == "dumb" {
		return false, nil
	}
	if force := w.env("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true, nil
	}
	return IsTerminal(out), nil
}

func (w *World) env(name string) string {
	if w.Getenv == nil {
		return ""
	}
	return w.Getenv(name)
}
