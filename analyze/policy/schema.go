package policy

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// policy reads the top of the file.
func (l *loader) policy(root *yaml.Node) {
	var version, defaults, tools *yaml.Node
	for _, m := range l.mapping(root, "") {
		switch m.key {
		case "version":
			version = m.value
			if v := l.follow(m.value); v != nil && (v.ShortTag() != "!!int" || v.Value != "1") {
				l.fail(v, "version", "must be the number 1")
			}
		case "defaults":
			defaults = m.value
		case "tools":
			tools = m.value
		default:
			l.fail(m.at, join("", m.key), "unknown key (known: version, defaults, tools)")
		}
	}
	if version == nil && l.faults.Empty() {
		l.fail(root, "version", "is missing; write `version: 1`")
	}
	base := map[Shape]section{}
	if defaults != nil {
		base = l.shapes(defaults, "defaults")
	}
	l.p.defaults = l.merge("defaults", base, nil)
	if tools == nil {
		return
	}
	for _, m := range l.mapping(tools, "tools") {
		key := join("tools", m.key)
		own := l.shapes(m.value, key)
		t := &tool{name: m.key, line: m.at.Line, declared: map[Shape]int{}}
		for s, sec := range own {
			t.declared[s] = sec.line
		}
		t.own = l.merge(key, base, own)
		l.p.tools[m.key] = t
		l.p.order = append(l.p.order, m.key)
	}
}

// section is one shape's mapping: its keys, already checked and compiled.
type section struct {
	line int
	keys map[string]setting
}

// setting is one constraint. The field that its key asks for is set.
type setting struct {
	line  int
	flag  bool
	text  string
	list  []string
	paths []pathGlob
	hosts []hostEntry
	cidrs []netip.Prefix
}

// keysOf are the constraints of each shape, by what their value is.
var keysOf = map[Shape]map[string]string{
	FilesystemWrite: {"allow_paths": "allow", "deny_paths": "deny", "path_arg": "name"},
	ShellExec:       {"allow": "flag", "allow_commands": "words", "command_arg": "name"},
	HTTPRequest:     {"allow_hosts": "hosts", "deny_cidrs": "cidrs", "deny_private": "flag", "url_arg": "name"},
	SQLQuery:        {"allow_readonly_only": "flag", "deny_statements": "statements", "query_arg": "name"},
}

// order of the keys in messages.
var keyOrder = map[Shape]string{
	FilesystemWrite: "allow_paths, deny_paths, path_arg",
	ShellExec:       "allow, allow_commands, command_arg",
	HTTPRequest:     "allow_hosts, deny_cidrs, deny_private, url_arg",
	SQLQuery:        "allow_readonly_only, deny_statements, query_arg",
}

// shapes reads a mapping of shape to constraints.
func (l *loader) shapes(n *yaml.Node, key string) map[Shape]section {
	out := map[Shape]section{}
	for _, m := range l.mapping(n, key) {
		s := Shape(m.key)
		kinds, ok := keysOf[s]
		if !ok {
			l.fail(m.at, join(key, m.key), "unknown shape (known: filesystem_write, shell_exec, http_request, sql_query)")
			continue
		}
		sec := section{line: m.at.Line, keys: map[string]setting{}}
		path := join(key, m.key)
		for _, c := range l.mapping(m.value, path) {
			kind, ok := kinds[c.key]
			if !ok {
				l.fail(c.at, join(path, c.key), "unknown key (known: %s)", keyOrder[s])
				continue
			}
			if set, ok := l.setting(c, join(path, c.key), kind); ok {
				sec.keys[c.key] = set
			}
		}
		out[s] = sec
	}
	return out
}

