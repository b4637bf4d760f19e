package lifecycle

import (
	"mcpdbg/framing"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// askForTasks notes the tasks whose state a subscription asks for.
func (s *subscription) askForTasks(want []byte) {
	list := message.Member(want, "taskIds")
	if len(list) == 0 || list[0] != '[' {
		return
	}
	s.methods[mcp.MethodTasks], s.tasks = true, make(map[string]bool)
	for element := range framing.Elements(list) {
		if len(s.tasks) == maxURIs {
			s.anyTask = true
			return
		}
		s.tasks[message.Short(element.Of(list))] = true
	}
}

// checkListenResult checks the result of a subscription. An error refuses it, and needs
// no acknowledgement. One that was cancelled is no longer open: its acknowledgement may
// have been given up.
func checkListenResult(c *Checker, m *message.Message, r *message.Request) {
	result := m.Of(m.Result)
	if m.Kind != framing.Response || !r.Versioned || !message.IsObject(result) {
		return
	}
	where := about(r)
	sub := c.subscriptions.open[r.ID]
	if sub != nil && !sub.acknowledged && !c.subscriptions.stray && !c.lost {
		c.found(mod17, m.At, where, "it comes before any acknowledgement")
	}
	where.Pointer = "/_meta"
	switch id := message.Member(message.Member(result, "_meta"), metaSubscription); {
	case id == nil:
		c.found(mod17, m.At, where, "no %s in _meta", metaSubscription)
	case message.Short(id) != r.ID:
		c.found(mod17, m.At, where, "subscription id %s for the request id %s", message.Excerpt(id), message.Excerpt(r.ID))
	}
}
