package profile

import (
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// maxBlocksShown bounds the findings of one rule on one result.
const maxBlocksShown = 16

// callResult judges the result of a tools/call. Results are the bulk of a
// trace: most have the one shape that their reader has seen already, and of the
// others this walks the raw bytes and decodes only what is out of the ordinary.
func (s *mcpSession) callResult(f *Frame, v *verdicts) {
	at, tool := len(v.out), ""
	structured, failed := f.Facts.structured(f.Msg.Result), f.Facts.failed
	if !f.Facts.result {
		structured, failed = s.p.resultForm(f.Msg, v)
	} else if f.Facts.found != nil {
		v.out = append(v.out, *f.Facts.found)
	}
	s.structured(f, structured, failed, v)
	for i := at; i < len(v.out); i++ {
		if i == at {
			tool = label(&s.labels, f.Request.Tool)
		}
		v.out[i].Tool = tool
		v.out[i].IsError = failed
	}
}

// resultForm judges a tool's result but for its structuredContent, which it
// returns, and says whether it is an error.
func (p *mcpProfile) resultForm(m *jsonrpc.Message, v *verdicts) (structured []byte, failed bool) {
	if n, ok := within(m.Result, p.limits.callToolResult); !ok {
		v.add("OCU-RESULT-SIZE", "/result", bytesOver("the tool result", n, p.limits.callToolResult))
	}
	if m.TextResult && m.Has&jsonrpc.Ambiguous == 0 && p.limits.contentBlocks >= jsonrpc.MaxTextBlocks {
		return nil, m.Has&jsonrpc.HasIsError != 0
	}
	return p.members(m.Result, v)
}

// members judges the members of a tool result.
func (p *mcpProfile) members(result []byte, v *verdicts) (structured []byte, failed bool) {
	var content, isError, meta []byte
	o, _ := objectOf(result)
	for {
		key, start, more := o.key()
		if !more {
			break
		}
		if string(key) == "content" && start < len(result) && result[start] == '[' {
			content = result[start : start+1]
			o.i = p.blocks(result, start, v)
			continue
		}
		o.i = valueEnd(result, start)
		if o.i == start {
			break
		}
		val := result[start:o.i]
		switch string(key) {
		case "content":
			content = val
		case "structuredContent":
			structured = val
		case "isError":
			isError = val
		case "_meta":
			meta = val
		}
	}
	switch {
	case content == nil:
		v.add("OCU-RESULT-CONTENT", "/result", "the tool result lacks content")
	case kindOf(content) != jsonrpc.Array:
		v.add("OCU-RESULT-CONTENT", "/result/content", "the content of the tool result is no array")
	}
	if isError != nil && kindOf(isError) != jsonrpc.Bool {
		v.add("OCU-IS-ERROR", "/result/isError", "isError is no boolean")
	}
	if meta != nil && kindOf(meta) != jsonrpc.Object {
		v.fault("/result/_meta", "is no object")
	}
	return structured, string(isError) == "true"
}

// blocks judges the content blocks of the array at b[start] and returns its
// end.
func (p *mcpProfile) blocks(b []byte, start int, v *verdicts) int {
	n, wrong, i := 0, 0, start+1
	for ; ; n++ {
		i = space(b, i)
		if i < len(b) && b[i] == ',' {
			i = space(b, i+1)
		}
		if i >= len(b) || b[i] == ']' {
			break
		}
		ok, typ, end := p.block(b, i, n, v)
		if end <= i {
			i = len(b)
			break
		}
		i = end
		if ok {
			continue
		}
		if wrong++; wrong > maxBlocksShown {
			continue
		}
		f := v.add("OCU-CONTENT-TYPE", "/result/content/"+itoa(n), "a content block is "+typ+": the profile has text and image alone")
		f.Block = n
	}
	if wrong > maxBlocksShown {
		v.out[len(v.out)-1].Message += " (" + itoa(wrong-maxBlocksShown) + " more such blocks follow)"
	}
	if int64(n) > p.limits.contentBlocks {
		v.add("OCU-CONTENT-BLOCKS", "/result/content", "the tool result has "+itoa(n)+" content blocks, over the limit of "+itoa(int(p.limits.contentBlocks)))
	}
	return min(i+1, len(b))
}

// block judges the content block at b[start] and returns its end: false, with
// a word for what it is, when it is neither text nor image.
func (p *mcpProfile) block(b []byte, start, n int, v *verdicts) (ok bool, what string, end int) {
	if b[start] != '{' {
		return false, "no object", valueEnd(b, start)
	}
	o := members{b: b, i: start + 1}
	var typ, text, data, mime []byte
	plain := true
	for {
		key, val, more := o.next()
		if !more {
			break
		}
		switch string(key) {
		case "type":
			typ = val
		case "text":
			text = val
		case "data":
			data = val
		case "mimeType":
			mime = val
		case "annotations", "_meta":
			plain = false
		}
	}
	end = o.end(start)
	def := ""
	switch {
	case typ == nil:
		return false, "without a type", end
	case kindOf(typ) != jsonrpc.String:
		return false, "of a type that is no string", end
	case stringIs(typ, "text"):
		def = "TextContent"
		plain = plain && kindOf(text) == jsonrpc.String
	case stringIs(typ, "image"):
		def = "ImageContent"
		plain = plain && kindOf(data) == jsonrpc.String && kindOf(mime) == jsonrpc.String
	default:
		name, _ := stringOf(typ)
		return false, "of type " + p.redact.name(name), end
	}
	if !plain && len(v.base) < 6 {
		shapeOf(def, "/result/content/"+itoa(n), b[start:end], v)
	}
	return true, "", end
}

// structured judges structuredContent: there if and only if the tool declares
// an outputSchema, an object, and valid against it. An error result, and a
// tool that no list showed, are not asked.
func (s *mcpSession) structured(f *Frame, raw []byte, isError bool, v *verdicts) {
	const rule, at = "OCU-STRUCTURED-CONTENT", "/result/structuredContent"
	t := s.tools.get(f.Request.Tool)
	if isError || t == nil {
		if raw != nil && kindOf(raw) != jsonrpc.Object {
			v.fault(at, "is no object")
		}
		return
	}
	switch {
	case raw == nil && t.output != nil:
		v.add(rule, "/result", "structuredContent is missing where the tool declares an outputSchema")
	case raw == nil:
	case t.output == nil:
		v.add(rule, at, "structuredContent stands where the tool declares no outputSchema")
	case kindOf(raw) != jsonrpc.Object:
		v.add(rule, at, "structuredContent is no object")
	case t.output.schema != nil:
		if fault := t.output.schema.Validate(raw, &s.steps); fault != nil {
			what := "structuredContent does not conform to the tool's outputSchema: "
			if strings.HasPrefix(fault.Reason, "can't be checked") {
				what = "structuredContent " // in doubt it denies
			}
			v.add(rule, at+s.p.redact.pointer(fault.Pointer), what+fault.Reason)
		}
	}
}
