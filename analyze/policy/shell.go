package policy

import (
	"fmt"
	"slices"
	"strings"
)

// shell is the shell_exec rows. Metacharacters deny wherever they stand, in
// every element of an argv array too; then the first word of each command must
// be allowed.
func (c *call) shell(v *Verdict, r *shellRules) {
	args := c.args.pick(ShellExec, r.arg)
	for _, a := range args {
		for _, text := range append([]string{a.text}, a.rest...) {
			if m := metachar(text); m != "" {
				c.deny(v, RuleShellMetachar, "shell_exec", a.at, "the command holds "+m)
				return
			}
		}
	}
	if len(args) == 0 {
		args = []argument{{at: -1}}
	}
	if !r.allow {
		c.deny(v, RuleShellDeny, "allow", args[0].at, "shell commands are not allowed for this tool (allow is false)")
		return
	}
	for _, a := range args {
		if a.bad {
			c.deny(v, RuleShellDeny, "command_arg", a.at, "a command argument is no string")
			return
		}
		if !r.limited {
			continue
		}
		word := a.text
		if !a.argv {
			word = commandWord(word)
		}
		if !slices.Contains(r.commands, word) {
			c.deny(v, RuleShellDeny, "allow_commands", a.at, fmt.Sprintf("command %s is not in allow_commands", reveal(a.text, word, word)))
			return
		}
	}
}

const shellSpace = " \t"

// commandWord is the first word of a command line.
func commandWord(line string) string {
	line = strings.Trim(line, shellSpace)
	if i := strings.IndexAny(line, shellSpace); i >= 0 {
		line = line[:i]
	}
	return line
}

// metachar names the first thing in a command that lets a shell run a second
// one, "" for none.
func metachar[T string | []byte](s T) string {
	for i := range len(s) {
		switch s[i] {
		case ';', '|', '&', '`':
			return string(rune(s[i]))
		case '\n', '\r':
			return "a line break"
		case '$':
			if i+1 < len(s) && s[i+1] == '(' {
				return "$("
			}
		}
	}
	return ""
}
