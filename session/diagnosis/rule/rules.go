package rule

import (
	"cmp"
	"sort"
	"strings"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule/contents"
	"mcpdbg/session/diagnosis/rule/lifecycle"
	"mcpdbg/session/mcp"
)

// All returns all rules: family by family, and each in the order of its ids.
func All() []diagnosis.Rule {
	var all []diagnosis.Rule
	families := map[string]int{} // packages share some
	for _, rules := range [][]*diagnosis.Rule{framingRules, rpcRules, contents.MethodRules, contents.ShapeRules, lifecycle.Rules, lifecycle.TaskRules, contents.Rules, processRules} {
		for _, r := range rules {
			all = append(all, *r)
			if _, known := families[family(r)]; !known {
				families[family(r)] = len(families)
			}
		}
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Or(cmp.Compare(families[family(a)], families[family(b)]), cmp.Compare(a.ID, b.ID)) < 0
	})
	return all
}

func family(r *diagnosis.Rule) string { return strings.TrimRight(r.ID, "0123456789") }

// Set is the version of the set of rules: the day of its last change. It changes
// whenever another rule may find something in the same log, so that reports of
// different programs can be compared.
const Set = "2026-11-28"

// Checked describes what the rules check. Every output that counts problems shows
// it, because a session without problems may still be broken. Checker.Checked adds
// the exceptions.
const Checked = "framing, JSON-RPC, contents and process rules"

// unknownEnds describes what the rules cannot find if it is unknown how a server ended.
const unknownEnds = "PRC02 to PRC04, PRC08 and RPC19 at the end of a server not checked, PRC01 and PRC05 only while its client ran"

var (
	prc01 = &diagnosis.Rule{ID: "PRC01", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "keeps running after stdin is closed",
		Explanation: "The server was still running 2 s after its stdin was closed (5 s: an error). Closing stdin asks it to exit.",
		Reference:   "lifecycle, shutdown; stdio, shutdown",
		Impact:      "every client has to kill it, so closing takes longer: the TypeScript SDK sends SIGTERM after 2 s"}
	prc02 = &diagnosis.Rule{ID: "PRC02", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "nonzero exit code after shutdown",
		Explanation: "The server exited with a nonzero code when its stdin was closed.",
		Reference:   "stdio, shutdown",
		Impact:      "supervisors and clients report a crash"}
	prc03 = &diagnosis.Rule{ID: "PRC03", Severity: diagnosis.Error, Side: diagnosis.Process, Title: "ended unexpectedly",
		Explanation: "The server crashed, exited with a nonzero code without being asked to, or got a signal that mcpdbg did not send. The details quote its last stderr lines. If server/discover was the only request and it exited with a code, this is a warning: clients that do not probe are not affected.",
		Reference:   "stdio, unexpected termination",
		Impact:      "the client shows the server as disconnected"}
	prc04 = &diagnosis.Rule{ID: "PRC04", Severity: diagnosis.Error, Side: diagnosis.Process, Title: "exit with requests in flight",
		Explanation: "The server exited by itself while requests were pending.",
		Reference:   "stdio, unexpected termination",
		Impact:      "every request in flight fails in the client"}
	prc05 = &diagnosis.Rule{ID: "PRC05", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "ignores SIGTERM",
		Explanation: "The server was still running 2 s after SIGTERM and had to be killed with SIGKILL.",
		Reference:   "lifecycle, shutdown",
		Impact:      "no cleanup: SIGKILL leaves temporary files, locks and child processes behind"}
	prc06 = &diagnosis.Rule{ID: "PRC06", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "streams outlive the process",
		Explanation: "Output arrived after the server's exit, or its streams stayed open for a second, because a child process inherited them. Give child processes their own streams, and terminate them.",
		Reference:   "lifecycle, shutdown",
		Impact:      "clients that wait for the end of stdout hang; the child process is leaked"}
	prc07 = &diagnosis.Rule{ID: "PRC07", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "responses buffered until stdin is closed",
		Explanation: "All responses came right after stdin was closed, half a second or more after the requests: stdout is block-buffered. It often is if it is not a terminal. Flush after every message (python -u).",
		Reference:   "transports, stdio",
		Impact:      "every client: the handshake times out"}
	prc08 = &diagnosis.Rule{ID: "PRC08", Severity: diagnosis.Info, Side: diagnosis.Process, Title: "requests dropped when stdin is closed",
		Explanation: "Requests in flight got no response between the end of stdin and the exit of the server. If it exited for another reason, PRC03 or PRC04 applies.",
		Reference:   "stdio, shutdown",
		Impact:      "scripts that pipe requests in and close the pipe get no responses (servers on the Go SDK)"}
	prc09 = &diagnosis.Rule{ID: "PRC09", Severity: diagnosis.Info, Side: diagnosis.Process, Title: "slow first response",
		Explanation: "The first response came more than 5 s after the first request.",
		Reference:   "-",
		Impact:      "clients with a short startup timeout; users think that it hangs"}
	prc10 = &diagnosis.Rule{ID: "PRC10", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "unset variable in the config file",
		Explanation: "The config file of a client names an environment variable that is not set. Its client leaves such a token unchanged, so the server got the token as an argument or a variable. Set the variable, or write the value in the file.",
		Reference:   "-",
		Impact:      "the server takes the token for a key or a path, and fails later"}
)

