package rule

import (
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// maxHandshake is how many requests of one handshake are tracked.
const maxHandshake = 8

// A handshake tracks the handshake requests of one process: those sent before any
// other request.
type handshake struct {
	keys []idKey
	over bool
}

// take notes a request to the server and reports whether it belongs to the
// handshake.
func (h *handshake) take(key idKey, method string) bool {
	initial := method == mcp.MethodDiscover || method == mcp.MethodInitialize
	h.over = h.over || !initial
	if h.over || len(h.keys) == maxHandshake {
		return false
	}
	h.keys = append(h.keys, key)
	return true
}

// needless reports whether a handshake request needs no response: a probe may go
// unanswered, and so may initialize once the server chose the modern era.
func (r *run) needless(q *request) bool {
	return q.handshake && (q.sent.Method == mcp.MethodDiscover || mcp.IsModern(r.revision))
}

// severityOf returns the severity of a rule about an unanswered request.
func (r *run) severityOf(rule *diagnosis.Rule, q *request) diagnosis.Severity {
	if r.needless(q) {
		return diagnosis.Info
	}
	return rule.Severity
}

// answersProbe reports whether a message is a response to a probe. It may be any
// error, and its problems are only Info.
func (l *Checker) answersProbe(m *message.Message) bool {
	if !m.FromServer || m.Kind != framing.ErrorResponse && m.Kind != framing.Response {
		return false
	}
	if len(l.run.handshake.keys) == 0 {
		return false
	}
	key := idKey(l.run.ids.key(false, m.Of(m.ID)))
	if !slices.Contains(l.run.handshake.keys, key) {
		return false
	}
	if l.row.Flags&session.FlagProbe != 0 {
		return true
	}
	r := l.run.ids.open[key]
	return r != nil && m.Kind == framing.ErrorResponse && l.run.needless(r)
}
