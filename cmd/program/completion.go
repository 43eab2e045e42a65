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

// walk writes the part that finds the command which the words before the cursor
// have reached; assign is how the shell sets its variable.
func (s *script) walk(indent, word, assign string) {
	s.f("%scase \"$cmd/%s\" in", indent, word)
	for _, c := range s.all[1:] {
		s.f("%s  %s) "+assign+" ;;", indent, c.path, c.path)
	}
	s.f("%sesac", indent)
}

func words(c *command) (flags, subs []string) {
	for _, f := range c.flags {
		flags = append(flags, spellings(f)...)
	}
	for _, n := range c.subs {
		subs = append(subs, n.Name)
	}
	return flags, subs
}

func (s *script) bash() {
	s.f("# completion of %s for bash", s.name)
	s.f("%s() {", s.fn)
	s.f("  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd= flags= subs= i")
	s.f("  COMPREPLY=()")
	s.f("  for ((i = 1; i < COMP_CWORD; i++)); do")
	s.walk("    ", "${COMP_WORDS[i]}", "cmd=%s")
	s.f("  done")
	s.values(func(path, flag string, values []string) {
		s.f("    %s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;", sh(path+" "+flag), sh(strings.Join(values, " ")))
	}, `"$cmd $prev"`)
	s.f("  case \"$cmd\" in")
	for i := range s.all {
		flags, subs := words(&s.all[i])
		s.f("    %s) flags=%s subs=%s ;;", sh(s.all[i].path), sh(strings.Join(flags, " ")), sh(strings.Join(subs, " ")))
	}
	s.f("  esac")
	s.f("  if [[ $cur == -* ]]; then")
	s.f("    COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))")
	s.f("  else")
	s.f("    COMPREPLY=($(compgen -W \"$subs\" -- \"$cur\"))")
	s.f("    compopt -o default 2>/dev/null")
	s.f("  fi")
	s.f("}")
	s.f("complete -F %s %s", s.fn, s.name)
}

// values writes a case over "path flag" for the flags with few values.
func (s *script) values(arm func(path, flag string, values []string), on string) {
	s.f("  case %s in", on)
	for i := range s.all {
		c := &s.all[i]
		for _, f := range c.flags {
			if v := choices(f); v != nil {
				arm(c.path, "--"+f.Name, v)
			}
		}
		for _, p := range c.node.Positional {
			if p.Enum != "" {
				parts := strings.Split(c.path, "/")
				arm(c.path, parts[len(parts)-1], p.EnumSlice())
			}
		}
	}
	s.f("  esac")
}

func (s *script) zsh() {
	s.f("#compdef %s", s.name)
	s.f("%s() {", s.fn)
	s.f("  local cmd= w")
	s.f("  local -a flags subs")
	s.f("  for w in ${words[2,CURRENT-1]}; do")
	s.walk("    ", "$w", "cmd=%s")
	s.f("  done")
	s.values(func(path, flag string, values []string) {
		var q []string
		for _, v := range values {
			q = append(q, sh(v))
		}
		s.f("    %s) compadd -- %s; return ;;", sh(path+" "+flag), strings.Join(q, " "))
	}, `"$cmd ${words[CURRENT-1]}"`)
	s.f("  case \"$cmd\" in")
	for i := range s.all {
		c := &s.all[i]
		s.f("    %s)", sh(c.path))
		s.f("      flags=(")
		for _, f := range c.flags {
			for _, w := range spellings(f) {
				s.f("        %s", sh(w+":"+oneLine(f.Help)))
			}
		}
		s.f("      )")
		s.f("      subs=(")
		for _, n := range c.subs {
			s.f("        %s", sh(n.Name+":"+oneLine(n.Help)))
		}
		s.f("      ) ;;")
	}
	s.f("  esac")
	s.f("  if [[ ${words[CURRENT]} == -* ]]; then")
	s.f("    _describe -o flag flags")
	s.f("  else")
	s.f("    (( ${#subs} )) && _describe command subs")
	s.f("    _files")
	s.f("  fi")
	s.f("}")
	s.f("if [[ $funcstack[1] == %s ]]; then %s \"$@\"; else compdef %s %s; fi", s.fn, s.fn, s.fn, s.name)
}

func (s *script) fish() {
	at := "_" + s.fn + "_at"
	s.f("# completion of %s for fish", s.name)
	s.f("function %s", at)
	s.f("  set -l cmd ''")
	s.f("  for w in (commandline -opc)[2..-1]")
	s.f("    switch \"$cmd/$w\"")
	for _, c := range s.all[1:] {
		s.f("      case %s", fishQuote(c.path))
		s.f("        set cmd %s", fishQuote(c.path))
	}
	s.f("    end")
	s.f("  end")
	s.f("  test \"$cmd\" = \"$argv[1]\"")
	s.f("end")
	for i := range s.all {
		c := &s.all[i]
		head := "complete -c " + s.name + " -n " + fishQuote(at+` "`+c.path+`"`)
		for _, n := range c.subs {
			s.f("%s -a %s -d %s", head, n.Name, fishQuote(oneLine(n.Help)))
		}
		for _, f := range c.flags {
			for _, w := range spellings(f) {
				line := head
				if strings.HasPrefix(w, "--") {
					line += " -l " + w[2:]
				} else {
					line += " -s " + w[1:]
				}
				if v := choices(f); v != nil {
					line += " -x -a " + fishQuote(strings.Join(v, " "))
				} else if takesValue(f) {
					line += " -r"
				}
				s.f("%s -d %s", line, fishQuote(oneLine(f.Help)))
			}
		}
		for _, p := range c.node.Positional {
			if p.Enum != "" {
				s.f("%s -x -a %s", head, fishQuote(strings.Join(p.EnumSlice(), " ")))
			}
		}
	}
}

func fishQuote(w string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(w) + "'"
}
