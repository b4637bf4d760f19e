package summary

import (
	"bytes"
	"strings"

	"mcpdbg/framing"
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

// find reads up to the value of the named member of the message.
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
