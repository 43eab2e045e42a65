package replay

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// adopt reads a message as a decoder does that folds the case of keys, where it
// has a member in another case alone: `METHOD` is its method, `Result` its
// result (catalog.md, "Reading JSON safely"). Coverage full only; that such a
// message is ambiguous is said of it in any case.
func adopt(msg *jsonrpc.Message) {
	for _, a := range msg.Alt {
		switch a.Key {
		case "method":
			if msg.Has&jsonrpc.HasMethod == 0 {
				msg.Method = unquoted(a.Raw)
				defer func() { msg.Has |= jsonrpc.HasMethod }()
			}
		case "id":
			if msg.Has&jsonrpc.HasID == 0 {
				msg.ID = a.Raw
				defer func() { msg.Has |= jsonrpc.HasID }()
			}
		case "params":
			if msg.Has&jsonrpc.HasParams == 0 {
				msg.Params = a.Raw
				defer func() { msg.Has |= jsonrpc.HasParams }()
			}
		case "params/name":
			if msg.Has&jsonrpc.HasName == 0 {
				msg.Name = unquoted(a.Raw)
				defer func() { msg.Has |= jsonrpc.HasName }()
			}
		case "result":
			if msg.Has&jsonrpc.HasResult == 0 {
				msg.Result = a.Raw
				defer func() { msg.Has |= jsonrpc.HasResult }()
			}
		case "error":
			if msg.Has&jsonrpc.HasError == 0 {
				msg.Error = a.Raw
				defer func() { msg.Has |= jsonrpc.HasError }()
			}
		}
	}
}

// unquoted decodes a raw JSON string; nil for anything else.
func unquoted(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	s, _ := jsonrpc.Unquote(nil, raw[1:len(raw)-1])
	return s
}

// anyMethod reports whether one of the readings of a message's method is as
// asked. With coverage spec there is one reading.
func (m *Machine) anyMethod(msg *jsonrpc.Message, is func(method []byte) bool) bool {
	if msg.Has&jsonrpc.HasMethod != 0 && is(msg.Method) {
		return true
	}
	if m.cfg.Coverage != analyze.Full {
		return false
	}
	for _, a := range msg.Alt {
		if a.Key == "method" && is(unquoted(a.Raw)) {
			return true
		}
	}
	return false
}

// allMethods reports whether every reading of the method is as asked.
func (m *Machine) allMethods(msg *jsonrpc.Message, is func(method []byte) bool) bool {
	return is(msg.Method) && !m.anyMethod(msg, func(s []byte) bool { return !is(s) })
}

func isTaskNotification(method []byte) bool {
	const tasks = "notifications/tasks"
	return len(method) >= len(tasks) && string(method[:len(tasks)]) == tasks
}

func isControl(method []byte) bool {
	switch string(method) {
	case "notifications/progress", "notifications/cancelled":
		return true
	}
	return false
}

// results are the raw results that a message may be read to have: one, more
// where the key is repeated and coverage is full. The last is the one that most
// readers keep.
func (m *Machine) results(msg *jsonrpc.Message) [][]byte {
	var all [][]byte
	if m.cfg.Coverage == analyze.Full {
		for _, a := range msg.Alt {
			if a.Key == "result" && !same(a.Raw, msg.Result) {
				all = append(all, a.Raw)
			}
		}
	}
	return append(all, msg.Result)
}

// same reports the same bytes in the same place.
func same(a, b []byte) bool { return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0] }
