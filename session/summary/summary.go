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

import (
	"bytes"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// Limit is how many bytes of a message are read.
const Limit = 16 << 10

// maxText is the longest summary in bytes.
const maxText = 300

// Call returns what a request or notification names: a tool, a prompt, the URI of
// a resource, a task. It returns "" if the method names nothing, or if the name is
// not within the first Limit bytes of msg, which may be cut and invalid.
func Call(method string, msg []byte) string {
	read := callees[method]
	if read == nil {
		return ""
	}
	r := newReader(msg, 0)
	l := line{max: maxText}
	if r.find("params") {
		read(r, &l)
	}
	return l.String()
}

// Request returns a summary of the params of a request or notification, without
// what Call returns, and "" if there are none. msg is the message, which may be
// cut and invalid.
func Request(method string, msg []byte) string {
	r := newReader(msg, 0)
	l := line{max: maxText}
	if !r.find("params") {
		return ""
	}
	summarize := requests[method]
	if summarize == nil {
		summarize = unknownParams
	}
	summarize(r, &l)
	return l.String()
}

// Response returns a summary of the result or the error in a response to a
// request of method; method may be unknown or "". msg is the message, which may be
// cut and invalid; full is the size of the whole message in bytes. It returns ""
// if msg is not a response.
func Response(method string, msg []byte, full int64) string {
	r := newReader(msg, full)
	l := line{max: maxText}
	switch string(r.findAny("result", "error")) {
	case "result":
		summarize := results[method]
		if summarize == nil {
			summarize = unknownResult
		}
		summarize(r, &l)
	case "error":
		failure(r, &l)
	default:
		l.rest(r)
	}
	return l.String()
}

// Message returns a summary of a message of a kind, to be written after its
// method: of a request or notification, Call and Request; of a response or an
// error response to a request of method, Response; of a batch, Batch. Other kinds
// have none. full is the size of the whole message in bytes, of which msg may be only the beginning.
func Message(kind framing.Kind, method string, msg []byte, full int64) string {
	switch kind {
	case framing.Request, framing.Notification:
		l := line{max: maxText}
		l.add(Call(method, msg))
		if params := Request(method, msg); params != "" {
			l.separate(" ")
			l.add(params)
		}
		return l.String()
	case framing.Response, framing.ErrorResponse:
		return Response(method, msg, full)
	case framing.Batch:
		return Batch(msg)
	}
	return ""
}

// Short returns a method as tables show it: notifications lose their prefix,
// requests stay as they are.
func Short(method string) string { return strings.TrimPrefix(method, "notifications/") }

func (r *reader) find(member string) bool { return r.findAny(member, "") != nil }

// findAny reads up to the value of one of two named members of the message, and
// returns its name, or nil if there is neither.
func (r *reader) findAny(a, b string) []byte {
	for name := range r.members() {
		if bytes.Equal(name, []byte(a)) || b != "" && bytes.Equal(name, []byte(b)) {
			return name
		}
	}
	return nil
}

// namedElements is how many messages of a batch its summary names.
const namedElements = 12

// Batch returns a summary of a batch: the methods in it, of calls the tools, and of
// responses the ids. msg may be only the beginning.
func Batch(msg []byte) string {
	l := line{max: maxText}
	n := 0
	for span := range framing.Elements(msg[:min(len(msg), Limit)]) {
		l.separate(", ")
		if n++; n > namedElements {
			l.add("…")
			break
		}
		l.add(elementName(span.Of(msg)))
	}
	return l.String()
}

func elementName(msg []byte) string {
	m := framing.Scan(msg)
	method := string(m.Method.Of(msg))
	switch m.Kind {
	case framing.Request:
		if tool := Call(method, msg); method == mcp.MethodToolsCall && tool != "" {
			return tool
		}
		return method
	case framing.Notification:
		return Short(method)
	case framing.Response, framing.ErrorResponse:
		return m.Kind.String() + " " + ID(string(m.ID.Of(msg)))
	}
	return m.Kind.String()
}

// ownID is what the ids of requests from mcpdbg begin with, as in "mcpdbg-4".
const ownID = `"mcpdbg-`

// ID returns the raw id of a request in short: 4 for our fourth, others as they are.
func ID(raw string) string {
	if number, ours := strings.CutPrefix(raw, ownID); ours {
		if number, whole := strings.CutSuffix(number, `"`); whole && number != "" && strings.Trim(number, "0123456789") == "" {
			return number
		}
	}
	return raw
}
