package jsonrpc

import (
	"bytes"
	"strings"
)

// This file is the slow, plain reading of a message: a decoded tree, recursion,
// and the rules one after another. The tests hold Parser against it.

type plainText struct {
	str      string
	role     Role
	block    int32
	nested   bool
	isError  bool
	input    bool
	shadowed bool
	at       int // offset in the root's Raw; -1 for keys
}

type plainReading struct {
	root     *Value
	texts    []plainText
	notes    []BlockNote
	has      Has
	repeated bool
	cur      plainText // flags of the strings being read
}

// plainMessage reads an object that is valid JSON (lone surrogates allowed).
func plainMessage(raw []byte) (*plainReading, bool) {
	v, err := Decode(raw, DecodeOptions{Lenient: true})
	if err != nil || v.Kind != Object {
		return nil, false
	}
	r := &plainReading{root: v}
	r.cur.block = -1
	r.frame(v)
	return r, true
}

func (r *plainReading) fold(key string, used []string) (string, bool) {
	for _, u := range used {
		if strings.EqualFold(key, u) {
			return u, true
		}
	}
	return "", false
}

// members calls do for each member with the name that it counts as, and with
// the strings under it marked when an exact reader does not see them.
func (r *plainReading) members(v *Value, used []string, do func(name string, exact bool, v *Value)) {
	count := map[string]int{}
	for _, m := range v.Members {
		count[m.Key]++
		if count[m.Key] > 1 {
			r.repeated = true
		}
	}
	left := map[string]int{}
	for k, n := range count {
		left[k] = n
	}
	for _, m := range v.Members {
		left[m.Key]--
		name, ok := r.fold(m.Key, used)
		exact := !ok || name == m.Key
		if !exact {
			r.repeated = true
		}
		was := r.cur.shadowed
		if ok && (!exact || left[m.Key] > 0) {
			r.cur.shadowed = true
		}
		do(name, exact, m.Value)
		r.cur.shadowed = was
	}
}

func last(v *Value, key string) *Value { return v.Get(key) }

func (r *plainReading) set(bit Has, on bool) {
	if on {
		r.has |= bit
	}
}

func notNull(v *Value) bool { return v != nil && v.Kind != Null }

func (r *plainReading) frame(v *Value) {
	used := []string{"jsonrpc", "id", "method", "params", "result", "error"}
	tasksAny := false
	for _, m := range v.Members {
		if s, ok := m.Value.IsString(); ok && strings.EqualFold(m.Key, "method") && strings.HasPrefix(s, "notifications/tasks") {
			tasksAny = true
		}
	}
	lastMethod, _ := last(v, "method").IsString()
	tasksLast := strings.HasPrefix(lastMethod, "notifications/tasks")
	r.members(v, used, func(name string, exact bool, v *Value) {
		switch name {
		case "params":
			r.params(v, tasksAny, tasksLast)
		case "result":
			r.result(v)
		case "error":
			r.cur.isError = true
			if v.Kind == Object {
				r.members(v, []string{"code", "message", "data"}, func(_ string, _ bool, v *Value) { r.strings(v, RoleOther, false) })
			} else {
				r.strings(v, RoleOther, false)
			}
			r.cur.isError = false
		}
	})
	for name, bit := range map[string]Has{"jsonrpc": HasJSONRPC, "id": HasID, "method": HasMethod, "params": HasParams, "result": HasResult, "error": HasError} {
		r.set(bit, last(v, name) != nil)
	}
	if id := last(v, "id"); id != nil {
		r.set(BadID, id.Kind == Bool || id.Kind == Array || id.Kind == Object)
	}
	p := last(v, "params")
	r.set(HasName, last(p, "name") != nil)
	r.set(HasArguments, last(p, "arguments") != nil)
	r.set(HasMeta, last(p, "_meta") != nil)
	r.set(HasTask, notNull(last(p, "task")))
	r.set(HasCursor, notNull(last(p, "cursor")))
	r.set(HasInputResponses, notNull(last(p, "inputResponses")))
	r.set(HasRequestState, notNull(last(p, "requestState")))
	r.set(HasNested, last(p, "result") != nil)
	truth := func(v *Value) bool { return v != nil && v.Kind == Bool && v.True }
	r.set(HasNestedIsError, truth(last(last(p, "result"), "isError")))
	res := last(v, "result")
	r.set(HasRequestState, notNull(last(res, "requestState")))
	r.set(HasResultType, notNull(last(res, "resultType")))
	if res != nil {
		for _, m := range res.Members {
			r.set(HasResultTask, (m.Key == "task" || m.Key == "taskId") && notNull(m.Value))
		}
	}
	r.set(HasInputRequests, notNull(last(res, "inputRequests")))
	r.set(HasNested, last(res, "result") != nil)
	r.set(HasNestedIsError, truth(last(last(res, "result"), "isError")))
	r.set(HasIsError, truth(last(res, "isError")))
	r.set(HasContent, last(res, "content") != nil && last(res, "content").Kind == Array)
	r.set(Repeated, r.repeated)
}

