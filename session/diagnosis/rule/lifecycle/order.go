package lifecycle

import (
	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

type order struct {
	early    bool // a message came before initialize
	firstAt  message.Place
	first    string // method of that message
	worked   bool   // a request before initialize has a result
	sent     bool   // initialize was sent
	pending  int    // initialize requests without a response
	accepted bool   // initialize has a result
	ready    bool   // notifications/initialized was sent
	hasty    bool   // a request came before it: reported
}

// orderOf checks where in the handshake a message of the client is. A server/discover,
// and all that has a version of the modern era, may come at any time.
func (c *Checker) orderOf(m *message.Message) {
	o := &c.order
	switch string(m.Of(m.Method)) {
	case mcp.MethodInitialize:
		if m.Kind == framing.Request {
			o := &c.order
			if o.accepted || o.pending > 0 {
				c.found(lif05, m.At, diagnosis.Location{Method: mcp.MethodInitialize}, "initialize was sent before")
			}
			if !c.lost {
				c.early("sent before initialize")
			}
			o.sent = true
			o.pending++
		}
		return
	case mcp.MethodDiscover:
		c.versions.probed = true
		return
	case mcp.MethodPing, mcp.MethodCancelled:
		return
	}
	switch {
	case m.Request != nil && m.Request.Versioned:
	case !o.sent:
		if !o.early {
			o.early, o.first, o.firstAt = true, message.Excerpt(m.Of(m.Method)), m.At
		}
	case m.Kind != framing.Request || c.versions.served || c.lost:
	case o.accepted && !o.ready && !o.hasty:
		o.hasty = true
		c.found(lif04, m.At, diagnosis.Location{Method: m.Request.Method}, "sent before notifications/initialized")
	case !o.accepted && o.pending > 0:
		c.found(lif02, m.At, diagnosis.Location{Method: m.Request.Method}, "sent before the response to initialize")
	}
}

// early reports a message before initialize. One before a modern session lacks its
// version instead (MOD01).
func (c *Checker) early(detail string) {
	o := &c.order
	if o.early && !o.sent && !c.versions.served {
		c.found(lif01, o.firstAt, diagnosis.Location{Method: o.first}, "%s", detail)
	}
}

func (c *Checker) initialized(m *message.Message) {
	o, where := &c.order, diagnosis.Location{Method: mcp.MethodInitialized}
	switch {
	case c.lost || !o.sent:
	case o.ready:
		c.found(lif04, m.At, where, "sent twice")
	case !o.accepted && o.pending > 0:
		c.found(lif04, m.At, where, "sent before the response to initialize")
	}
	o.ready = true
}
