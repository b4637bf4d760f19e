package rule

import (
	"encoding/json"
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
	keys   []idKey
	over   bool
	modern bool // an answer to server/discover has shown a revision of the modern era
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

// answered notes the response to a request of the handshake.
func (h *handshake) answered(m *message.Message, r *request) {
	if r.sent.Method != mcp.MethodDiscover {
		return
	}
	var result struct {
		Supported []string `json:"supportedVersions"`
	}
	var failure struct {
		Code int `json:"code"`
		Data struct {
			Supported []string `json:"supported"`
		} `json:"data"`
	}
	supported := func() []string {
		if m.Kind == framing.Response && json.Unmarshal(m.Of(m.Result), &result) == nil {
			return result.Supported
		}
		if json.Unmarshal(m.Of(m.Error), &failure) == nil && failure.Code == mcp.CodeUnsupportedVersion {
			return failure.Data.Supported
		}
		return nil
	}
	modern, _ := mcp.Newest(supported())
	h.modern = h.modern || modern != ""
}

// knownModern reports whether the server has shown that it speaks the modern era.
func (r *run) knownModern() bool { return mcp.IsModern(r.revision) || r.handshake.modern }

// needless reports whether a handshake request needs no response: a probe may go
// unanswered, and so may initialize once the server has shown the modern era.
func (r *run) needless(q *request) bool {
	return q.handshake && (q.sent.Method == mcp.MethodDiscover || r.knownModern())
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
