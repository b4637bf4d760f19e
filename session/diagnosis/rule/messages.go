package rule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
)

// line checks a line that is valid JSON. strict is the result of certainlyStrict.
func (l *Checker) line(at message.Place, fromServer bool, m framing.Message, line []byte, strict bool) {
	msg := &l.msg
	*msg = message.Message{Message: m, At: at, FromServer: fromServer, Bytes: line}
	l.lenient = l.written && !msg.FromServer || l.answersProbe(msg)
	if !strict {
		l.strict(at, m, line)
	}
	if m.Kind == framing.Batch {
		l.batch(msg)
	} else {
		l.message(msg)
	}
	l.lenient, msg.Bytes, msg.Request = false, nil, nil
}

func (l *Checker) batch(b *message.Message) {
	elements := 0
	for span := range framing.Elements(b.Bytes) {
		elements++
		element := span.Of(b.Bytes)
		m := message.Message{Message: framing.Scan(element), At: b.At, FromServer: b.FromServer, InBatch: true, Bytes: element}
		l.message(&m)
	}
	switch {
	case elements == 0:
		l.report(rpc13, b.At, "an empty batch")
	case l.run.revision == "":
		l.report(rpc13, b.At, fmt.Sprintf("a batch of %d before a protocol revision was negotiated", elements))
	case l.run.revision != mcp.V20250326:
		l.report(rpc13, b.At, fmt.Sprintf("a batch of %d in revision %s", elements, l.run.revision))
	}
	if !b.FromServer {
		l.run.unreadable++
	}
}

func (l *Checker) message(m *message.Message) {
	step := l.steps.next()
	if m.Kind == framing.Other || m.Kind == framing.Batch || m.Kind == framing.NotJSON {
		l.notMessage(m)
		return
	}
	l.envelope(m)
	m.Revision = l.run.revision
	switch m.Kind {
	case framing.Request:
		l.request(m, step)
	case framing.Notification:
		l.notification(m)
	default:
		l.response(m, step)
	}
}

// notMessage reports JSON that is not a message. An object gets one problem.
func (l *Checker) notMessage(m *message.Message) {
	l.run.noteMalformed(m)
	object := len(m.Bytes) > 0 && bytes.TrimLeft(m.Bytes, " \t\r\n")[0] == '{'
	switch {
	case object && m.JSONRPC == framing.Span{}:
		l.report(rpc01, m.At, "no jsonrpc member: "+quote(m.Bytes))
	case object:
		l.report(rpc02, m.At, "neither method, result nor error: "+quote(m.Bytes))
	case m.FromServer:
		l.report(frm02, m.At, quote(m.Bytes))
	}
}

