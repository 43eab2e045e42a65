package replay

import (
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// tasks maps a task to the tool whose call began it, bounded; the oldest goes
// first (protocol.md, "Where tool output travels").
type tasks struct {
	max   int
	m     map[string]string
	order []string
}

func (t *tasks) add(id, tool string) {
	if id == "" || len(id) > maxKeptName {
		return
	}
	if t.m == nil {
		t.m = make(map[string]string)
	}
	if _, ok := t.m[id]; !ok {
		t.order = append(t.order, id)
	}
	t.m[id] = tool
	for len(t.order) > t.max {
		delete(t.m, t.order[0])
		t.order = t.order[1:]
	}
}

// tool is the tool that the task belongs to, "" for a task that no call here
// began.
func (t *tasks) tool(id string) string { return t.m[id] }

// taskOf reads the id of the task that a tools/call was answered with.
func taskOf(result []byte) string {
	if s, ok := jsonrpc.LookupString(result, "task", "taskId"); ok {
		return s
	}
	s, _ := jsonrpc.LookupString(result, "taskId")
	return s
}

// taskParam reads params.taskId.
func taskParam(params []byte) string {
	s, _ := jsonrpc.LookupString(params, "taskId")
	return s
}
