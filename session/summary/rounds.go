package summary

import "bytes"

// inputRequired is the resultType of a result that asks for input: the client
// sends the request again with it.
const inputRequired = "input_required"

// AsksForInput reports whether a message is a result that asks for input. Only
// the first Limit bytes of msg are read.
func AsksForInput(msg []byte) bool {
	if head := msg[:min(len(msg), Limit)]; !mentions(head, "_required", inputRequired) {
		return false
	}
	r := newReader(msg, 0)
	if !r.find("result") {
		return false
	}
	for name := range r.members() {
		if string(name) == "resultType" {
			return string(r.str().raw) == inputRequired
		}
	}
	return false
}

func mentions(msg []byte, part, text string) bool {
	return bytes.Contains(msg, []byte(part)) && bytes.Contains(msg, []byte(text))
}

// AskedState returns the requestState of a result, as JSON; nil if there is none
// within the first Limit bytes of msg.
func AskedState(msg []byte) []byte { return member(msg, "result", "requestState") }

// ResentState returns the requestState that a request is re-sent with, as JSON;
// nil if there is none within the first Limit bytes of msg.
func ResentState(msg []byte) []byte { return member(msg, "params", "requestState") }

// ProgressToken returns the token that a request asks for progress with, as JSON;
// nil if there is none within the first Limit bytes of msg.
func ProgressToken(msg []byte) []byte { return member(msg, "params", "_meta", "progressToken") }

// ProgressOf returns the token of a progress notification, as JSON; nil if there
// is none within the first Limit bytes of msg.
func ProgressOf(msg []byte) []byte { return member(msg, "params", "progressToken") }

// CancelledID returns the id that notifications/cancelled names, as JSON; nil if
// there is none within the first Limit bytes of msg.
func CancelledID(msg []byte) []byte { return member(msg, "params", "requestId") }

// IDOf returns the id of a message, as JSON; nil if there is none within the first
// Limit bytes of msg.
func IDOf(msg []byte) []byte { return member(msg, "id") }

// member returns the value at a path of member names; nil if it is absent or cut.
func member(msg []byte, path ...string) []byte {
	r := newReader(msg, 0)
	for _, name := range path {
		if !r.find(name) {
			return nil
		}
	}
	if r.kind() == 0 {
		return nil
	}
	from := r.At
	if r.skip(); r.end {
		return nil
	}
	return r.Data[from:r.At]
}
