package program

import (
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/warden-trace/warden/replay/where"
)

// HelpCmd explains a command, as its --help does.
type HelpCmd struct {
	Command []string `arg:"" optional:"" name:"command" help:"The command; none: the program."`
}

// Run prints the help.
func (c *HelpCmd) Run(ctx *kong.Context, w *World) error {
	node := ctx.Model.Node
	for i, word := range c.Command {
		next := child(node, word)
		if next == nil {
			hint := "see " + strings.Join(append([]string{ctx.Model.Name}, c.Command[:i]...), " ") + " --help for the commands"
			if near := where.Nearest(word, names(node)); near != "" {
				hint = "did you mean " + near + "?"
			}
			return Fail(hint, "there is no command %q", strings.Join(c.Command[:i+1], " "))
		}
		node = next
	}
	_, err := ctx.Kong.Parse(append(slices.Clone(c.Command), "--help"))
	return err
}

func child(n *kong.Node, name string) *kong.Node {
	for _, c := range n.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// names are those of the commands below one.
func names(n *kong.Node) (out []string) {
	for _, c := range n.Children {
		if !c.Hidden {
			out = append(out, c.Name)
		}
	}
	return out
}

// arguments looks at the first argument before it is taken for what it may not
// be: a misspelt command would pass for the name of a file, and the rest of the
// line would be read as if it were meant for another command.
func arguments(app *kong.Application, args []string) ([]string, error) {
	if len(args) == 0 {
		return args, nil
	}
	first := args[0]
	if first == "--version" && child(app.Node, "version") != nil {
		return append([]string{"version"}, args[1:]...), nil
	}
	if first == "" || strings.Trim(first, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") != "" || first[0] == '-' || child(app.Node, first) != nil {
		return args, nil
	}
	near := where.Nearest(first, names(app.Node))
	if near == "" {
		return args, nil
	}
	what := "command"
	if app.DefaultCmd != nil {
		if _, err := os.Lstat(first); err == nil {
			return args, nil
		}
		what = "file or command"
	}
	return nil, Fail("see "+app.Name+" --help for the commands", "no such %s %q; did you mean %q?", what, first, near)
}

// usage is where the command that an error is about is explained.
func usage(app *kong.Application, err error) string {
	out := []string{"see", app.Name}
	if pe, ok := err.(*kong.ParseError); ok {
		for _, p := range pe.Context.Path {
			if p.Command != nil {
				out = append(out, p.Command.Name)
			}
		}
	}
	return strings.Join(append(out, "--help"), " ")
}

// nameProgram puts the program's name into the texts of its commands.
func nameProgram(n *kong.Node, name string) {
	n.Detail = strings.ReplaceAll(n.Detail, "PROGRAM", name)
	for _, c := range n.Children {
		nameProgram(c, name)
	}
}
