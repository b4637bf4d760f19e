package contents

import (
	"slices"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

// Rules are the rules about the contents of lists, requests and results, family by family.
var Rules = slices.Concat(schemaRules, requestRules, toolRules)

// The revisions since a feature exists.
var (
	since20250618 = []string{mcp.V20250618, mcp.V20251125, mcp.V20260728}
	since20251125 = []string{mcp.V20251125, mcp.V20260728}
)

var (
	srv02 = &diagnosis.Rule{ID: "SRV02", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: since20250618, Title: "form is not flat",
		Explanation: "The requestedSchema of an elicitation is not an object of simple values and (since 2025-11-25) lists of choices, or uses keywords that forms do not have. Ask for simple values.",
		Reference:   "elicitation, requested schema",
		Impact:      "clients cannot make a form of it: they decline, or show a text field for JSON"}
	srv03 = &diagnosis.Rule{ID: "SRV03", Severity: diagnosis.Error, Side: diagnosis.Client, Revisions: since20250618, Title: "invalid response to an elicitation",
		Explanation: "The client accepted a form without content, or with content that breaks the requestedSchema. Content with decline or cancel, or in response to a URL, is only a warning.",
		Reference:   "elicitation, response actions",
		Impact:      "servers that check the content fail; others use values that they did not ask for"}
	srv04 = &diagnosis.Rule{ID: "SRV04", Severity: diagnosis.Warning, Side: diagnosis.Server, Revisions: since20250618, Title: "form asks for a secret",
		Explanation: "The name or the title of a text field of an elicitation has a word such as password or API key. Use the url mode, so that the secret does not pass through the client.",
		Reference:   "elicitation, security: servers MUST NOT request sensitive information in a form",
		Impact:      "the client and its logs, and perhaps a model, see the secret"}
	srv05 = &diagnosis.Rule{ID: "SRV05", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: since20251125, Title: "invalid URL elicitation",
		Explanation: "The url of an elicitation is not a valid URL, or the elicitationId is missing in 2025-11-25 or present since 2026-07-28. http to another host than this one is only a warning.",
		Reference:   "elicitation, url mode",
		Impact:      "clients cannot open the page, or refuse it; without the id they do not learn that it is done"}
	srv07 = &diagnosis.Rule{ID: "SRV07", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: since20251125, Title: "invalid tool blocks in a sampling request",
		Explanation: "A message of a sampling request mixes tool_result with other blocks, or a tool_use has no tool_result in the message after it. Return one user message with only the results, one for each tool_use.",
		Reference:   "sampling, tools: message content constraints",
		Impact:      "clients reject the request, because model APIs do"}
)

var requestRules = []*diagnosis.Rule{srv02, srv03, srv04, srv05, srv07}

var (
	sch04 = &diagnosis.Rule{ID: "SCH04", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "invalid binary data",
		Explanation: "The data of an image, audio block or resource is not standard base64 with padding, or has no mimeType. Encode the bytes with the standard alphabet, without line breaks or a data: prefix.",
		Reference:   "tools and prompts, image and audio content; resources, binary content",
		Impact:      "clients cannot decode the data; those that validate it reject the whole result"}
	sch05 = &diagnosis.Rule{ID: "SCH05", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "invalid URI",
		Explanation: "The uri of a resource is not a URI of RFC 3986, or a uriTemplate is not a template of RFC 6570. Percent-encode spaces and other characters. It is an error if the uri of a root does not begin with file://.",
		Reference:   "resources, common URI schemes; resource templates; roots",
		Impact:      "clients that parse the URI cannot read the resource; servers ignore the root"}
	sch06 = &diagnosis.Rule{ID: "SCH06", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "invalid annotation",
		Explanation: "An annotation has a priority that is not between 0 and 1, an audience other than user and assistant, or a lastModified that is not in ISO 8601.",
		Reference:   "resources, annotations",
		Impact:      "clients that validate annotations reject the whole list or result; others ignore the annotation"}
	sch07 = &diagnosis.Rule{ID: "SCH07", Severity: diagnosis.Warning, Side: diagnosis.Both, Revisions: since20250618, Title: "invalid _meta key",
		Explanation: "A key of _meta is not an optional prefix of labels with dots, a slash and a name, or its prefix is reserved for the protocol. Use a domain of your own, such as com.example/name.",
		Reference:   "basic, _meta",
		Impact:      "a key of the protocol or of another program may have the same name one day"}
	sch09 = &diagnosis.Rule{ID: "SCH09", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "too many completion values",
		Explanation: "The result of completion/complete has more than 100 values. Return the 100 best ones, and set total and hasMore.",
		Reference:   "completion, response",
		Impact:      "clients that validate the result reject it"}
	sch10 = &diagnosis.Rule{ID: "SCH10", Severity: diagnosis.Warning, Side: diagnosis.Both, Revisions: since20251125, Title: "unsupported icon",
		Explanation: "The src of an icon is not an https or data URL. It is an error for schemes that clients must reject, such as javascript, file, ftp and ws. Serve the icon by https, or embed it.",
		Reference:   "basic, icons",
		Impact:      "clients show no icon"}
)

var schemaRules = []*diagnosis.Rule{sch04, sch05, sch06, sch07, sch09, sch10}

var (
	tol01 = &diagnosis.Rule{ID: "TOL01", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "duplicate item in a list",
		Explanation: "Two tools or prompts of one list have the same name, or two resources the same uri. Give each its own.",
		Reference:   "tools, tool names; prompts; resources",
		Impact:      "only one of them can be used, and model APIs reject two tools of one name"}
	tol02 = &diagnosis.Rule{ID: "TOL02", Severity: diagnosis.Warning, Side: diagnosis.Server, Revisions: since20251125, Title: "invalid tool name",
		Explanation: "The name of a tool is not 1 to 128 characters of A-Z, a-z, 0-9, _, - and . Use title for a name with spaces.",
		Reference:   "tools, tool names",
		Impact:      "clients rename the tool or omit it, because model APIs reject such names"}
	tol03 = &diagnosis.Rule{ID: "TOL03", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "invalid inputSchema",
		Explanation: `The inputSchema of a tool is missing, not an object, not valid in its dialect of JSON Schema, or its type is not "object". A tool without arguments has {"type":"object"}. Without $schema the dialect is 2020-12 since 2025-11-25; before, any dialect is accepted.`,
		Reference:   "tools, data types",
		Impact:      "the schema of the protocol requires it: clients that validate reject the whole list"}
	tol04 = &diagnosis.Rule{ID: "TOL04", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: since20250618, Title: "invalid outputSchema",
		Explanation: `The outputSchema of a tool is not valid in its dialect of JSON Schema, or, before 2026-07-28, its type is not "object".`,
		Reference:   "tools, data types; output schema",
		Impact:      "clients that validate reject the whole list, or cannot check results"}
	tol05 = &diagnosis.Rule{ID: "TOL05", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: since20250618, Title: "structuredContent is missing",
		Explanation: "A tool with an outputSchema returned a result without structuredContent and without isError. Return both structuredContent and its JSON as text, or remove the outputSchema.",
		Reference:   "tools, output schema: servers MUST provide structured results",
		Impact:      "clients that check results report an error instead of the result"}
	tol06 = &diagnosis.Rule{ID: "TOL06", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: since20250618, Title: "structuredContent breaks the outputSchema",
		Explanation: "The structuredContent of a result is not valid for the outputSchema of the tool. Formats and patterns that cannot be matched here are not checked.",
		Reference:   "tools, output schema: results MUST conform",
		Impact:      "clients that check results report an error instead of the result"}
	tol07 = &diagnosis.Rule{ID: "TOL07", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: []string{mcp.V20250618, mcp.V20251125}, Title: "structuredContent is not an object",
		Explanation: "The structuredContent of a result is an array, a string, a number, a boolean or null. Before 2026-07-28 it must be an object: wrap the value in one.",
		Reference:   "schema, CallToolResult",
		Impact:      "clients that validate results reject it"}
	tol08 = &diagnosis.Rule{ID: "TOL08", Severity: diagnosis.Info, Side: diagnosis.Server, Revisions: since20250618, Title: "no text copy of structuredContent",
		Explanation: "No text block of a result is the JSON of its structuredContent, or of its only member. Add one for clients that do not know structuredContent.",
		Reference:   "tools, structured content: SHOULD also return the serialized JSON in a TextContent block",
		Impact:      "clients that only read text see less, or nothing"}
	tol09 = &diagnosis.Rule{ID: "TOL09", Severity: diagnosis.Warning, Side: diagnosis.Client, Title: "arguments break the inputSchema",
		Explanation: "The arguments of a tools/call are not valid for the inputSchema of the tool. Formats and patterns that cannot be matched here are not checked.",
		Reference:   "tools, calling tools",
		Impact:      "servers that check arguments refuse the call; others may fail in it"}
	tol10 = &diagnosis.Rule{ID: "TOL10", Severity: diagnosis.Info, Side: diagnosis.Server, Title: "unknown tool reported as a result",
		Explanation: "A call of a tool that is not in the list was answered with a result with isError. Return the JSON-RPC error -32602: only failures of a tool itself are results.",
		Reference:   "tools, error handling",
		Impact:      "clients show it to the model as the output of a tool; TypeScript SDK 1.x servers behave like this"}
	tol11 = &diagnosis.Rule{ID: "TOL11", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "reference out of a schema",
		Explanation: "A schema of a tool refers to a network address, to a part that does not exist, or to a dialect that is unknown. Copy what it refers to into $defs.",
		Reference:   "basic, JSON Schema usage: $ref",
		Impact:      "clients must not load it from the network, so they cannot use the schema"}
	tol12 = &diagnosis.Rule{ID: "TOL12", Severity: diagnosis.Info, Side: diagnosis.Server, Title: "unstable list of tools",
		Explanation: "Two lists have the same tools in another order, or other tools without a list_changed although listChanged is declared. Return tools in a fixed order, and announce changes.",
		Reference:   "tools, listing tools (2026-07-28); list changed notification",
		Impact:      "a list in another order defeats the prompt cache of the model; clients do not notice changed tools"}
	tol13 = &diagnosis.Rule{ID: "TOL13", Severity: diagnosis.Info, Side: diagnosis.Server, Title: "large schemas",
		Explanation: "The list of tools is larger than 100 KiB, or a schema has more than 500 objects or is nested deeper than 32. Shorten descriptions and schemas, or offer fewer tools.",
		Reference:   "tools, data types (2026-07-28): composition keywords",
		Impact:      "the list is part of each conversation with a model and costs tokens; clients may limit schemas"}
)

var toolRules = []*diagnosis.Rule{tol01, tol02, tol03, tol04, tol05, tol06, tol07, tol08, tol09, tol10, tol11, tol12, tol13}
