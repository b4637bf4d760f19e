package lint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A message is one JSON-RPC message under the rules.
type message struct {
	framing.Message
	at         place
	fromServer bool
	inBatch    bool
	bytes      []byte
	revision   string // that its _meta names, "" if none
}

func (m *message) of(s framing.Span) []byte { return s.Of(m.bytes) }

// line looks at a line that is JSON.
func (l *Linter) line(at place, fromServer bool, m framing.Message, line []byte) {
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

// batch looks at an array.
func (l *Linter) batch(b *message) {
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
		l.report(rpc13, b.at, fmt.Sprintf("a batch of %d before a revision was agreed on", elements))
	case l.run.revision != mcp.V20250326:
		l.report(rpc13, b.at, fmt.Sprintf("a batch of %d in revision %s", elements, l.run.revision))
	}
	if !b.fromServer {
		l.run.unreadable++
	}
}

// message looks at one message.
func (l *Linter) message(m *message) {
	if m.Kind == framing.Other || m.Kind == framing.Batch || m.Kind == framing.NotJSON {
		l.noMessage(m)
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

// noMessage looks at JSON that is no message. An object gets one finding.
func (l *Linter) noMessage(m *message) {
	l.run.noteMalformed(m)
	object := len(m.bytes) > 0 && bytes.TrimLeft(m.bytes, " \t\r\n")[0] == '{'
	switch {
	case object && m.JSONRPC == framing.Span{}:
		l.report(rpc01, m.at, "no member jsonrpc: "+quote(m.bytes))
	case object:
		l.report(rpc02, m.at, "neither method, result nor error: "+quote(m.bytes))
	case m.fromServer:
		l.report(frm02, m.at, quote(m.bytes))
	}
}

// envelope looks at what all messages have.
func (l *Linter) envelope(m *message) {
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
	if hasMethod && beyondDouble(m.of(m.ID)) { // who answers has to take the id as it is
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

// request looks at a request and opens its id.
func (l *Linter) request(m *message) {
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
			return // no answer can name it
		}
	}
	x := &l.run.ids
	key := newIDKey(m.fromServer, m.of(m.ID))
	older, inFlight := x.open[key]
	_, before := x.settled[key]
	switch {
	case inFlight:
		l.report(rpc05, m.at, fmt.Sprintf("id %s is that of %s in entry %d", excerpt(m.of(m.ID)), excerpt([]byte(older.method)), older.at.n))
	case before && m.revision == "" && rpc06.holds(l.run.revision):
		l.report(rpc06, m.at, "id "+excerpt(m.of(m.ID)))
	}
	if len(method) > maxDetail {
		method = method[:maxDetail]
	}
	shakes := !m.fromServer && l.run.shakes.take(key, method)
	x.add(key, request{at: m.at, method: method, revision: m.revision, shakes: shakes})
	l.run.process.asked(m)
}

// noteMalformed notes that something was sent which may be answered without an id.
func (r *run) noteMalformed(m *message) {
	if !m.fromServer {
		r.unreadable++
	}
}

// notification looks at a notification.
func (l *Linter) notification(m *message) {
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

// response looks at a response and closes the id of its request.
func (l *Linter) response(m *message) {
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

// answer looks at the answer to a request.
func (l *Linter) answer(m *message, r request) {
	if !m.fromServer {
		return
	}
	l.answered(m, true)
	if _, older, ok := l.run.ids.oldest(); ok && older.at.row < r.at.row && !older.shakes {
		l.report(rpc20, m.at, fmt.Sprintf("%s of entry %d is not answered yet", excerpt([]byte(older.method)), older.at.n))
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

// unknownMethod looks at the answer to a method that no revision has.
func (l *Linter) unknownMethod(m *message, r request) {
	name := excerpt([]byte(r.method))
	if m.Kind == framing.Response {
		l.reportAs(rpc18, Info, m.at, name+" was answered with a result")
		return
	}
	if code, ok := errorCode(m.of(m.Error)); ok && code != mcp.CodeMethodNotFound {
		l.report(rpc18, m.at, fmt.Sprintf("%s was answered with code %d", name, code))
	}
}

// orphan looks at a response that closes nothing.
func (l *Linter) orphan(m *message, key idKey) {
	x := &l.run.ids
	answered, known := x.settled[key]
	switch {
	case l.row.Pair > 0 && l.row.State == session.ReqNone && !known: // to a request too long to be looked into
		l.answered(m, true)
		return
	case known && !answered: // it is late
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

func (l *Linter) answerWithoutID(m *message) {
	what := "no id"
	if m.ID != (framing.Span{}) {
		what = "id null"
	}
	switch {
	case l.run.unreadable > 0: // the answer may come after requests that were sent later
		l.run.unreadable--
		l.reportAs(rpc10, Info, m.at, what+", after a line that is no request")
	case l.run.lastSent == sentNotification:
		l.report(rpc10, m.at, what+", as an answer to a notification")
	default:
		l.report(rpc10, m.at, what)
	}
}

// errorObject looks at the error of a response.
func (l *Linter) errorObject(m *message) {
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
		l.reportAs(rpc15, Error, m.at, fmt.Sprintf("code %d", code))
	case reserved && !known:
		l.report(rpc15, m.at, fmt.Sprintf("code %d", code))
	}
}
