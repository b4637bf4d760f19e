package lint

import (
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxShakes is how many requests of one handshake are tracked.
const maxShakes = 8

// shakes are the requests of the handshake of one process: those to the server
// before any other one.
type shakes struct {
	keys []idKey
	over bool
}

// take takes a request to the server. It reports whether that is one of the
// handshake.
func (h *shakes) take(key idKey, method string) bool {
	handshake := method == mcp.MethodDiscover || method == mcp.MethodInitialize
	h.over = h.over || !handshake
	if h.over || len(h.keys) == maxShakes {
		return false
	}
	h.keys = append(h.keys, key)
	return true
}

// needless reports whether a request of the handshake needs no response: a probe
// may go unanswered, and so may initialize once the server took the modern era.
func (r *run) needless(q request) bool {
	return q.shakes && (q.method == mcp.MethodDiscover || mcp.IsModern(r.revision))
}

// severityOf is the severity of a rule about a request without an answer.
func (r *run) severityOf(rule *Rule, q request) Severity {
	if r.needless(q) {
		return Info
	}
	return rule.Severity
}

// answersProbe reports whether a message answers a probe: then it may be any
// error, and whatever is wrong with it is only worth knowing.
func (l *Linter) answersProbe(m *message) bool {
	if !m.fromServer || m.Kind != framing.ErrorResponse && m.Kind != framing.Response {
		return false
	}
	key := newIDKey(false, m.of(m.ID))
	if !slices.Contains(l.run.shakes.keys, key) {
		return false
	}
	if l.row.Flags&session.FlagProbe != 0 {
		return true
	}
	r, open := l.run.ids.open[key]
	return open && m.Kind == framing.ErrorResponse && l.run.needless(r)
}
