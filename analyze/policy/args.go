package policy

import (
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/lock"
)

// argHint says which pieces of a name mark an argument as one of a shape's.
func (s Shape) argHint() lock.Hint {
	switch s {
	case FilesystemWrite:
		return lock.HintPath
	case ShellExec:
		return lock.HintShell
	case HTTPRequest:
		return lock.HintHTTP
	}
	return lock.HintSQL
}

// node is one value of the arguments with its way up, for its pointer.
type node struct {
	v      *jsonrpc.Value
	parent int32 // index in the tree; -1 for the root
	step   int32 // index in the parent's Members or Elems
}

// tree is the arguments laid flat, parents before children, in document order
// within a parent. Walking it needs no recursion.
type tree []node

func flatten(root *jsonrpc.Value) tree {
	if root == nil {
		return nil
	}
	t := tree{{v: root, parent: -1}}
	for i := 0; i < len(t); i++ {
		for j, m := range t[i].v.Members {
			t = append(t, node{m.Value, int32(i), int32(j)})
		}
		for j, e := range t[i].v.Elems {
			t = append(t, node{e, int32(i), int32(j)})
		}
	}
	return t
}

// key is the member name that node i stands under, "" for elements and the
// root.
func (t tree) key(i int) string {
	n := t[i]
	if n.parent < 0 || t[n.parent].v.Kind != jsonrpc.Object {
		return ""
	}
	return t[n.parent].v.Members[n.step].Key
}

// keys are all member names, each once.
func (t tree) keys() []string {
	seen := map[string]bool{}
	var out []string
	for _, n := range t {
		for _, m := range n.v.Members {
			if !seen[m.Key] {
				seen[m.Key] = true
				out = append(out, m.Key)
			}
		}
	}
	return out
}

const maxPointer = 4096

// pointer is the JSON Pointer of node i within the arguments, cut at 4,096
// bytes.
func (t tree) pointer(i int) string {
	var steps []string
	size := 0
	for i > 0 && t[i].parent >= 0 {
		s := t.key(i)
		if t[t[i].parent].v.Kind == jsonrpc.Array {
			s = strconv.Itoa(int(t[i].step))
		} else {
			s = strings.ReplaceAll(strings.ReplaceAll(scrub(s), "~", "~0"), "/", "~1")
		}
		steps = append(steps, s)
		size += len(s) + 1
		i = int(t[i].parent)
	}
	var b strings.Builder
	for j := len(steps) - 1; j >= 0 && b.Len() < maxPointer; j-- {
		b.WriteByte('/')
		b.WriteString(steps[j])
	}
	if b.Len() > maxPointer {
		return strings.ToValidUTF8(b.String()[:maxPointer], "")
	}
	return b.String()
}

// argument is one thing that a shape has to judge.
type argument struct {
	at    int      // index in the tree; -1 where nothing was given at all
	text  string   // a string, or the first element of an argv array
	rest  []string // the further elements of an argv array
	argv  bool     // text is the first element of an array: the program as it stands
	bad   bool     // no string where one is due
	raw   string   // its JSON text when it is a number
	named bool     // its name marks it as one of the shape's
}

// pick finds the arguments of a shape: those that `arg` names; else all whose
// name has one of the shape's pieces; else every string. Every occurrence of
// a repeated key is there.
func (t tree) pick(s Shape, arg string) []argument {
	var out []argument
	marked := make([]bool, len(t)) // stands below an argument that was taken
	known := map[string]bool{}
	for i := range t {
		if t[i].parent >= 0 && marked[t[i].parent] {
			marked[i] = true
			continue
		}
		k := t.key(i)
		if k == "" && (t[i].parent < 0 || t[t[i].parent].v.Kind != jsonrpc.Object) {
			continue
		}
		hit, ok := known[k]
		if !ok {
			if hit = k == arg; arg == "" {
				hit = belongs(k, s)
			}
			known[k] = hit
		}
		if hit {
			marked[i] = true
			out = t.take(out, i, s)
		}
	}
	if out != nil {
		return out
	}
	for i, n := range t {
		if n.v.Kind == jsonrpc.String {
			out = append(out, argument{at: i, text: n.v.Str})
		}
	}
	return out
}

// belongs says whether one piece of an argument's name marks a shape.
func belongs(key string, s Shape) bool { return lock.HintOf(key)&s.argHint() != 0 }

// take reads the value of a named argument: a string, or an array element by
// element. For a shell an array of strings is one argv.
func (t tree) take(out []argument, i int, s Shape) []argument {
	v := t[i].v
	if v.Kind == jsonrpc.Array && s == ShellExec {
		a := argument{at: i, named: true, argv: true}
		for j, e := range v.Elems {
			switch {
			case e.Kind != jsonrpc.String:
				a.bad = true
			case j == 0:
				a.text = e.Str
			default:
				a.rest = append(a.rest, e.Str)
			}
		}
		return append(out, a)
	}
	// The elements of nested arrays, in order, on a stack of our own.
	stack := []*jsonrpc.Value{v}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch v.Kind {
		case jsonrpc.String:
			out = append(out, argument{at: i, text: v.Str, named: true})
		case jsonrpc.Array:
			if len(v.Elems) == 0 {
				out = append(out, argument{at: i, named: true}) // as if it were empty
			}
			for j := len(v.Elems) - 1; j >= 0; j-- {
				stack = append(stack, v.Elems[j])
			}
		case jsonrpc.Number:
			out = append(out, argument{at: i, bad: true, raw: string(v.Raw), named: true})
		default:
			out = append(out, argument{at: i, bad: true, named: true})
		}
	}
	return out
}

// Infer gives the shapes of a tool that no lock and no list describes, from
// its name and the names of the arguments at any depth.
func Infer(tool string, args *jsonrpc.Value) []Shape {
	return FromCapabilities(lock.Shapes(tool, flatten(args).keys()))
}
