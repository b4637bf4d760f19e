package lifecycle

import (
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

// The revisions in which rules apply.
var (
	legacy    = []string{mcp.V20241007, mcp.V20241105, mcp.V20250326, mcp.V20250618, mcp.V20251125}
	modern    = []string{mcp.V20260728}
	november  = []string{mcp.V20251125}
	withTasks = []string{mcp.V20251125, mcp.V20260728}
)

// Rules are the rules of this package, in the order of their ids within each family.
var Rules = []*diagnosis.Rule{
	lif01, lif02, lif03, lif04, lif05, lif06, lif07, lif08, lif09,
	cap01, cap02, cap03, cap04, cap05, cap06, cap07, cap09,
	pag01, pag02, pag03,
	prg01, prg02, prg03, prg04, prg05,
	can01, can02, can03, can04,
	srv01, srv06, srv08,
	tsk01, tsk02, tsk03,
	mod01, mod03, mod04, mod05, mod07, mod08, mod09, mod10, mod12, mod13, mod15, mod16, mod17,
}

// The rules for cancellation (CAN).
var (
	can01 = &diagnosis.Rule{ID: "CAN01", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "cancellation of an unknown request",
		Explanation: "A notifications/cancelled has an id without a request, or whose request was over more than 1 s before. Cancel only what is pending, with the id exactly as it was sent.",
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

// The rules for declared capabilities (CAP).
var (
	cap01 = &diagnosis.Rule{ID: "CAP01", Severity: diagnosis.Warning, Side: diagnosis.Client, Title: "method without the server's capability",
		Explanation: "The client sent a request whose capability the server did not declare. Look at the capabilities in the result of initialize or server/discover first.",
		Reference:   "lifecycle, operation: only use capabilities that were successfully negotiated",
		Impact:      "the server answers with -32601, or with an empty result"}
	cap02 = &diagnosis.Rule{ID: "CAP02", Severity: diagnosis.Info, Side: diagnosis.Server, Title: "capability and methods disagree",
		Explanation: "A method has a result, although its capability is not declared. Clients that follow the declaration never call it. It is an error if the capability is declared and the method is answered with -32601. Declare exactly what is implemented.",
		Reference:   "tools, resources, prompts, completion and logging, capabilities",
		Impact:      "clients hide undeclared features; go-sdk servers answer lists that they do not declare"}
	cap03 = &diagnosis.Rule{ID: "CAP03", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "list_changed without listChanged",
		Explanation: "The server sent a notification that a list changed, and did not declare listChanged for it. Declare listChanged true, or do not send the notification.",
		Reference:   "tools, prompts and resources, capabilities",
		Impact:      "clients that register handlers by capability ignore it and show an old list"}
	cap04 = &diagnosis.Rule{ID: "CAP04", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: legacy, Title: "resource update without a subscription",
		Explanation: "The server sent notifications/resources/updated without the capability resources.subscribe, or for a resource without a subscription.",
		Reference:   "resources, subscriptions",
		Impact:      "clients without a handler ignore it; others read the resource again for nothing"}
	cap05 = &diagnosis.Rule{ID: "CAP05", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "log message without logging",
		Explanation: "The server sent notifications/message and did not declare the capability logging. Declare it, or write to stderr.",
		Reference:   "logging, capabilities: servers that emit log messages MUST declare the logging capability",
		Impact:      "clients that register the handler by capability drop the message"}
	cap06 = &diagnosis.Rule{ID: "CAP06", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "log message below the level",
		Explanation: "The server sent a log message below the level that the client set. Compare the level of each message with the one of logging/setLevel, or of logLevel in _meta.",
		Reference:   "logging, setting the log level",
		Impact:      "clients show messages that the user had switched off"}
	cap07 = &diagnosis.Rule{ID: "CAP07", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: legacy, Title: "request that the client did not declare",
		Explanation: "The server sent a request whose capability the client did not declare. That may be sampling, sampling.tools, roots, tasks, or elicitation in that mode. Check the capabilities in initialize before each request.",
		Reference:   "roots, sampling and elicitation, capabilities",
		Impact:      "clients answer with -32601 or -32602, and the tool call that needs the answer fails"}
	cap09 = &diagnosis.Rule{ID: "CAP09", Severity: diagnosis.Error, Side: diagnosis.Client, Revisions: legacy, Title: "roots/list_changed without listChanged",
		Explanation: "The client sent notifications/roots/list_changed and did not declare roots.listChanged.",
		Reference:   "roots, capabilities",
		Impact:      "servers that watch the capability ignore the notification and use old roots"}
)

// The rules of the modern era (MOD).
var (
	mod01 = &diagnosis.Rule{ID: "MOD01", Severity: diagnosis.Error, Side: diagnosis.Both, Revisions: modern, Title: "version or capabilities missing in _meta",
		Explanation: "A request of the modern era lacks protocolVersion or clientCapabilities in _meta, or the server did not refuse one without clientCapabilities with -32602.",
		Reference:   "basic, _meta: every request MUST include them",
		Impact:      "strict servers refuse the request with -32602"}
	mod03 = &diagnosis.Rule{ID: "MOD03", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "input asked for where it is not supported",
		Explanation: "The result of another method than tools/call, prompts/get and resources/read asks for input.",
		Reference:   "multi round-trip requests, supported requests",
		Impact:      "clients treat the result as malformed, as they do not send this request again"}
	mod04 = &diagnosis.Rule{ID: "MOD04", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "invalid request for input",
		Explanation: "A result with input_required has neither inputRequests nor requestState, or asks for something that is unknown, or not in the clientCapabilities of its request.",
		Reference:   "multi round-trip requests",
		Impact:      "clients cannot answer, and the call fails"}
	mod05 = &diagnosis.Rule{ID: "MOD05", Severity: diagnosis.Error, Side: diagnosis.Client, Revisions: modern, Title: "invalid retry with input",
		Explanation: "A request with inputResponses or requestState does not continue a result that asked for input: there is none, the requestState or a response is wrong or missing, or the id is the same. Send the original params with a new id, all responses and the unchanged requestState.",
		Reference:   "multi round-trip requests, client requirements",
		Impact:      "servers refuse it, or ask again without end"}
	mod07 = &diagnosis.Rule{ID: "MOD07", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "unsupported version not refused properly",
		Explanation: "A request with a version that the server does not list was not refused with -32022, or an error -32022 lacks data.supported or data.requested.",
		Reference:   "versioning, unsupported versions",
		Impact:      "clients of several revisions cannot choose another one and give up"}
	mod08 = &diagnosis.Rule{ID: "MOD08", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "server/discover missing or wrong",
		Explanation: "The server answers server/discover with -32601 and other requests of the modern era with results, or the supportedVersions are empty or lack the version of the request.",
		Reference:   "server/discover: servers MUST implement it",
		Impact:      "clients of both eras take the server for a legacy one, or find no common version"}
	mod09 = &diagnosis.Rule{ID: "MOD09", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "notification does not fit its subscription",
		Explanation: "A notification has no subscription id or that of no pending subscriptions/listen, comes before the acknowledgement, was not asked for, or changes the type of the id. notifications/tasks needs a subscription whose taskIds have the task.",
		Reference:   "subscriptions",
		Impact:      "clients drop the notification and show old data"}
	mod10 = &diagnosis.Rule{ID: "MOD10", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "log message without logLevel",
		Explanation: "The server sent notifications/message, and no pending request asked for it with a logLevel in _meta.",
		Reference:   "logging: MUST NOT send log messages for a request without logLevel",
		Impact:      "clients drop the message, or show unwanted messages"}
	mod12 = &diagnosis.Rule{ID: "MOD12", Severity: diagnosis.Warning, Side: diagnosis.Server, Revisions: modern, Title: "initialize refused without versions",
		Explanation: "A server of the modern era refused initialize without naming the versions that it supports. Add data.supported.",
		Reference:   "versioning, backward compatibility",
		Impact:      "clients of the legacy era cannot tell the user what is wrong"}
	mod13 = &diagnosis.Rule{ID: "MOD13", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "error code of an older revision",
		Explanation: "The server answered a request of the modern era with -32002 or -32042. Use -32602 for an unknown resource, and a result with inputRequests for an elicitation.",
		Reference:   "changelog of 2026-07-28, error codes",
		Impact:      "modern clients treat it as an unknown failure"}
	mod15 = &diagnosis.Rule{ID: "MOD15", Severity: diagnosis.Warning, Side: diagnosis.Server, Revisions: modern, Title: "no serverInfo in results", Once: true,
		Explanation: "A result has no io.modelcontextprotocol/serverInfo in _meta. The problem names the first such result.",
		Reference:   "basic, _meta: servers SHOULD include it",
		Impact:      "clients show a server without a name and version"}
	mod16 = &diagnosis.Rule{ID: "MOD16", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "-32021 without the capabilities",
		Explanation: "An error -32021 has no data.requiredCapabilities in the form of clientCapabilities.",
		Reference:   "basic, error codes: data.requiredCapabilities",
		Impact:      "clients cannot tell which capability is missing, and give up"}
	mod17 = &diagnosis.Rule{ID: "MOD17", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "invalid result of a subscription",
		Explanation: "The result of subscriptions/listen lacks the id of its request as io.modelcontextprotocol/subscriptionId in _meta, or comes before notifications/subscriptions/acknowledged. To refuse a subscription, return an error.",
		Reference:   "subscriptions, acknowledgment and cancellation",
		Impact:      "clients cannot tell a subscription that ended from one that never began, and do not listen again"}
)

// The rules for order and negotiation (LIF).
var (
	lif01 = &diagnosis.Rule{ID: "LIF01", Severity: diagnosis.Error, Side: diagnosis.Client, Revisions: legacy, Title: "message before initialize",
		Explanation: "The first message of the client is not initialize. Send initialize first, and nothing but ping before its response.",
		Reference:   "lifecycle, initialization",
		Impact:      "servers that follow the specification reject the message; go-sdk servers answer it with an error"}
	lif02 = &diagnosis.Rule{ID: "LIF02", Severity: diagnosis.Warning, Side: diagnosis.Client, Revisions: legacy, Title: "request before the response to initialize",
		Explanation: "The client sent a request other than ping before initialize was answered. Wait for the response.",
		Reference:   "lifecycle, initialization: SHOULD NOT send requests other than pings before the server has responded",
		Impact:      "the server does not know the revision and the capabilities of the client yet"}
	lif03 = &diagnosis.Rule{ID: "LIF03", Severity: diagnosis.Warning, Side: diagnosis.Server, Revisions: legacy, Title: "server request before initialized",
		Explanation: "The server sent a request other than ping before it got notifications/initialized. Wait for that notification; log messages may come earlier.",
		Reference:   "lifecycle, initialization: SHOULD NOT send requests other than pings and logging before initialized",
		Impact:      "clients that set up their handlers after the handshake reject it with -32601"}
	lif04 = &diagnosis.Rule{ID: "LIF04", Severity: diagnosis.Error, Side: diagnosis.Client, Revisions: legacy, Title: "initialized missing, early or sent twice",
		Explanation: "The client sent a request after initialize without notifications/initialized, or sent that notification before the response, or twice. Send it exactly once, right after the response.",
		Reference:   "lifecycle, initialization: MUST send an initialized notification",
		Impact:      "servers that wait for it do not send requests or notifications, or reject all requests"}
	lif05 = &diagnosis.Rule{ID: "LIF05", Severity: diagnosis.Warning, Side: diagnosis.Client, Revisions: legacy, Title: "second initialize",
		Explanation: "The client sent initialize again, while an earlier one is pending or was accepted. Restart the server for a new session.",
		Reference:   "lifecycle, initialization",
		Impact:      "TypeScript SDK and mcp-go servers accept it, go-sdk servers refuse it with code 0"}
	lif06 = &diagnosis.Rule{ID: "LIF06", Severity: diagnosis.Error, Side: diagnosis.Client, Revisions: legacy, Title: "initialize cancelled",
		Explanation: "The client sent notifications/cancelled for initialize. End the process instead.",
		Reference:   "cancellation: the initialize request MUST NOT be cancelled by clients",
		Impact:      "the server may go on with a session that the client gave up"}
	lif07 = &diagnosis.Rule{ID: "LIF07", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: legacy, Title: "invalid version in the result of initialize",
		Explanation: "The server answers initialize with a revision that is unknown or has no initialize. Answer with the version that was asked for, or else with the newest one that the server supports.",
		Reference:   "lifecycle, version negotiation",
		Impact:      "clients disconnect, as they do not support the version"}
	lif08 = &diagnosis.Rule{ID: "LIF08", Severity: diagnosis.Warning, Side: diagnosis.Server, Revisions: legacy, Title: "another version than before",
		Explanation: "The server answered initialize with another version than requested, which an earlier process of the log accepted. Answer with the requested version if it is supported.",
		Reference:   "lifecycle, version negotiation: MUST respond with the same version if it supports it",
		Impact:      "clients that stored the version of an earlier session disagree with the server"}
	lif09 = &diagnosis.Rule{ID: "LIF09", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "empty name or version of the server",
		Explanation: "The name or version in serverInfo is empty. Set both, so that reports and logs can tell which server they are about.",
		Reference:   "schema, Implementation",
		Impact:      "clients show a server without a name; go-sdk examples have an empty version"}
)

// The rules for lists in pages (PAG).
var (
	pag01 = &diagnosis.Rule{ID: "PAG01", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "cursor loop or invalid cursor",
		Explanation: "A nextCursor leads back to a page that was read before, or it is not a string. Omit nextCursor on the last page.",
		Reference:   "pagination",
		Impact:      "clients that read all pages never end; the TypeScript SDK rejects a cursor that is not a string"}
	pag02 = &diagnosis.Rule{ID: "PAG02", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "empty pages without an end",
		Explanation: "Three pages in a row are empty, and each has another nextCursor. Omit nextCursor when nothing follows.",
		Reference:   "pagination",
		Impact:      "clients that read all pages send requests without end"}
	pag03 = &diagnosis.Rule{ID: "PAG03", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "invalid cursor accepted",
		Explanation: "A request with a cursor that the server never issued in this log has a result. Check the cursor, and answer an invalid one with -32602.",
		Reference:   "pagination, error handling: SHOULD result in an error with code -32602",
		Impact:      "a client with an outdated cursor silently reads the wrong page; TypeScript SDK 1.x servers ignore cursors"}
)

// The rules for progress (PRG).
var (
	prg01 = &diagnosis.Rule{ID: "PRG01", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "progress for an unknown token",
		Explanation: "A progress notification has a token that no request brought. Return the token exactly as it was sent, and its type too.",
		Reference:   "progress: MUST only reference tokens that were provided in an active request",
		Impact:      "clients drop the notification, or report an unknown token"}
	prg02 = &diagnosis.Rule{ID: "PRG02", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "progress does not increase",
		Explanation: "The progress of a notification is not greater than that of the one before. It is a warning if progress exceeds total.",
		Reference:   "progress: the progress value MUST increase with each notification",
		Impact:      "progress bars jump back, or go beyond the end"}
	prg03 = &diagnosis.Rule{ID: "PRG03", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "progress after the end",
		Explanation: "A progress notification came after the response to its request, or more than 1 s after the request was cancelled. Stop the reports before the response is sent. A request that became a task of the tasks extension has its response, and the task reports its status instead.",
		Reference:   "progress: notifications MUST stop after completion",
		Impact:      "the TypeScript SDK reports an unknown token as an error; server-everything sends 5 more after a cancellation"}
	prg04 = &diagnosis.Rule{ID: "PRG04", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "progress token in use or invalid",
		Explanation: "A request has the progress token of another pending request, or one that is neither a string nor an integer. Use a new token for each request, such as the request id.",
		Reference:   "progress: tokens MUST be unique across all active requests",
		Impact:      "progress is shown at the wrong request"}
	prg05 = &diagnosis.Rule{ID: "PRG05", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "progress flood",
		Explanation: "More than 50 progress notifications within a second have the same token. Report at most some per second.",
		Reference:   "progress, implementation notes: SHOULD implement rate limiting",
		Impact:      "clients spend more time on progress than on the results"}
)

// The rules for requests of the server (SRV).
var (
	srv01 = &diagnosis.Rule{ID: "SRV01", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "request of a modern server",
		Explanation: "The server wrote a JSON-RPC request. From 2026-07-28 on only clients send requests: return a result with inputRequests instead.",
		Reference:   "stdio, receiving messages; changelog of 2026-07-28",
		Impact:      "modern clients have no handler, so the server waits until its timeout; an example of go-sdk sends ping"}
	srv06 = &diagnosis.Rule{ID: "SRV06", Severity: diagnosis.Warning, Side: diagnosis.Server, Revisions: november, Title: "completion of an unknown elicitation",
		Explanation: "A notifications/elicitation/complete has an elicitationId that no elicitation in url mode and no error -32042 had.",
		Reference:   "elicitation, url mode",
		Impact:      "clients ignore it, so the user has to continue by hand"}
	srv08 = &diagnosis.Rule{ID: "SRV08", Severity: diagnosis.Info, Side: diagnosis.Client, Revisions: legacy, Title: "server request not answered",
		Explanation: "A request of the server had no response within 60 s, perhaps from a person. Answer it, decline it, or end it with an error.",
		Reference:   "lifecycle, timeouts",
		Impact:      "TypeScript SDK servers give up after 60 s, and the tool call that needs the answer fails"}
)

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
