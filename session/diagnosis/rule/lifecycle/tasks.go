package lifecycle

import (
	"bytes"

	"mcpdbg/framing"
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

type tasks struct {
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

func (c *Checker) taskResult(m *message.Message, r *message.Request) {
	if r.Revision != mcp.V20251125 {
		return
	}
	result := m.Of(m.Result)
	switch r.Method {
	case mcp.MethodToolsList:
		c.taskTools(result)
	case mcp.MethodToolsCall:
		if !r.Task {
			c.plainCall(m, r, 0)
			return
		}
		if created := message.Member(result, "task"); message.IsObject(created) {
			where := about(r)
			where.Pointer = "/task"
			c.taskShape(m, where, created, "ttl")
			if status := message.Text(message.Member(created, "status")); status != "" && status != working {
				where.Pointer += "/status"
				c.found(tsk01, m.At, where, "it starts as %s", message.Excerpt(status))
			}
			c.status(m, where, created, m.At.T)
		}
	case methodTasksGet, methodTasksCancel:
		where := diagnosis.Location{Method: r.Method}
		c.taskShape(m, where, result, "ttl")
		c.status(m, where, result, r.At.T)
	case methodTasksResult:
		if related := message.Member(message.Member(result, "_meta"), metaRelatedTask); message.Text(message.Member(related, "taskId")) == "" {
			c.found(tsk03, m.At, diagnosis.Location{Method: r.Method, Pointer: "/_meta"}, "no %s with a taskId", metaRelatedTask)
		}
	}
}

func (c *Checker) taskShape(m *message.Message, where diagnosis.Location, object []byte, ttl string) {
	for _, name := range [...]string{"createdAt", "lastUpdatedAt", ttl} {
		if message.Member(object, name) == nil {
			c.found(tsk01, m.At, where, "%s is missing", name)
			return
		}
	}
}

// status notes the status of a task that was valid at a time or later. It must not leave
// a final one.
func (c *Checker) status(m *message.Message, where diagnosis.Location, object []byte, since int64) {
	id, status := message.Short(message.Member(object, "taskId")), message.Text(message.Member(object, "status"))
	if id == "" || status == "" {
		return
	}
	t := &c.tasks
	before, seen := t.all[id]
	if seen && ended(before.status) {
		if status != before.status && (ended(status) || since > before.at) {
			c.found(tsk01, m.At, where, "%s after %s", message.Excerpt(status), before.status)
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

func (c *Checker) taskChanged(m *message.Message) {
	if m.Revision == mcp.V20251125 {
		where := diagnosis.Location{Method: notifyTaskStatus}
		c.taskShape(m, where, m.Of(m.Params), "ttl")
		c.status(m, where, m.Of(m.Params), m.At.T)
	}
}

// taskTools notes the tools that must be called as tasks. Without the capability, clients
// have to ignore what a tool says about tasks.
func (c *Checker) taskTools(result []byte) {
	if !c.legacy.has(tasksCall) || !bytes.Contains(result, []byte(`"taskSupport"`)) {
		return
	}
	list := message.Member(result, "tools")
	if len(list) == 0 || list[0] != '[' {
		return
	}
	for element := range framing.Elements(list) {
		tool := element.Of(list)
		name := message.Text(message.Member(tool, "name"))
		if message.Text(message.Member(message.Member(tool, "execution"), "taskSupport")) != "required" {
			delete(c.tasks.required, name)
			continue
		}
		if c.tasks.required == nil {
			c.tasks.required = make(map[string]bool)
		}
		if len(c.tasks.required) < maxTaskTools && len(name) <= longName {
			c.tasks.required[name] = true
		}
	}
}

// longName is the length from which the names of tools in records are cut.
const longName = 500

// plainCall checks the response to a call without a task of a tool that needs one. code is
// that of an error, 0 for a result.
func (c *Checker) plainCall(m *message.Message, r *message.Request, code int) {
	if !c.tasks.required[r.Name] || r.Task || code == mcp.CodeMethodNotFound || r.Revision != mcp.V20251125 {
		return
	}
	how := "has a result"
	if code != 0 {
		how = "was refused with another code than -32601"
	}
	c.found(tsk02, m.At, about(r), "a call without a task %s", how)
}

func (c *Checker) extendedTask(m *message.Message, r *message.Request, object []byte, created bool) {
	where, since := about(r), r.At.T
	if created {
		since = m.At.T
	}
	c.taskShape(m, where, object, "ttlMs")
	c.status(m, where, object, since)
}
