package lifecycle

import "mcpdbg/session/diagnosis"

// The rules for cancellation (CAN).
var (
	can01 = &diagnosis.Rule{ID: "CAN01", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "cancellation of an unknown request",
		Explanation: "A notifications/cancelled has an id that this side never used for a request, or whose request was over more than 1 s before. Cancel only what is pending, with the id exactly as it was sent.",
		Reference:   "cancellation: only requests that were previously issued in the same direction and are believed to be in progress",
		Impact:      "the receiver ignores it; the request that was meant goes on"}
	can02 = &diagnosis.Rule{ID: "CAN02", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "response after cancellation",
		Explanation: "The server answered a request more than 1 s after it was cancelled. Stop the work and send nothing for it. It is an error in the modern era.",
		Reference:   "cancellation: receivers SHOULD not send a response for the cancelled request",
		Impact:      "clients report a response to an unknown id; mcp-go servers finish the work and answer"}
	can03 = &diagnosis.Rule{ID: "CAN03", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "server cancels a request",
		Explanation: "A server of the modern era sent notifications/cancelled for something other than a subscription. Answer the request with an error instead.",
		Reference:   "cancellation: servers send cancelled only to end subscriptions/listen",
		Impact:      "clients ignore it and wait until the timeout"}
	can04 = &diagnosis.Rule{ID: "CAN04", Severity: diagnosis.Error, Side: diagnosis.Client, Revisions: november, Title: "cancelled instead of tasks/cancel",
		Explanation: "The client sent notifications/cancelled for a request that asked for a task. Send tasks/cancel.",
		Reference:   "tasks, cancellation: MUST use tasks/cancel instead",
		Impact:      "the task goes on, as it does not end with its request"}
)
