package profile

import (
	"bytes"
	"errors"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/profile/schemas"
)

// execFrame is a text frame as the order machine sees it.
type execFrame struct {
	tag       string // the discriminator; "" where there is none to be told
	handshake bool
	body      *jsonrpc.Value // of a handshake or ConnectionCapabilities
}

// plainTags are the frames that are nothing but a tag, as their senders write
// them: nearly all text frames of a session. They need no reading.
var plainTags = func() map[string]string {
	m := map[string]string{}
	for _, t := range []string{"ProcessCreated", "AttachedToProcess", "ProcessNotRunning", "ProcessAlreadyAttached",
		"FailedToStartProcessWithSameIdRunning", "ExpectStdOut", "StdOutEOF", "ExpectStdErr", "StdErrEOF",
		"ProcessTimedOut", "ProcessCpuTimedOut", "ProcessOutOfMemory", "ContainerOutOfMemory", "ShuttingDown",
		"ExpectStdIn", "StdInEOF", "Detach", "KeepAlive", "Closed"} {
		m[`{"`+t+`":null}`] = t
	}
	return m
}()

// execBounds bound a decoded text frame. Only frames whose body the schema
// leaves open may be larger.
var execBounds = jsonrpc.DecodeOptions{MaxDepth: schemas.MaxDepth, MaxNodes: 50_000, Lenient: true}

// text judges a text frame.
func (s *execSession) text(f *Frame, v *verdicts) {
	var x execFrame
	if len(f.Raw) == 0 {
		// Over the cap or elided: that there was a frame is all that is known.
		s.order(f.Dir, x, v)
		return
	}
	if tag, ok := plainTags[string(f.Raw)]; ok {
		x.tag = tag
	} else {
		x = s.readText(f, v)
	}
	s.order(f.Dir, x, v)
}

func (s *execSession) readText(f *Frame, v *verdicts) (x execFrame) {
	raw := bytes.TrimSpace(f.Raw)
	doc, err := jsonrpc.Decode(raw, execBounds)
	if err != nil {
		return s.readLarge(raw, v)
	}
	if doc.Kind != jsonrpc.Object {
		s.schemaFault("", "is "+aKind(doc.Kind)+" where an object is due", v)
		return x
	}
	def := "Control"
	if isHandshake(doc) {
		def, x.handshake, x.body = "Handshake", true, doc
	} else if len(doc.Members) > 0 {
		x.tag = doc.Members[0].Key
		x.body = doc.Members[0].Value
	}
	if key := repeated(doc, def); key != "" {
		s.schemaFault(key, "stands twice in one object", v)
	} else if faults := schemas.CheckAll(execSchemas()[def], schemas.Any(doc)); len(faults) > 0 {
		msg := ""
		for i, f := range faults {
			if i == 4 {
				msg += "; and more"
				break
			}
			if i > 0 {
				msg += "; " + s.p.redact.name(s.p.redact.pointer(f.Pointer)) + " "
			}
			msg += f.Reason
		}
		s.schemaFault(faults[0].Pointer, msg, v)
	}
	if x.handshake {
		s.secrets(doc, v)
	}
	return x
}

// readLarge reads a frame that is over the bounds, or no JSON. Tags whose body
// is open may be of any size.
func (s *execSession) readLarge(raw []byte, v *verdicts) (x execFrame) {
	if _, err := jsonrpc.Decode(raw, jsonrpc.DecodeOptions{MaxDepth: schemas.MaxDepth, MaxNodes: 50_000}); err != nil && !bounded(err) {
		s.schemaFault("", "is no JSON value", v)
		return x
	}
	o, ok := objectOf(raw)
	if !ok {
		s.schemaFault("", "is no object", v)
		return x
	}
	key, val, ok := o.next()
	if _, _, more := o.next(); ok && !more && !o.broken {
		switch x.tag = string(key); x.tag {
		case "TraceEvent", "ProcessCreatedV2", "AttachedToProcessV2":
			if kindOf(val) == jsonrpc.Object {
				return x
			}
		}
	}
	s.schemaFault("", "is larger than any frame that the schema allows", v)
	return x
}

