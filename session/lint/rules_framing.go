package lint

var (
	frm01 = &Rule{ID: "FRM01", Severity: Error, Dir: Server, Title: "stdout noise",
		Explanation: "A line on stdout is not JSON: a banner, a debug print, a stack trace. Print to stderr instead.",
		Reference:   "transports, stdio: nothing but messages on stdout",
		Breaks:      "clients on the Go SDK lose the connection (they decode a JSON stream); the TypeScript SDK reports an error for each line"}
	frm02 = &Rule{ID: "FRM02", Severity: Error, Dir: Server, Title: "JSON that is no message",
		Explanation: "A line on stdout is a JSON string, number, true, false or null. A message is an object.",
		Reference:   "basic, messages",
		Breaks:      "the TypeScript SDK reports an error and drops the line; clients on the Go SDK lose the connection"}
	frm03 = &Rule{ID: "FRM03", Severity: Error, Dir: Both, Title: "byte order mark",
		Explanation: "A line begins with a UTF-8 byte order mark. Write UTF-8 without one.",
		Reference:   "transports: UTF-8; RFC 8259 section 8.1",
		Breaks:      "the Go SDK exits, mcp-go answers -32700, the TypeScript SDK drops the message"}
	frm04 = &Rule{ID: "FRM04", Severity: Info, Dir: Server, Title: "CRLF line ends", once: true,
		Explanation: "Lines end in carriage return and line feed. That is tolerated; a bare newline is what the protocol says.",
		Reference:   "transports, stdio",
		Breaks:      "nothing known: the TypeScript and Go SDKs take the carriage return for white space"}
	frm05 = &Rule{ID: "FRM05", Severity: Error, Dir: Server, Title: "message over several lines",
		Explanation: "Lines are JSON only when joined, as when a message is printed with indentation. One message is one line.",
		Reference:   "transports, stdio: no embedded newlines",
		Breaks:      "every client that reads lines (TypeScript, Python, mcp-go) drops all of it; the Go SDK happens to accept it"}
	frm06 = &Rule{ID: "FRM06", Severity: Error, Dir: Server, Title: "bytes behind the message",
		Explanation: "A line holds a complete JSON value and more behind it: two messages without a newline between them, or print output.",
		Reference:   "transports, stdio: messages are delimited by newlines",
		Breaks:      "clients that read lines drop both messages"}
	frm07 = &Rule{ID: "FRM07", Severity: Error, Dir: Server, Title: "invalid UTF-8 or NUL",
		Explanation: "A line holds bytes that are not UTF-8, or a NUL. Encode strings as UTF-8 before they are written.",
		Reference:   "transports: JSON-RPC messages MUST be UTF-8",
		Breaks:      "some SDKs drop the message, others replace the bytes, so that text arrives changed"}
	frm08 = &Rule{ID: "FRM08", Severity: Warning, Dir: Server, Title: "last line without newline",
		Explanation: "Stdout ended inside a line. It is an error if the line does not parse: then the message is cut short.",
		Reference:   "transports, stdio: messages are delimited by newlines",
		Breaks:      "clients that read lines (TypeScript) never see the last message"}
	frm09 = &Rule{ID: "FRM09", Severity: Warning, Dir: Server, Title: "very long line",
		Explanation: "A line is over 1 MiB, or (an error) over 10 MiB. Return a resource link, or pages. Lines this long are not looked into further.",
		Reference:   "limits of the SDKs",
		Breaks:      "the TypeScript SDK closes the connection at 10 MiB, the Go SDK at 16 MiB"}
	frm10 = &Rule{ID: "FRM10", Severity: Info, Dir: Both, Title: "blank line", once: true,
		Explanation: "A line is empty, or only white space. It carries nothing, and not every reader skips it.",
		Reference:   "transports, stdio",
		Breaks:      "mcp-go answers a blank line with -32700"}
	frm11 = &Rule{ID: "FRM11", Severity: Error, Dir: Server, Title: "Content-Length framing",
		Explanation: "Messages are framed with headers, as language servers do. MCP wants one message a line, and no headers.",
		Reference:   "transports, stdio",
		Breaks:      "every MCP client: none reads headers"}
	frm12 = &Rule{ID: "FRM12", Severity: Error, Dir: Server, Title: "terminal control on stdout",
		Explanation: "A line holds an escape sequence or a bare carriage return: colours, a progress bar, a spinner. Turn them off, or send them to stderr.",
		Reference:   "transports, stdio: nothing but messages on stdout",
		Breaks:      "the line is not JSON to any client; readers that take a bare CR for a line end split messages at it"}
	frm13 = &Rule{ID: "FRM13", Severity: Warning, Dir: Both, Title: "duplicate key or lone surrogate",
		Explanation: "An object has the same key twice, or a string has half of a surrogate pair. Readers differ in what they make of it.",
		Reference:   "RFC 8259 sections 4 and 8.2",
		Breaks:      "Go refuses or takes the last, JavaScript takes the last; a lone surrogate becomes U+FFFD, or an exception when Python prints it"}
	frm14 = &Rule{ID: "FRM14", Severity: Warning, Dir: Both, Title: "integer beyond 2^53",
		Explanation: "An id or a progress token is an integer that a double does not hold exactly. Use a string.",
		Reference:   "basic, requests; RFC 8259 section 6",
		Breaks:      "both Go SDKs return a changed id, TypeScript 1.x gives no answer"}
	frm15 = &Rule{ID: "FRM15", Severity: Warning, Dir: Server, Title: "nesting too deep",
		Explanation: "A line is nested over 1,000 levels.",
		Reference:   "RFC 8259 section 9: readers may limit the depth",
		Breaks:      "Python's json raises RecursionError near 1,000 levels, Go's refuses 10,000"}
	frm16 = &Rule{ID: "FRM16", Severity: Info, Dir: Server, Title: "odd stderr", once: true,
		Explanation: "A line on stderr is not UTF-8, or more than 256 KiB came within a second. Stderr is free text, yet clients show or keep it.",
		Reference:   "transports, stdio: stderr",
		Breaks:      "a client that does not read stderr blocks the server when the pipe is full"}
)

var framingRules = []*Rule{frm01, frm02, frm03, frm04, frm05, frm06, frm07, frm08,
	frm09, frm10, frm11, frm12, frm13, frm14, frm15, frm16}
