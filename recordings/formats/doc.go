// Package formats writes a recording in formats for other programs and for people, and
// reads the logs of other programs into recordings.
//
// # Export
//
// The output contains everything in the recording, including secrets: see package redact.
//
// JSONL has one object per message or line, with the microseconds since the start and
// the direction: out to the server, in from it, err for stderr. A line of valid JSON is
// "message", byte for byte; otherwise it is "text", or "base64" if it is not UTF-8.
// "more" means that the line continues in the next object.
//
//	{"t":1042,"dir":"out","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}
//	{"t":3391,"dir":"in","text":"Server listening on stdio"}
//
// Txtar has a file header.json and one file for each message or line. Its name contains
// entry, time and direction: 000012-t4001-out-tools.call.json; .txt is text, .b64
// base64. A name that ends in -more is a part of a line that continues.
//
// In Markdown and HTML, text from a server is only text: no markup, script, mention,
// escape sequence or bidirectional control takes effect. Both keep what they show in
// memory, are bounded, and state what they omit; the other formats are streamed, in the
// memory of the longest line.
//
// # Import
//
// Import converts logs of MCP sessions that other programs wrote to recordings: logs of
// Claude Desktop, the protocol export of the MCP Inspector, and JSONL of messages with a
// direction, such as the JSONL export of mcpdbg.
//
// A source is read once, so it may be a pipe. The reader of its format produces items:
// messages or lines with direction and time, starts of processes, and remarks. The
// recorder converts them to entries: it begins the recording when the first time is
// known, numbers the output, hashes the streams, and ends each process with a closed
// entry, so that the recording verifies like any other. A note at the beginning lists
// what the source lacks, and the header marks the recording as imported.
//
// Messages keep the bytes of the source. Lines that cannot be read are counted and
// become notes with their first 4 KiB.
//
// Memory: up to three times the longest line (slightly more than 256 MiB), 64 MiB of
// entries in formats that are not in order, and the index.
package formats