func (s *execSession) schemaFault(pointer, what string, v *verdicts) {
	pointer = s.p.redact.pointer(pointer)
	if pointer != "" {
		what = cutPointer(pointer) + " " + what
	}
	v.add("EXEC-SCHEMA", pointer, "not a frame of the exec channel's schema: "+what)
}

// handshakeKeys are the members that only a handshake has.
var handshakeKeys = map[string]bool{"process_id": true, "create_req": true, "expected_container_name": true,
	"want_trace_events": true, "accept_compression": true}

// isHandshake tells the two kinds of frames apart, so that a fault is named in
// the one that was meant.
func isHandshake(doc *jsonrpc.Value) bool {
	for _, m := range doc.Members {
		if handshakeKeys[m.Key] {
			return true
		}
	}
	return false
}

// repeated is the pointer of a key that stands twice where the schema knows
// all keys: two readers could take two frames from it.
func repeated(doc *jsonrpc.Value, def string) string {
	if p := repeatedIn(doc, ""); p != "" {
		return p
	}
	for _, m := range doc.Members {
		if def == "Control" && (m.Key == "TraceEvent" || m.Key == "ProcessCreatedV2" || m.Key == "AttachedToProcessV2") {
			continue
		}
		if p := repeatedIn(m.Value, "/"+escapeToken(m.Key)); p != "" {
			return p
		}
		if env := m.Value.Get("env"); env != nil {
			if p := repeatedIn(env, "/"+escapeToken(m.Key)+"/env"); p != "" {
				return p
			}
		}
	}
	return ""
}

func repeatedIn(v *jsonrpc.Value, at string) string {
	if v.Kind != jsonrpc.Object || len(v.Members) < 2 {
		return ""
	}
	seen := make(map[string]bool, len(v.Members))
	for _, m := range v.Members {
		if seen[m.Key] {
			return at + "/" + escapeToken(m.Key)
		}
		seen[m.Key] = true
	}
	return ""
}

// secrets looks for credentials that the handshake would carry into the guest:
// names and values of env, args, cmd.
func (s *execSession) secrets(doc *jsonrpc.Value, v *verdicts) {
	for _, m := range doc.Members {
		if m.Key != "create_req" || m.Value.Kind != jsonrpc.Object {
			continue
		}
		const at = "/create_req/"
		for _, c := range m.Value.Members {
			switch c.Key {
			case "cmd":
				s.secretIn(c.Value, at+"cmd", v)
			case "args":
				if c.Value.Kind == jsonrpc.String {
					s.secretIn(c.Value, at+"args", v)
				}
				for i, e := range c.Value.Elems {
					s.secretIn(e, at+"args/"+itoa(i), v)
				}
			case "env":
				for _, e := range c.Value.Members {
					where := at + "env/" + s.p.redact.text(escapeToken(e.Key))
					s.secretText(e.Key, where, "the name of an env entry", v)
					s.secretIn(e.Value, where, v)
				}
			}
		}
	}
}

func (s *execSession) secretIn(val *jsonrpc.Value, at string, v *verdicts) {
	if text, ok := val.IsString(); ok {
		s.secretText(text, at, at, v)
	}
}

func (s *execSession) secretText(text, at, where string, v *verdicts) {
	if s.p.o.Secrets == nil {
		return
	}
	for _, m := range byStart(s.p.o.Secrets([]byte(text))) {
		if m.Start < 0 || m.End > len(text) || m.Start >= m.End {
			continue
		}
		f := v.add("EXEC-SECRET", at, "a credential ("+m.Sub+") would enter the guest in "+where)
		f.SubRule = m.Sub
		f.Snippet = redacted(text[m.Start:m.End])
		a := codePoints(text[:m.Start])
		f.Spans = []analyze.Span{{Start: a, End: a + codePoints(text[m.Start:m.End])}}
	}
}

func aKind(k jsonrpc.Kind) string {
	switch k {
	case jsonrpc.Array:
		return "an array"
	case jsonrpc.Null:
		return "null"
	}
	return "a " + k.String()
}

// bounded reports an error that says over the bounds, not bad JSON.
func bounded(err error) bool {
	return errors.Is(err, jsonrpc.ErrDepth) || errors.Is(err, jsonrpc.ErrNodes)
}
