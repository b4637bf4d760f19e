package lifecycle

import "mcpdbg/session/diagnosis"

// The rules of the modern era (MOD).
var (
	mod01 = &diagnosis.Rule{ID: "MOD01", Severity: diagnosis.Error, Side: diagnosis.Both, Revisions: modern, Title: "version or capabilities missing in _meta",
		Explanation: "A request of the modern era lacks protocolVersion or clientCapabilities in _meta, or the server did not refuse one without clientCapabilities with -32602.",
		Reference:   "basic, _meta: every request MUST include them",
		Impact:      "strict servers refuse the request with -32602"}
	mod03 = &diagnosis.Rule{ID: "MOD03", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "input asked for where it is not supported",
		Explanation: "The result of a method other than tools/call, prompts/get and resources/read asks for input.",
		Reference:   "multi round-trip requests, supported requests",
		Impact:      "clients treat the result as malformed, as they do not send this request again"}
	mod04 = &diagnosis.Rule{ID: "MOD04", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "invalid request for input",
		Explanation: "A result with input_required has neither inputRequests nor requestState, or asks for something other than sampling, elicitation and roots, or for what the request did not declare in its clientCapabilities.",
		Reference:   "multi round-trip requests",
		Impact:      "clients cannot answer, and the call fails"}
	mod05 = &diagnosis.Rule{ID: "MOD05", Severity: diagnosis.Error, Side: diagnosis.Client, Revisions: modern, Title: "invalid retry with input",
		Explanation: "A request with inputResponses or requestState does not continue a result that asked for input: no result did, the requestState is another one or missing, a response is missing, or the id is the same. Send the original params with a new id, all responses and the unchanged requestState.",
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
		Explanation: "A server of the modern era refused initialize, and its error does not name the versions that it supports. Add data.supported.",
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
		Explanation: "An error -32021 has no data.requiredCapabilities, an object with the capabilities that the client has to declare, in the form of clientCapabilities.",
		Reference:   "basic, error codes: data.requiredCapabilities",
		Impact:      "clients cannot tell which capability is missing, and give up"}
	mod17 = &diagnosis.Rule{ID: "MOD17", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "invalid result of a subscription",
		Explanation: "The result of subscriptions/listen has no io.modelcontextprotocol/subscriptionId in _meta, or another one than the id of its request, or it comes before notifications/subscriptions/acknowledged, which must be the first message of a subscription. To refuse a subscription, return an error.",
		Reference:   "subscriptions, acknowledgment and cancellation",
		Impact:      "clients cannot tell a subscription that ended from one that never began, and do not listen again"}
)
