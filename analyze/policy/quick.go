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

// Look is what is certain of a call by its arguments. It takes no memory of its
// own and may be kept: what a tool does may be known later than what a call says.
type Look struct {
	// Known is false where it is not known which shapes the call has; all else is
	// then empty.
	Known    bool
	declared ShapeSet // by the policy
	guessed  ShapeSet // by the names of the tool and its arguments
	judged   ShapeSet
	doubt    ShapeSet // of those judged
}

// Of is what a policy says of a tool, whatever it is called with.
type Of struct {
	rules    constraints
	declared ShapeSet
	hint     lock.Hint // of its name
}

// Of gives what the policy says of a tool, to be kept for its further calls.
func (p *Policy) Of(tool string) Of {
	return Of{rules: p.effective(tool), declared: p.declared(tool), hint: lock.HintOf(tool)}
}

// Look judges the arguments at node i of f for a tool of which known is known.
func (t *Of) Look(f *jsonrpc.Flat, i int, known ShapeSet) (l Look) {
	if f.Nodes[i].Kind != jsonrpc.Object {
		return l
	}
	q := quick{f: f, nodes: f.Nodes[i:f.Nodes[i].Next]}
	if len(q.nodes) > manyArguments {
		return l
	}
	var keys lock.Hint
	for k := 1; k < len(q.nodes); k++ {
		n := &q.nodes[k]
		if n.KeyEscaped {
			return l
		}
		if n.KeyEnd > n.Key {
			q.hints[k] = lock.HintOf(f.Name(n))
			keys |= q.hints[k]
		}
	}
	l = Look{Known: true, declared: t.declared, guessed: guessed(t.hint, keys)}
	l.judged = l.shapes(known)
	l.doubt = l.judged
	if l.doubt.Has(FilesystemWrite) && q.fs(t.rules.fs) {
		l.doubt &^= FilesystemWrite.bit()
	}
	if l.doubt.Has(ShellExec) && q.shell(t.rules.shell) {
		l.doubt &^= ShellExec.bit()
	}
	if l.doubt.Has(SQLQuery) && q.sql(t.rules.sql) {
		l.doubt &^= SQLQuery.bit()
	}
	// Of a request there is nearly always something to say: where a name leads is
	// not known.
	return l
}

// Doubtful gives those of a call's shapes of which Eval may have something to
// say, a deny or a note; of the others it has for certain nothing. ok is false
// where one of the shapes was not judged when its arguments were looked at.
func (l Look) Doubtful(known ShapeSet) (doubt ShapeSet, ok bool) {
	s := l.shapes(known)
	return s & l.doubt, l.Known && s&^l.judged == 0
}

func (l Look) shapes(known ShapeSet) ShapeSet { return shapes(known, l.declared, l.guessed) }

// shapes are those that a call is judged by: what the policy declares, what is
// known of the tool, and where that is not all what the names give.
func shapes(known, declared, guessed ShapeSet) ShapeSet {
	if known&Guess != 0 {
		declared |= guessed
	}
	return known&^Guess | declared
}

func (p *Policy) declared(tool string) (s ShapeSet) {
	if t := p.tools[tool]; t != nil {
		for k := range t.declared {
			s |= k.bit()
		}
	}
	return s
}

// ShapeSet is a set of shapes.
type ShapeSet uint8

// Guess stands among the shapes that are known of a tool where those are not
// all: alone where nothing is known of it.
const Guess ShapeSet = 16

// Everything is all shapes.
const Everything ShapeSet = 15

// SetOf is the set of what is known of a tool in the form that Eval takes.
func SetOf(known []Shape) (s ShapeSet) {
	if known == nil {
		return Guess
	}
	for _, k := range known {
		s |= k.bit()
	}
	return s
}

// SetFrom is SetOf of FromCapabilities.
func SetFrom(caps []lock.Capability) (s ShapeSet) {
	for _, c := range caps {
		s |= shapeOf(c).bit()
	}
	return s
}

// Has reports that a shape is one of the set.
func (s ShapeSet) Has(shape Shape) bool { return s&shape.bit() != 0 }

func (s Shape) bit() ShapeSet {
	switch s {
	case FilesystemWrite:
		return 1
	case ShellExec:
		return 2
	case HTTPRequest:
		return 4
	case SQLQuery:
		return 8
	case inferred:
		return Guess
	}
	return 0
}

// guessed are the shapes that Infer gives.
func guessed(name, keys lock.Hint) (s ShapeSet) {
	if name.WritesFiles(keys) {
		s |= FilesystemWrite.bit()
	}
	if name.RunsShell(keys) {
		s |= ShellExec.bit()
	}
	if name.SendsRequests(keys) {
		s |= HTTPRequest.bit()
	}
	if name.Queries(keys) {
		s |= SQLQuery.bit()
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

// sql is call.sql for queries that their words settle, whatever is a quote or a
// comment in them: they begin with one, no `;` can begin a second statement, and
// none of the words that would be looked at is one to deny.
func (q *quick) sql(r *sqlRules) bool {
	return q.each(SQLQuery, r.arg, func(text []byte) bool {
		for len(text) > 0 && (text[0] == ' ' || text[0] >= '\t' && text[0] <= '\r' || text[0] == '(') {
			text = text[1:]
		}
		var room wordRoom
		first, rest := room.next(text)
		if len(first) == 0 || r.deny[string(first)] != nil || r.readonly && !readWords[string(first)] || bytes.IndexByte(rest, ';') >= 0 {
			return false
		}
		if f := string(first); f != "WITH" && f != "EXPLAIN" {
			return true
		}
		// In these every word counts. Those of the code are words of the text too:
		// what begins or ends a quote or a comment is no part of a word.
		for len(rest) > 0 {
			if !asciiWord(rest[0]) && rest[0] < utf8.RuneSelf {
				rest = rest[1:]
				continue
			}
			var w []byte
			if w, rest = room.next(rest); len(w) == 0 || r.deny[string(w)] != nil || r.readonly && writeWords[string(w)] {
				return false
			}
		}
		return true
	})
}

// wordRoom holds a word in upper case.
type wordRoom [24]byte

// next reads the word that text begins with; nil for none, and for one that is
// too long or not of ASCII alone.
func (room *wordRoom) next(text []byte) (word, rest []byte) {
	n := 0
	for n < len(text) && asciiWord(text[n]) {
		if n == len(room) {
			return nil, text
		}
		c := text[n]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		room[n] = c
		n++
	}
	if n < len(text) && text[n] >= utf8.RuneSelf {
		return nil, text
	}
	return room[:n], text[n:]
}

func asciiWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