// envelope checks the members that all messages have.
func (l *Checker) envelope(m *message.Message) {
	if string(m.Of(m.JSONRPC)) != `"2.0"` {
		l.run.noteMalformed(m)
		l.report(rpc01, m.At, "jsonrpc is "+orMissing(m.Of(m.JSONRPC)))
	}
	hasMethod, hasResult, hasError := m.Method != framing.Span{}, m.Result != framing.Span{}, m.Error != framing.Span{}
	switch {
	case hasMethod && (hasResult || hasError):
		l.report(rpc03, m.At, quote(m.Bytes))
	case hasResult && hasError:
		l.report(rpc02, m.At, "both result and error: "+quote(m.Bytes))
	}
	if hasMethod && m.Params != (framing.Span{}) && m.Of(m.Params)[0] != '{' {
		l.report(rpc16, m.At, "params is "+excerpt(m.Of(m.Params)))
	}
	if hasResult && m.Of(m.Result)[0] != '{' && !l.found.resultless {
		l.report(rpc16, m.At, "result is "+excerpt(m.Of(m.Result)))
	}
	if !onlyKnownMembers(m) {
		if name := unknownMember(m.Bytes); name != "" {
			l.report(rpc17, m.At, "member "+excerpt([]byte(name)))
		}
	}
	if hasMethod && beyondDouble(m.Of(m.ID)) { // the other side must return the id unchanged
		l.report(frm14, m.At, "id "+excerpt(m.Of(m.ID)))
	}
	if params := m.Of(m.Params); longProgressToken(params) {
		if token := progressToken(params); beyondDouble(token) {
			l.report(frm14, m.At, "progress token "+excerpt(token))
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
func (l *Checker) request(m *message.Message, step exchange.Step) {
	method := string(m.Of(m.Method))
	if strings.HasPrefix(method, "notifications/") {
		l.report(rpc11, m.At, fmt.Sprintf("%s with id %s", excerpt(m.Of(m.Method)), excerpt(m.Of(m.ID))))
	}
	if method == mcp.MethodInitialize && m.InBatch {
		l.report(rpc13, m.At, "initialize in a batch")
	}
	if !m.FromServer {
		l.run.lastSent = sentRequest
	}
	if !isID(m.Of(m.ID)) {
		l.report(rpc04, m.At, fmt.Sprintf("%s with id %s", excerpt(m.Of(m.Method)), excerpt(m.Of(m.ID))))
		if string(m.Of(m.ID)) == "null" {
			l.run.noteMalformed(m)
			return // no response can name it
		}
	}
	x := &l.run.ids
	r := x.record()
	l.names.describe(&r.sent, m)
	m.Request, m.Revision = &r.sent, r.sent.Revision
	if !m.FromServer {
		l.run.use(&r.sent)
	}
	key := x.key(m.FromServer, m.Of(m.ID))
	r.sent.ID = message.Short(m.Of(m.ID))
	_, before := x.settled[key]
	switch older := x.open[key]; {
	case older != nil && !older.twin:
		l.report(rpc05, m.At, fmt.Sprintf("id %s is in use by %s in entry %d", excerpt(m.Of(m.ID)), excerpt([]byte(older.sent.Method)), older.sent.At.N))
	case (before || older != nil) && rpc06.Applies(m.Revision):
		l.report(rpc06, m.At, "id "+excerpt(m.Of(m.ID)))
	}
	r.handshake = step.X != nil && step.X.Handshake
	tracked := x.add(key, r)
	for _, c := range l.run.groups {
		c.Request(m)
	}
	if !tracked {
		x.release(r)
	}
	l.run.process.sentRequest(m)
}

// noteMalformed counts a sent line that may be answered without an id.
func (r *run) noteMalformed(m *message.Message) {
	if !m.FromServer {
		r.unreadable++
	}
}

func (l *Checker) notification(m *message.Message) {
	if !m.FromServer {
		l.run.lastSent = sentNotification
	}
	switch method := m.Of(m.Method); string(method) {
	case mcp.MethodProgress:
		if m.FromServer {
			l.run.progressed = m.At.T
		}
	case mcp.MethodCancelled:
		l.cancellation(m)
	default:
		if mcp.IsRequest(string(method)) {
			l.report(rpc12, m.At, string(method))
		}
	}
	for _, c := range l.run.groups {
		c.Notification(m)
	}
}

// cancellation gives up the request that a message cancels. A modern server, which
// has no requests, ends a subscription of the client with it.
func (l *Checker) cancellation(m *message.Message) {
	params := m.Of(m.Params)
	if len(params) == 0 || params[0] != '{' {
		return
	}
	id := message.Member(params, "requestId")
	if id == nil {
		return
	}
	x := &l.run.ids
	key := x.key(m.FromServer, id)
	if m.FromServer && x.open[key] == nil && mcp.IsModern(m.Revision) {
		key = x.key(false, id)
	}
	if r := x.settle(key, false, m.At.T); r != nil {
		r.sent.Cancelled = max(m.At.T, 1)
		m.Request = &r.sent
		return
	}
	m.Cancels.At = x.settled[key].at
	m.Cancels.Unknown = m.Cancels.At == 0 && x.forgotten()
}

// response checks a response and closes the id of its request.
func (l *Checker) response(m *message.Message, step exchange.Step) {
	if m.FromServer && m.Kind == framing.ErrorResponse {
		l.errorObject(m)
	}
	id := m.Of(m.ID)
	if id == nil || string(id) == "null" {
		if m.FromServer {
			l.answerWithoutID(m)
		}
		return
	}
	if step.Kind == exchange.Duplicate || step.Kind == exchange.Unmatched {
		if m.FromServer {
			l.unmatched(m, step)
		}
		return
	}
	x := &l.run.ids
	key := x.key(!m.FromServer, id)
	was := x.settled[key]
	switch r := x.settle(key, true, m.At.T); {
	case r != nil && !r.twin:
		l.answer(m, r)
		x.release(r)
	case r != nil: // it may be that of yet another request
		if twin, why, retyped := x.twinOf(string(id)); retyped && m.FromServer {
			l.report(rpc09, m.At, why)
			l.answer(m, twin)
			twin.twin = true
		}
		x.release(r)
	case was.givenUp != nil:
		l.lateAnswer(m, was.givenUp)
	case !m.FromServer:
	case step.Kind == exchange.Answers: // to a request that is too long to be checked, or unknown
		l.answered(m, true)
	case was.answered:
		l.report(rpc08, m.At, "id "+excerpt(id))
	default:
		l.unmatched(m, step)
	}
}

// lateAnswer checks the response to a request that was given up.
func (l *Checker) lateAnswer(m *message.Message, r *request) {
	if m.FromServer {
		l.answered(m, false)
	}
	m.Revision = r.sent.Revision
	l.pass(m, r)
	l.run.ids.remember(r.key, settledID{answered: true, at: m.At.T})
}

func (l *Checker) pass(m *message.Message, r *request) {
	for _, c := range l.run.groups {
		c.Response(m, &r.sent)
	}
}

func (l *Checker) answer(m *message.Message, r *request) {
	m.Revision = r.sent.Revision
	defer l.pass(m, r)
	if !m.FromServer {
		return
	}
	l.answered(m, true)
	if r.handshake {
		l.run.handshake.answered(m, r)
	}
	for older := l.run.ids.overtaken(r); older != nil; older = l.run.ids.overtaken(r) {
		l.report(rpc20, m.At, fmt.Sprintf("%s in entry %d had none yet", excerpt([]byte(older.sent.Method)), older.sent.At.N))
	}
	switch {
	case r.sent.Method == mcp.MethodInitialize && m.Kind == framing.Response:
		var result struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		if json.Unmarshal(m.Of(m.Result), &result) == nil && !mcp.IsModern(result.ProtocolVersion) { // LIF07
			l.agree(result.ProtocolVersion)
			m.Revision = result.ProtocolVersion // of the result itself
		}
	case m.Kind == framing.Response:
		l.agree(r.sent.Revision)
	}
}

// unmatched checks a response of the server to no request, or to one that has a response.
func (l *Checker) unmatched(m *message.Message, step exchange.Step) {
	x, id := &l.run.ids, m.Of(m.ID)
	twin, why, retyped := x.twinOf(string(id))
	switch {
	case step.Kind == exchange.Duplicate && !retyped:
		if !step.Reused {
			l.report(rpc08, m.At, "id "+excerpt(id))
		}
		return
	case x.overflow, l.run.process.over:
		return
	case twin == nil:
		l.report(rpc07, m.At, "id "+excerpt(id))
		return
	case retyped:
		l.report(rpc09, m.At, why)
	default:
		l.report(rpc07, m.At, why)
	}
	l.answer(m, twin)
	l.run.ids.keepTwin(twin, m.At.T)
}

func (l *Checker) answerWithoutID(m *message.Message) {
	what := "no id"
	if m.ID != (framing.Span{}) {
		what = "id null"
	}
	switch {
	case l.run.unreadable > 0: // the response may come after later requests
		l.run.unreadable--
		l.reportAs(rpc10, diagnosis.Info, m.At, what+", after a line that is not a valid request")
	case l.run.lastSent == sentNotification:
		l.report(rpc10, m.At, what+", in response to a notification")
	default:
		l.report(rpc10, m.At, what)
	}
}

// errorObject checks the error of a response.
func (l *Checker) errorObject(m *message.Message) {
	raw := m.Of(m.Error)
	code, ok := errorCode(raw)
	if !ok {
		l.report(rpc14, m.At, quote(raw))
		return
	}
	modern := mcp.IsModern(l.run.revision)
	severity, why := rpc15.Severity, ""
	switch {
	case code == 0:
		why = ": " + quote(raw)
	case isReserved(code) && modern:
		severity = diagnosis.Error
	case isReserved(code):
	case modern && isDiscouraged(code):
		severity = diagnosis.Info
	default:
		return
	}
	l.reportAs(rpc15, severity, m.At, fmt.Sprintf("code %d", code)+why)
}

// isReserved reports whether an error code is in the range that the protocol reserves
// for itself, and no revision defines it.
func isReserved(code int) bool {
	return -32099 <= code && code <= -32020 && mcp.LookUpCode(code) == nil
}

// isDiscouraged reports whether an error code is in the range that servers of the modern
// era should leave alone. MOD13 reports the code for a missing resource.
func isDiscouraged(code int) bool {
	return -32019 <= code && code <= -32000 && code != mcp.CodeNotFound
}

// sent checks a write to the server: one line, several, or a part of one. A line is
// checked where it ends.
func (l *Checker) sent(at message.Place, e *session.Entry) {
	switch {
	case e.Cut:
		l.run.lastSent = sentRequest // assume a request
		l.run.lifecycle.Lost()
		return
	case l.row.Flags&session.FlagPart == 0 && bytes.IndexByte(e.Payload, '\n') < 0: // nearly every write
		l.sentLine(at, e.Msg, e.Payload, l.cursor.Tested())
		return
	}
	for line, m := range l.cursor.Lines() {
		l.sentLine(at, m, line, m.Valid() && certainlyStrict(m, line))
	}
}

func (l *Checker) sentLine(at message.Place, m framing.Message, line []byte, strict bool) {
	if m.Valid() {
		l.line(at, false, m, line, strict)
		return
	}
	l.steps.next()
	l.run.unreadable++
	switch p := m.Problems; {
	case p&framing.ProblemBOM != 0:
		l.report(frm03, at, "before "+quote(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))))
	case p&framing.ProblemBlank != 0:
		l.report(frm10, at, "a blank line")
	}
}