func (r *plainReading) params(v *Value, tasksAny, tasksLast bool) {
	if v.Kind != Object {
		return
	}
	used := []string{"name", "arguments", "_meta", "task", "cursor", "inputResponses", "requestState", "result"}
	r.members(v, used, func(name string, exact bool, v *Value) {
		if name != "result" || !tasksAny {
			return
		}
		was := r.cur.shadowed
		r.cur.shadowed = was || !tasksLast
		r.cur.nested = true
		r.result(v)
		r.cur.nested = false
		r.cur.shadowed = was
	})
}

func (r *plainReading) result(v *Value) {
	if v.Kind != Object {
		r.strings(v, RoleOther, false)
		return
	}
	used := []string{"content", "structuredContent", "isError", "resultType", "task", "taskId", "inputRequests", "requestState", "result", "_meta", "tools", "nextCursor", "protocolVersion", "capabilities"}
	r.members(v, used, func(name string, exact bool, v *Value) {
		switch {
		case name == "content" && v.Kind == Array:
			for i, e := range v.Elems {
				r.cur.block = int32(i)
				r.block(e)
			}
			r.cur.block = -1
		case name == "structuredContent":
			r.strings(v, RoleStructured, true)
		case name == "result" && !r.cur.nested:
			r.cur.nested = true
			r.result(v)
			r.cur.nested = false
		case name == "inputRequests":
			r.cur.input = !r.cur.nested
			r.strings(v, RoleOther, false)
			r.cur.input = false
		default:
			r.strings(v, RoleOther, false)
		}
	})
}

func (r *plainReading) block(v *Value) {
	if v.Kind != Object {
		r.note(WhyNoObject)
		r.strings(v, RoleOther, false)
		return
	}
	typ, _ := last(v, "type").IsString()
	as := func(want string, role Role) Role {
		if typ == want {
			return role
		}
		return RoleOther
	}
	used := []string{"type", "text", "resource", "data", "blob", "uri", "name", "title", "description"}
	r.members(v, used, func(name string, exact bool, v *Value) {
		role := RoleOther
		switch name {
		case "data", "blob":
			if s, ok := v.IsString(); ok && plainBase64(s) {
				return
			}
		case "resource":
			if v.Kind == Object {
				r.resource(v, as)
				return
			}
		case "text":
			role = as("text", RoleText)
		case "uri", "name", "title", "description":
			role = as("resource_link", RoleLink)
		}
		if v.Kind != String {
			role = RoleOther
		}
		r.strings(v, role, false)
	})
	switch typ {
	case "text":
		if t := last(v, "text"); t == nil || t.Kind != String {
			r.note(WhyNoText)
		}
	case "resource":
		res := last(v, "resource")
		isStr := func(k string) bool { _, ok := last(res, k).IsString(); return ok }
		if notNull(last(res, "blob")) {
			r.note(WhyBinary)
		} else if !isStr("text") && !isStr("uri") {
			r.note(WhyNoText)
		}
	case "resource_link":
		r.note(WhyLink)
	case "image", "audio", "blob":
		r.note(WhyBinary)
	default:
		r.note(WhyUnknown)
	}
}

func (r *plainReading) resource(v *Value, as func(string, Role) Role) {
	r.members(v, []string{"text", "data", "blob", "uri"}, func(name string, exact bool, v *Value) {
		s, ok := v.IsString()
		role := RoleOther
		switch {
		case !ok:
		case name == "text":
			role = as("resource", RoleResourceText)
		case name == "uri":
			role = as("resource", RoleResourceURI)
		case name != "" && plainBase64(s):
			return
		}
		r.strings(v, role, false)
	})
}

func plainBase64(s string) bool {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n"
	return strings.Trim(s, alphabet) == "" && strings.IndexFunc(s, func(c rune) bool { return !strings.ContainsRune(alphabet, c) }) < 0
}

