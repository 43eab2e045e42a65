package calls

import (
	"bytes"
	"slices"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// response takes the answer to a request of one of the calls.
func (t *Tracker) response(f *frame, m *jsonrpc.Message) {
	var room [64]byte
	k, ok := jsonrpc.AppendIDKey(room[:0], m.ID)
	c := t.byKey[jsonrpc.Key(k)]
	if !ok || c == nil {
		return
	}
	c.keys = slices.DeleteFunc(c.keys, func(o jsonrpc.Key) bool {
		if string(o) != string(k) {
			return false
		}
		delete(t.byKey, o)
		return true
	})
	c.add(f.out.Findings, m.ID, f.alone)
	switch {
	case m.Has&jsonrpc.HasError != 0 && m.Has&jsonrpc.HasResult == 0:
		t.finish(f, c, RPCError, m.Error)
	case m.Has&jsonrpc.HasInputRequests != 0 && len(c.tasks) == 0:
		// It waits for a retry.
		if s, _ := jsonrpc.LookupString(m.Result, "requestState"); len(s) <= maxState {
			c.state = s
		}
	case len(c.tasks) > 0:
		t.taskAnswer(f, c, m, m.Result)
	case m.Has&jsonrpc.HasResultTask != 0:
		t.begun(f, c, m)
	default:
		t.finish(f, c, outcome(m.Has&jsonrpc.HasIsError != 0), m.Result)
	}
}

func outcome(failed bool) Status {
	if failed {
		return ToolError
	}
	return OK
}

// begun notes that a call was answered with a task.
func (t *Tracker) begun(f *frame, c *Call, m *jsonrpc.Message) {
	id, ok := jsonrpc.LookupString(m.Result, "task", "taskId")
	if !ok {
		id, _ = jsonrpc.LookupString(m.Result, "taskId")
	}
	if id == "" || len(id) > maxState {
		t.finish(f, c, outcome(m.Has&jsonrpc.HasIsError != 0), m.Result)
		return
	}
	if old := t.byTask[id]; old != nil {
		t.end(old) // its task's name is used again
	}
	if t.byTask == nil {
		t.byTask = make(map[string]*Call)
	}
	t.byTask[id] = c
	c.tasks = append(c.tasks, id)
	c.Task = true
}

// taskAnswer reads an answer about a task: the tool's result itself
// (tasks/result), one within a status (tasks/get), or a status alone.
func (t *Tracker) taskAnswer(f *frame, c *Call, m *jsonrpc.Message, about []byte) {
	status := taskStatus(about)
	switch {
	case m.Has&jsonrpc.HasNested != 0:
		t.finish(f, c, outcome(m.Has&jsonrpc.HasNestedIsError != 0), jsonrpc.Lookup(about, "result"))
	case status == "failed":
		t.finish(f, c, ToolError, about)
	case status == "cancelled":
		t.finish(f, c, Cancelled, about)
	case status == "" && (m.Has&jsonrpc.HasContent != 0 || m.Has&jsonrpc.HasIsError != 0 || jsonrpc.Lookup(about, "structuredContent") != nil):
		t.finish(f, c, outcome(m.Has&jsonrpc.HasIsError != 0), about)
	}
}

func taskStatus(about []byte) string {
	if s, ok := jsonrpc.LookupString(about, "status"); ok {
		return s
	}
	s, _ := jsonrpc.LookupString(about, "task", "status")
	return s
}

// notified takes a server's word about a task.
func (t *Tracker) notified(f *frame, m *jsonrpc.Message) {
	id, _ := jsonrpc.LookupString(m.Params, "taskId")
	if c := t.byTask[id]; c != nil {
		c.add(f.out.Findings, nil, f.alone)
		t.taskAnswer(f, c, m, m.Params)
	}
}

// cancelled takes a client's word that it does not want the result any more.
func (t *Tracker) cancelled(f *frame, m *jsonrpc.Message) {
	k, ok := jsonrpc.IDKey(bytes.TrimSpace(jsonrpc.Lookup(m.Params, "requestId")))
	if c := t.byKey[k]; ok && c != nil {
		t.finish(f, c, Cancelled, nil)
	}
}

func (t *Tracker) finish(f *frame, c *Call, s Status, payload []byte) {
	c.Status, c.End, c.Response, c.ResponseSize = s, f.ev.TS, f.ev.Place, f.size
	if t.Keep {
		c.Result = slices.Clone(payload)
	}
	t.end(c)
}
