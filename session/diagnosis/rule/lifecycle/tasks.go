package lifecycle

import (
	"bytes"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

const working = "working"

// A task is the last known status of a task.
type task struct {
	status string
	at     int64 // when it became known
}

// tasks checks the tasks of one process.
type tasks struct {
	c        *Checker
	all      map[string]task
	required map[string]bool
}

func ended(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// isTask reports whether a message is the result of a request that became a task of
// 2025-11-25.
func isTask(m *message.Message) bool {
	return mentionsTask(m) && message.IsObject(message.Member(m.Of(m.Result), "task"))
}

// isExtendedTask reports whether a message is the result of a request that became a
// task of the extension.
func isExtendedTask(m *message.Message) bool {
	return mentionsTask(m) && string(message.Member(m.Of(m.Result), "resultType")) == `"task"`
}

func mentionsTask(m *message.Message) bool { return bytes.Contains(m.Of(m.Result), []byte(`"task"`)) }

func (t *tasks) result(m *message.Message, r *message.Request) {
	if r.Revision != mcp.V20251125 {
		return
	}
	result := m.Of(m.Result)
	switch r.Method {
	case mcp.MethodToolsList:
		t.tools(result)
	case mcp.MethodToolsCall:
		if !r.Task {
			t.plainCall(m, r, 0)
			return
		}
		if created := message.Member(result, "task"); message.IsObject(created) {
			where := about(r)
			where.Pointer = "/task"
			t.shape(m, where, created, "ttl")
			if status := message.Text(message.Member(created, "status")); status != "" && status != working {
				where.Pointer += "/status"
				t.c.found(tsk01, m.At, where, "it starts as %s", message.Excerpt(status))
			}
			t.status(m, where, created, m.At.T)
		}
	case methodTasksGet, methodTasksCancel:
		where := diagnosis.Location{Method: r.Method}
		t.shape(m, where, result, "ttl")
		t.status(m, where, result, r.At.T)
	case methodTasksResult:
		if related := message.Member(message.Member(result, "_meta"), metaRelatedTask); message.Text(message.Member(related, "taskId")) == "" {
			t.c.found(tsk03, m.At, diagnosis.Location{Method: r.Method, Pointer: "/_meta"}, "no %s with a taskId", metaRelatedTask)
		}
	}
}

func (t *tasks) shape(m *message.Message, where diagnosis.Location, object []byte, ttl string) {
	for _, name := range [...]string{"createdAt", "lastUpdatedAt", ttl} {
		if message.Member(object, name) == nil {
			t.c.found(tsk01, m.At, where, "%s is missing", name)
			return
		}
	}
}

// status notes the status of a task that was valid at a time or later. It must not leave
// a final one.
func (t *tasks) status(m *message.Message, where diagnosis.Location, object []byte, since int64) {
	id, status := message.Short(message.Member(object, "taskId")), message.Text(message.Member(object, "status"))
	if id == "" || status == "" {
		return
	}
	before, seen := t.all[id]
	if seen && ended(before.status) {
		if status != before.status && (ended(status) || since > before.at) {
			t.c.found(tsk01, m.At, where, "%s after %s", message.Excerpt(status), before.status)
		}
		return
	}
	if t.all == nil {
		t.all = make(map[string]task)
	}
	if seen || len(t.all) < maxTasks {
		t.all[id] = task{message.Excerpt(status), m.At.T}
	}
}

func (t *tasks) changed(m *message.Message) {
	if m.Revision == mcp.V20251125 {
		where := diagnosis.Location{Method: notifyTaskStatus}
		t.shape(m, where, m.Of(m.Params), "ttl")
		t.status(m, where, m.Of(m.Params), m.At.T)
	}
}

// taskTools notes the tools that must be called as tasks. Without the capability, clients
// have to ignore what a tool says about tasks.
func (t *tasks) tools(result []byte) {
	if !t.c.legacy.has(tasksCall) || !bytes.Contains(result, []byte(`"taskSupport"`)) {
		return
	}
	list := message.Member(result, "tools")
	if len(list) == 0 || list[0] != '[' {
		return
	}
	for tool := range message.Elements(list) {
		name := message.Text(message.Member(tool, "name"))
		if message.Text(message.Member(message.Member(tool, "execution"), "taskSupport")) != "required" {
			delete(t.required, name)
			continue
		}
		if t.required == nil {
			t.required = make(map[string]bool)
		}
		if len(t.required) < maxTaskTools && len(name) <= longName {
			t.required[name] = true
		}
	}
}

// longName is the length from which the names of tools in records are cut.
const longName = 500

// plainCall checks the response to a call without a task of a tool that needs one. code is
// that of an error, 0 for a result.
func (t *tasks) plainCall(m *message.Message, r *message.Request, code int) {
	if !t.required[r.Name] || r.Task || code == mcp.CodeMethodNotFound || r.Revision != mcp.V20251125 {
		return
	}
	how := "has a result"
	if code != 0 {
		how = "was refused with another code than -32601"
	}
	t.c.found(tsk02, m.At, about(r), "a call without a task %s", how)
}

func (t *tasks) extended(m *message.Message, r *message.Request, object []byte, created bool) {
	where, since := about(r), r.At.T
	if created {
		since = m.At.T
	}
	t.shape(m, where, object, "ttlMs")
	t.status(m, where, object, since)
}
