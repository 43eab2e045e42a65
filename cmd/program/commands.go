package program

import (
	"strings"

	"github.com/alecthomas/kong"
)

// command is one command of a program as its completions and manual pages
// describe it, read from the same model as its --help.
type command struct {
	path  string // "/lock/pin"; "" is the program itself
	node  *kong.Node
	subs  []*kong.Node
	flags []*kong.Flag
}

// commands lists the program and all its commands that are shown, each before
// those below it. The program itself has the flags of its default command too.
func commands(app *kong.Application) []command {
	var out []command
	type level struct {
		path  string
		node  *kong.Node
		flags []*kong.Flag // of the commands above
	}
	stack := []level{{"", app.Node, nil}}
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		c := command{path: l.path, node: l.node, flags: append(l.flags[:len(l.flags):len(l.flags)], shown(l.node.Flags)...)}
		for _, n := range l.node.Children {
			if !n.Hidden {
				c.subs = append(c.subs, n)
			}
		}
		own := c.flags
		if d := l.node.DefaultCmd; d != nil && l.node == app.Node {
			c.flags = append(c.flags[:len(c.flags):len(c.flags)], shown(d.Flags)...)
		}
		out = append(out, c)
		for i := len(c.subs) - 1; i >= 0; i-- {
			stack = append(stack, level{l.path + "/" + c.subs[i].Name, c.subs[i], own})
		}
	}
	return out
}

func shown(flags []*kong.Flag) (out []*kong.Flag) {
	for _, f := range flags {
		if !f.Hidden {
			out = append(out, f)
		}
	}
	return out
}

// spellings are the names that a flag can be given by.
func spellings(f *kong.Flag) (out []string) {
	out = append(out, "--"+f.Name)
	if f.Short != 0 {
		out = append(out, "-"+string(f.Short))
	}
	if f.Tag != nil && f.Tag.Negatable != "" {
		out = append(out, "--no-"+f.Name)
	}
	return out
}

// choices are the values that a flag can have, where they are a short list.
func choices(f *kong.Flag) (out []string) {
	if f.Enum == "" {
		return nil
	}
	for _, v := range f.EnumSlice() {
		if v != "" {
			out = append(out, v)
		}
	}
	return out
}

// takesValue reports a flag with a value of its own.
func takesValue(f *kong.Flag) bool { return !f.IsBool() && !f.IsCounter() }

// oneLine is help in one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
