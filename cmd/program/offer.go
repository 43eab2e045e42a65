package program

import (
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/warden-trace/warden/analyze/profile"
	"github.com/warden-trace/warden/analyze/ruleset"
)

// offer is what can stand in a place of the command line: words, and beside them
// what its kind says.
type offer struct {
	kind  string // none, file, dir, or command: a program
	words []string
}

// operand is an offer for an operand by its number from 0, or "--".
type operand struct {
	at   string
	more bool // and for all that follow
	offer
}

// known are the names that a tag complete:"..." stands for, where neither the
// placeholder nor an enum says what a value can be.
var known = map[string]func() offer{
	"file":    func() offer { return offer{"file", nil} },
	"command": func() offer { return offer{"command", nil} },
	"profile": func() offer { return offer{"none", profile.Names()} },
	"rules":   func() offer { return offer{"file", ruleset.Names()} },
	"more":    func() offer { return offer{"file", ruleset.Names()[1:]} }, // the built-in rules are there already
	"rule": func() offer {
		o := offer{kind: "none"}
		for _, r := range ruleset.Builtin().Rules {
			o.words = append(o.words, r.ID)
		}
		return o
	},
}

// flagOffer is what the value of a flag can be.
func flagOffer(f *kong.Flag) offer {
	if v := choices(f); v != nil {
		return offer{"none", v}
	}
	tag := f.Tag.Get("complete")
	if o := known[tag]; o != nil {
		return o()
	}
	switch {
	case tag != "":
		return offer{"none", strings.Split(tag, ",")}
	case f.PlaceHolder == "FILE", f.PlaceHolder == "LOCK", f.PlaceHolder == "TRACE":
		return offer{"file", nil}
	case f.PlaceHolder == "DIR":
		return offer{"dir", nil}
	}
	return offer{"none", nil}
}

// operands are what the operands of a command can be: files where nothing else is
// said. The program itself has those of its default command.
func operands(all []command, c *command) (out []operand) {
	node := c.node
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	for i, p := range node.Positional {
		o := operand{at: strconv.Itoa(i), more: p.IsSlice(), offer: offer{"file", nil}}
		switch tag := p.Tag.Get("complete"); {
		case p.Enum != "":
			o.offer = offer{"none", p.EnumSlice()}
		case tag == "page":
			return pages(all)
		case tag == "command":
			o.offer, o.more = known[tag](), false
			out = append(out, operand{"--", false, o.offer})
			if !p.Passthrough {
				continue // it stands behind -- alone
			}
		case known[tag] != nil:
			o.offer = known[tag]()
		}
		out = append(out, o)
	}
	return out
}

// pages are the commands that a manual page is about: first those of the program,
// then those below one.
func pages(all []command) []operand {
	top, below := offer{kind: "none"}, offer{kind: "none"}
	seen := map[string]bool{}
	for _, c := range all[1:] {
		name := c.path[strings.LastIndexByte(c.path, '/')+1:]
		if strings.Count(c.path, "/") == 1 {
			top.words = append(top.words, name)
		} else if !seen[name] {
			seen[name] = true
			below.words = append(below.words, name)
		}
	}
	return []operand{{"0", false, top}, {"1", true, below}}
}
