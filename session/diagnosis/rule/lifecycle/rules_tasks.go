package lifecycle

import "mcpdbg/session/diagnosis"

// The rules for tasks (TSK).
var (
	tsk01 = &diagnosis.Rule{ID: "TSK01", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: withTasks, Title: "invalid life of a task",
		Explanation: "A task does not begin as working (2025-11-25), leaves a final status (completed, failed, cancelled), or lacks createdAt, lastUpdatedAt or ttl (ttlMs in the extension of 2026-07-28).",
		Reference:   "tasks, status lifecycle",
		Impact:      "clients that stop to poll at a final status miss the result, and others poll without end"}
	tsk02 = &diagnosis.Rule{ID: "TSK02", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: november, Title: "call without the required task",
		Explanation: "A tool with taskSupport required was called without a task, and the server did not refuse that with -32601.",
		Reference:   "tasks, tool-level negotiation: MUST return -32601 if a client does not attempt to invoke the tool as a task",
		Impact:      "clients cannot tell a misuse from a failed tool; server-everything returns it as isError"}
	tsk03 = &diagnosis.Rule{ID: "TSK03", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: november, Title: "result without its task",
		Explanation: "The result of tasks/result has no io.modelcontextprotocol/related-task with a taskId in _meta.",
		Reference:   "tasks, related task metadata: MUST include it in the response to tasks/result",
		Impact:      "clients that wait for several tasks cannot tell which one a result belongs to"}
)
