package methods

import "mcpdbg/session/diagnosis"

var (
	rpc18 = &diagnosis.Rule{ID: "RPC18", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "unknown method not rejected with -32601",
		Explanation: "A method that no revision defines was answered with an error other than -32601. A result is only reported as info, because the method may be the server's own. If a side declared experimental capabilities or an extension that mcpdbg does not know, the method may belong to it, and no error is reported.",
		Reference:   "JSON-RPC 2.0 section 5.1",
		Impact:      "clients that probe for a method treat it as a different failure"}
	rpc21 = &diagnosis.Rule{ID: "RPC21", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "method of the other side",
		Explanation: "A request or notification has a method that in this revision only the other side sends, such as tools/list sent by a server, or sampling/createMessage sent by a client. Send only the methods of your own side. Requests of a server in the modern era are SRV01.",
		Reference:   "schema, ClientRequest, ClientNotification, ServerRequest and ServerNotification",
		Impact:      "the receiver has no handler: it answers a request with -32601, and drops a notification"}
	rpc22 = &diagnosis.Rule{ID: "RPC22", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "unknown method",
		Explanation: "A request or notification has a method that neither a revision nor an extension known to mcpdbg defines. It is only reported as info for a notification, which receivers ignore, for a request of the client, which sees by the response whether the server has the method (RPC18), and if a side declared experimental capabilities or an extension that mcpdbg does not know, to which the method may belong. For log messages send notifications/message, or write to stderr.",
		Reference:   "schema; lifecycle, capability negotiation",
		Impact:      "the receiver answers with -32601, and the sender waits for nothing or fails"}
)

// Rules are the rules of this package, in the order of their ids.
var Rules = []*diagnosis.Rule{rpc18, rpc21, rpc22}
