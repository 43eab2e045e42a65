package policy

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/lock"
)

// Most calls of a session give the policy nothing to say. What stands here says
// so of a call where that is certain, from its arguments laid flat, and makes no
// other statement: all else is left to Eval.

// manyArguments is the most values of a call that are judged here.
const manyArguments = 256

// Quiet reports that Eval has nothing to say of any shape of a call: no deny and
// no note. f holds the arguments at node i; shapes are as for Eval. false says
// nothing.
func (p *Policy) Quiet(tool string, f *jsonrpc.Flat, i int, shapes []Shape) bool {
	if f.Nodes[i].Kind != jsonrpc.Object {
		return false
	}
	q := quick{f: f, nodes: f.Nodes[i:f.Nodes[i].Next]}
	if len(q.nodes) > manyArguments {
		return false
	}
	var keys lock.Hint
	for k := 1; k < len(q.nodes); k++ {
		n := &q.nodes[k]
		if n.KeyEscaped {
			return false
		}
		if n.KeyEnd > n.Key {
			q.hints[k] = lock.HintOf(f.Name(n))
			keys |= q.hints[k]
		}
	}
	has := declaredShapes(p.tools[tool])
	guess := shapes == nil
	for _, s := range shapes {
		guess = guess || s == inferred
		has |= s.bit()
	}
	if guess {
		has |= guessed(lock.HintOf(tool), keys)
	}
	rules := p.effective(tool)
	return (has&FilesystemWrite.bit() == 0 || q.fs(rules.fs)) &&
		(has&ShellExec.bit() == 0 || q.shell(rules.shell)) &&
		has&HTTPRequest.bit() == 0 && // where a name leads is never known, so there is a note at least
		(has&SQLQuery.bit() == 0 || q.sql(rules.sql))
}

// shapeSet is a set of shapes.
type shapeSet uint8

func (s Shape) bit() shapeSet {
	switch s {
	case FilesystemWrite:
		return 1
	case ShellExec:
		return 2
	case HTTPRequest:
		return 4
	case SQLQuery:
		return 8
	}
	return 0
}

func declaredShapes(t *tool) (s shapeSet) {
	if t != nil {
		for shape := range t.declared {
			s |= shape.bit()
		}
	}
	return s
}

// guessed are the shapes that Infer gives.
func guessed(name, keys lock.Hint) (s shapeSet) {
	for _, c := range [...]struct {
		lock  lock.Capability
		shape Shape
	}{{lock.FSWrite, FilesystemWrite}, {lock.ShellExec, ShellExec}, {lock.HTTPRequest, HTTPRequest}, {lock.SQLQuery, SQLQuery}} {
		if c.lock.Gives(name, keys) {
			s |= c.shape.bit()
		}
	}
	return s
}

// quick is one call's arguments.
type quick struct {
	f     *jsonrpc.Flat
	nodes []jsonrpc.Node // of the arguments; their offsets are f's
	hints [manyArguments]lock.Hint
}

// each judges the arguments that tree.pick would find, and reports that there is
// one and that all are fine. Where one is no string it is left to Eval.
func (q *quick) each(s Shape, arg string, fine func(text []byte) bool) bool {
	hint := s.argHint()
	base := q.nodes[0].Next - int32(len(q.nodes)) // the number of the first node
	found := false
	for k := 1; k < len(q.nodes); k++ {
		n := &q.nodes[k]
		if q.nodes[n.Parent-base].Kind != jsonrpc.Object {
			continue
		}
		if arg == "" && q.hints[k]&hint == 0 || arg != "" && !q.f.KeyIs(n, arg) {
			continue
		}
		found = true
		end := int(n.Next - base)
		if n.Kind == jsonrpc.Array && s != ShellExec && n.Count > 0 {
			k++ // its elements, which have to be strings
		}
		for ; k < end; k++ {
			if e := &q.nodes[k]; e.Kind != jsonrpc.String || !fine(q.f.Text(e)) {
				return false
			}
		}
		k = end - 1
	}
	if found {
		return true
	}
	for k := range q.nodes {
		if n := &q.nodes[k]; n.Kind == jsonrpc.String {
			if !fine(q.f.Text(n)) {
				return false
			}
			found = true
		}
	}
	return found
}

// fs is call.fs.
func (q *quick) fs(r *fsRules) bool {
	return r == nil || q.each(FilesystemWrite, r.arg, func(text []byte) bool {
		if len(text) > maxPath {
			return false
		}
		path := strings.TrimSpace(string(text))
		if len(path) >= 5 && path[4] == ':' { // perhaps a file URL, which is read in more ways
			return false
		}
		path = normalise(path)
		if _, denied := matchAny(r.deny, path); denied {
			return false
		}
		_, ok := matchAny(r.allow, path)
		return ok && !hasNUL(path)
	})
}

// shell is call.shell.
func (q *quick) shell(r *shellRules) bool {
	return r.allow && q.each(ShellExec, r.arg, func(text []byte) bool {
		return metachar(text) == "" && (!r.limited || slices.Contains(r.commands, commandWord(string(text))))
	})
}

// sql is call.sql for queries whose first word settles them: they begin with it,
// it is none that deny_statements has or that others may follow, and no `;` can
// begin a second statement, whatever is a quote or a comment.
func (q *quick) sql(r *sqlRules) bool {
	return q.each(SQLQuery, r.arg, func(text []byte) bool {
		for len(text) > 0 && (text[0] == ' ' || text[0] >= '\t' && text[0] <= '\r' || text[0] == '(') {
			text = text[1:]
		}
		var room [16]byte
		n := 0
		for n < len(text) && asciiWord(text[n]) {
			if n == len(room) {
				return false
			}
			room[n] = text[n]
			if c := text[n]; c >= 'a' && c <= 'z' {
				room[n] = c - 'a' + 'A'
			}
			n++
		}
		if n == 0 || n < len(text) && text[n] >= utf8.RuneSelf {
			return false
		}
		switch first := room[:n]; {
		case string(first) == "WITH" || string(first) == "EXPLAIN":
			return false
		case r.deny[string(first)] != nil, r.readonly && !readWords[string(first)]:
			return false
		}
		return bytes.IndexByte(text[n:], ';') < 0
	})
}

func asciiWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
