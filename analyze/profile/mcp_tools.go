package profile

import (
	"fmt"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/profile/schemas"
)

// maxListNodes bounds the values of one tools/list answer that is decoded.
const maxListNodes = 1_000_000

// toolList judges an answer to tools/list: the page's shape, each tool, and
// that the set of tools is the one that the session began with.
func (s *mcpSession) toolList(f *Frame, v *verdicts) {
	doc, err := jsonrpc.Decode(f.Msg.Result, jsonrpc.DecodeOptions{MaxDepth: 2 * schemas.MaxDepth, MaxNodes: maxListNodes, Lenient: true})
	if err != nil {
		v.fault("/result", "is too large or too deep to check")
		return
	}
	tools := doc.Get("tools")
	page := *doc
	page.Members = nil
	for _, m := range doc.Members {
		if m.Key == "tools" {
			// Judged one by one below; here only that it is an array.
			m.Value = &jsonrpc.Value{Kind: m.Value.Kind, Str: m.Value.Str, Raw: m.Value.Raw}
		}
		page.Members = append(page.Members, m)
	}
	shapeOfValue("ListToolsResult", "/result", &page, v)
	if tools == nil || tools.Kind != jsonrpc.Array {
		return
	}
	entries := make([]*toolEntry, 0, len(tools.Elems))
	for i, t := range tools.Elems {
		at := "/result/tools/" + itoa(i)
		if t.Kind != jsonrpc.Object {
			v.fault(at, "is no object")
			continue
		}
		e := s.p.memo.tool(s.p, t)
		for _, fault := range e.base {
			v.fault(at+fault.pointer, fault.what)
		}
		for _, finding := range e.found {
			finding.Pointer = cutPointer(at + finding.Pointer)
			v.out = append(v.out, finding)
		}
		if e.named {
			entries = append(entries, e)
		}
	}
	cursor := s.cursors.take(f.Msg.ID)
	if cursor == "" {
		asked, _ := stringOf(member(f.Request.Params, "cursor"))
		cursor = brief(asked)
	}
	next, _ := doc.Get("nextCursor").IsString()
	s.tools.page(entries, cursor, next, v)
}

// member is the raw value of an object's member; nil when there is none.
func member(raw []byte, name string) []byte {
	o, ok := objectOf(raw)
	var last []byte
	for ok {
		key, val, more := o.next()
		if !more {
			break
		}
		if string(key) == name {
			last = val
		}
	}
	return last
}

// judgeTool judges one tool of a list, without its place in it: findings and
// faults have pointers into the tool.
func (p *mcpProfile) judgeTool(t *jsonrpc.Value, e *toolEntry) {
	var v verdicts
	name, isString := t.Get("name").IsString()
	switch {
	case t.Get("name") == nil:
		v.add("OCU-TOOL-NAME", "", "a tool lacks a name")
	case !isString:
		v.add("OCU-TOOL-NAME", "/name", "a tool's name is no string")
	case name == "":
		v.add("OCU-TOOL-NAME", "/name", "a tool's name is empty")
	}
	e.name, e.named = name, isString && name != ""
	if d := t.Get("description"); d != nil {
		if d.Kind != jsonrpc.String {
			v.add("OCU-TOOL-DESCRIPTION", "/description", "a tool's description is no string")
		} else if n := int64(len(d.Str)); n > p.limits.toolDescription {
			v.add("OCU-TOOL-DESCRIPTION", "/description", bytesOver("a tool's description", n, p.limits.toolDescription))
		}
	}
	p.inputSchema(t.Get("inputSchema"), &v)
	e.output = p.outputSchema(t.Get("outputSchema"), &v)
	if t.Get("annotations") != nil {
		v.add("OCU-TOOL-ANNOTATIONS", "/annotations", "the tool carries annotations: hints that nobody has verified")
	}
	// The schemas have been judged; the shape of the rest is a small matter.
	rest := *t
	rest.Members = nil
	for _, m := range t.Members {
		switch m.Key {
		case "inputSchema":
			continue
		case "outputSchema":
			m.Value = headOf(m.Value)
		}
		rest.Members = append(rest.Members, m)
	}
	shapeOfValue("Tool", "", &rest, &v)
	shown := toolName(name)
	for i := range v.out {
		v.out[i].Tool = shown
	}
	e.found, e.base = v.out, v.base
}

// headOf is an output schema cut to what the revision says of it: its type.
func headOf(v *jsonrpc.Value) *jsonrpc.Value {
	if v.Kind != jsonrpc.Object {
		return v
	}
	h := &jsonrpc.Value{Kind: jsonrpc.Object, Raw: v.Raw}
	if t := v.Get("type"); t != nil {
		h.Members = []jsonrpc.Pair{{Key: "type", Value: t}}
	}
	return h
}

func (p *mcpProfile) inputSchema(in *jsonrpc.Value, v *verdicts) {
	const rule, at = "OCU-TOOL-INPUT-SCHEMA", "/inputSchema"
	typ, _ := in.Get("type").IsString()
	switch {
	case in == nil:
		v.add(rule, "", "a tool lacks an inputSchema")
	case in.Kind != jsonrpc.Object:
		v.add(rule, at, "a tool's inputSchema is no object")
	case typ != "object":
		v.add(rule, at, `a tool's inputSchema is not of type "object"`)
	default:
		if _, fault := schemas.Admit(in.Raw); fault != nil {
			v.add(rule, at+p.redact.pointer(fault.Pointer), "a tool's inputSchema "+fault.Reason)
		}
	}
}

// outputDecl is what a tool says of its structured output.
type outputDecl struct {
	schema *schemas.Schema // nil: declared, but nothing can be judged by it
}

// outputSchema reads the declaration; a schema that is not valid is the same
// fault as in an input schema (policy.md, section 4).
func (p *mcpProfile) outputSchema(out *jsonrpc.Value, v *verdicts) *outputDecl {
	if out == nil {
		return nil
	}
	d := &outputDecl{}
	if out.Kind != jsonrpc.Object {
		return d // OCU-BASE names it
	}
	s, fault := schemas.Admit(out.Raw)
	if fault != nil {
		v.add("OCU-TOOL-INPUT-SCHEMA", "/outputSchema"+p.redact.pointer(fault.Pointer), "a tool's outputSchema "+fault.Reason)
		return d
	}
	d.schema = s
	return d
}

// changedMessage words a difference between two listings.
func changedMessage(added, removed, changed []string) string {
	msg := "the tool set is fixed in a session, but"
	sep := " "
	for _, part := range []struct {
		what  string
		names []string
	}{{"added", added}, {"removed", removed}, {"redefined", changed}} {
		if len(part.names) > 0 {
			msg += sep + fmt.Sprintf("%d %s", len(part.names), part.what)
			sep = ", "
		}
	}
	return msg + " since the first list"
}
