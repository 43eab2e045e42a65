package program

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/warden-trace/warden/formats/report/target"
)

// ManCmd prints a manual page, or writes them all; they are made from the
// command line's own model.
type ManCmd struct {
	Page []string `complete:"page" arg:"" optional:"" name:"command" help:"The command that the page is about; none: the program."`
	Dir  string   `placeholder:"DIR" help:"Write all pages to DIR."`
}

// Help says how to use the pages.
func (ManCmd) Help() string {
	return `Examples:
  PROGRAM man | man -l -
  PROGRAM man --dir /usr/local/share/man/man1`
}

// Run prints or writes.
func (c *ManCmd) Run(ctx *kong.Context, w *World) error {
	all := commands(ctx.Model)
	if c.Dir == "" {
		path := ""
		for _, p := range c.Page {
			path += "/" + p
		}
		for i := range all {
			if all[i].path == path {
				_, err := io.WriteString(w.Stdout, page(ctx.Model, all, i))
				return err
			}
		}
		return Fail("see "+ctx.Model.Name+" --help for the commands", "there is no command %q", strings.Join(c.Page, " "))
	}
	if len(c.Page) > 0 {
		return Fail("", "--dir writes all pages; name none")
	}
	if err := os.MkdirAll(c.Dir, 0o777); err != nil {
		return Fail("", "--dir: %w", err)
	}
	for i := range all {
		t, err := target.Create(filepath.Join(c.Dir, pageName(ctx.Model, &all[i])+".1"), w.Stdout)
		if err != nil {
			return err
		}
		io.WriteString(t, page(ctx.Model, all, i))
		if err := t.Close(); err != nil {
			return err
		}
	}
	return nil
}

func pageName(app *kong.Application, c *command) string {
	return app.Name + strings.ReplaceAll(c.path, "/", "-")
}

// page is the manual page of command i.
func page(app *kong.Application, all []command, i int) string {
	c := &all[i]
	n := c.node
	var b strings.Builder
	help := n.Help
	first, rest, _ := strings.Cut(help, "\n")
	if c.path != "" {
		first, rest = help, ""
	}
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s\n", roffArg(strings.ToUpper(pageName(app, c))), roffArg("warden "+Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(app, c)), roff(strings.TrimSuffix(oneLine(first), ".")))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n%s\n", roff(app.Name+strings.ReplaceAll(c.path, "/", " ")), roff(synopsis(c)))
	b.WriteString(".SH DESCRIPTION\n")
	if rest = strings.TrimSpace(rest + "\n" + n.Detail); rest != "" {
		verbatim(&b, strings.ReplaceAll(rest, "PROGRAM", app.Name))
	} else {
		b.WriteString(roff(help) + "\n")
	}
	if len(c.subs) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, s := range c.subs {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(s.Name), roff(oneLine(s.Help)))
		}
	}
	if len(n.Positional) > 0 {
		b.WriteString(".SH ARGUMENTS\n")
		for _, p := range n.Positional {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roff(p.Name), roff(oneLine(p.Help)))
		}
	}
	options(&b, c.flags)
	var also []string
	for k := range all {
		if up := strings.LastIndex(all[k].path, "/"); k != i && (all[k].path == "" || up >= 0 && all[k].path[:up] == c.path) {
			also = append(also, "\\fB"+roff(pageName(app, &all[k]))+"\\fP(1)")
		}
	}
	if len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n" + strings.Join(also, ",\n") + "\n")
	}
	return b.String()
}

func synopsis(c *command) string {
	s := "[flags]"
	for _, p := range c.node.Positional {
		s += " " + strings.ReplaceAll(p.Summary(), "\n", " ")
	}
	if len(c.subs) > 0 {
		s += " [command]"
	}
	return s
}

// options writes the flags, by group.
func options(b *strings.Builder, flags []*kong.Flag) {
	if len(flags) == 0 {
		return
	}
	b.WriteString(".SH OPTIONS\n")
	var groups []string
	by := map[string][]*kong.Flag{}
	for _, f := range flags {
		g := ""
		if f.Group != nil {
			g = f.Group.Title
			if g == "" {
				g = f.Group.Key
			}
		}
		if by[g] == nil {
			groups = append(groups, g)
		}
		by[g] = append(by[g], f)
	}
	for _, g := range groups {
		if g != "" {
			fmt.Fprintf(b, ".SS %s\n", roff(g))
		}
		for _, f := range by[g] {
			var names []string
			for _, s := range spellings(f) {
				names = append(names, "\\fB"+roff(s)+"\\fP")
			}
			head := strings.Join(names, ", ")
			if takesValue(f) {
				value := f.FormatPlaceHolder()
				if v := choices(f); v != nil {
					value = strings.Join(v, "|")
				}
				head += " \\fI" + roff(value) + "\\fP"
			}
			fmt.Fprintf(b, ".TP\n%s\n%s\n", head, roff(oneLine(f.Help)))
		}
	}
}

// verbatim writes text whose lines stay as they are where they are indented.
func verbatim(b *strings.Builder, s string) {
	indented := false
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		if in := strings.HasPrefix(line, "  "); in != indented {
			indented = in
			if in {
				b.WriteString(".PP\n.nf\n")
			} else {
				b.WriteString(".fi\n.PP\n")
			}
		}
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if indented {
		b.WriteString(".fi\n")
	}
}

// roff escapes text: a backslash, a hyphen that is to stay one, and what would
// be a request at a line's start.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func roffArg(s string) string { return `"` + strings.ReplaceAll(roff(s), `"`, `\(dq`) + `"` }
