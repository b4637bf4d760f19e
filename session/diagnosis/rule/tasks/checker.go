// Package tasks has the rules for the tasks extension of the modern era,
// io.modelcontextprotocol/tasks (TSK04 to TSK06). The life of a task, which both eras
// have in common, is TSK01 in package lifecycle.
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

var modern = []string{mcp.V20260728}

var (
	tsk04 = &diagnosis.Rule{ID: "TSK04", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "task without what its status promises",
		Explanation: "In the result of tasks/get or in notifications/tasks a completed task has no result, a failed one no error, or one with the status input_required no inputRequests. Put it next to the status: the extension has no tasks/result to fetch it with.",
		Reference:   "tasks extension, task status and task polling",
		Impact:      "clients that check results reject the task; others never get its result, or wait for input that no person was asked for"}
	tsk05 = &diagnosis.Rule{ID: "TSK05", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "task for a client without the extension",
		Explanation: "A request became a task, and its clientCapabilities did not declare io.modelcontextprotocol/tasks. Look at the capabilities of each request: answer it with an ordinary result, or refuse it with -32021 and data.requiredCapabilities.",
		Reference:   "tasks extension, capability negotiation: MUST NOT return CreateTaskResult to a client that did not include the capability on its request",
		Impact:      "the client takes the handle for a broken result, and never asks for the real one"}
	tsk06 = &diagnosis.Rule{ID: "TSK06", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "key of an input request used again",
		Explanation: "A task asks for input with a key that it used before for another request, or that was answered and gone. Give each request of a task a key of its own, such as a counter.",
		Reference:   "tasks extension, task update requests: each request key MUST be unique over the lifetime of a task",
		Impact:      "clients ask for each key only once, so the task waits without end; or the response to one request is taken for that to another"}
)

// Rules are the rules of this package, in the order of their ids.
var Rules = []*diagnosis.Rule{tsk04, tsk05, tsk06}
