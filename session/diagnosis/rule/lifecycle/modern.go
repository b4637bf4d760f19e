package lifecycle

import (
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// codeURLRequired is the error for a missing elicitation in url mode (2025-11-25 only).
const codeURLRequired = -32042

func (c *Checker) modernRequest(m *message.Message) {
	r := m.Request
	switch {
	case r.Versioned && !r.Client.Has(message.Known):
		c.found(mod01, m.At, diagnosis.Location{Method: r.Method, Pointer: "/_meta"}, "no clientCapabilities in _meta")
	case !r.Versioned:
		c.unversioned(m)
	}
	c.sentAgain(m)
	if r.Method == methodListen {
		c.subscriptions.listen(m)
	}
	if r.LogLevel != "" {
		c.logging.begin(r)
	}
}

// unversioned checks a request that lacks the version which every request of the modern
// era has. Until the server has answered one of these, it may belong to the other era.
func (c *Checker) unversioned(m *message.Message) {
	if m.Request.Versioned || !c.versions.served || c.order.sent || c.lost {
		return
	}
	switch m.Request.Method {
	case mcp.MethodInitialize, mcp.MethodPing, mcp.MethodSetLevel, methodSubscribe, methodUnsubscribe, methodTasksList, methodTasksResult:
		return // of the legacy era only
	}
	c.found(mod01, m.At, diagnosis.Location{Method: m.Request.Method, Pointer: "/_meta"}, "no protocolVersion in _meta")
}

func (c *Checker) modernResult(m *message.Message, r *message.Request) {
	result := m.Of(m.Result)
	if !message.IsObject(result) || !r.Versioned {
		return
	}
	if !r.Client.Has(message.Known) {
		c.found(mod01, m.At, diagnosis.Location{Method: r.Method}, "a request without clientCapabilities has a result")
	}
	kind, meta := []byte(nil), []byte(nil)
	for name, value := range message.Members(result) {
		switch string(name) {
		case "resultType":
			kind = value
		case "_meta":
			meta = value
		}
	}
	info := message.Member(meta, mcp.MetaServerInfo)
	if kind != nil && info == nil { // otherwise it is a result of the other era
		c.found(mod15, m.At, diagnosis.Location{}, "first missing in the result of %s", message.Excerpt(about(r).String()))
	}
	c.versions.identity(m, diagnosis.Location{Pointer: "/_meta/io.modelcontextprotocol~1serverInfo"}, info) // of all results
	switch string(kind) {
	case `"input_required"`:
		c.inputRequired(m, r, result)
	case `"task"`:
		c.tasks.extended(m, r, result, true)
	}
	if r.Method == methodTasksGet {
		c.tasks.extended(m, r, result, false)
	}
}

func (c *Checker) modernError(m *message.Message, r *message.Request, code int) {
	where := about(r)
	switch {
	case !c.versions.served || c.mixed():
		return
	case code == mcp.CodeNotFound, code == codeURLRequired:
		where.Pointer = "/code"
		c.found(mod13, m.At, where, "code %d", code)
	case r.Versioned && !r.Client.Has(message.Known) && code != mcp.CodeInvalidParams && code != mcp.CodeUnsupportedVersion:
		c.found(mod01, m.At, diagnosis.Location{Method: r.Method}, "a request without clientCapabilities was refused with code %d", code)
	}
}
