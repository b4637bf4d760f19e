package shapes

import (
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

var modern = []string{mcp.V20260728}

var (
	cap08 = &diagnosis.Rule{ID: "CAP08", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "capability of the other side",
		Explanation: "A server declares a capability of clients (roots, sampling, elicitation), or a client one of servers. Remove the key. A key that no revision defines is only reported as info: capabilities of one's own belong in experimental or, from 2026-07-28 on, in extensions.",
		Reference:   "schema, ServerCapabilities and ClientCapabilities",
		Impact:      "the other side ignores the key, so the feature stays off; mcp-go servers write such keys"}
	lif10 = &diagnosis.Rule{ID: "LIF10", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "newer than the agreed revision",
		Explanation: "A method or a type of content is newer than the revision that both sides agreed on. Use only what the agreed revision has. A newer member is only reported as info: where extra members are allowed, which is nearly everywhere, it is one, and receivers ignore it.",
		Reference:   "lifecycle, operation: respect the negotiated protocol version",
		Impact:      "clients of the agreed revision reject the whole result, or answer the method with -32601"}
	mod02 = &diagnosis.Rule{ID: "MOD02", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "resultType missing or unknown",
		Explanation: `A result has no resultType, or one that is not a string. Set it to "complete" for an ordinary result. An unknown one is only a warning, because an extension may define it.`,
		Reference:   "basic, resultType",
		Impact:      "the client cannot distinguish a complete result from a request for input"}
	mod06 = &diagnosis.Rule{ID: "MOD06", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "ttlMs or cacheScope missing or invalid",
		Explanation: `The result of a list, of resources/read or of server/discover lacks ttlMs or cacheScope, or has an invalid one. Set ttlMs to an integer of 0 or more and cacheScope to "public" or "private", the same on all pages of a list.`,
		Reference:   "server utilities, caching",
		Impact:      "clients that check results reject it; others do not know how long to keep it"}
	mod11 = &diagnosis.Rule{ID: "MOD11", Severity: diagnosis.Error, Side: diagnosis.Both, Revisions: modern, Title: "removed method",
		Explanation: "A method that the revision removed was sent, or answered with a result. Do not send it, and answer it with -32601.",
		Reference:   "changelog of 2026-07-28",
		Impact:      "a server of the revision answers with -32601; one that serves the method hides the mistake of the client"}
	mod14 = &diagnosis.Rule{ID: "MOD14", Severity: diagnosis.Info, Side: diagnosis.Both, Revisions: modern, Title: "deprecated feature",
		Explanation: "Roots, sampling, logging and includeContext with thisServer or allServers are deprecated. They work for at least twelve months after the revision; plan to replace them.",
		Reference:   "changelog of 2026-07-28, deprecated features",
		Impact:      "none yet; later revisions may remove it"}
	sch01 = &diagnosis.Rule{ID: "SCH01", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "params do not fit the method",
		Explanation: "The params of a request or notification lack a required member, or a member has the wrong type or a value that is not allowed. Send what the schema of the revision asks for. Members that the schema does not have are allowed.",
		Reference:   "schema, the request and notification types",
		Impact:      "servers and clients that check messages answer with -32602, and drop such a notification"}
	sch02 = &diagnosis.Rule{ID: "SCH02", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "result does not fit the method",
		Explanation: "A result lacks a required member, or a member has the wrong type or a value that is not allowed. Return what the schema of the revision asks for. Omit optional members that have no value instead of setting them to null.",
		Reference:   "schema, the result types",
		Impact:      "clients that check results report an error instead of the result; a list with one bad item is often lost as a whole"}
	sch03 = &diagnosis.Rule{ID: "SCH03", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "unknown type of content",
		Explanation: "A block of content has a type that no revision defines. Use text, image, audio, resource_link or resource, and in sampling also tool_use and tool_result.",
		Reference:   "schema, ContentBlock and SamplingMessageContentBlock",
		Impact:      "clients that check results reject all content of the message"}
	sch08 = &diagnosis.Rule{ID: "SCH08", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "likely misspelled member",
		Explanation: "A member is unknown, but differs from a known one, which is missing, by capitals, an underscore or one letter. Use the name of the schema, such as inputSchema, isError, mimeType, nextCursor.",
		Reference:   "schema",
		Impact:      "receivers ignore the member, as if it were missing"}
)

// Rules are the rules of this package, in the order of their ids.
var Rules = []*diagnosis.Rule{cap08, cap10, lif10, mod02, mod06, mod11, mod14, sch01, sch02, sch03, sch08}
