package lifecycle

import (
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

func (c *Checker) cancelled(m *message.Message) {
	where := diagnosis.Location{Method: mcp.MethodCancelled}
	id := message.Member(m.Of(m.Params), "requestId")
	r := m.Request
	if m.FromServer && c.isModern(m) {
		if r == nil || r.Method != methodListen {
			c.strayEnd(m, r, id)
			return
		}
		c.subscriptions.end(r.ID, endOf{byServer: true})
		return
	}
	if r == nil {
		was, where := m.Cancels, diagnosis.Location{Method: mcp.MethodCancelled}
		switch {
		case id == nil || c.lost || was.Unknown:
		case was.At == 0 && c.fromStart():
			c.found(can01, m.At, where, "no request of this side has the id %s", message.Excerpt(id))
		case was.At > 0 && m.At.T-was.At > grace: // before, it may have crossed with the response
			c.found(can01, m.At, where, "the request with id %s was over %s before", message.Excerpt(id), seconds(m.At.T-was.At))
		}
		return
	}
	where.Name = r.Method
	c.stopped(r)
	switch {
	case r.Method == mcp.MethodInitialize:
		c.order.pending--
		c.found(lif06, m.At, where, "the request in entry %d", r.At.N)
	case r.Task && mcp.IsLegacy(r.Revision):
		c.found(can04, m.At, where, "the request in entry %d asked for a task", r.At.N)
	}
	switch {
	case r.FromServer:
		c.replied(r)
	case r.Method == methodListen:
		c.subscriptions.end(r.ID, endOf{at: m.At.T})
	}
	if r.LogLevel != "" {
		c.logging.cancelled(r, m.At.T)
	}
}

// strayEnd checks a cancellation by a modern server of something that is not a pending
// subscription.
func (c *Checker) strayEnd(m *message.Message, r *message.Request, id []byte) {
	if id == nil || c.lost {
		return
	}
	where := diagnosis.Location{Method: mcp.MethodCancelled}
	if r != nil {
		where.Name = r.Method
	}
	if _, ended := c.subscriptions.ended[message.Short(id)]; ended && r == nil {
		return
	}
	c.found(can03, m.At, where, "id %s is not that of a subscription", message.Excerpt(id))
}

// late checks a response that comes after its request was cancelled.
func (c *Checker) late(m *message.Message, r *message.Request) {
	after := m.At.T - r.Cancelled
	if r.Cancelled == 0 || after <= grace || r.Method == mcp.MethodInitialize || r.Method == methodListen {
		return
	}
	severity := can02.Severity
	if mcp.IsModern(r.Revision) {
		severity = diagnosis.Error
	}
	c.report(can02, severity, m.At, about(r), "answered "+seconds(after)+" after it was cancelled")
}