func (r *plainReading) note(why Why) {
	r.notes = append(r.notes, BlockNote{Block: r.cur.block, Why: why, Nested: r.cur.nested, Shadowed: r.cur.shadowed})
}

func (r *plainReading) strings(v *Value, role Role, keys bool) {
	add := func(s string, role Role, at int) {
		t := r.cur
		t.str, t.role, t.at = s, role, at
		r.texts = append(r.texts, t)
	}
	switch v.Kind {
	case String:
		add(v.Str, role, cap(r.root.Raw)-cap(v.Raw)+1)
	case Array:
		for _, e := range v.Elems {
			r.strings(e, role, keys)
		}
	case Object:
		for _, m := range v.Members {
			if keys {
				add(m.Key, RoleKey, -1)
			}
			r.strings(m.Value, role, keys)
		}
	}
}

// alt lists the members that Message.Alt must have.
func (r *plainReading) alt() []Member {
	var out []Member
	for _, m := range r.root.Members {
		name, ok := r.fold(m.Key, []string{"id", "method", "params", "result", "error"})
		if !ok {
			continue
		}
		out = append(out, Member{name, m.Value.Raw})
		if name != "params" {
			continue
		}
		for _, m := range m.Value.Members {
			if name, ok := r.fold(m.Key, []string{"name", "arguments"}); ok {
				out = append(out, Member{"params/" + name, m.Value.Raw})
			}
		}
	}
	return out
}

// textResult is Message.TextResult of a result without a repeated key.
func textResult(v *Value) bool {
	content := last(v, "content")
	if content == nil || content.Kind != Array || len(content.Elems) > MaxTextBlocks {
		return false
	}
	for _, b := range content.Elems {
		typ, _ := last(b, "type").IsString()
		if _, ok := last(b, "text").IsString(); !ok || typ != "text" || len(b.Members) != 2 {
			return false
		}
	}
	isError := last(v, "isError")
	return last(v, "structuredContent") == nil && last(v, "_meta") == nil && (isError == nil || isError.Kind == Bool)
}

// differences says where a message read by Parser is not the plain reading.
func (r *plainReading) differences(m *Message, keep Has) []string {
	var out []string
	say := func(what string) { out = append(out, what) }
	if !bytes.Equal(m.Raw, r.root.Raw) {
		say("raw")
	}
	if m.Has&^keep != r.has {
		say("has")
	}
	if m.Has&Ambiguous == 0 && m.TextResult != textResult(last(r.root, "result")) {
		say("text result")
	}
	raw := func(v *Value) []byte {
		if v == nil {
			return nil
		}
		return v.Raw
	}
	same := func(name string, got, want []byte) {
		if !bytes.Equal(got, want) || (got == nil) != (want == nil) {
			say(name)
		}
	}
	decoded := func(v *Value) []byte {
		if s, ok := v.IsString(); ok {
			return []byte(s)
		}
		return nil
	}
	v := r.root
	same("id", m.ID, raw(last(v, "id")))
	same("method", m.Method, decoded(last(v, "method")))
	same("name", m.Name, decoded(last(last(v, "params"), "name")))
	same("params", m.Params, raw(last(v, "params")))
	same("result", m.Result, raw(last(v, "result")))
	same("error", m.Error, raw(last(v, "error")))
	if len(m.Texts) != len(r.texts) {
		say("number of texts")
		return out
	}
	for i, t := range m.Texts {
		w := r.texts[i]
		s, _ := Unquote(nil, m.Raw[t.Start:t.End])
		got := plainText{string(s), t.Role, t.Block, t.Nested, t.Error, t.Input, t.Shadowed, int(t.Start)}
		if w.at < 0 {
			got.at = -1
		}
		if got != w {
			say("text " + w.str)
		}
		if m.Raw[t.Start-1] != '"' || m.Raw[t.End] != '"' || t.Escaped != bytes.Contains(m.Raw[t.Start:t.End], []byte{'\\'}) {
			say("offsets of " + w.str)
		}
	}
	if len(m.Notes) != len(r.notes) {
		say("number of notes")
		return out
	}
	for i := range m.Notes {
		if m.Notes[i] != r.notes[i] {
			say("note")
		}
	}
	var alt []Member
	if r.repeated {
		alt = r.alt()
	}
	if len(alt) != len(m.Alt) {
		say("number of occurrences")
		return out
	}
	for i := range alt {
		if alt[i].Key != m.Alt[i].Key || !bytes.Equal(alt[i].Raw, m.Alt[i].Raw) {
			say("occurrence " + alt[i].Key)
		}
	}
	return out
}
