package tui

import "github.com/charmbracelet/x/ansi"

// cellsOf measures with another library than the program does.
func cellsOf(s string) int { return ansi.StringWidth(s) }
