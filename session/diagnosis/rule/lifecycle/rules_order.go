package lifecycle

import "mcpdbg/session/diagnosis"

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
		Explanation: "After a successful initialize the client sent a request without notifications/initialized, or it sent that notification before the response, or twice. Send it exactly once, right after the response.",
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
		Explanation: "The version that the server answers initialize with is not a revision that has initialize: unknown, or from 2026-07-28 on. Answer with the version that was asked for, or else with the newest one that the server supports.",
		Reference:   "lifecycle, version negotiation",
		Impact:      "clients disconnect, as they do not support the version"}
	lif08 = &diagnosis.Rule{ID: "LIF08", Severity: diagnosis.Warning, Side: diagnosis.Server, Revisions: legacy, Title: "another version than before",
		Explanation: "The server answered initialize with another version than it was asked for, and an earlier process of the same log accepted that version. Answer with the requested version if it is supported.",
		Reference:   "lifecycle, version negotiation: MUST respond with the same version if it supports it",
		Impact:      "clients that stored the version of an earlier session disagree with the server"}
	lif09 = &diagnosis.Rule{ID: "LIF09", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "empty name or version of the server",
		Explanation: "The name or version in serverInfo is empty. Set both, so that reports and logs can tell which server they are about.",
		Reference:   "schema, Implementation",
		Impact:      "clients show a server without a name; go-sdk examples have an empty version"}
)
