package lint

import "mcpdbg/session/mcp"

// legacyRevisions are those in which a session has one space of ids.
var legacyRevisions = []string{mcp.V20241007, mcp.V20241105, mcp.V20250326, mcp.V20250618, mcp.V20251125}

var (
	rpc01 = &Rule{ID: "RPC01", Severity: Error, Dir: Both, Title: "not JSON-RPC 2.0",
		Explanation: `The member "jsonrpc" is missing or not "2.0". A log record in JSON on stdout looks like this too.`,
		Reference:   "basic, messages",
		Breaks:      "the TypeScript and Python SDKs validate it and drop the message"}
	rpc02 = &Rule{ID: "RPC02", Severity: Error, Dir: Both, Title: "result and error, or neither",
		Explanation: "A response has both result and error, or an object has neither method, result nor error.",
		Reference:   "basic, responses",
		Breaks:      "the TypeScript SDK drops it, so that the request times out; others take one of the two"}
	rpc03 = &Rule{ID: "RPC03", Severity: Error, Dir: Both, Title: "method beside result or error",
		Explanation: "A message has method and also result or error: it is a request and a response at once.",
		Reference:   "JSON-RPC 2.0 sections 4 and 5",
		Breaks:      "readers differ: the answer is lost, or a method is called that nobody meant"}
	rpc04 = &Rule{ID: "RPC04", Severity: Error, Dir: Both, Title: "request id of a wrong type",
		Explanation: "The id of a request is null, a fraction, a boolean, an array or an object. It is a string or an integer.",
		Reference:   "basic, requests",
		Breaks:      "the TypeScript and Python SDKs drop the request"}
	rpc05 = &Rule{ID: "RPC05", Severity: Error, Dir: Both, Title: "id is still in flight",
		Explanation: "A request has the id of another one of the same side that is not answered yet. Nobody can tell whose answer comes.",
		Reference:   "basic, requests",
		Breaks:      "the first caller never gets an answer; some servers refuse the second request"}
	rpc06 = &Rule{ID: "RPC06", Severity: Warning, Dir: Both, Revisions: legacyRevisions, Title: "id used again",
		Explanation: "A request has an id that was used before in this session (of the last 16,384 that were settled).",
		Reference:   "basic, requests: MUST NOT have been previously used within the same session",
		Breaks:      "late answers and cancellations meet the wrong request"}
	rpc07 = &Rule{ID: "RPC07", Severity: Error, Dir: Server, Title: "answer to no request",
		Explanation: "A response has an id that no request had.",
		Reference:   "basic, responses: the same id as the request",
		Breaks:      "clients drop it; the request that was meant times out"}
	rpc08 = &Rule{ID: "RPC08", Severity: Error, Dir: Server, Title: "second answer",
		Explanation: "A request is answered twice. The first answer counts.",
		Reference:   "JSON-RPC 2.0 section 5",
		Breaks:      "the TypeScript SDK reports an unknown message id for the second"}
	rpc09 = &Rule{ID: "RPC09", Severity: Error, Dir: Server, Title: "id changed its type",
		Explanation: `The answer to id 1 has "1", or the other way round. An id comes back as it was sent.`,
		Reference:   "basic, responses: the same id as the request",
		Breaks:      "strict clients never find the request; it times out"}
	rpc10 = &Rule{ID: "RPC10", Severity: Error, Dir: Server, Title: "answer without an id",
		Explanation: "A response has no id or null, as an answer to a notification, or because the id was lost. After a malformed line it is what JSON-RPC asks for, and only worth knowing.",
		Reference:   "basic, notifications: the receiver MUST NOT send a response",
		Breaks:      "the TypeScript and Python SDKs can't parse it and report an error"}
	rpc11 = &Rule{ID: "RPC11", Severity: Error, Dir: Both, Title: "notification with an id",
		Explanation: "A message notifications/... carries an id: that makes it a request.",
		Reference:   "basic, notifications: MUST NOT include an ID",
		Breaks:      "the other side answers method not found, and does not act on it"}
	rpc12 = &Rule{ID: "RPC12", Severity: Error, Dir: Both, Title: "request without an id",
		Explanation: "A method that is a request was sent without an id: that makes it a notification, which nobody answers.",
		Reference:   "basic, requests: MUST include an ID",
		Breaks:      "the sender waits for an answer that never comes"}
	rpc13 = &Rule{ID: "RPC13", Severity: Error, Dir: Both, Title: "batch",
		Explanation: "A line is a JSON array. Only revision 2025-03-26 has batches, and there they are neither empty nor hold initialize.",
		Reference:   "changelog of 2025-06-18; lifecycle of 2025-03-26",
		Breaks:      "TypeScript servers drop it silently, mcp-go answers an error with id null"}
	rpc14 = &Rule{ID: "RPC14", Severity: Error, Dir: Server, Title: "malformed error",
		Explanation: "The error of a response has no integer code or no string message.",
		Reference:   "basic, responses",
		Breaks:      "the TypeScript and Python SDKs drop the response, so that the request times out"}
	rpc15 = &Rule{ID: "RPC15", Severity: Warning, Dir: Server, Title: "odd error code",
		Explanation: "An error code is 0 or positive, or unknown in the range -32020 to -32099 that the protocol keeps for itself (an error from 2026-07-28 on). In an answer to the probe server/discover it is only worth knowing.",
		Reference:   "basic, error codes",
		Breaks:      "clients that decide on codes treat it as any failure, or (0) as none"}
	rpc16 = &Rule{ID: "RPC16", Severity: Error, Dir: Both, Title: "params or result is no object",
		Explanation: "params or result is an array, a string, a number, true, false or null. Both are objects; leave params out if there are none.",
		Reference:   "basic, requests and responses",
		Breaks:      "the TypeScript and Python SDKs drop the message"}
	rpc17 = &Rule{ID: "RPC17", Severity: Warning, Dir: Both, Title: "unknown member",
		Explanation: "A message has a member beside jsonrpc, id, method, params, result and error. Extra data belongs into _meta.",
		Reference:   "JSON-RPC 2.0 sections 4 and 5",
		Breaks:      "TypeScript SDKs that validate strictly refuse the message; others ignore the member"}
	rpc18 = &Rule{ID: "RPC18", Severity: Warning, Dir: Server, Title: "unknown method not refused with -32601",
		Explanation: "A method that no revision has was answered with another error than -32601; with a result it is only worth knowing, as it may be the server's own.",
		Reference:   "JSON-RPC 2.0 section 5.1",
		Breaks:      "clients that probe for a method take the answer for another failure"}
	rpc19 = &Rule{ID: "RPC19", Severity: Warning, Dir: Server, Title: "request not answered",
		Explanation: "A request has no answer when its timeout is over (60 s without answer or progress, if the log names none); of the probe server/discover that is only worth knowing. It is an error if the server exited by itself: no answer can come.",
		Reference:   "lifecycle, timeouts",
		Breaks:      "the TypeScript SDK gives up after 60 s and cancels; clients without a timeout hang"}
	rpc20 = &Rule{ID: "RPC20", Severity: Info, Dir: Server, Title: "answers out of order", once: true,
		Explanation: "An answer came before that of an older request. That is legal; a replay has to compare by id.",
		Reference:   "JSON-RPC 2.0 section 6",
		Breaks:      "clients that take answers in the order of their requests"}
)

var rpcRules = []*Rule{rpc01, rpc02, rpc03, rpc04, rpc05, rpc06, rpc07, rpc08, rpc09, rpc10,
	rpc11, rpc12, rpc13, rpc14, rpc15, rpc16, rpc17, rpc18, rpc19, rpc20}