var processRules = []*diagnosis.Rule{prc01, prc02, prc03, prc04, prc05, prc06, prc07, prc08, prc09, prc10}

// aboutReplaced are the rules whose problems are only information for a process that
// was replaced: it was ended in the middle of a handshake.
var aboutReplaced = []*diagnosis.Rule{rpc19, prc01, prc02, prc04, prc05, prc09}

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
		Explanation: "A message has a method and also a result or error.",
		Reference:   "JSON-RPC 2.0 sections 4 and 5",
		Impact:      "depends on the reader: the response is lost, or a method is called unintentionally"}
	rpc04 = &diagnosis.Rule{ID: "RPC04", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "invalid request id type",
		Explanation: "The id of a request is null, a fraction, a boolean, an array or an object. Use a string or an integer.",
		Reference:   "basic, requests",
		Impact:      "the TypeScript and Python SDKs drop the request"}
	rpc05 = &diagnosis.Rule{ID: "RPC05", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "request id already in flight",
		Explanation: "A request has the same id as a pending request from the same side.",
		Reference:   "basic, requests",
		Impact:      "the first caller never gets a response; some servers reject the second request"}
	rpc06 = &diagnosis.Rule{ID: "RPC06", Severity: diagnosis.Warning, Side: diagnosis.Both, Revisions: legacyRevisions, Title: "request id reused",
		Explanation: "A request has an id that was already used in this session. The last 16,384 completed ids are checked.",
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
		Explanation: "A response has no id, or id null. It responds to a notification, or the id was lost. After a malformed line JSON-RPC requires id null, so it is only reported as info.",
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
		Explanation: "A line is a JSON array: only revision 2025-03-26 has batches, and there a batch must not be empty or contain initialize.",
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
		Explanation: "params or result is not an object. Both must be objects; omit params if there are none.",
		Reference:   "basic, requests and responses",
		Impact:      "the TypeScript and Python SDKs drop the message"}
	rpc17 = &diagnosis.Rule{ID: "RPC17", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "unknown member",
		Explanation: "A message has a member other than jsonrpc, id, method, params, result and error. Put extra data in _meta.",
		Reference:   "JSON-RPC 2.0 sections 4 and 5",
		Impact:      "TypeScript SDKs that validate strictly reject the message; others ignore the member"}
	rpc19 = &diagnosis.Rule{ID: "RPC19", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "request not answered",
		Explanation: "The server did not respond to a request in time. The time ends with the timeout of the client, or if the log has none, 60 s after the request or its last progress; the time in which the server waited for its client does not count. If the server exited by itself, it is an error, because no response can come. For a server/discover probe it is only info.",
		Reference:   "lifecycle, timeouts",
		Impact:      "the TypeScript SDK gives up after 60 s and cancels; clients without a timeout hang"}
	rpc20 = &diagnosis.Rule{ID: "RPC20", Severity: diagnosis.Info, Side: diagnosis.Server, Title: "response before that of an earlier request", Once: true,
		Explanation: "The server responded to a request while an earlier one had no response yet. That is allowed: clients must match responses to requests by id, not by order. Each earlier request counts once.",
		Reference:   "JSON-RPC 2.0 section 6",
		Impact:      "clients that take each response for that of their oldest request"}
)

var rpcRules = []*diagnosis.Rule{rpc01, rpc02, rpc03, rpc04, rpc05, rpc06, rpc07, rpc08, rpc09, rpc10,
	rpc11, rpc12, rpc13, rpc14, rpc15, rpc16, rpc17, rpc19, rpc20}

