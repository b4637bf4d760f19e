package lifecycle

import "mcpdbg/session/diagnosis"

// The rules for lists in pages (PAG).
var (
	pag01 = &diagnosis.Rule{ID: "PAG01", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "cursor loop or invalid cursor",
		Explanation: "A nextCursor leads back to a page that was read before, or it is not a string. Omit nextCursor on the last page.",
		Reference:   "pagination",
		Impact:      "clients that read all pages never end; the TypeScript SDK rejects a cursor that is not a string"}
	pag02 = &diagnosis.Rule{ID: "PAG02", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "empty pages without an end",
		Explanation: "Three pages in a row are empty, and each has another nextCursor. Omit nextCursor when nothing follows.",
		Reference:   "pagination",
		Impact:      "clients that read all pages send requests without end"}
	pag03 = &diagnosis.Rule{ID: "PAG03", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "invalid cursor accepted",
		Explanation: "A request with a cursor that the server never issued in this log has a result. Check the cursor, and answer an invalid one with -32602.",
		Reference:   "pagination, error handling: SHOULD result in an error with code -32602",
		Impact:      "a client with an outdated cursor silently reads the wrong page; TypeScript SDK 1.x servers ignore cursors"}
)
