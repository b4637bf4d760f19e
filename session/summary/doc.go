// Package summary puts what an MCP message says into one short line, for tables
// and logs: the arguments of a call, the text of its result, the names in a list,
// the message of an error.
//
// It reads at most the first 16 KiB of a message, which may be cut anywhere or be
// invalid, and never decodes binary data. If the wanted part is not in them, it
// returns what is known, such as the type of the content and the size of the
// message. Each method of either era of the protocol has a function of its own in
// a table; other methods get a preview of their params or result.
//
// A summary is at most 300 bytes on one line, but otherwise raw: it may hold
// anything that a server wrote. Escape it before showing it on a terminal.
package summary
