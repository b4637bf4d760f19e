// Package export writes a recording in formats that other programs and people
// read. What it writes is what the recording has, secrets included: see package
// redact.
//
// JSONL has one message or line an object, with the microseconds since the start
// and the direction: out to the server, in from it, err for stderr. A line that
// is valid JSON is "message", byte for byte; else it is "text", or "base64" if
// it is not UTF-8, and "more" says that it goes on in the next one.
//
//	{"t":1042,"dir":"out","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}
//	{"t":3391,"dir":"in","text":"Server listening on stdio"}
//
// Txtar (golang.org/x/tools/txtar) has a file header.json and one file for each
// of these, its name telling entry, time and direction:
// 000012-t4001-out-tools.call.json; .txt is text, .b64 base64. A name that ends in
// -more is the part of a line that goes on.
//
// HAR 1.2 has an entry for each request and notification; what HTTP has no word
// for stands in members that begin with _. Markdown is a report to paste into
// an issue, HTML one page that needs nothing else. Both are bounded, and say
// what they leave out. In both whatever came from a server is text and nothing
// more: no markup, script, mention, escape sequence or bidirectional control of
// it takes effect.
//
// JSONL, HAR and txtar are written as the recording is read, in the memory of
// its longest line; Markdown and HTML hold what they show, see MaxMarkdown and
// MaxPage.
package export
