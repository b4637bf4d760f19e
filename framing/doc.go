// Package framing turns the bytes that an MCP server writes into lines, and
// lines into the envelopes of JSON-RPC messages.
//
// A [Splitter] takes the chunks of a stream, as they were read, and returns its
// lines. Nothing is lost: the payloads and ends of all lines are the stream,
// byte for byte, and each line refers to its chunks. A line that never ends
// cannot exhaust memory: above a limit it is returned in parts.
//
// [Scan] scans one line and returns a [Message]: the kind of message, and the
// positions of its id, method, params, result and error in the line. It
// validates the whole line, as a debugger must, yet decodes none of it, because
// a person looks at only ten of a million messages. So ids keep their bytes: 1,
// "1", 1.0 and 9007199254740993 are four different ids. [Members], [Elements] and
// [Escape] read further into a message; a [Cursor] walks over JSON that was checked
// before, or over its beginning.
//
// Servers print banners, headers, half messages and binary junk to their
// standard output. To a debugger that is data, not a failure, so nothing here
// returns an error: a line carries its [Problem] set, and the next line is read
// normally.
//
// The package knows JSON (RFC 8259) and the structure of JSON-RPC 2.0, but not
// MCP, and does no I/O.
package framing
