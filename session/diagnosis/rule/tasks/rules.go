package tasks

import (
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

// modern are the revisions that the extension belongs to.
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
