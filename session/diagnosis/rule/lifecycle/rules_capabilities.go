package lifecycle

import "mcpdbg/session/diagnosis"

// The rules for declared capabilities (CAP).
var (
	cap01 = &diagnosis.Rule{ID: "CAP01", Severity: diagnosis.Warning, Side: diagnosis.Client, Title: "method without the server's capability",
		Explanation: "The client sent a request whose capability the server did not declare. Look at the capabilities in the result of initialize or server/discover first.",
		Reference:   "lifecycle, operation: only use capabilities that were successfully negotiated",
		Impact:      "the server answers with -32601, or with an empty result"}
	cap02 = &diagnosis.Rule{ID: "CAP02", Severity: diagnosis.Info, Side: diagnosis.Server, Title: "capability and methods disagree",
		Explanation: "A method has a result, although its capability is not declared: clients that follow the declaration never call it. It is an error if the capability is declared and the method is answered with -32601. Declare exactly what is implemented.",
		Reference:   "tools, resources, prompts, completion and logging, capabilities",
		Impact:      "clients hide undeclared features; go-sdk servers answer lists that they do not declare"}
	cap03 = &diagnosis.Rule{ID: "CAP03", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "list_changed without listChanged",
		Explanation: "The server sent a notification that a list changed, and did not declare listChanged for it. Declare listChanged true, or do not send the notification.",
		Reference:   "tools, prompts and resources, capabilities",
		Impact:      "clients that register handlers by capability ignore it and show an old list"}
	cap04 = &diagnosis.Rule{ID: "CAP04", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: legacy, Title: "resource update without a subscription",
		Explanation: "The server sent notifications/resources/updated without the capability resources.subscribe, or for a resource that the client did not subscribe to, nor to one that contains it.",
		Reference:   "resources, subscriptions",
		Impact:      "clients without a handler ignore it; others read the resource again for nothing"}
	cap05 = &diagnosis.Rule{ID: "CAP05", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "log message without logging",
		Explanation: "The server sent notifications/message and did not declare the capability logging. Declare it, or write to stderr.",
		Reference:   "logging, capabilities: servers that emit log messages MUST declare the logging capability",
		Impact:      "clients that register the handler by capability drop the message"}
	cap06 = &diagnosis.Rule{ID: "CAP06", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "log message below the level",
		Explanation: "The server sent a log message that is less severe than the level which the client set. Compare the level of each message with the one of logging/setLevel, or of logLevel in _meta.",
		Reference:   "logging, setting the log level",
		Impact:      "clients show messages that the user had switched off"}
	cap07 = &diagnosis.Rule{ID: "CAP07", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: legacy, Title: "request that the client did not declare",
		Explanation: "The server sent a request whose capability the client did not declare: sampling, sampling.tools, roots, tasks, or elicitation in that mode. Check the capabilities in initialize before each request.",
		Reference:   "roots, sampling and elicitation, capabilities",
		Impact:      "clients answer with -32601 or -32602, and the tool call that needs the answer fails"}
	cap09 = &diagnosis.Rule{ID: "CAP09", Severity: diagnosis.Error, Side: diagnosis.Client, Revisions: legacy, Title: "roots/list_changed without listChanged",
		Explanation: "The client sent notifications/roots/list_changed and did not declare roots.listChanged.",
		Reference:   "roots, capabilities",
		Impact:      "servers that watch the capability ignore the notification and use old roots"}
)
