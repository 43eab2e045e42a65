package policy

import (
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/lock"
)

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

// Of is what a policy says of a tool, whatever it is called with. It is for one
// goroutine: it remembers the names of the tool's arguments.
type Of struct {
	rules    constraints
	declared ShapeSet
	hint     lock.Hint // of its name
	args     []argName // most of its calls have the same
}

type argName struct {
	name string
	hint lock.Hint
}

// Bounds of the names that are remembered for a tool.
const (
	manyArgNames = 8
	longArgName  = 64
)

// hintOf is the hint of an argument's name.
func (t *Of) hintOf(name []byte) lock.Hint {
	for i := range t.args {
		if a := &t.args[i]; a.name == string(name) {
			return a.hint
		}
	}
	h := lock.HintOf(name)
	if len(t.args) < manyArgNames && len(name) <= longArgName {
		t.args = append(t.args, argName{string(name), h})
	}
	return h
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
			q.hints[k] = t.hintOf(f.Name(n))
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
