package contents

import "mcpdbg/session/diagnosis"

var (
	srv02 = &diagnosis.Rule{ID: "SRV02", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: since20250618, Title: "form is not flat",
		Explanation: "The requestedSchema of an elicitation is not an object of strings, numbers, integers, booleans and (since 2025-11-25) lists of choices, or uses keywords that forms do not have. Ask for simple values.",
		Reference:   "elicitation, requested schema",
		Impact:      "clients cannot make a form of it: they decline, or show a text field for JSON"}
	srv03 = &diagnosis.Rule{ID: "SRV03", Severity: diagnosis.Error, Side: diagnosis.Client, Revisions: since20250618, Title: "invalid response to an elicitation",
		Explanation: "The client accepted a form without content, or with content that breaks the requestedSchema. Content with decline or cancel, or in response to a URL, is only a warning.",
		Reference:   "elicitation, response actions",
		Impact:      "servers that check the content fail; others use values that they did not ask for"}
	srv04 = &diagnosis.Rule{ID: "SRV04", Severity: diagnosis.Warning, Side: diagnosis.Server, Revisions: since20250618, Title: "form asks for a secret",
		Explanation: "The name or the title of a text field of an elicitation has a word such as password, API key, access token or card number. Use the url mode, so that the secret does not pass through the client.",
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
