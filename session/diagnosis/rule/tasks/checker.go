package tasks

import (
	"math"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// A Checker checks the messages of one process. It is a message.Checker.
type Checker struct {
	report message.Report
	inputs inputs
}

// New returns a checker for a process that starts.
func New(report message.Report) *Checker { return &Checker{report: report} }

// Limited reports whether a limit was reached, so that not every key was compared.
func (c *Checker) Limited() bool { return c.inputs.full }

// Request notes the input that a client delivers.
func (c *Checker) Request(m *message.Message) {
	if !m.FromServer && m.Request.Method == mcp.MethodTasksUpdate {
		params := m.Of(m.Params)
		c.inputs.deliver(message.Member(params, "taskId"), message.Member(params, "inputResponses"))
	}
}

// Notification checks the state of a task in a notification.
func (c *Checker) Notification(m *message.Message) {
	if m.FromServer && mcp.IsModern(m.Revision) && string(m.Of(m.Method)) == mcp.MethodTasks {
		c.state(m, diagnosis.Location{Method: mcp.MethodTasks}, m.Of(m.Params), m.At.T)
	}
}

// Response checks a task in a result.
func (c *Checker) Response(m *message.Message, r *message.Request) {
	result := m.Of(m.Result)
	if r.FromServer || m.Kind != framing.Response || !r.Versioned || !mcp.IsModern(r.Revision) {
		return
	}
	where := diagnosis.Location{Method: r.Method, Name: r.Name}
	switch {
	case r.Method == mcp.MethodTasksGet:
		c.state(m, where, result, r.At.T)
	case r.Client.Has(message.Known) && !r.Client.Has(message.TasksExtension) && string(message.Member(result, "resultType")) == `"task"`:
		c.report(tsk05, tsk05.Severity, m.At, where, "the request did not declare "+mcp.ExtensionTasks)
	}
}

// Due returns when Elapse has something to find.
func (c *Checker) Due() int64 { return math.MaxInt64 }

// Elapse finds what is due by now.
func (c *Checker) Elapse(int64) {}

// End finds what can only be found when no more messages follow.
func (c *Checker) End() {}

// promises are the members that a task has in each status.
var promises = map[string]string{"completed": "result", "failed": "error", "input_required": "inputRequests"}

// state checks the whole state of a task, which was valid at a time or later.
func (c *Checker) state(m *message.Message, where diagnosis.Location, task []byte, since int64) {
	status := message.Text(message.Member(task, "status"))
	if needed := promises[status]; needed != "" && message.Member(task, needed) == nil {
		c.report(tsk04, tsk04.Severity, m.At, where, status+" without "+needed)
		return
	}
	where.Pointer = "/inputRequests"
	id, requests := message.Member(task, "taskId"), message.Member(task, "inputRequests")
	for _, detail := range c.inputs.compare(id, requests, since, m.At.T) {
		c.report(tsk06, tsk06.Severity, m.At, where, detail)
	}
}
