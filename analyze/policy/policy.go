// Package policy is the argument policy (policy.md, section 1): what the
// arguments of a tools/call may be, by the shape of its tool. It is pure: a
// file's bytes and a call's arguments in, verdicts out. Everything costs at
// most linear time in the arguments, and nothing recurses on them.
package policy

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/lock"
)

// Shape is what a tool does with its arguments.
type Shape string

// Shapes, in the order in which they are judged.
const (
	FilesystemWrite Shape = "filesystem_write"
	ShellExec       Shape = "shell_exec"
	HTTPRequest     Shape = "http_request"
	SQLQuery        Shape = "sql_query"
)

// inferred stands among the shapes of a tool where those are not all: the ones
// that its name and its arguments give come on top.
const inferred Shape = "?"

// Shapes lists all shapes in order.
var Shapes = []Shape{FilesystemWrite, ShellExec, HTTPRequest, SQLQuery}

// Rule ids.
const (
	RuleFSDeny         = "POL-FS-DENY"
	RuleShellMetachar  = "POL-SHELL-METACHAR"
	RuleShellDeny      = "POL-SHELL-DENY"
	RuleHTTPSSRF       = "POL-HTTP-SSRF"
	RuleHTTPHostDeny   = "POL-HTTP-HOST-DENY"
	RuleHTTPUnresolved = "POL-HTTP-DNS-UNRESOLVED"
	RuleSQLStacked     = "POL-SQL-STACKED"
	RuleSQLDeny        = "POL-SQL-DENY"
)

// Policy is a policy that has been read. It is never changed after that,
// Coverage apart, and may be shared between goroutines.
type Policy struct {
	Name string // the file's name, for messages
	// Coverage turns the wider rows off when it is analyze.Spec. Set it before
	// the first Eval.
	Coverage analyze.Coverage

	defaults constraints
	tools    map[string]*tool
	order    []string // tool names as the file lists them
}

// tool is what a policy says of one tool, with the defaults already merged in.
type tool struct {
	name     string
	line     int
	declared map[Shape]int // shape -> line where the file names it for this tool
	own      constraints
}

// constraints are those of all shapes. A nil member is a shape that nothing
// was said about.
type constraints struct {
	fs    *fsRules
	shell *shellRules
	http  *httpRules
	sql   *sqlRules
}

type fsRules struct {
	allow, deny []pathGlob
	arg         string
	allowLine   int // line of allow_paths, 0 when it is missing
	line        int
}

type shellRules struct {
	allow    bool
	commands []string
	limited  bool // allow_commands is there, even if it is empty
	arg      string
	line     int
}

type httpRules struct {
	hosts   []hostEntry
	limited bool // allow_hosts is there
	cidrs   []netip.Prefix
	private bool
	arg     string
}

type sqlRules struct {
	readonly bool
	deny     statements
	arg      string
}

// The defaults of seed 000, section 6.1, where neither the tool nor the
// policy's defaults say anything.
var (
	builtinShell = &shellRules{}
	builtinHTTP  = &httpRules{private: true}
	builtinSQL   = &sqlRules{readonly: true, deny: defaultDenied()}
)

// statements are the entries of deny_statements in upper case, by their first
// words; of each entry the words that follow it, none for a single word.
type statements map[string][][]string

func (s statements) add(entry string) {
	words := strings.Fields(entry)
	for i := range words {
		words[i] = strings.ToUpper(words[i])
	}
	s[words[0]] = append(s[words[0]], words[1:])
}

func defaultDenied() statements {
	s := statements{}
	for _, w := range []string{"DROP", "DELETE", "TRUNCATE", "ALTER", "GRANT", "REVOKE", "UPDATE"} {
		s.add(w)
	}
	return s
}

// effective are the constraints on one tool's calls.
func (p *Policy) effective(name string) constraints {
	c := p.defaults
	if t := p.tools[name]; t != nil {
		c = t.own
	}
	if c.shell == nil {
		c.shell = builtinShell
	}
	if c.http == nil {
		c.http = builtinHTTP
	}
	if c.sql == nil {
		c.sql = builtinSQL
	}
	return c
}

// Tools are the names that the policy has entries for, in the file's order.
func (p *Policy) Tools() []string { return slices.Clone(p.order) }

// Declared are the shapes that the policy itself names for a tool.
func (p *Policy) Declared(name string) []Shape {
	t := p.tools[name]
	if t == nil {
		return nil
	}
	var out []Shape
	for _, s := range Shapes {
		if _, ok := t.declared[s]; ok {
			out = append(out, s)
		}
	}
	return out
}

// FromCapabilities translates what a lock, or a tools/list seen earlier, says
// of a tool. The result is never nil, so that "listed, but without any
// capability" stays apart from "not listed".
func FromCapabilities(caps []lock.Capability) []Shape {
	out := []Shape{}
	for _, c := range caps {
		if s := shapeOf(c); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// shapeOf is the shape of a capability, "" for one that has none.
func shapeOf(c lock.Capability) Shape {
	switch c {
	case lock.FSWrite:
		return FilesystemWrite
	case lock.ShellExec:
		return ShellExec
	case lock.HTTPRequest:
		return HTTPRequest
	case lock.SQLQuery:
		return SQLQuery
	case lock.Unclear:
		return inferred
	}
	return ""
}
