package rule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

// A message is a JSON-RPC message that is being checked.
type message struct {
	framing.Message
	at         place
	fromServer bool
	inBatch    bool
	bytes      []byte
	revision   string // named in its _meta, or ""
}

func (m *message) of(s framing.Span) []byte { return s.Of(m.bytes) }

// line checks a line that is valid JSON.
func (l *Checker) line(at place, fromServer bool, m framing.Message, line []byte) {
	msg := message{Message: m, at: at, fromServer: fromServer, bytes: line}
	l.lenient = l.answersProbe(&msg)
	defer func() { l.lenient = false }()
	l.strict(at, m, line)
	switch {
	case m.Kind != framing.Batch:
		l.message(&msg)
	default:
		l.batch(&msg)
	}
}

// batch checks a JSON array.
func (l *Checker) batch(b *message) {
	elements := 0
	for span := range framing.Elements(b.bytes) {
		elements++
		element := span.Of(b.bytes)
		m := message{Message: framing.Scan(element), at: b.at, fromServer: b.fromServer, inBatch: true, bytes: element}
		l.message(&m)
	}
	switch {
	case elements == 0:
		l.report(rpc13, b.at, "an empty batch")
	case l.run.revision == "":
		l.report(rpc13, b.at, fmt.Sprintf("a batch of %d before a protocol revision was negotiated", elements))
	case l.run.revision != mcp.V20250326:
		l.report(rpc13, b.at, fmt.Sprintf("a batch of %d in revision %s", elements, l.run.revision))
	}
	if !b.fromServer {
		l.run.unreadable++
	}
}

// message checks one message.
func (l *Checker) message(m *message) {
	if m.Kind == framing.Other || m.Kind == framing.Batch || m.Kind == framing.NotJSON {
		l.notMessage(m)
		return
	}
	l.envelope(m)
	switch m.Kind {
	case framing.Request:
		l.request(m)
	case framing.Notification:
		l.notification(m)
	default:
		l.response(m)
	}
}

// notMessage reports JSON that is not a message. An object gets one problem.
func (l *Checker) notMessage(m *message) {
	l.run.noteMalformed(m)
	object := len(m.bytes) > 0 && bytes.TrimLeft(m.bytes, " \t\r\n")[0] == '{'
	switch {
	case object && m.JSONRPC == framing.Span{}:
		l.report(rpc01, m.at, "no jsonrpc member: "+quote(m.bytes))
	case object:
		l.report(rpc02, m.at, "neither method, result nor error: "+quote(m.bytes))
	case m.fromServer:
		l.report(frm02, m.at, quote(m.bytes))
	}
}

// envelope checks the members that all messages have.
func (l *Checker) envelope(m *message) {
	if string(m.of(m.JSONRPC)) != `"2.0"` {
		l.run.noteMalformed(m)
		l.report(rpc01, m.at, "jsonrpc is "+orMissing(m.of(m.JSONRPC)))
	}
	hasMethod, hasResult, hasError := m.Method != framing.Span{}, m.Result != framing.Span{}, m.Error != framing.Span{}
	switch {
	case hasMethod && (hasResult || hasError):
		l.report(rpc03, m.at, quote(m.bytes))
	case hasResult && hasError:
		l.report(rpc02, m.at, "both result and error: "+quote(m.bytes))
	}
	if hasMethod && m.Params != (framing.Span{}) && m.of(m.Params)[0] != '{' {
		l.report(rpc16, m.at, "params is "+excerpt(m.of(m.Params)))
	}
	if hasResult && m.of(m.Result)[0] != '{' {
		l.report(rpc16, m.at, "result is "+excerpt(m.of(m.Result)))
	}
	if !onlyKnownMembers(m) {
		if name := unknownMember(m.bytes); name != "" {
			l.report(rpc17, m.at, "member "+excerpt([]byte(name)))
		}
	}
	if hasMethod && beyondDouble(m.of(m.ID)) { // the other side must return the id unchanged
		l.report(frm14, m.at, "id "+excerpt(m.of(m.ID)))
	}
	if params := m.of(m.Params); longProgressToken(params) {
		if token := progressToken(params); beyondDouble(token) {
			l.report(frm14, m.at, "progress token "+excerpt(token))
		}
	}
}

func orMissing(token []byte) string {
	if token == nil {
		return "missing"
	}
	return excerpt(token)
}

// request checks a request and opens its id.
func (l *Checker) request(m *message) {
	method := string(m.of(m.Method))
	if strings.HasPrefix(method, "notifications/") {
		l.report(rpc11, m.at, fmt.Sprintf("%s with id %s", excerpt(m.of(m.Method)), excerpt(m.of(m.ID))))
	}
	if method == mcp.MethodInitialize && m.inBatch {
		l.report(rpc13, m.at, "initialize in a batch")
	}
	if !m.fromServer {
		l.run.lastSent = sentRequest
		m.revision = modernVersion(m.of(m.Params))
	}
	if !isID(m.of(m.ID)) {
		l.report(rpc04, m.at, fmt.Sprintf("%s with id %s", excerpt(m.of(m.Method)), excerpt(m.of(m.ID))))
		if string(m.of(m.ID)) == "null" {
			l.run.noteMalformed(m)
			return // no response can name it
		}
	}
	x := &l.run.ids
	key := newIDKey(m.fromServer, m.of(m.ID))
	older, inFlight := x.open[key]
	_, before := x.settled[key]
	switch {
	case inFlight:
		l.report(rpc05, m.at, fmt.Sprintf("id %s is in use by %s in entry %d", excerpt(m.of(m.ID)), excerpt([]byte(older.method)), older.at.n))
	case before && m.revision == "" && rpc06.Applies(l.run.revision):
		l.report(rpc06, m.at, "id "+excerpt(m.of(m.ID)))
	}
	if len(method) > maxDetail {
		method = method[:maxDetail]
	}
	handshake := !m.fromServer && l.run.handshake.take(key, method)
	x.add(key, request{at: m.at, method: method, revision: m.revision, handshake: handshake})
	l.run.process.sentRequest(m)
}

