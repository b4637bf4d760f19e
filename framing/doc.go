// Package framing turns the bytes that an MCP server writes into lines, and
// lines into the envelopes of JSON-RPC messages.
//
// A [Splitter] takes the chunks of a stream, as they were read, and gives its
// lines. Nothing is lost on the way: the payloads and ends of all lines are the
// stream, byte for byte, and each line says which chunks it came in. A line
// that never ends cannot eat the machine: above a limit it comes in parts.
//
// [Scan] looks at one line and gives a [Message]: what kind of message it is,
// and where in the line its id, method, params, result and error stand. It
// validates the whole line, as a debugger must, yet decodes none of it, because
// of a million messages a person looks at ten. So ids keep their bytes: 1, "1",
// 1.0 and 9007199254740993 are four different ids.
//
// Servers print banners, headers, half messages and binary junk to their
// standard output. To a debugger that is news and no failure, so nothing here
// returns an error: whatever is odd about a line is a [Problem] it carries, and
// the next line is read as if nothing had happened.
//
// The package knows JSON (RFC 8259) and the shape of JSON-RPC 2.0, no MCP, and
// does no input or output.
package framing
