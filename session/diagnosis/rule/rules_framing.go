package rule

import (
	"mcpdbg/session/diagnosis"
)

var (
	frm01 = &diagnosis.Rule{ID: "FRM01", Severity: diagnosis.Error, Side: diagnosis.Server, Title: "stdout noise",
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
		Explanation: "A line holds a complete JSON value followed by more bytes: two messages without a newline between them, or print output.",
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
