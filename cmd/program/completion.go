package program

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// CompletionCmd prints a shell's completion script, made from the command line's
// own model.
type CompletionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help says how to use the scripts.
func (CompletionCmd) Help() string {
	return `Examples:
  source <(PROGRAM completion bash)                            in ~/.bashrc
  PROGRAM completion zsh > _PROGRAM   (in a folder of $fpath)
  PROGRAM completion fish > ~/.config/fish/completions/PROGRAM.fish`
}

// Run prints the script.
func (c *CompletionCmd) Run(ctx *kong.Context, w *World) error {
	_, err := io.WriteString(w.Stdout, Completion(ctx.Model, c.Shell))
	return err
}

// Completion is a program's completion script for bash, zsh or fish.
func Completion(app *kong.Application, shell string) string {
	s := script{name: app.Name, fn: "_" + strings.ReplaceAll(app.Name, "-", "_"), all: commands(app)}
	switch shell {
	case "bash":
		s.bash()
	case "zsh":
		s.zsh()
	case "fish":
		s.fish()
	}
	return s.b.String()
}

type script struct {
	b        strings.Builder
	name, fn string
	all      []command
}

func (s *script) f(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

// sh is a word in a shell's single quotes.
func sh(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }

func words(c *command) (flags, subs []string) {
	for _, f := range c.flags {
		flags = append(flags, spellings(f)...)
	}
	for _, n := range c.subs {
		subs = append(subs, n.Name)
	}
	return flags, subs
}

// tables writes the two functions that bash and zsh have in common: what the value
// of a flag is ("$2" of the command "$1"), and what an operand is, by its number
// from 0 or as "--" for what stands behind that. Both answer in kind and vals.
func (s *script) tables() {
	arm := func(patterns []string, o offer) {
		s.f("    %s) kind=%s vals=%s ;;", strings.Join(patterns, "|"), o.kind, sh(strings.Join(o.words, " ")))
	}
	s.f("%s_value() {", s.fn)
	s.f("  kind= vals=")
	s.f("  case \"$1 $2\" in")
	for i := range s.all {
		for _, f := range s.all[i].flags {
			if !takesValue(f) {
				continue
			}
			var patterns []string
			for _, w := range spellings(f) {
				patterns = append(patterns, sh(s.all[i].path+" "+w))
			}
			arm(patterns, flagOffer(f))
		}
	}
	s.f("  esac")
	s.f("}")
	s.f("%s_operand() {", s.fn)
	s.f("  kind= vals=")
	s.f("  case \"$1 $2\" in")
	for i := range s.all {
		for _, o := range operands(s.all, &s.all[i]) {
			at := sh(s.all[i].path + " " + o.at)
			if o.more {
				at = sh(s.all[i].path+" ") + "[0-9]*"
			}
			arm([]string{at}, o.offer)
		}
	}
	s.f("  esac")
	s.f("}")
}

// paths are the commands below the program, as a pattern of a case.
func (s *script) paths() string {
	var out []string
	for _, c := range s.all[1:] {
		out = append(out, c.path)
	}
	return strings.Join(out, "|")
}