var (
	frm01 = &diagnosis.Rule{ID: "FRM01", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "noise on stdout",
		Explanation: "A line on stdout is not JSON: a banner, a debug print, a stack trace. Print to stderr instead.",
		Reference:   "transports, stdio: nothing but messages on stdout",
		Impact:      "clients on the Go SDK lose the connection (they decode a JSON stream); the TypeScript SDK reports an error for each line"}
	frm02 = &diagnosis.Rule{ID: "FRM02", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "JSON that is not a message",
		Explanation: "A line on stdout is a JSON string, number, true, false or null. A message is an object.",
		Reference:   "basic, messages",
		Impact:      "the TypeScript SDK reports an error and drops the line; clients on the Go SDK lose the connection"}
	frm03 = &diagnosis.Rule{ID: "FRM03", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "byte order mark",
		Explanation: "A line begins with a UTF-8 byte order mark. Write UTF-8 without one.",
		Reference:   "transports: UTF-8; RFC 8259 section 8.1",
		Impact:      "the Go SDK exits, mcp-go answers -32700, the TypeScript SDK drops the message"}
	frm04 = &diagnosis.Rule{ID: "FRM04", Severity: diagnosis.Info, Side: diagnosis.Server, Title: "CRLF line endings", Once: true,
		Explanation: "Lines end with a carriage return and a line feed. Clients tolerate it, but the protocol requires a bare newline.",
		Reference:   "transports, stdio",
		Impact:      "nothing known: the TypeScript and Go SDKs treat the carriage return as whitespace"}
	frm05 = &diagnosis.Rule{ID: "FRM05", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "message spans several lines",
		Explanation: "Several lines form valid JSON only when joined, for example because the message was pretty-printed. Write each message on one line.",
		Reference:   "transports, stdio: no embedded newlines",
		Impact:      "every client that reads line by line (TypeScript, Python, mcp-go) drops the whole message; the Go SDK happens to accept it"}
	frm06 = &diagnosis.Rule{ID: "FRM06", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "trailing bytes after a message",
		Explanation: "A line holds a complete JSON value followed by more bytes. These are another message without a newline before it, or print output.",
		Reference:   "transports, stdio: messages are delimited by newlines",
		Impact:      "clients that read line by line drop both messages"}
	frm07 = &diagnosis.Rule{ID: "FRM07", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "invalid UTF-8 or NUL",
		Explanation: "A line holds bytes that are not valid UTF-8, or a NUL. Encode strings as UTF-8 before writing them.",
		Reference:   "transports: JSON-RPC messages MUST be UTF-8",
		Impact:      "some SDKs drop the message, others replace the bytes, which changes the text"}
	frm08 = &diagnosis.Rule{ID: "FRM08", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "last line without a newline",
		Explanation: "Stdout ended in the middle of a line. This is an error if the line does not parse, because the message is then truncated.",
		Reference:   "transports, stdio: messages are delimited by newlines",
		Impact:      "clients that read line by line (TypeScript) never see the last message"}
	frm09 = &diagnosis.Rule{ID: "FRM09", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "very long line",
		Explanation: "A line is longer than 1 MiB; longer than 10 MiB is an error. Return a resource link, or use pagination. The contents of such lines are not checked.",
		Reference:   "limits of the SDKs",
		Impact:      "the TypeScript SDK closes the connection at 10 MiB, the Go SDK at 16 MiB"}
	frm10 = &diagnosis.Rule{ID: "FRM10", Severity: diagnosis.Info, Side: diagnosis.Both, Title: "blank line", Once: true,
		Explanation: "A line is empty or only whitespace. Not every reader skips it.",
		Reference:   "transports, stdio",
		Impact:      "mcp-go answers a blank line with -32700"}
	frm11 = &diagnosis.Rule{ID: "FRM11", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "Content-Length framing",
		Explanation: "Messages are framed with headers, as language servers do. MCP requires one message per line and no headers.",
		Reference:   "transports, stdio",
		Impact:      "every MCP client: none of them reads headers"}
	frm12 = &diagnosis.Rule{ID: "FRM12", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "terminal control on stdout",
		Explanation: "A line holds an escape sequence or a bare carriage return: colours, a progress bar, a spinner. Turn them off, or send them to stderr.",
		Reference:   "transports, stdio: nothing but messages on stdout",
		Impact:      "the line is not JSON to any client; readers that treat a bare CR as a line ending split messages there"}
	frm13 = &diagnosis.Rule{ID: "FRM13", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "duplicate key or lone surrogate",
		Explanation: "An object has the same key twice, or a string has half of a surrogate pair. Readers handle this differently.",
		Reference:   "RFC 8259 sections 4 and 8.2",
		Impact:      "Go rejects a duplicate key or uses the last value, JavaScript uses the last; a lone surrogate becomes U+FFFD, or raises an exception when Python prints it"}
	frm14 = &diagnosis.Rule{ID: "FRM14", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "integer beyond 2^53",
		Explanation: "An id or a progress token is an integer that a double cannot represent exactly. Use a string.",
		Reference:   "basic, requests; RFC 8259 section 6",
		Impact:      "both Go SDKs return a different id, TypeScript 1.x does not respond"}
	frm15 = &diagnosis.Rule{ID: "FRM15", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "nesting too deep",
		Explanation: "A line is nested deeper than 1,000 levels.",
		Reference:   "RFC 8259 section 9: readers may limit the depth",
		Impact:      "Python's json raises RecursionError near 1,000 levels, Go's rejects 10,000"}
	frm16 = &diagnosis.Rule{ID: "FRM16", Severity: diagnosis.Info, Side: diagnosis.Server, Title: "unusual stderr output", Once: true,
		Explanation: "A line on stderr is not valid UTF-8, or more than 256 KiB arrived within a second. Stderr is free-form, but clients display or store it.",
		Reference:   "transports, stdio: stderr",
		Impact:      "if a client does not read stderr, the server blocks when the pipe is full"}
)

var framingRules = []*diagnosis.Rule{frm01, frm02, frm03, frm04, frm05, frm06, frm07, frm08,
	frm09, frm10, frm11, frm12, frm13, frm14, frm15, frm16}
