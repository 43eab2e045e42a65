package profile

import "github.com/warden-trace/warden/analyze/jsonrpc"

// call judges a tools/call request.
func (s *mcpSession) call(f *Frame, v *verdicts) {
	m := f.Msg
	at := len(v.out)
	defer func() {
		for i := at; i < len(v.out); i++ {
			v.out[i].Tool = label(&s.labels, m.Name)
		}
	}()
	if f.InFlight > 0 && m.Has&jsonrpc.HasID != 0 {
		v.add("OCU-SEQUENTIAL", "", sequential(f.InFlight))
	}
	if !f.Facts.quiet {
		s.p.callForm(m, f.Flat, v)
	}
}

// callForm judges a tools/call request by itself.
func (p *mcpProfile) callForm(m *jsonrpc.Message, flat *jsonrpc.Flat, v *verdicts) {
	if kindOf(m.Params) != jsonrpc.Object {
		if m.Has&jsonrpc.HasParams == 0 {
			v.fault("", "lacks params")
		}
		return
	}
	name, args, meta := callParams(m, flat)
	switch {
	case name == nil:
		v.fault("/params", `lacks a required member "name"`)
	case kindOf(name) != jsonrpc.String:
		v.fault("/params/name", "is no string")
	}
	if args != nil {
		if kindOf(args) != jsonrpc.Object {
			v.fault("/params/arguments", "is no object")
		}
		if n, ok := within(args, p.limits.toolArguments); !ok {
			v.add("OCU-ARGUMENTS-SIZE", "/params/arguments", bytesOver("the arguments object", n, p.limits.toolArguments))
		}
	}
	if meta != nil {
		requestMeta(meta, v)
	}
}

// inFlight are the messages of OCU-SEQUENTIAL that are the usual ones: clients
// that call side by side do so all the time.
var inFlight = func() (m [32]string) {
	for n := range m {
		m[n] = sequentialAt(n)
	}
	return m
}()

func sequential(n int) string {
	if n < len(inFlight) {
		return inFlight[n]
	}
	return sequentialAt(n)
}

func sequentialAt(n int) string {
	return "a call begins with " + itoa(n) + " in flight: tool execution is sequential by default"
}

// callParams are the raw members of a call's params that are judged; of a
// repeated one the last.
func callParams(m *jsonrpc.Message, flat *jsonrpc.Flat) (name, args, meta []byte) {
	take := func(key, val []byte) {
		switch string(key) {
		case "name":
			name = val
		case "arguments":
			args = val
		case "_meta":
			meta = val
		}
	}
	if i := flatParams(flat); i >= 0 {
		for c := i + 1; c < int(flat.Nodes[i].Next); c = int(flat.Nodes[c].Next) {
			n := &flat.Nodes[c]
			val := flat.Bytes(n)
			if n.Kind == jsonrpc.String {
				val = flat.Raw[n.Start-1 : n.End+1]
			}
			if n.KeyEscaped {
				key, _ := jsonrpc.Unquote(nil, flat.Name(n))
				take(key, val)
			} else {
				take(flat.Name(n), val)
			}
		}
		return name, args, meta
	}
	o, _ := objectOf(m.Params)
	for {
		key, val, more := o.next()
		if !more {
			return name, args, meta
		}
		take(key, val)
	}
}

func flatParams(f *jsonrpc.Flat) int {
	if f == nil {
		return -1
	}
	return f.Find(0, "params")
}

// requestMeta judges params._meta: an object whose progressToken, if any, is a
// string or an integer.
func requestMeta(meta []byte, v *verdicts) {
	o, ok := objectOf(meta)
	if !ok {
		v.fault("/params/_meta", "is no object")
		return
	}
	for {
		key, val, more := o.next()
		if !more {
			return
		}
		if string(key) != "progressToken" {
			continue
		}
		if k := kindOf(val); k != jsonrpc.String && (k != jsonrpc.Number || !isInteger(val)) {
			v.fault("/params/_meta/progressToken", "is neither a string nor an integer")
		}
	}
}
