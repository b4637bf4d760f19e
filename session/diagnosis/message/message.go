// Package message has what the groups of rules share: one message of a log with
// its place and revision, the request that a response belongs to, how a
// problem is reported, and readers of raw JSON. Package rule reads the log and passes
// every message to the groups; they know no log.
package message

import (
	"crypto/sha256"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
)

// A Place is the position of a message in the log.
type Place struct {
	Row    int
	N, Seq uint64
	T      int64 // on the log's clock, in microseconds
	Run    uint16
}

// A Message is one valid JSON-RPC message. It is only valid during the call that
// it is passed to: Bytes is reused.
type Message struct {
	framing.Message
	At         Place
	FromServer bool
	InBatch    bool
	Bytes      []byte
	// Revision is the protocol revision that applies to the message: the one in its
	// _meta or in that of its request, or the negotiated one; "" if it is unknown.
	Revision string
	// Request is the record of a request. For a notifications/cancelled it is that of
	// the request that it cancels, nil if no request with that id is pending.
	Request *Request
	// Cancels is what is known of the id of a notifications/cancelled without Request.
	Cancels Settled
}

// Of returns the bytes of a span of the message, nil if it is absent.
func (m *Message) Of(s framing.Span) []byte { return s.Of(m.Bytes) }

// Settled is what is known of an id for which no request is pending.
type Settled struct {
	At      int64 // when its request was answered or given up; 0 if there was none
	Unknown bool  // it may have had a request that is no longer known
}

// A Request is what is kept of a request until its response. It is reused: do not
// keep a pointer to it after the response was passed on.
type Request struct {
	At         Place
	FromServer bool
	ID         string // raw token; a hash of it if it is long
	Method     string // as sent, at most a few hundred bytes
	Revision   string // as Message.Revision
	Name       string // of the tool or prompt, or the URI of the resource; "" for other methods
	Token      string // raw progressToken in _meta, at most a few hundred bytes; "" for none
	Cursor     string // raw cursor, or a hash of it if it is long; "" for none
	Task       bool   // it asks for a task (2025-11-25)
	Versioned  bool   // its _meta has a protocolVersion, and Client is what it declares
	Client     Capabilities
	LogLevel   string // in _meta; "" for none
	Cancelled  int64  // when it was cancelled, on the log's clock; 0 if it was not
}

// A Report stores a problem. Detail is one line and may quote the server. The
// severity is that of the rule, unless the rule's explanation says when it differs.
type Report func(rule *diagnosis.Rule, severity diagnosis.Severity, at Place, where diagnosis.Location, detail string)

// A Checker checks the messages of one process, in the order of the log.
type Checker interface {
	Request(m *Message)
	Notification(m *Message)
	// Response checks the response to a request; request is never nil. A response may
	// come after the request was cancelled, or after it timed out.
	Response(m *Message, request *Request)
	// Due returns when Elapse has something to find, in microseconds on the log's
	// clock; math.MaxInt64 if nothing is due.
	Due() int64
	Elapse(now int64)
	// End finds what can only be found when no more messages follow.
	End()
}

// maxShort is how many bytes of a token a Request keeps.
const maxShort = 512

// Short returns a raw token as a Request keeps it: a hash of it if it is long.
func Short(token []byte) string {
	if len(token) <= maxShort {
		return string(token)
	}
	return fmt.Sprintf("#%x", sha256.Sum256(token))
}

// Member returns the raw value of a member, nil if the object does not have it or is
// not an object; of several members the last one.
func Member(object []byte, name string) []byte {
	if !IsObject(object) {
		return nil
	}
	var last []byte
	for key, value := range Members(object) {
		if string(key) == name {
			last = value
		}
	}
	return last
}

// Members iterates over the names, without their quotes, and the raw values of an object
// in a message. The message is valid, so that nothing is validated once more, which takes
// several times as long.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for c := (framing.Cursor{Data: object, At: 1}); IsObject(object) && c.Item(); {
			if name := c.Name(); !yield(name, c.Value()) {
				return
			}
		}
	}
}

// Elements iterates over the raw values of an array in a message, which is valid as for
// Members.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		for c := (framing.Cursor{Data: array, At: 1}); len(array) > 0 && array[0] == '[' && c.Item(); {
			if !yield(c.Value()) {
				return
			}
		}
	}
}

// IsObject reports whether a raw token is an object.
func IsObject(token []byte) bool { return len(token) > 0 && token[0] == '{' }

// Text returns the text of a string token, "" for another token.
func Text(token []byte) string {
	if len(token) < 2 || token[0] != '"' {
		return ""
	}
	out, _ := jsontext.AppendUnquote(nil, token)
	return string(out)
}
