package lifecycle

import (
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// checkMissingCapability checks that an error for a missing capability of the client
// names it.
func checkMissingCapability(c *Checker, m *message.Message, r *message.Request, code int) {
	if code != mcp.CodeMissingCapability || !r.Versioned {
		return
	}
	if data := message.Member(m.Of(m.Error), "data"); !message.IsObject(message.Member(data, "requiredCapabilities")) {
		where := about(r)
		where.Pointer = "/data"
		c.found(mod16, m.At, where, "no data.requiredCapabilities")
	}
}
