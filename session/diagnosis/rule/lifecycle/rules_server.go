package lifecycle

import "mcpdbg/session/diagnosis"

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
	srv08 = &diagnosis.Rule{ID: "SRV08", Severity: diagnosis.Warning, Side: diagnosis.Client, Revisions: legacy, Title: "server request not answered",
		Explanation: "A request of the server had no response within 60 s. Answer it, decline it, or end it with an error.",
		Reference:   "lifecycle, timeouts",
		Impact:      "TypeScript SDK servers give up after 60 s, and the tool call that needs the answer fails"}
)