// setting reads one constraint's value.
func (l *loader) setting(m member, key, kind string) (setting, bool) {
	set := setting{line: m.at.Line}
	n := l.follow(m.value)
	if n == nil {
		return set, false
	}
	switch kind {
	case "flag":
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
			l.fail(n, key, "must be true or false, not %s", kindOf(n))
			return set, false
		}
		b, err := strconv.ParseBool(strings.ToLower(n.Value))
		if err != nil {
			l.fail(n, key, "must be true or false")
			return set, false
		}
		set.flag = b
		return set, true
	case "name":
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Value == "" {
			l.fail(n, key, "must be the name of an argument, not %s", kindOf(n))
			return set, false
		}
		set.text = n.Value
		return set, true
	}
	if n.Kind != yaml.SequenceNode || n.ShortTag() != "!!seq" {
		l.fail(n, key, "must be a list of strings, not %s", kindOf(n))
		return set, false
	}
	ok := true
	for i, item := range n.Content {
		at := fmt.Sprintf("%s[%d]", key, i)
		e := l.follow(item)
		if e == nil {
			return set, false
		}
		if e.Kind != yaml.ScalarNode || e.ShortTag() != "!!str" {
			l.fail(item, at, "must be a string, not %s", kindOf(e))
			ok = false
			continue
		}
		if err := set.add(e.Value, kind); err != nil {
			l.fail(item, at, "%v", err)
			ok = false
		}
	}
	return set, ok
}

// add compiles one entry of a list.
func (s *setting) add(text, kind string) error {
	switch kind {
	case "allow", "deny":
		p, err := compilePath(text, kind == "deny")
		if err != nil {
			return fmt.Errorf("bad path pattern: %w", err)
		}
		s.paths = append(s.paths, p)
	case "hosts":
		h, err := compileHost(text)
		if err != nil {
			return fmt.Errorf("bad host: %w", err)
		}
		s.hosts = append(s.hosts, h)
	case "cidrs":
		p, err := compileCIDR(text)
		if err != nil {
			return err
		}
		s.cidrs = append(s.cidrs, p)
	default:
		words := strings.Fields(text)
		if len(words) == 0 {
			return fmt.Errorf("an empty word")
		}
		if kind == "statements" && strings.ContainsFunc(strings.Join(words, ""), func(r rune) bool { return !wordRune(r) }) {
			return fmt.Errorf("no statement: words of letters, digits and _ alone, such as DROP or DROP TABLE")
		}
		s.list = append(s.list, text)
	}
	return nil
}

// merge lays a tool's own settings over the defaults, key by key. A shape that
// neither names stays nil.
func (l *loader) merge(key string, base, own map[Shape]section) constraints {
	get := func(s Shape, k string) (setting, bool) {
		if set, ok := own[s].keys[k]; ok {
			return set, true
		}
		set, ok := base[s].keys[k]
		return set, ok
	}
	named := func(s Shape) (int, bool) {
		if sec, ok := own[s]; ok {
			return sec.line, true
		}
		sec, ok := base[s]
		return sec.line, ok
	}
	arg := func(s Shape, k string) string { set, _ := get(s, k); return set.text }
	flag := func(s Shape, k string, def bool) bool {
		if set, ok := get(s, k); ok {
			return set.flag
		}
		return def
	}
	var c constraints
	if line, ok := named(FilesystemWrite); ok {
		allow, _ := get(FilesystemWrite, "allow_paths")
		deny, _ := get(FilesystemWrite, "deny_paths")
		c.fs = &fsRules{allow: allow.paths, deny: deny.paths, allowLine: allow.line, arg: arg(FilesystemWrite, "path_arg"), line: line}
	}
	if line, ok := named(ShellExec); ok {
		cmds, limited := get(ShellExec, "allow_commands")
		c.shell = &shellRules{allow: flag(ShellExec, "allow", false), commands: cmds.list, limited: limited, arg: arg(ShellExec, "command_arg"), line: line}
	}
	if _, ok := named(HTTPRequest); ok {
		hosts, limited := get(HTTPRequest, "allow_hosts")
		cidrs, _ := get(HTTPRequest, "deny_cidrs")
		c.http = &httpRules{hosts: hosts.hosts, limited: limited, cidrs: cidrs.cidrs, private: flag(HTTPRequest, "deny_private", true), arg: arg(HTTPRequest, "url_arg")}
	}
	if _, ok := named(SQLQuery); ok {
		denied := defaultDenied()
		if set, ok := get(SQLQuery, "deny_statements"); ok {
			denied = statements{}
			for _, w := range set.list {
				denied.add(w)
			}
		}
		c.sql = &sqlRules{readonly: flag(SQLQuery, "allow_readonly_only", true), deny: denied, arg: arg(SQLQuery, "query_arg")}
	}
	return c
}
