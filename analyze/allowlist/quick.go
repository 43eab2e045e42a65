package allowlist

import (
	"slices"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Most calls of a session pass, and to see that of an ordinary one takes no
// tree, no copy and no library. What stands here says of a frame that Check
// lets it through where that is certain, and makes no other statement: whatever
// is out of the ordinary is left to the full judging, which has the words for
// it too.

// manyMembers is the most members of an object that are compared each with
// each.
const manyMembers = 32

// Surely reports that Check lets a frame without a candidate through. false says
// nothing.
func (p *Policy) Surely(f *jsonrpc.Flat, allowed []string) (sure bool) {
	defer func() {
		if recover() != nil {
			sure = false // Check has the word for it
		}
	}()
	return p.surely(f, allowed)
}

func (p *Policy) surely(f *jsonrpc.Flat, allowed []string) bool {
	if p == nil || p.broken != "" || !p.Limits.surely(f) {
		return false
	}
	tool, args := envelope(f, allowed)
	if args < 0 {
		return false
	}
	t := p.tools[string(tool)]
	return t != nil && t.enforce && t.args.surely(f, args)
}

// surely reports that a frame is within all limits, and has no dangerous key, no
// key twice and no number that no double holds.
func (l *Limits) surely(f *jsonrpc.Flat) bool {
	if int64(len(f.Nodes)) > l.InputNodes {
		return false
	}
	var size int64
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.KeyEscaped || int64(n.Depth) > l.InputDepth {
			return false
		}
		size += int64(n.KeyEnd - n.Key)
		switch n.Kind {
		case jsonrpc.String:
			size += int64(n.End - n.Start) // no less than what it decodes to
		case jsonrpc.Number:
			if !small(f.Bytes(n)) {
				return false
			}
		case jsonrpc.Array:
			if int64(n.Count) > l.InputArray {
				return false
			}
		case jsonrpc.Object:
			if int64(n.Count) > l.InputProperties || !ordinaryKeys(f, i) {
				return false
			}
		}
	}
	return size <= l.InputBytes
}

// small reports a number that is finite by its length alone.
func small(raw []byte) bool {
	if len(raw) > 64 {
		return false
	}
	for _, c := range raw {
		if c|0x20 == 'e' {
			return false
		}
	}
	return true
}

// ordinaryKeys reports that no key of object i stands twice or is a dangerous
// one.
func ordinaryKeys(f *jsonrpc.Flat, i int) bool {
	end := int(f.Nodes[i].Next)
	if f.Nodes[i].Count > manyMembers {
		return false
	}
	for a := i + 1; a < end; a = int(f.Nodes[a].Next) {
		name := f.Name(&f.Nodes[a])
		if len(name) >= 9 && dangerousKeys[string(name)] {
			return false
		}
		for b := i + 1; b < a; b = int(f.Nodes[b].Next) {
			if string(f.Name(&f.Nodes[b])) == string(name) {
				return false
			}
		}
	}
	return true
}

// envelope reads the tool's name and where the arguments are, -1 for none, of a
// frame whose keys are ordinary: it has just what checker.envelope asks for.
func envelope(f *jsonrpc.Flat, allowed []string) (tool []byte, args int) {
	root := &f.Nodes[0]
	if root.Kind != jsonrpc.Object || root.Count != 4 {
		return nil, -1
	}
	args = -1
	for i := 1; i < int(root.Next); i = int(f.Nodes[i].Next) {
		n, ok := &f.Nodes[i], false
		switch string(f.Name(n)) {
		case "jsonrpc":
			ok = n.Kind == jsonrpc.String && string(f.Bytes(n)) == "2.0"
		case "id":
			ok = n.Kind == jsonrpc.Number || n.Kind == jsonrpc.String && n.End > n.Start
		case "method":
			ok = n.Kind == jsonrpc.String && string(f.Bytes(n)) == "tools/call"
		case "params":
			tool, args = params(f, i, allowed)
			ok = args >= 0
		}
		if !ok {
			return nil, -1
		}
	}
	return tool, args
}

func params(f *jsonrpc.Flat, i int, allowed []string) (tool []byte, args int) {
	args = -1
	end := int(f.Nodes[i].Next)
	if f.Nodes[i].Kind != jsonrpc.Object {
		return nil, -1
	}
	for i++; i < end; i = int(f.Nodes[i].Next) {
		n, ok := &f.Nodes[i], false
		switch name := f.Name(n); string(name) {
		case "name":
			tool, ok = f.Bytes(n), n.Kind == jsonrpc.String && !n.Escaped && n.End > n.Start
		case "arguments":
			args, ok = i, n.Kind == jsonrpc.Object
		case "_meta":
			ok = n.Kind == jsonrpc.Object
		default:
			ok = len(allowed) > 0 && slices.Contains(allowed, string(name))
		}
		if !ok {
			return nil, -1
		}
	}
	if len(tool) == 0 {
		return nil, -1
	}
	return tool, args
}