// noteMalformed counts a sent line that may be answered without an id.
func (r *run) noteMalformed(m *message) {
	if !m.fromServer {
		r.unreadable++
	}
}

// notification checks a notification.
func (l *Checker) notification(m *message) {
	if !m.fromServer {
		l.run.lastSent = sentNotification
	}
	switch method := m.of(m.Method); string(method) {
	case mcp.MethodProgress:
		if m.fromServer {
			l.run.progressed = m.at.t
		}
	case mcp.MethodCancelled:
		var params struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.of(m.Params), &params) == nil && params.RequestID != nil {
			l.run.ids.settle(newIDKey(m.fromServer, params.RequestID), false)
		}
	default:
		if isRequestMethod(method) {
			l.report(rpc12, m.at, string(method))
		}
	}
}

// response checks a response and closes the id of its request.
func (l *Checker) response(m *message) {
	if m.fromServer && m.Kind == framing.ErrorResponse {
		l.errorObject(m)
	}
	id := m.of(m.ID)
	if id == nil || string(id) == "null" {
		if m.fromServer {
			l.answerWithoutID(m)
		}
		return
	}
	key := newIDKey(!m.fromServer, id)
	r, open := l.run.ids.settle(key, true)
	switch {
	case open:
		l.answer(m, r)
	case m.fromServer:
		l.orphan(m, key)
	}
}

// answer checks the response to a request.
func (l *Checker) answer(m *message, r request) {
	if !m.fromServer {
		return
	}
	l.answered(m, true)
	if _, older, ok := l.run.ids.oldest(); ok && older.at.row < r.at.row && !older.handshake {
		l.report(rpc20, m.at, fmt.Sprintf("%s in entry %d is still pending", excerpt([]byte(older.method)), older.at.n))
	}
	switch {
	case r.method == mcp.MethodInitialize && m.Kind == framing.Response:
		var result struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		if json.Unmarshal(m.of(m.Result), &result) == nil {
			l.run.agree(result.ProtocolVersion)
		}
	case m.Kind == framing.Response:
		l.run.agree(r.revision)
	}
	if !isRequestMethod([]byte(r.method)) && !strings.HasPrefix(r.method, "notifications/") {
		l.unknownMethod(m, r)
	}
}

// unknownMethod checks the response to a method that no revision defines.
func (l *Checker) unknownMethod(m *message, r request) {
	name := excerpt([]byte(r.method))
	if m.Kind == framing.Response {
		l.reportAs(rpc18, diagnosis.Info, m.at, name+" was answered with a result")
		return
	}
	if code, ok := errorCode(m.of(m.Error)); ok && code != mcp.CodeMethodNotFound {
		l.report(rpc18, m.at, fmt.Sprintf("%s was answered with code %d", name, code))
	}
}

// orphan checks a response that matches no open request.
func (l *Checker) orphan(m *message, key idKey) {
	x := &l.run.ids
	answered, known := x.settled[key]
	switch {
	case l.row.Pair > 0 && (l.row.State == session.ReqNone || l.row.State == session.ReqInput) && !known: // to a request that is too long to be checked
		l.answered(m, true)
		return
	case known && !answered: // late
		l.answered(m, false)
		x.remember(key, true)
		return
	}
	twin, why, retyped := x.twin(key)
	switch {
	case known && !retyped:
		l.report(rpc08, m.at, "id "+excerpt(m.of(m.ID)))
		return
	case x.overflow:
		return
	case twin == "":
		l.report(rpc07, m.at, "id "+excerpt(m.of(m.ID)))
		return
	case retyped:
		l.report(rpc09, m.at, why)
	default:
		l.report(rpc07, m.at, why)
	}
	if r, ok := x.settle(twin, true); ok {
		l.answer(m, r)
	}
}

func (l *Checker) answerWithoutID(m *message) {
	what := "no id"
	if m.ID != (framing.Span{}) {
		what = "id null"
	}
	switch {
	case l.run.unreadable > 0: // the response may come after later requests
		l.run.unreadable--
		l.reportAs(rpc10, diagnosis.Info, m.at, what+", after a line that is not a valid request")
	case l.run.lastSent == sentNotification:
		l.report(rpc10, m.at, what+", in response to a notification")
	default:
		l.report(rpc10, m.at, what)
	}
}

// errorObject checks the error of a response.
func (l *Checker) errorObject(m *message) {
	raw := m.of(m.Error)
	code, ok := errorCode(raw)
	if !ok {
		l.report(rpc14, m.at, quote(raw))
		return
	}
	reserved := code <= -32020 && code >= -32099
	known := code == -32042 || mcp.IsModernError(code)
	switch {
	case code >= 0:
		l.report(rpc15, m.at, fmt.Sprintf("code %d: %s", code, quote(raw)))
	case reserved && !known && mcp.IsModern(l.run.revision):
		l.reportAs(rpc15, diagnosis.Error, m.at, fmt.Sprintf("code %d", code))
	case reserved && !known:
		l.report(rpc15, m.at, fmt.Sprintf("code %d", code))
	}
}
