package rule

import (
	"encoding/json"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// A handshake is the knowledge from the handshake of one process.
type handshake struct {
	modern bool // an answer to server/discover has shown a revision of the modern era
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
	if l.row.Flags&session.FlagProbe != 0 {
		return true
	}
	if m.Kind != framing.ErrorResponse || len(l.steps) == 0 || l.steps[0].X == nil || !l.steps[0].X.Handshake {
		return false
	}
	r := l.run.ids.open[l.run.ids.key(false, m.Of(m.ID))]
	return r != nil && l.run.needless(r)
}
