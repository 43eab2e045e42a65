package profile

import (
	"strconv"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/profile/leak"
)

// errorCodes are the codes that JSON-RPC itself defines; the profile has no
// others (seed 002, boundedError).
var errorCodes = [...]string{"-32700", "-32600", "-32601", "-32602", "-32603"}

// errorObject judges a JSON-RPC error of either side.
func (p *mcpProfile) errorObject(m *jsonrpc.Message, v *verdicts) {
	o, ok := objectOf(m.Error)
	if !ok {
		v.add("OCU-ERROR-SHAPE", "/error", "error is no object")
		return
	}
	var code, message, data []byte
	for {
		key, val, more := o.next()
		if !more {
			break
		}
		switch string(key) {
		case "code":
			code = val
		case "message":
			message = val
		case "data":
			data = val
		}
	}
	p.errorShape(code, message, v)
	if code != nil && kindOf(code) == jsonrpc.Number && !standardCode(code) {
		v.add("OCU-ERROR-CODE", "/error/code", "error code "+p.redact.name(string(code[:min(len(code), 32)]))+
			" is none of -32700, -32600, -32601, -32602, -32603")
	}
	if n, ok := valueSize(message, p.limits.errorMessage); kindOf(message) == jsonrpc.String && !ok {
		v.add("OCU-ERROR-MESSAGE", "/error/message", bytesOver("the error message", n, p.limits.errorMessage))
	}
	if n, ok := within(data, p.limits.errorData); !ok {
		v.add("OCU-ERROR-DATA", "/error/data", bytesOver("the error data", n, p.limits.errorData))
	}
	p.leaks(message, data, v)
}

func (p *mcpProfile) errorShape(code, message []byte, v *verdicts) {
	const rule = "OCU-ERROR-SHAPE"
	switch {
	case code == nil && message == nil:
		v.add(rule, "/error", "error lacks code and message")
	case code == nil:
		v.add(rule, "/error", "error lacks code")
	case kindOf(code) != jsonrpc.Number:
		v.add(rule, "/error/code", "the error code is no number")
	case message == nil:
		v.add(rule, "/error", "error lacks message")
	case kindOf(message) != jsonrpc.String:
		v.add(rule, "/error/message", "the error message is no string")
	}
}

func standardCode(raw []byte) bool {
	for _, c := range errorCodes {
		if sameNumber(raw, c) {
			return true
		}
	}
	return false
}

// leaks looks for what an error must not tell of the inside: one finding a
// kind, at the string that tells it first.
func (p *mcpProfile) leaks(message, data []byte, v *verdicts) {
	var seen [leak.Kinds]bool
	look := func(text, pointer string) {
		for _, h := range leak.Find(text) {
			if seen[h.Kind] {
				continue
			}
			seen[h.Kind] = true
			f := v.add("OCU-ERROR-LEAK", p.redact.pointer(pointer), "the error tells "+h.Kind.String()+" of the inside")
			f.Snippet = p.redact.part(text, text[h.Start:h.End])
		}
	}
	if text, ok := stringOf(message); ok {
		look(text, "/error/message")
	}
	eachString(data, "/error/data", look)
}

// eachString visits every string and key under raw with its pointer, in order.
// The stack of open containers replaces recursion; beyond a depth the pointer
// stays that of the container there.
func eachString(raw []byte, at string, visit func(text, pointer string)) {
	type level struct {
		obj     members
		arr     elements
		isObj   bool
		pointer string
		n       int
	}
	const deep = 64
	var stack []level
	enter := func(val []byte, pointer string) {
		switch kindOf(val) {
		case jsonrpc.String:
			if t, ok := stringOf(val); ok {
				visit(t, pointer)
			}
		case jsonrpc.Object:
			o, _ := objectOf(val)
			stack = append(stack, level{obj: o, isObj: true, pointer: pointer})
		case jsonrpc.Array:
			a, _ := arrayOf(val)
			stack = append(stack, level{arr: a, pointer: pointer})
		}
	}
	// A value below the depth bound is walked flat: each string in it counts,
	// and no byte is read twice for the sake of a pointer.
	flat := func(val []byte, pointer string) {
		for i := 0; i < len(val); {
			if val[i] != '"' {
				i++
				continue
			}
			end := stringEnd(val, i)
			if t, ok := stringOf(val[i:end]); ok {
				visit(t, pointer)
			}
			i = end
		}
	}
	enter(raw, at)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		var val []byte
		pointer, more := "", false
		if top.isObj {
			var key []byte
			if key, val, more = top.obj.next(); more {
				pointer = below(top.pointer, escapeToken(string(key)))
				visit(string(key), pointer)
			}
		} else if val, more = top.arr.next(); more {
			pointer = below(top.pointer, strconv.Itoa(top.n))
			top.n++
		}
		switch {
		case !more:
			stack = stack[:len(stack)-1]
		case len(stack) >= deep:
			flat(val, pointer)
		default:
			enter(val, pointer)
		}
	}
}
