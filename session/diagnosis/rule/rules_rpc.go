package rule

import (
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

// legacyRevisions are the revisions in which a request id may be used only once in a session.
var legacyRevisions = []string{mcp.V20241007, mcp.V20241105, mcp.V20250326, mcp.V20250618, mcp.V20251125}

var (
	rpc01 = &diagnosis.Rule{ID: "RPC01", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "not JSON-RPC 2.0",
		Explanation: `The member "jsonrpc" is missing or not "2.0". A JSON log record on stdout has the same symptom.`,
		Reference:   "basic, messages",
		Impact:      "the TypeScript and Python SDKs check the version and drop the message"}
	rpc02 = &diagnosis.Rule{ID: "RPC02", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "result and error, or neither",
		Explanation: "A response has both result and error, or an object has neither method, result nor error.",
		Reference:   "basic, responses",
		Impact:      "the TypeScript SDK drops it and the request times out; others use one of the two"}
	rpc03 = &diagnosis.Rule{ID: "RPC03", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "method together with result or error",
		Explanation: "A message has a method and also a result or error, so it is both a request and a response.",
		Reference:   "JSON-RPC 2.0 sections 4 and 5",
		Impact:      "depends on the reader: the response is lost, or a method is called unintentionally"}
	rpc04 = &diagnosis.Rule{ID: "RPC04", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "invalid request id type",
		Explanation: "The id of a request is null, a fraction, a boolean, an array or an object. Use a string or an integer.",
		Reference:   "basic, requests",
		Impact:      "the TypeScript and Python SDKs drop the request"}
	rpc05 = &diagnosis.Rule{ID: "RPC05", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "request id already in flight",
		Explanation: "A request has the same id as a pending request from the same side, so the response cannot be matched to either.",
		Reference:   "basic, requests",
		Impact:      "the first caller never gets a response; some servers reject the second request"}
	rpc06 = &diagnosis.Rule{ID: "RPC06", Severity: diagnosis.Warning, Side: diagnosis.Both, Revisions: legacyRevisions, Title: "request id reused",
		Explanation: "A request has an id that was already used in this session (the last 16,384 completed ids are checked).",
		Reference:   "basic, requests: MUST NOT have been previously used within the same session",
		Impact:      "late responses and cancellations are matched to the wrong request"}
	rpc07 = &diagnosis.Rule{ID: "RPC07", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "response to an unknown request id",
		Explanation: "A response has an id that does not match any request.",
		Reference:   "basic, responses: the same id as the request",
		Impact:      "clients drop it; the request it was meant for times out"}
	rpc08 = &diagnosis.Rule{ID: "RPC08", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "duplicate response",
		Explanation: "A request is answered twice. The first response counts.",
		Reference:   "JSON-RPC 2.0 section 5",
		Impact:      "the TypeScript SDK reports an unknown message id for the second"}
	rpc09 = &diagnosis.Rule{ID: "RPC09", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "response id has a different type",
		Explanation: `The response to id 1 has id "1", or the other way round. Return the id exactly as it was sent.`,
		Reference:   "basic, responses: the same id as the request",
		Impact:      "strict clients do not find the request, and it times out"}
	rpc10 = &diagnosis.Rule{ID: "RPC10", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "response without an id",
		Explanation: "A response has no id, or id null: it responds to a notification, or the id was lost. After a malformed line JSON-RPC requires id null, so it is only reported as info.",
		Reference:   "basic, notifications: the receiver MUST NOT send a response",
		Impact:      "the TypeScript and Python SDKs cannot parse it and report an error"}
	rpc11 = &diagnosis.Rule{ID: "RPC11", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "notification with an id",
		Explanation: "A notifications/... message has an id, which makes it a request.",
		Reference:   "basic, notifications: MUST NOT include an ID",
		Impact:      "the other side responds with a method-not-found error and ignores the notification"}
	rpc12 = &diagnosis.Rule{ID: "RPC12", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "request without an id",
		Explanation: "A request method was sent without an id. That makes it a notification, which is never answered.",
		Reference:   "basic, requests: MUST include an ID",
		Impact:      "the sender waits for a response that never comes"}
	rpc13 = &diagnosis.Rule{ID: "RPC13", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "batch",
		Explanation: "A line is a JSON array. Only revision 2025-03-26 has batches, and there a batch must not be empty or contain initialize.",
		Reference:   "changelog of 2025-06-18; lifecycle of 2025-03-26",
		Impact:      "TypeScript servers drop it silently, mcp-go responds with an error and id null"}
	rpc14 = &diagnosis.Rule{ID: "RPC14", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "malformed error",
		Explanation: "The error of a response lacks an integer code or a string message.",
		Reference:   "basic, responses",
		Impact:      "the TypeScript and Python SDKs drop the response, and the request times out"}
	rpc15 = &diagnosis.Rule{ID: "RPC15", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "nonstandard error code",
		Explanation: "An error code is 0, or an unknown code in the range -32020 to -32099, which the protocol reserves (an error from 2026-07-28 on). From 2026-07-28 on, codes from -32000 to -32019 are reported as info. Use a positive code for an error of your own. In the response to a server/discover probe it is only reported as info.",
		Reference:   "basic, error codes",
		Impact:      "clients treat 0 as success, and any other of these codes as a generic failure or as an error of the protocol"}
	rpc16 = &diagnosis.Rule{ID: "RPC16", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "params or result is not an object",
		Explanation: "params or result is an array, a string, a number, true, false or null. Both must be objects; omit params if there are none.",
		Reference:   "basic, requests and responses",
		Impact:      "the TypeScript and Python SDKs drop the message"}
	rpc17 = &diagnosis.Rule{ID: "RPC17", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "unknown member",
		Explanation: "A message has a member other than jsonrpc, id, method, params, result and error. Put extra data in _meta.",
		Reference:   "JSON-RPC 2.0 sections 4 and 5",
		Impact:      "TypeScript SDKs that validate strictly reject the message; others ignore the member"}
	rpc19 = &diagnosis.Rule{ID: "RPC19", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "request not answered",
		Explanation: "A request had no response when its timeout expired (60 s without a response or progress, if the log has no timeout). For a server/discover probe this is only reported as info. It is an error if the server exited by itself, because no response can come.",
		Reference:   "lifecycle, timeouts",
		Impact:      "the TypeScript SDK gives up after 60 s and cancels; clients without a timeout hang"}
	rpc20 = &diagnosis.Rule{ID: "RPC20", Severity: diagnosis.Info, Side: diagnosis.Server, Title: "responses out of order", Once: true,
		Explanation: "A response came before that of an older request. This is legal; a replay must compare by id.",
		Reference:   "JSON-RPC 2.0 section 6",
		Impact:      "clients that expect responses in the order of their requests"}
)

var rpcRules = []*diagnosis.Rule{rpc01, rpc02, rpc03, rpc04, rpc05, rpc06, rpc07, rpc08, rpc09, rpc10,
	rpc11, rpc12, rpc13, rpc14, rpc15, rpc16, rpc17, rpc19, rpc20}
