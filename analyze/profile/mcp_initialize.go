package profile

import (
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// initializeParams judges what the client asks for.
func (s *mcpSession) initializeParams(m *jsonrpc.Message, v *verdicts) {
	if m.Has&jsonrpc.HasParams == 0 {
		v.fault("", "lacks params")
		return
	}
	if kindOf(m.Params) != jsonrpc.Object {
		return
	}
	doc, err := jsonrpc.Decode(m.Params, smallValue)
	if err != nil {
		v.fault("/params", "is too large or too deep to check")
		return
	}
	s.version(doc.Get("protocolVersion"), "/params", "asks for", v)
	shapeOfValue("InitializeParams", "/params", doc, v)
}

// initializeResult judges what the server offers.
func (s *mcpSession) initializeResult(m *jsonrpc.Message, v *verdicts) {
	doc, err := jsonrpc.Decode(m.Result, smallValue)
	if err != nil {
		v.fault("/result", "is too large or too deep to check")
		return
	}
	s.version(doc.Get("protocolVersion"), "/result", "answers with", v)
	s.capabilities(doc.Get("capabilities"), v)
	switch info := doc.Get("serverInfo"); {
	case info == nil:
		v.add("OCU-SERVER-INFO", "/result", "the initialize result lacks serverInfo")
	case info.Kind != jsonrpc.Object:
		v.add("OCU-SERVER-INFO", "/result/serverInfo", "serverInfo is no object")
	}
	if in := doc.Get("instructions"); in != nil {
		const at = "/result/instructions"
		if in.Kind != jsonrpc.String {
			v.add("OCU-INSTRUCTIONS", at, "instructions is no string")
		} else if n := int64(len(in.Str)); n > s.p.limits.instructions {
			v.add("OCU-INSTRUCTIONS", at, bytesOver("instructions", n, s.p.limits.instructions))
		}
	}
	shapeOfValue("InitializeResult", "/result", doc, v)
}

func (s *mcpSession) version(got *jsonrpc.Value, at, verb string, v *verdicts) {
	str, isString := got.IsString()
	switch {
	case got == nil:
		v.add("OCU-PROTOCOL-VERSION", at, "protocolVersion is missing: the profile is pinned to "+revision)
	case !isString:
		v.add("OCU-PROTOCOL-VERSION", at+"/protocolVersion", "protocolVersion is no string: the profile is pinned to "+revision)
	case str != revision:
		v.add("OCU-PROTOCOL-VERSION", at+"/protocolVersion",
			verb+" revision "+s.p.redact.name(str)+": the profile is pinned to "+revision)
	}
}

// capabilities judges the server's: tools alone, and no listChanged (seed 002,
// boundedInitializeResult). Further members of tools are open there.
func (s *mcpSession) capabilities(c *jsonrpc.Value, v *verdicts) {
	const rule, at = "OCU-CAPABILITIES", "/result/capabilities"
	switch {
	case c == nil:
		v.add(rule, "/result", "the initialize result lacks capabilities")
		return
	case c.Kind != jsonrpc.Object:
		v.add(rule, at, "capabilities is no object")
		return
	}
	var wrong []string
	pointer := at
	for i, m := range c.Members {
		if m.Key == "tools" {
			continue
		}
		if len(wrong) == 8 {
			wrong = append(wrong, "and "+itoa(len(c.Members)-i)+" more")
			break
		}
		wrong = append(wrong, "offers "+s.p.redact.name(m.Key))
	}
	tools := c.Get("tools")
	changed := tools.Get("listChanged")
	switch {
	case tools == nil:
		wrong = append(wrong, "lacks tools")
	case tools.Kind != jsonrpc.Object:
		wrong, pointer = append(wrong, "tools is no object"), at+"/tools"
	case changed != nil && (changed.Kind != jsonrpc.Bool || changed.True):
		wrong, pointer = append(wrong, "listChanged is not false"), at+"/tools/listChanged"
	}
	if len(wrong) > 0 {
		v.add(rule, pointer, "capabilities must be tools alone, with listChanged false: "+strings.Join(wrong, ", "))
	}
}
